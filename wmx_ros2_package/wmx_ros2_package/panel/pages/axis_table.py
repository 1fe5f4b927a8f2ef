"""What pages share to show axes: cells that the browser fills."""

from __future__ import annotations

from html import escape

from ..description import ShownAxis


def cell(quantity: str, axis: int, head: str, unit: str = "", kind: str = "n") -> str:
    """A cell of a table that shows a quantity of the newest status, and its unit."""
    number = f'<span data-live="{quantity}:{axis}">…</span>'
    named = f' <span class="unit">{unit}</span>' if unit else ""
    return f'<td class="{kind}" data-head="{head}"><span>{number}{named}</span></td>'


def bar(axis: int, actuator: ShownAxis) -> str:
    """Where in its range an axis is."""
    if actuator.low is None or actuator.high is None or not actuator.low < actuator.high:
        return '<span class="range">no range</span>'
    return (
        f'<div class="bar" data-live="bar:{axis}" data-low="{actuator.low}" '
        f'data-high="{actuator.high}"><i></i></div>'
        f'<div class="range"><span>{actuator.low:g}</span><span>{actuator.high:g}</span></div>'
    )


def row(axis: int, actuator: ShownAxis) -> str:
    """One axis: all that is known of it at a glance."""
    unit, name = escape(actuator.unit), f"{axis} · {escape(actuator.name)}"
    return (
        f'<tr><td data-head="axis"><a href="/axes?axis={axis}">{name}</a></td>'
        f"{cell('position', axis, 'position', unit)}"
        f'<td data-head="range" class="wide">{bar(axis, actuator)}</td>'
        f"{cell('velocity', axis, 'velocity', f'{unit}/s')}{cell('torque', axis, 'torque', '%')}"
        f'<td data-head="state" class="wide"><span data-live="flags:{axis}"></span></td>'
        f"{cell('owner', axis, 'moved by', kind='')}"
        f'<td data-head="blocked by" class="wide"><div data-live="blocks:{axis}"></div></td></tr>'
    )


HEAD = (
    "<thead><tr><th>axis</th><th>position</th><th>range</th><th>velocity</th><th>torque</th>"
    "<th>state</th><th>moved by</th><th>blocked by</th></tr></thead>"
)
