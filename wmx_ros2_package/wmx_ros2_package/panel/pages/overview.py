"""The overview: one row an axis, and what brings all of them from power-on to ready."""

from __future__ import annotations

from nicegui import ui

from ..frame import Frame
from .axis_table import HEAD, row


def build(frame: Frame) -> None:
    """Make the page."""
    actuators = frame.plant.actuators
    if not actuators:
        with ui.card().classes("card"):
            ui.label("No machine is connected").classes("text-h5")
            ui.label(frame.plant.problem)
            ui.label("Start one in a terminal:  make run ROBOT=arm").classes("mono")
            ui.label("The panel finds it by itself. Both need the same ROS_DOMAIN_ID.")
        return
    machine = frame.plant.connected
    with ui.row().classes("items-center"):
        frame.button("Clear all alarms", "clear all alarms", machine.axes.clear, icon="healing")
        frame.button("All servos on", "switch all servos on", machine.axes.on, icon="power")
        frame.stop_all_button()
        frame.button(
            "All servos off", "switch all servos off", machine.axes.off, icon="power_off"
        ).props("outline")
    ui.label(
        "To move something: take control (above), clear alarms, switch servos on, then open "
        "Axes, Robot or Trajectory. The words under 'blocked by' say why an axis does not move, "
        "and the button beside them clears it."
    )
    ui.html(
        '<span data-state="engine"></span> · <span data-state="network"></span>', sanitize=False
    ).classes("narrow-only")
    rows = "".join(row(axis, actuator) for axis, actuator in enumerate(actuators))
    ui.html(
        f'<table class="grid-table cards">{HEAD}<tbody>{rows}</tbody></table>', sanitize=False
    ).classes("w-full overflow-auto")
