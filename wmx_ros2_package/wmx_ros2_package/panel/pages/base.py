"""The base of a robot: driven by buttons that are held, and where it has been."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nicegui import ui

from ..frame import Frame
from .curves import plot
from .jog_buttons import HoldButton, jog_area, speed

DRIVE_SPEED, TURN_SPEED = 0.2, 0.5
"""At first, m/s and rad/s."""
BUTTONS = (
    HoldButton("▲ forward", (1, 0), "ArrowUp"),
    HoldButton("▼ back", (-1, 0), "ArrowDown"),
    HoldButton("⟲ left", (0, 1), "ArrowLeft"),
    HoldButton("⟳ right", (0, -1), "ArrowRight"),
)


def base(frame: Frame) -> None:
    """Make the part of the page."""
    ui.label("Base").classes("text-h6")
    with ui.row().classes("items-center"):
        speed("Forward, m/s", "drive-speed", DRIVE_SPEED)
        speed("Turn, rad/s", "turn-speed", TURN_SPEED)
        frame.stop_all_button()
    jog_area(None, "drive-speed turn-speed", BUTTONS)
    pose = ui.label().classes("mono").props("id=base-pose")
    series = [
        {"type": "line", "showSymbol": False, "data": []},
        {"type": "scatter", "symbol": "arrow", "symbolSize": 16, "data": []},
    ]
    chart = ui.echart(plot("x, m", "y, m", series=series, dataZoom=[], tooltip={}))
    chart.classes("w-full").style("height: 300px")

    def update() -> None:
        path = list(frame.link.base_path)
        if not path:
            pose.text = "no odometry yet"
            return
        x, y, heading = frame.link.base_pose
        text = f"x {x:.3f} m   y {y:.3f} m   heading {math.degrees(heading):.1f}°"
        if not frame.link.base_is_live:
            text = f"no odometry now: it was at {text}"
        if pose.text == text:
            return
        pose.text = text
        places = tuple((round(px, 3), round(py, 3)) for px, py, _ in [*path, (x, y, heading)])
        line, arrow = chart.options["series"]
        line["data"] = places
        arrow |= {"data": places[-1:], "symbolRotate": math.degrees(heading) - 90.0}
        for axis, numbers in zip("xy", zip(*places, strict=True), strict=True):
            low, high = _range(numbers, places)
            chart.options[f"{axis}Axis"] |= {"min": low, "max": high}
        chart.update()

    ui.timer(0.5, update)


def _range(numbers: Sequence[float], places: Sequence[Sequence[float]]) -> tuple[float, float]:
    """What an axis of the plot shows, m: as much as the other one, so that a circle is round."""
    spans = [max(each) - min(each) for each in zip(*places, strict=True)]
    half = max(*spans, 1.0) * 0.6
    middle = (max(numbers) + min(numbers)) / 2.0
    return round(middle - half, 1), round(middle + half, 1)
