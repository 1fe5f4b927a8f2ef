"""The overview: one row an axis, and what brings all of them from power-on to ready."""

from __future__ import annotations

from html import escape

from nicegui import ui

from ..description import ShownAxis
from ..frame import Frame
from ..switching import switch_off
from .tables import row_filter


def build(frame: Frame) -> None:
    """Make the page."""
    actuators = frame.link.actuators
    if not actuators:
        with ui.card().classes("card"):
            ui.label("No machine is connected").classes("text-h5")
            ui.label(frame.link.problem)
            ui.label("Start one in a terminal:  make run ROBOT=arm").classes("mono")
            ui.label("The panel finds it by itself. Both need the same ROS_DOMAIN_ID.")
        return
    machine = frame.link.connected
    with ui.row().classes("items-center"):
        frame.stop_all_button()
        frame.button("Clear all alarms", "clear all alarms", machine.axes.clear, icon="healing")
        frame.button("All servos on", "switch all servos on", machine.axes.on, icon="power")
        frame.button(
            "All servos off",
            "switch all servos off",
            lambda: switch_off(machine, machine.axes, range(len(actuators))),
            icon="power_off",
        ).props("outline").tooltip("Axes that move are stopped first")
        row_filter("Axis, or: moving, alarm, off, blocked")
    ui.label(
        "To move something: take control (above), clear alarms, switch servos on, then open "
        "Axes, Robot or Trajectory. The words under 'blocked by' say why an axis does not move, "
        "and the button beside them clears it."
    )
    ui.html(
        '<span data-state="engine"></span> · <span data-state="network"></span>', sanitize=False
    ).classes("narrow-only")
    table = [row_of(axis, actuator) for axis, actuator in enumerate(actuators)]
    head = "".join(f"<th>{name}</th>" for name in table[0])
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="{kind}" data-head="{name}">{content}</td>'
            for name, (kind, content) in cells.items()
        )
        + "</tr>"
        for cells in table
    )
    ui.html(
        f'<table class="grid-table cards"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>",
        sanitize=False,
    ).classes("w-full overflow-auto")
    # A row is as high whatever blocks its axis, so that no button moves: here it is in full.
    ui.html('<div id="reasons" role="status"></div>', sanitize=False)


def bar(axis: int, actuator: ShownAxis) -> str:
    """Where in its range an axis is."""
    if actuator.low is None or actuator.high is None or not actuator.low < actuator.high:
        return '<span class="range">no range</span>'
    return (
        f'<div class="bar" data-live="bar:{axis}" data-low="{actuator.low}" '
        f'data-high="{actuator.high}"><i></i></div>'
        f'<div class="range"><span>{actuator.low:g}</span><span>{actuator.high:g}</span></div>'
    )


def row_of(axis: int, actuator: ShownAxis) -> dict[str, tuple[str, str]]:
    """All that is known of an axis at a glance: class and content of each cell, by its head."""
    unit = escape(actuator.unit)

    def live(quantity: str, unit: str = "") -> str:
        named = f' <span class="unit">{unit}</span>' if unit else ""
        return f'<span><span data-live="{quantity}:{axis}">…</span>{named}</span>'

    return {
        "axis": ("", f'<a href="/axes?axis={axis}">{axis} · {escape(actuator.name)}</a>'),
        "position": ("n", live("position", unit)),
        "range": ("wide", bar(axis, actuator)),
        "velocity": ("n", live("velocity", f"{unit}/s")),
        "torque": ("n", live("torque", "%")),
        "state": ("wide", f'<div class="steady"><span data-live="flags:{axis}"></span></div>'),
        "moved by": ("", f'<div class="steady">{live("owner")}</div>'),
        "blocked by": ("wide", f'<div class="steady"><div data-live="blocks:{axis}"></div></div>'),
    }
