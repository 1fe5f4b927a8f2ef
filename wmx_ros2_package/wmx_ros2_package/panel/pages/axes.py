"""One axis: switched, moved, jogged, and plotted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ...client import Axis
from ..description import ShownAxis
from ..frame import Frame
from ..history import LENGTH
from .jog_buttons import HoldButton, jog_area, speed
from .overview import bar

STEPS = (0.001, 0.01, 0.1, 0.5, 1.0)
WINDOWS = {10: "10 s", 30: "30 s", 60: "1 min", 300: "5 min", int(LENGTH): "10 min"}


def build(frame: Frame) -> None:
    """Make the page, for the axis that its address names."""
    actuators = frame.link.actuators
    if not actuators:
        ui.label(frame.link.problem)
        return
    names = frame.link.axis_labels
    query = ui.context.client.sub_pages_router.current_path.partition("axis=")[2]
    first = int(query) if query.isdecimal() and int(query) in names else 0
    with ui.row().classes("w-full items-center"):
        chosen = ui.select(names, value=first, label="Axis").classes("w-60").props("id=axis-choice")
    body = ui.element("div").classes("w-full")

    def show() -> None:
        body.clear()
        with body:
            _axis(frame, int(chosen.value), actuators[int(chosen.value)])

    chosen.on_value_change(show)
    show()


def _axis(frame: Frame, axis: int, actuator: ShownAxis) -> None:
    def one() -> Axis:
        return frame.link.connected.axes[axis]

    with ui.element("div").classes("two-columns"):
        with ui.column().classes("w-full gap-3"):
            with ui.card().classes("card"):
                _state(axis, actuator)
                _switches(frame, axis, one)
            with ui.card().classes("card"):
                _jog(axis, actuator)
            with ui.card().classes("card"):
                _moves(frame, axis, actuator, one)
        with ui.card().classes("card"):
            _plots(axis, actuator)


def _state(axis: int, actuator: ShownAxis) -> None:
    unit = actuator.unit
    ui.html(
        f'<span class="big"><span data-live="position:{axis}">…</span> {unit}</span>'
        f"{bar(axis, actuator)}"
        f'<div>command <b data-live="command:{axis}"></b> {unit} · following error '
        f'<b data-live="error:{axis}"></b> {unit}</div>'
        f'<div>velocity <b data-live="velocity:{axis}"></b> {unit}/s · torque '
        f'<b data-live="torque:{axis}"></b> % · moved by '
        f'<span data-live="owner:{axis}"></span></div>'
        f'<div data-live="flags:{axis}"></div><div data-live="blocks:{axis}"></div>',
        sanitize=False,
    ).classes("w-full")


def _switches(frame: Frame, axis: int, one: Callable[[], Axis]) -> None:
    with ui.row():
        frame.button("On", f"switch servo of axis {axis} on", lambda: one().on(), icon="power")
        frame.button(
            "Off", f"switch servo of axis {axis} off", lambda: one().off(), icon="power_off"
        ).props("outline")
        frame.button(
            "Clear alarm", f"clear alarm of axis {axis}", lambda: one().clear(), icon="healing"
        ).props("outline")
        frame.button("Home", f"home axis {axis}", lambda: one().home(), icon="home").props(
            "outline"
        )
        frame.stop_button("Stop", f"stop axis {axis}", lambda: one().stop())


def _moves(frame: Frame, axis: int, actuator: ShownAxis, one: Callable[[], Axis]) -> None:
    ui.label("Move").classes("text-h6")
    with ui.row().classes("items-center"):
        target = ui.number(f"Target, {actuator.unit}", value=0.0, step=0.1).classes("w-28")
        speed = ui.number(
            f"Velocity, {actuator.unit}/s",
            value=round(min(0.5, actuator.velocity), 3),
            min=0.0,
            max=actuator.velocity,
            step=0.1,
        ).classes("w-32")

        async def move() -> None:
            if target.value is None or not speed.value:
                ui.notify("give a target and a velocity above 0", type="warning")
                return
            to, fast = float(target.value), float(speed.value)
            await frame.order(
                f"move axis {axis} to {to:g} {actuator.unit} at {fast:g}",
                lambda: one().move(to, velocity=fast),
            )

        frame.on_click(ui.button("Move to", icon="arrow_forward"), move)
    with ui.row().classes("items-center"):
        step = ui.select({s: f"{s:g} {actuator.unit}" for s in STEPS}, value=0.1, label="Step")
        step.classes("w-28")

        async def go(way: int) -> None:
            distance, fast = way * float(step.value), float(speed.value or 0.1)
            await frame.order(
                f"move axis {axis} by {distance:g} {actuator.unit}",
                lambda: one().move_by(distance, velocity=fast),
            )

        frame.on_click(ui.button("- Step"), lambda: go(-1))
        frame.on_click(ui.button("+ Step"), lambda: go(+1))


def _jog(axis: int, actuator: ShownAxis) -> None:
    with ui.row().classes("items-center"):
        ui.label("Jog").classes("text-h6")
        velocity = min(0.2, actuator.velocity)
        speed(f"Velocity, {actuator.unit}/s", "jog-speed", velocity, actuator.velocity)
    back = HoldButton("◀ - hold", (-1,), "ArrowLeft ArrowDown")
    jog_area(axis, "jog-speed", [back, HoldButton("hold + ▶", (1,), "ArrowRight ArrowUp")])


def _plots(axis: int, actuator: ShownAxis) -> None:
    with ui.row().classes("items-center w-full"):
        ui.label("Live plots").classes("text-h6")
        window = ui.select(WINDOWS, value=10, label="Window").classes("w-28").props("id=window")
        pause = ui.button("Pause", icon="pause").props("outline id=pause")
        ui.button(
            "CSV",
            icon="download",
            on_click=lambda: ui.navigate.to(
                f"/history.csv?axis={axis}&seconds={window.value}", new_tab=True
            ),
        ).props("outline id=csv")
        png = ui.button("PNG", icon="image").props("outline id=png")
    chart = ui.echart(_options(actuator.unit)).classes("w-full").style("height: 620px")
    window.on_value_change(lambda: ui.run_javascript(f"wmxPlot.window({window.value})"))
    pause.on("click", js_handler="() => wmxPlot.pause()")
    png.on("click", js_handler=f"() => wmxPlot.png('axis_{axis}.png')")
    ui.run_javascript(
        "import('/panel/plot.js').then(() => "
        f"wmxPlot.start({{chart: {chart.id}, axis: {axis}, seconds: {window.value}}}))"
    )


def _options(unit: str) -> dict[str, Any]:
    """Four plots above each other over one time."""
    titles = (f"position, {unit}", f"following error, {unit}", f"velocity, {unit}/s", "torque, %")
    series = (
        ("command", 0),
        ("feedback", 0),
        ("following error", 1),
        ("velocity", 2),
        ("torque", 3),
    )
    places = range(len(titles))
    return {
        "animation": False,
        "legend": {"top": 0, "data": ["command", "feedback"]},
        "tooltip": {"trigger": "axis"},
        "axisPointer": {"link": [{"xAxisIndex": "all"}]},
        "grid": [
            {"left": 70, "right": 16, "top": f"{8 + 23 * i}%", "height": "15%"} for i in places
        ],
        "xAxis": [
            {
                "type": "value",
                "gridIndex": i,
                "max": 0,
                "min": -10,
                "name": "s" if i == 3 else "",
                "axisLine": {"onZero": False},
            }
            for i in places
        ],
        "yAxis": [
            {
                "type": "value",
                "gridIndex": i,
                "scale": True,
                "name": title,
                "axisLine": {"onZero": False},
                "nameTextStyle": {"align": "left"},
                "nameGap": 8,
                "axisLabel": {"hideOverlap": True},
            }
            for i, title in enumerate(titles)
        ],
        "dataZoom": [{"type": "inside", "xAxisIndex": list(places), "filterMode": "none"}],
        "series": [
            {
                "name": name,
                "type": "line",
                "showSymbol": False,
                "xAxisIndex": i,
                "yAxisIndex": i,
                "lineStyle": {"width": 2, "type": "dashed" if name == "command" else "solid"},
                "data": [],
            }
            for name, i in series
        ],
    }
