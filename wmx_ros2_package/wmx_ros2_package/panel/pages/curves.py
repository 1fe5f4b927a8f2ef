"""What plots of curves share: how they are drawn, and look in the light and in the dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmx_core.values import Floats

if TYPE_CHECKING:
    from nicegui import ui

INK, LINE = "#808890", "#8884"
"""Of texts and of lines: to be read on white and on black."""

DASHES: tuple[str | list[int], ...] = (
    "solid",
    [8, 4],
    [2, 3],
    [10, 3, 2, 3],
    [5, 7],
    [6, 2, 2, 2, 2, 2],
    [1, 6],
    [18, 3, 5, 3],
)
"""Of the curves of one plot, px, so that they differ without their colours, too."""


def line_style(number: int) -> dict[str, Any]:
    """How the curve of a number is drawn: no other one of a plot has its dashes and its width."""
    return {"type": DASHES[number % len(DASHES)], "width": 2 + number // len(DASHES)}


def curve(number: int, name: str, times: Floats, values: Floats) -> dict[str, Any]:
    """A curve of a plot, which looks the same whatever others are drawn."""
    # Tuples: NiceGUI makes an object of each list, which a search for garbage looks at.
    data = tuple(
        (round(float(t), 4), round(float(v), 9)) for t, v in zip(times, values, strict=True)
    )
    return {
        "name": name,
        "type": "line",
        "showSymbol": False,
        "lineStyle": line_style(number),
        "data": data,
    }


def draw(chart: ui.echart, series: list[dict[str, Any]]) -> None:
    """Show these curves, and no others, in a plot."""
    chart.options["legend"]["data"] = [each["name"] for each in series]
    chart.options["series"] = series
    chart.update()


def plot(x: str, y: str, **more: Any) -> dict[str, Any]:
    """An empty plot of `y` over `x`, each named with its unit."""

    def axis(name: str, **own: Any) -> dict[str, Any]:
        return {
            "type": "value",
            "name": name,
            "nameTextStyle": {"color": INK, "align": "left"},
            "axisLabel": {"color": INK},
            "splitLine": {"lineStyle": {"color": LINE}},
            **own,
        }

    return {
        "animation": False,
        "legend": {
            "top": 0,
            "type": "scroll",
            "itemWidth": 44,  # in which the dashes are seen
            "textStyle": {"color": INK},
            "data": [],
        },
        "tooltip": {"trigger": "axis"},
        "grid": {"left": 60, "right": 30, "top": 60, "bottom": 30},
        "xAxis": axis(x),
        "yAxis": axis(y, scale=True),
        "dataZoom": [{"type": "inside"}],
        "series": [],
        **more,
    }
