"""The page of one axis: switched, moved, stepped, jogged and plotted as typed; and homed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from acts import (
    bring,
    click_for,
    follow,
    hold,
    holds,
    jog_button,
    move_to,
    order,
    take_control,
    told,
    until,
)
from panels import LATE, Served, downloaded, moving, shows, shows_curves
from waits import eventually

from wmx_ros2_package.client import EndReason, Machine

PLOT_WIDTHS = """() => {
  const canvas = document.querySelector("canvas");
  const { chart } = getElement(Number(canvas.closest("[id^=c]").id.slice(1)));
  return [0, 1, 2, 3].map(
    i => Math.round(chart.getModel().getComponent("grid", i).coordinateSystem.getRect().width));
}"""

ZOOM = """() => {
  const canvas = document.querySelector("canvas");
  const { chart } = getElement(Number(canvas.closest("[id^=c]").id.slice(1)));
  const { start, end } = chart.getOption().dataZoom[0];
  return Math.round(end - start);
}"""
"""The part of the time that is shown, percent."""


def test_an_axis_is_moved_and_jogged_by_numbers_as_typed(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    target, speed = page.get_by_label("Target, rad"), page.get_by_label("Velocity, rad/s").last
    go = page.get_by_role("button", name="Move to")
    take_control(page)
    assert target.input_value() == "", "nothing is moved to that was not typed"
    order(page, go.click, "target: nothing is given")

    move = partial(move_to, page)
    order(page, partial(move, "99", "0,5"), "target: '99' is above 6.28")
    order(page, partial(move, "0,25", "99"), "velocity: '99' is above 3.1")
    assert machine.status().command[0] == 0.0

    def arrived() -> bool:
        begun = told(page, "move axis 0 to 0.25 rad at 1.5", ": begun")
        return begun and abs(machine.axes[0].position - 0.25) < 1e-3

    until(page, partial(move, "0,25", "1,5"), arrived, "it arrives")

    def step_twice() -> None:
        bring(machine, 0.25)
        speed.fill("0,03")
        page.get_by_label("Step, rad").fill("0,05")
        page.get_by_role("button", name="- Step").dblclick()

    def stepped() -> bool:
        refused = told(page, "a step is under way")
        return refused and abs(machine.axes[0].position - 0.2) < 1e-3

    until(page, step_twice, stepped, "it makes one step")
    eventually(lambda: machine.status().at_rest[0], "the axis rests")
    place = machine.status().command[0]
    jog_speed, button = page.locator("#jog-speed"), jog_button(page)
    problem = page.locator("#problem").filter(has_text="velocity: '99' is above 3.1")

    def stays() -> bool:
        jog_speed.fill("99")
        hold(button, problem.is_visible)
        page.mouse.up()
        page.wait_for_timeout(300)
        return bool(problem.is_visible())

    eventually(stays, "why nothing is jogged stays after the button is let go")
    assert machine.status().command[0] == place

    def begun() -> bool:
        return bool(abs(machine.status().command_velocity[0] - 0.1) < 1e-3)

    jog_speed.fill("0,1")
    hold(button, begun)
    page.mouse.up()


def test_a_page_that_is_loaded_again_moves_as_was_typed(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    speed, step = page.get_by_label("Velocity, rad/s").last, page.get_by_label("Step, rad")
    jog_speed = page.locator("#jog-speed")
    typed = {speed: "0,05", step: "0,02", jog_speed: "0,03"}

    def shown() -> list[str]:
        return [field.input_value() for field in typed]

    first = shown()
    for field, text in typed.items():
        field.fill(text)
    page.reload()
    eventually(lambda: holds(lambda: shown() == [*typed.values()]), "the fields have it")
    take_control(page)
    begun = "move axis 0 by 0.02 rad at 0.05 rad/s: begun"
    order(page, page.get_by_role("button", name="+ Step").click, begun)

    def slow() -> bool:
        return bool(abs(machine.status().command_velocity[0] - 0.03) < 1e-3)

    eventually(lambda: machine.status().at_rest[0], "the step has ended")
    hold(jog_button(page), slow)
    page.mouse.up()
    follow(page, "/homing")
    follow(page, "/axes?axis=1")
    eventually(lambda: shown() == first, "another axis has its own numbers")
    follow(page, "/homing")
    follow(page, "/axes?axis=0")
    eventually(lambda: shown() == [*typed.values()], "another page forgets nothing")


def test_an_axis_is_plotted_saved_and_switched(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=1")
    take_control(page)
    bring(machine, 0.0, 0.6)
    shows(page, ".big", "0.6000")
    shows_curves(page, 100)
    assert len(set(page.evaluate(PLOT_WIDTHS))) == 1
    page.route("**/scope-data?*", lambda route: route.fulfill(status=422, body="axis is 99"))
    shows(page, "#plot-state", "axis is 99")
    page.unroute("**/scope-data?*")
    page.locator("#plot-state:empty").wait_for(state="attached")
    plots = page.locator("canvas").first
    newest = {"x": plots.bounding_box()["width"] * 0.95, "y": 120}
    values = page.locator("div").filter(has_text="following error").filter(has_text=" s").last
    value = values.filter(has_text="0.6000")

    def zoom() -> None:
        plots.hover(position=newest)
        page.keyboard.down("Shift")
        page.mouse.wheel(0, -300)
        page.keyboard.up("Shift")

    until(page, lambda: plots.hover(position=newest), value.is_visible, "the value is shown")
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(LATE)
    assert page.evaluate(ZOOM) == 100, "the wheel alone scrolls, and zooms nothing"
    until(page, zoom, lambda: page.evaluate(f"({ZOOM})() < 100"), "it is zoomed")
    show_all = partial(plots.dblclick, position=newest)
    until(page, show_all, lambda: page.evaluate(f"({ZOOM})() === 100"), "all is shown")
    assert downloaded(page, "#png")[0] == "axis_1.png"
    pause = page.locator("#pause")
    click_for(pause, pause.filter(has_text="Continue"))
    bring(machine)
    page.wait_for_timeout(LATE)
    name, content = downloaded(page, "#csv")
    assert name == "axis_1.csv"
    head, *samples = content.decode().splitlines()
    assert head == ",".join(
        [
            "time_s",
            "joint2 command (rad)",
            "joint2 position (rad)",
            "joint2 velocity (rad/s)",
            "joint2 torque (%)",
            "joint2 following_error (rad)",
        ]
    )
    rows = [[float(text) for text in row.split(",")] for row in samples]
    assert len(rows) > 10
    assert rows[-1][1:3] == pytest.approx([0.6, 0.6], abs=1e-3), "what moved later is not in it"
    off = page.get_by_role("button", name="Off", exact=True)
    ended: list[EndReason] = []

    def switch_off_on_its_way() -> None:
        machine.axes.clear()
        machine.axes.on()
        bring(machine)
        motion = machine.axes[1].move(0.9, velocity=0.1)
        eventually(lambda: moving(machine, 1), "it moves")
        off.click()
        eventually(lambda: motion.done, "it ends")
        ended[:] = [motion.result.reason]

    def is_off() -> bool:
        return ended == [EndReason.STOPPED] and not machine.axes[1].status.servo_on

    until(page, switch_off_on_its_way, is_off, "it is stopped first")


TWICE = "button => { button.click(); button.click(); }"


def test_an_axis_is_homed_as_shown_and_listed(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/axes?axis=5")
    take_control(page)
    bring(machine, *[0.0] * 5, 0.2)
    shows(page, ".big", "0.2000")
    shows(page, "[data-live='home:5']", "not homed")
    ask = page.get_by_role("button", name="Home ...")
    set_here = page.get_by_role("button", name="Set the position here")
    confirm = page.locator(".confirm").filter(
        has_text="It is at 0.2000 rad. That place is called 0 rad from then on"
    )
    click_for(ask, confirm)
    page.get_by_role("button", name="Cancel").click()
    set_here.wait_for(state="detached")
    assert not machine.axes[5].status.homed

    def home(ask: Any) -> Callable[[], None]:
        def act() -> None:
            if not set_here.is_visible():
                ask.click()
            set_here.click()

        return act

    order(page, home(ask), "home axis 5: begun")
    page.locator(".flag-homed").wait_for()
    shows(page, ".big", "0.0000")
    eventually(lambda: machine.axes[5].status.homed, "it is homed")
    set_here.wait_for(state="detached")

    follow(page, "/homing")
    row = page.locator(".page tbody tr").nth(4)
    shows(page, ".page tbody tr", "its position becomes 0 rad where it stands")
    before = len(served.panel.output)

    def agree_twice() -> None:
        if not set_here.is_visible():
            row.get_by_role("button", name="Home axis 4").click()
        set_here.click(trial=True)  # once it is enabled
        set_here.evaluate(TWICE)

    order(page, agree_twice, "home axis 4: begun")
    row.get_by_text("homed", exact=True).wait_for()
    eventually(lambda: machine.axes[4].status.homed, "it is homed")
    told = [line for line in served.panel.output[before:].splitlines() if "home axis 4: " in line]
    assert len([line for line in told if "too late" not in line]) == 2, "its begin and its end"
