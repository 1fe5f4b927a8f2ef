"""What people click, type and hold: it does what it says, and keeps its place."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from acts import (
    PRESS,
    bring,
    click_until,
    escape,
    follow,
    hold,
    jog_button,
    order,
    release,
    take_control,
    told,
    until,
)
from panels import LATE, moving, picture, settled, shows
from waits import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.panel.emergency_stop import RELEASE_DELAY, RELEASE_HOLD

SIZES = [(1280, 720), (390, 844)]


def test_clicks_on_the_emergency_stop_never_release_it(browse: Any, machine: Machine) -> None:
    page = browse()
    take_control(page)
    stop, button, problem = page.locator("#estop"), page.locator("#release"), "#problem"
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        place = stop.bounding_box()
        page.mouse.move(place["x"] + place["width"] * 0.8, place["y"] + place["height"] / 2)
        for _ in range(8):  # for longer than RELEASE_DELAY
            page.mouse.down()
            page.mouse.up()
            page.wait_for_timeout(300)
            assert stop.bounding_box() == place
        shows(page, "#estop", "IS ACTIVE")
        shows(page, problem, "EMERGENCY STOP by tester (127.0.0.1), since ")
        picture(page, f"stopped_{size[0]}")
        shown = button.bounding_box()
        below, above = shown["y"] - place["y"] - place["height"], place["y"] - shown["y"]
        assert below >= 0 or above >= shown["height"], "it is elsewhere"
    dead = page.locator(problem).filter(has_text="let go, wait, and hold the button again")

    def hold_it_at_once() -> None:
        page.mouse.up()
        escape(page)
        page.keyboard.press("Escape")  # right before
        button.hover()
        page.mouse.down()
        page.wait_for_timeout(1e3 * (RELEASE_DELAY + RELEASE_HOLD))

    until(page, hold_it_at_once, dead.is_visible, "it is dead")
    page.mouse.up()
    for _ in range(5):
        page.click("#release")
    page.wait_for_timeout(LATE)
    assert machine.axes[0].explain()[0].emergency_stop is not None
    release(page)
    assert stop.bounding_box() == place


BOXES = """() => {
  window.boxes = {};
  window.looking = true;
  (function look() {
    const all = document.querySelectorAll("#estop, .page button:not(.clear), .page input");
    [...all].forEach((each, i) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      const box = [x, y + scrollY, width, height].map(Math.round).join(" ");
      (window.boxes[`${i} ${each.textContent}`] ??= new Set()).add(box);
    });
    if (window.looking) requestAnimationFrame(look);
  })();
}"""
"""Notes in every picture that the browser makes where each control is."""
MOVED = """() => {
  window.looking = false;
  return Object.entries(window.boxes).filter(([_, boxes]) => boxes.size > 1)
    .map(([name, boxes]) => [name, ...boxes].join(" | "));
}"""


@pytest.mark.parametrize("size", SIZES)
def test_no_control_moves_whatever_is_shown(
    browse: Any, machine: Machine, size: tuple[int, int]
) -> None:
    page = browse("/homing", size=size, webgl=False)
    take_control(page)
    for path in ("/", "/axes?axis=0", "/robot", "/trajectory", "/io"):
        follow(page, path)
        settled(page)
        page.wait_for_timeout(LATE)  # until plots and tables are drawn
        page.evaluate(BOXES)
        machine.axes[0].move(0.3, velocity=1.0).wait()
        machine.simulation.fault("stick_switch", axis=0, switch="positive", state=True)
        machine.simulation.fault("raise_alarm", axis=0, code=0x7121)
        escape(page)
        shows(page, "#estop", "IS ACTIVE")
        if path in ("/", "/axes?axis=0"):
            shows(page, "[data-live='blocks:0']", "an emergency stop")
        picture(page, f"steady_{path[1:5]}_{size[0]}")
        machine.simulation.fault("free_switch", axis=0, switch="positive")
        if path == "/":
            release(page)
        machine.release()
        machine.axes.clear()
        page.wait_for_selector("#estop:not(.active)")
        machine.axes.on()
        bring(machine)
        assert page.evaluate(MOVED) == []
        assert page.evaluate("Object.keys(window.boxes).length") > 3


def test_numbers_are_taken_as_typed_or_refused_aloud(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    target, speed = page.get_by_label("Target, rad"), page.get_by_label("Velocity, rad/s").last
    go = page.get_by_role("button", name="Move to")
    assert target.input_value() == "", "nothing is moved to that was not typed"
    order(page, go.click, "target: nothing is given")

    def move(to: str, at: str = "0,5") -> Callable[[], None]:
        def act() -> None:
            target.fill(to)
            speed.fill(at)
            go.click()

        return act

    order(page, move("1;5"), "target: '1;5' is no number: write it such as 0.5 or 0,5")
    order(page, move("99"), "target: '99' is above 6.28")
    order(page, move("0,25", "99"), "velocity: '99' is above 3.1")
    order(page, move("0,25", "-1"), "velocity: '-1' is not above 0")
    picture(page, "numbers")
    assert machine.status().command[0] == 0.0

    def arrived() -> bool:
        begun = told(page, "move axis 0 to 0.25 rad at 1.5 rad/s: begun")
        return begun and abs(machine.axes[0].position - 0.25) < 1e-3

    until(page, move("0,25", "1,5"), arrived, "it arrives")

    def step_back() -> None:
        bring(machine, 0.25)
        page.get_by_label("Step, rad").fill("0,05")
        page.get_by_role("button", name="- Step").click()

    until(page, step_back, lambda: abs(machine.axes[0].position - 0.2) < 1e-3, "it makes a step")
    eventually(lambda: machine.status().at_rest[0], "the axis rests")
    place = machine.status().command[0]
    jog_speed, button = page.locator("#jog-speed"), jog_button(page)
    for text, why in ("-0.3", "is not above 0"), ("99", "is above 3.1"), ("", "nothing is given"):
        jog_speed.fill(text)
        problem = page.locator("#problem").filter(has_text="velocity: ").filter(has_text=why)

        def stays(problem: Any = problem) -> bool:
            hold(button, problem.is_visible)
            page.mouse.up()
            page.wait_for_timeout(300)
            return bool(problem.is_visible())

        eventually(stays, "it stays after the button is let go")
    assert machine.status().command[0] == place
    jog_speed.fill("0,1")
    hold(button, lambda: abs(machine.status().command_velocity[0] - 0.1) < 1e-3)
    page.mouse.up()


def test_a_finger_that_slides_off_the_button_ends_the_jog(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    button = jog_button(page)
    box = button.bounding_box()
    jogged = page.locator("[data-live='blocks:0'].busy").filter(
        has_text="it is jogged by tester (127.0.0.1)"
    )

    def moves_on() -> bool:
        """Hold the button, and move on it; a busy browser lets go."""
        hold(button, lambda: moving(machine))
        page.mouse.move(box["x"] + box["width"] / 2 + 5, box["y"] + box["height"] / 2)
        with suppress(AssertionError):
            eventually(jogged.is_visible, "it is shown", timeout=PRESS)
        page.wait_for_timeout(300)
        return bool(jogged.is_visible()) and moving(machine)

    eventually(moves_on, "on the button it may move")
    page.mouse.move(box["x"] + box["width"] + 20, box["y"] + box["height"] / 2)
    eventually(lambda: not moving(machine), "the axis rests")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(LATE)
    assert not moving(machine), "coming back is no press"
    page.mouse.up()


def test_off_of_an_axis_that_moves_stops_it_first(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    motion = machine.axes[0].move(6.0, velocity=0.1)
    shows(page, ".flag-moving", "moving")
    off = page.get_by_role("button", name="Off", exact=True)
    with machine.states() as states:
        click_until(off, lambda: not machine.axes[0].status.servo_on)
        while (status := states.get()).servo_on[0]:
            last = status
    assert abs(last.velocity[0]) < 0.02, "it rested when its servo went off"
    assert motion.done
    assert machine.axes[0].position < 5.0


def test_the_page_of_an_axis_keeps_its_axis(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=1")
    page.get_by_label("Axis", exact=True).click()
    page.get_by_role("option", name="4 · joint5").click()
    shows(page, ".page", "Jog 4 · joint5")
    shows(page, ".page", "Move 4 · joint5")
    page.wait_for_function("location.search === '?axis=4'")
    page.reload()
    shows(page, ".page", "Jog 4 · joint5")
    page.click(".menu-overview")
    shows(page, ".page", "To move something")
    page.click(".menu-axes")
    shows(page, ".page", "Jog 4 · joint5")
    page.wait_for_function("location.search === '?axis=4'")
    page.reload()
    shows(page, ".page", "Jog 4 · joint5")


def test_escape_closes_a_list_first_and_stops_then(browse: Any, machine: Machine) -> None:
    page = browse("/faults")
    page.get_by_label("Alarm", exact=True).click()
    page.locator(".q-menu").wait_for()
    page.keyboard.press("Escape")
    page.locator(".q-menu").wait_for(state="detached")
    page.wait_for_timeout(LATE)
    assert not page.locator("#estop.active").count()
    page.get_by_label("Alarm", exact=True).click()
    page.locator(".q-menu").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # in haste, while the list fades
    shows(page, "#estop", "IS ACTIVE")
    machine.release()
    shows(page, "#estop:not(.active)", "EMERGENCY STOP")


def test_only_joints_that_are_set_move(browse: Any, machine: Machine) -> None:
    page = browse("/robot", webgl=False)
    take_control(page)
    machine.axes[3].move(0.3337, velocity=1.0).wait()  # after the page was loaded
    slider = page.get_by_role("slider", name="joint4")
    eventually(
        lambda: abs(float(slider.get_attribute("aria-valuenow")) - 0.3337) < 0.01, "it follows"
    )
    target = page.get_by_label("Target of joint1")
    move = page.get_by_role("button", name="Move the joints")

    def begin() -> None:
        target.fill("0,12345")
        move.click()

    def arrived() -> bool:
        begun = told(page, "move joints: joint1 to 0.12345 at 25 % of their velocity: begun")
        return begun and abs(machine.axes[0].position - 0.12345) < 1e-4

    until(page, begin, arrived, "it goes where it was told")
    eventually(lambda: machine.status().at_rest.all(), "all rest")
    expected = [0.12345, 0.0, 0.0, 0.3337, 0.0, 0.0]
    assert machine.status().command.tolist() == pytest.approx(expected, abs=1e-6)
    assert target.input_value() == "", "it stays from now on"
    order(page, move.click, "no joint is set")

    def go_too_far() -> None:
        page.get_by_label("Target of joint2").fill("99")
        move.click()

    order(page, go_too_far, "joint2: '99' is above ")
    page.get_by_role("button", name="Forget targets").click()
    hold(page.get_by_role("button", name="Jog joint3 up"), lambda: moving(machine, 2))
    page.mouse.up()
    eventually(lambda: not moving(machine, 2), "the axis rests")
    assert machine.axes[2].position > 0.0


def test_axes_are_found_by_words(browse: Any, machine: Machine) -> None:
    page = browse("/")
    rows = page.locator(".page tbody tr:visible")
    page.fill("#axis-filter", "joint3")
    eventually(lambda: rows.count() == 1, "this one is shown")
    machine.axes[4].off()
    page.fill("#axis-filter", "servo off")
    eventually(lambda: [t for t in rows.all_inner_texts() if "joint5" in t], "it is shown")
    assert rows.count() == 1
    page.fill("#axis-filter", "")
    eventually(lambda: rows.count() == 6, "all are shown")
