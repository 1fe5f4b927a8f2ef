"""Override and pause in the header of every page."""

from functools import partial
from typing import Any

from acts import bring, click_until, follow, move_to, order, take_control, until
from panels import LATE, moving, shows
from waits import eventually

from wmx_ros2_package.client import Machine, Speed

IN_SIGHT = """() => ["pause-axes", "resume-axes", "speed-axes"].every(id => {
  const { left, top, width, height } = document.getElementById(id).getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  return document.elementFromPoint(x, y)?.closest(`#${id}`);
})"""
"""Whether all of them are in the window, and nothing is in front of them."""


def has_value(field: Any, value: str) -> bool:
    return bool(field.input_value() == value)


def test_everybody_pauses_and_who_has_control_resumes_and_sets_the_speed(
    browse: Any, machine: Machine
) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")
    resume = page.locator("#resume-axes")

    def pause_and_resume() -> None:
        if machine.speed.paused:
            machine.resume()
        bring(machine)
        until(page, partial(move_to, page, "2", "1"), lambda: moving(machine), "the axis moves")
        viewer.dblclick("#pause-axes")
        shows(page, "#pause-axes", "PAUSED")
        eventually(lambda: not moving(machine), "the axis rests on its way")
        for each in page, viewer:
            shows(
                each, "#problem.waits", "PAUSED. Resume lets go on: joint1 to 2 rad (position of /"
            )
        shows(page, ".flag-moving", "paused")
        assert viewer.locator("#resume-axes").is_disabled()
        shows(page, "#resume-axes:not(.dead)", "Resume")
        resume.click()
        shows(page, "#pause-axes", "Pause")

    def arrived() -> bool:
        return abs(machine.axes[0].position - 2.0) < 1e-3

    until(page, pause_and_resume, arrived, "it arrives after a pause on its way")

    def pause_and_resume_at_once() -> None:
        viewer.click("#pause-axes")
        resume.click()

    order(page, pause_and_resume_at_once, "after a pause")
    assert machine.speed.paused
    shows(page, "#resume-axes:not(.dead)", "Resume")
    click_until(resume, lambda: not machine.speed.paused)

    assert viewer.locator("#speed-axes").is_disabled()
    if page.evaluate("CSS.supports('selector(:open)')"):  # a browser from 2025 on
        is_open = "document.querySelector('select:open') !== null"
        until(page, lambda: page.click("#speed-axes"), lambda: page.evaluate(is_open), "it opens")
        page.keyboard.press("Escape")  # closes the list, as it does every other one
        page.wait_for_timeout(LATE)
        assert not page.locator("#estop.active").count()
    choose = partial(page.select_option, "#speed-axes", "20")
    until(page, choose, lambda: machine.speed == Speed(20), "it is in force")
    follow(page, "/io")
    for each in viewer, page:
        shows(each, "#speed-axes.slow", "20 %")
        assert each.locator("#speed-axes").input_value() == "20"
    page.focus("#speed-axes")  # as one has it that opened the list, and chose nothing
    for key in "Home", "End", "ArrowUp", "ArrowDown", "PageUp", "1":  # on a closed one
        page.keyboard.press(key)
    page.wait_for_timeout(LATE)
    assert machine.speed == Speed(20)
    machine.set_speed(42)  # another program
    for each in viewer, page:
        shows(each, "#speed-axes.slow", "42 %")
        speed = each.locator("#speed-axes")
        eventually(partial(has_value, speed, "42"), "every page shows it")
    machine.set_speed(100)


def test_pause_and_speed_are_always_in_sight(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0", size=(390, 844))
    machine.simulation.fault("raise_alarm", axis=0, code=0x7121)
    machine.estop()
    page.locator("#release").wait_for()
    page.locator("#alarms").wait_for()
    for part in 0.0, 1.0:
        page.evaluate("part => scrollTo(0, part * document.documentElement.scrollHeight)", part)
        page.wait_for_function(f"(scrollY > 100) == {part}")
        assert page.evaluate(IN_SIGHT)
