"""One axis: switched, moved, jogged, and plotted."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import inf
from typing import Any

from nicegui import ui

from ...client import Axis
from ..description import ACTUATORS, ShownAxis
from ..frame import Frame
from ..history import LENGTH
from ..joint_targets import OneAtATime
from ..numbers import NumberRule, number_text
from ..switching import switch_off
from .homing import ask_to_home
from .jog_buttons import HoldButton, jog_area, speed
from .number_field import NumberField
from .overview import bar

STEP = 0.1
"""At first, u."""
COLORS = ["#3b82f6", "#65a30d", "#c026d3", "#0891b2", "#d97706"]
"""Of the curves: to be seen on white and on black."""
NO_ACTUATOR = (
    "It is neither jogged nor moved here, for there is no actuator on it: the parameters names and "
    f"axes of {ACTUATORS} have those that there are."
)
WINDOWS = {10: "10 s", 30: "30 s", 60: "1 min", 300: "5 min", int(LENGTH): "10 min"}


def build(frame: Frame) -> None:
    """Make the page, for the axis that its address names."""
    actuators = frame.link.actuators
    if not actuators:
        ui.label(frame.link.problem)
        return
    names = frame.link.axis_labels
    query = ui.context.client.sub_pages_router.current_path.partition("axis=")[2]
    named = int(query) if query.isascii() and query.isdecimal() else frame.axis
    # What is said of an axis has a height of its own: no control moves, whatever is shown.
    with ui.element("div").classes("axis-head"):
        chosen = ui.select(
            names, value=named if named in names else None, label="Axis", with_input=True
        )
        chosen.classes("w-60").props("id=axis-choice")
        blocks = ui.element("div").classes("axis-state")
    body = ui.element("div").classes("w-full")

    def show() -> None:
        if chosen.value is None:
            return
        axis = frame.axis = int(chosen.value)
        ui.navigate.history.replace(f"/axes?axis={axis}")
        blocks.clear()
        with blocks:
            ui.html(
                f'<div class="axis-flags"><span data-live="flags:{axis}"></span> moved by '
                f'<span data-live="owner:{axis}"></span></div>'
                f'<div class="axis-blocks" data-live="blocks:{axis}"></div>',
                sanitize=False,
            )
        body.clear()
        with body:
            _axis(frame, axis, actuators[axis])

    chosen.on_value_change(show)
    if named not in names:  # a page that is loaded again may be of another machine
        with body:
            ui.label(f"This machine has no axis {named}: choose another one.").props("id=no-axis")
    show()


def _axis(frame: Frame, axis: int, actuator: ShownAxis) -> None:
    def one() -> Axis:
        return frame.link.connected.axes[axis]

    name = frame.link.axis_labels[axis]
    with ui.element("div").classes("two-columns"):
        with ui.column().classes("w-full gap-3"):
            with ui.card().classes("card"):
                _switches(frame, axis, one)
                _state(axis, actuator)
            if actuator.movable:
                with ui.card().classes("card"):
                    _jog(axis, name, actuator)
                with ui.card().classes("card"):
                    _moves(frame, axis, name, actuator, one)
            else:
                ui.label(NO_ACTUATOR).classes("text-caption").props("id=no-actuator")
        with ui.card().classes("card"):
            _plots(axis, actuator)


def _state(axis: int, actuator: ShownAxis) -> None:
    unit = escape(actuator.unit)
    ui.html(
        f'<span class="big"><span data-live="position:{axis}">…</span> {unit}</span>'
        f"{bar(axis, actuator)}"
        f'<div class="line">command <b data-live="command:{axis}"></b> {unit} · following error '
        f'<b data-live="error:{axis}"></b> {unit}</div>'
        f'<div class="line">velocity <b data-live="velocity:{axis}"></b> {unit}/s · torque '
        f'<b data-live="torque:{axis}"></b> %</div>',
        sanitize=False,
    ).classes("w-full")


def _switches(frame: Frame, axis: int, one: Callable[[], Axis]) -> None:
    with ui.row().classes("no-wrap gap-2"):
        frame.stop_button(f"Stop axis {axis}", axis)
        frame.button("On", f"switch servo of axis {axis} on", lambda: one().on(), icon="power")
        frame.button(
            "Off",
            f"switch servo of axis {axis} off",
            lambda: switch_off(frame.link.connected, one(), [axis]),
            icon="power_off",
        ).props("outline").tooltip("An axis that moves is stopped first")
    with ui.row().classes("no-wrap gap-2"):
        frame.button(
            "Clear alarm", f"clear alarm of axis {axis}", lambda: one().clear(), icon="healing"
        ).props("outline")
        home = ui.button("Home ...", icon="home").props("outline")
        frame.on_click(home, lambda: ask_to_home(frame, axis))
        ui.html(f'<span data-live="home:{axis}">…</span>', sanitize=False)


def _moves(
    frame: Frame, axis: int, name: str, actuator: ShownAxis, one: Callable[[], Axis]
) -> None:
    unit = actuator.unit
    low, high = actuator.low, actuator.high
    ui.label(f"Move {name}").classes("text-h6")
    with ui.row().classes("items-center"):
        reach = NumberRule(
            name="target", low=-inf if low is None else low, high=inf if high is None else high
        )
        target = NumberField(f"Target, {unit}", None, reach)
        target.input.classes("w-28")
        speed = NumberField(
            f"Velocity, {unit}/s",
            round(min(0.5, actuator.velocity), 3),
            NumberRule(name="velocity", above=0.0, high=actuator.velocity),
            kept=f"move {name}",
        )
        speed.input.classes("w-32")

        async def move() -> None:
            to, fast = target.read(), speed.read()
            await frame.order(
                f"move axis {axis} to {number_text(to)} {unit} at {number_text(fast)} {unit}/s",
                lambda: one().move(to, velocity=fast),
            )

        frame.on_click(ui.button("Move to", icon="arrow_forward"), move)
    with ui.row().classes("items-center"):
        above = NumberRule(name="step", above=0.0)
        step = NumberField(f"Step, {unit}", STEP, above, kept=f"move {name}")
        step.input.classes("w-28")

        # Else the rest of the step before would be lost.
        steps = OneAtATime("a step is under way: wait until the axis rests")

        async def go(way: int) -> None:
            distance, fast = way * step.read(), speed.read()
            await frame.order(
                f"move axis {axis} by {number_text(distance)} {unit} "
                f"at {number_text(fast)} {unit}/s",
                lambda: steps.begin(lambda: one().move_by(distance, velocity=fast)),
            )

        frame.on_click(ui.button("- Step"), lambda: go(-1))
        frame.on_click(ui.button("+ Step"), lambda: go(+1))
        ui.label("at the velocity above").classes("text-caption")


def _jog(axis: int, name: str, actuator: ShownAxis) -> None:
    with ui.row().classes("items-center"):
        ui.label(f"Jog {name}").classes("text-h6")
        velocity = min(0.2, actuator.velocity)
        speed(f"Velocity, {actuator.unit}/s", "jog-speed", velocity, actuator.velocity, of=name)
    back = HoldButton("◀ - hold", (-1,), "ArrowLeft ArrowDown")
    jog_area(axis, "jog-speed", [back, HoldButton("hold + ▶", (1,), "ArrowRight ArrowUp")])


def _plots(axis: int, actuator: ShownAxis) -> None:
    with ui.row().classes("items-center w-full"):
        ui.label("Live plots").classes("text-h6")
        window = ui.select(WINDOWS, value=10, label="Window").classes("w-28").props("id=window")
        pause = ui.button("Freeze", icon="ac_unit").props("outline id=pause")
        csv = ui.button("CSV", icon="download").props("outline id=csv")
        png = ui.button("PNG", icon="image").props("outline id=png")
    chart = ui.echart(_options(actuator.unit)).classes("w-full live-plot").style("height: 620px")
    ui.label("Over seconds. Shift and wheel: zoom. Double click: all.").classes("text-caption")
    ui.label().classes("level-error").props("id=plot-state role=status")  # why none is drawn
    window.on_value_change(lambda: ui.run_javascript(f"wmxPlot.window({window.value})"))
    pause.on("click", js_handler="() => wmxPlot.pause()")
    csv.on("click", js_handler="() => wmxPlot.csv()")
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
        ("velocity", 2),
        ("torque", 3),
        ("following error", 1),
    )
    places = range(len(titles))
    return {
        "animation": False,
        "color": COLORS,
        "legend": {"top": 0, "data": ["command", "feedback"]},
        "tooltip": {"trigger": "axis"},
        "axisPointer": {"link": [{"xAxisIndex": "all"}]},
        "grid": [
            {
                "left": 70,
                "right": 16,
                "top": f"{8 + 23 * i}%",
                "height": "15%",
                "outerBoundsMode": "none",  # all are as wide
            }
            for i in places
        ],
        "xAxis": [
            {
                "type": "value",
                "gridIndex": i,
                "max": 0,
                "min": -10,
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
        # The wheel alone scrolls the page.
        "dataZoom": [
            {
                "type": "inside",
                "xAxisIndex": list(places),
                "filterMode": "none",
                "zoomOnMouseWheel": "shift",
            }
        ],
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
