"""Override and pause in the header of every page."""

from functools import partial
from typing import Any

from acts import bring, click_until, follow, order, take_control, tells, until
from panels import LATE, moving, shows
from waits import eventually

from wmx_ros2_package.client import Machine, Speed
from wmx_ros2_package.panel.pause import RESUME_DELAY


def under_way(page: Any, machine: Machine) -> None:
    def move() -> None:
        page.get_by_label("Target, rad").fill("2")
        page.get_by_label("Velocity, rad/s").last.fill("1")
        page.get_by_role("button", name="Move to").click()

    until(page, move, lambda: moving(machine), "the axis moves")


def test_a_viewer_pauses_and_who_has_control_resumes(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")

    resume = page.locator("#resume-axes")

    was_refused = False

    def pause_and_resume() -> None:
        nonlocal was_refused
        if machine.speed.paused:
            machine.resume()
        bring(machine)
        under_way(page, machine)
        viewer.dblclick("#pause-axes")
        shows(page, "#pause-axes", "PAUSED")
        eventually(lambda: not moving(machine), "the axis rests on its way")
        for each in page, viewer:
            shows(
                each, "#problem.waits", "PAUSED. Resume lets go on: joint1 to 2 rad (position of /"
            )
        assert viewer.locator("#resume-axes").is_disabled()
        viewer.click("#pause-axes")
        resume.click()  # at once: it is dead still
        tells(page, "after a pause")
        assert machine.speed.paused
        assert not moving(machine)
        was_refused = True
        shows(page, "#resume-axes:not(.dead)", "Resume")
        resume.click()
        shows(page, "#pause-axes", "Pause")

    def arrived() -> bool:
        return was_refused and abs(machine.axes[0].position - 2.0) < 1e-3

    until(page, pause_and_resume, arrived, "it arrives after a pause on its way")


def test_nothing_is_resumed_during_an_emergency_stop(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    under_way(page, machine)
    page.click("#pause-axes")
    shows(page, "#pause-axes", "PAUSED")
    machine.estop()
    shows(page, "#problem", "No motion is known that a resume would let go on")
    page.wait_for_timeout(1e3 * RESUME_DELAY)
    order(page, page.locator("#resume-axes.dead").click, "release the emergency stop first")
    assert machine.speed.paused
    machine.release()
    click_until(page.locator("#resume-axes:not(.dead)"), lambda: not machine.speed.paused)
    shows(page, "#pause-axes", "Pause")
    page.wait_for_timeout(LATE)
    assert not moving(machine), "it has ended with the stop"


def test_the_speed_is_shown_on_every_page_and_set_by_who_has_control(
    browse: Any, machine: Machine
) -> None:
    page, viewer = browse(), browse()
    take_control(page, "Ann")
    assert viewer.locator("#speed-axes").is_disabled()
    if page.evaluate("CSS.supports('selector(:open)')"):  # a browser from 2025 on
        page.click("#speed-axes")
        page.wait_for_function("document.querySelector('select:open')")
        page.keyboard.press("Escape")  # closes the list, as it does every other one
        page.wait_for_timeout(LATE)
        assert not page.locator("#estop.active").count()
    choose = partial(page.select_option, "#speed-axes", "20")
    until(page, choose, lambda: machine.speed == Speed(20), "it is in force")
    for each, path in ((viewer, "/axes"), (page, "/io"), (page, "/")):
        follow(each, path)
        shows(each, "#speed-axes.slow", "20 %")
        assert each.locator("#speed-axes").input_value() == "20"
    machine.set_speed(42)  # another program
    eventually(lambda: viewer.locator("#speed-axes").input_value() == "42", "every page shows it")
    machine.set_speed(100)
