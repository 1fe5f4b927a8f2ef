"""Override and pause in the header of every page."""

from typing import Any

import pytest
from panels import LATE, follow, moving, shows, take_control
from waits import eventually

from wmx_ros2_package.client import Machine, Speed
from wmx_ros2_package.panel.pause import RESUME_DELAY


def under_way(page: Any, machine: Machine) -> None:
    page.get_by_label("Target, rad").fill("2")
    page.get_by_label("Velocity, rad/s").last.fill("0.5")
    page.get_by_role("button", name="Move to").click()
    eventually(lambda: moving(machine), "the axis moves")


def test_a_viewer_pauses_and_who_has_control_resumes(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")
    under_way(page, machine)
    viewer.dblclick("#pause-axes")
    shows(page, "#pause-axes", "PAUSED")
    eventually(lambda: not moving(machine), "the axis rests on its way")
    assert machine.axes[0].position < 1.9
    for each in page, viewer:
        shows(each, "#problem.waits", "PAUSED. Resume lets go on: joint1 to 2 rad (position of /")
    assert viewer.locator("#resume-axes").is_disabled()
    page.click("#resume-axes")  # at once: it is dead still
    shows(page, ".q-notification", "after a pause")
    assert machine.speed.paused
    assert not moving(machine)
    shows(page, "#resume-axes:not(.dead)", "Resume")
    page.click("#resume-axes")
    shows(page, "#pause-axes", "Pause")
    eventually(lambda: machine.axes[0].position == pytest.approx(2.0, abs=1e-3), "it arrives")


def test_nothing_is_resumed_during_an_emergency_stop(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    under_way(page, machine)
    page.click("#pause-axes")
    shows(page, "#pause-axes", "PAUSED")
    machine.estop()
    shows(page, "#problem", "No motion is known that a resume would let go on")
    page.wait_for_timeout(1e3 * RESUME_DELAY)
    page.click("#resume-axes.dead")
    shows(page, ".q-notification", "release the emergency stop first")
    assert machine.speed.paused
    machine.release()
    page.click("#resume-axes:not(.dead)")
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
    page.select_option("#speed-axes", "20")
    eventually(lambda: machine.speed == Speed(20), "it is in force")
    for each, path in ((viewer, "/axes"), (page, "/io"), (page, "/")):
        follow(each, path)
        shows(each, "#speed-axes.slow", "20 %")
        assert each.locator("#speed-axes").input_value() == "20"
    machine.set_speed(42)  # another program
    eventually(lambda: viewer.locator("#speed-axes").input_value() == "42", "every page shows it")
    machine.set_speed(100)
