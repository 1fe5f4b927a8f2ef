"""Control across two panels, and the line of alarms."""

from typing import Any

from acts import ask_for_control, bring, escape, give_back, keep_control, order, take_control
from panels import Served, free_port, picture, shows, start_panel
from waits import eventually

from wmx_ros2_package.client import Machine


def test_one_page_of_two_panels_has_control(browse: Any, machine: Machine, served: Served) -> None:
    port = free_port()
    second = start_panel(served.place, port)
    try:
        second.says("connected to a SIMULATED machine")
        ann, bob = browse(), browse(base=f"http://127.0.0.1:{port}")
        take_control(ann, "Ann")

        def ask() -> None:
            keep_control(ann)
            shows(bob, "#holder", "Control: Ann (127.0.0.1), at another panel")
            ask_for_control(bob, "Bob")

        order(bob, ask, "Ann (127.0.0.1) has control, at another panel")
        give_back(ann)
        shows(bob, "#holder", "control is free")
        escape(bob)
        shows(ann, "#estop", "ACTIVE")
    finally:
        second.kill()


def test_the_header_has_a_line_of_alarms(browse: Any, machine: Machine) -> None:
    page = browse()
    line = page.locator("#alarms")
    line.wait_for(state="hidden")
    machine.simulation.fault("raise_alarm", axis=2, code=0x8611)
    shows(page, "#alarms", "axis 2: ")
    shows(page, "#alarms", ", since ")
    machine.simulation.fault("raise_alarm", axis=4, code=0x8611)
    shows(page, "#alarms", "alarms, the newest: axis 4: ")
    picture(page, "alarms")
    phone = browse(size=(390, 844))
    shows(phone, "#alarms", "alarms, the newest: axis 4: ")
    picture(phone, "alarms_phone")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    machine.axes.clear()
    eventually(lambda: not machine.status().alarm.any(), "they are cleared")
    line.wait_for(state="hidden")


def test_positions_after_a_crash_of_the_engine_are_marked_until_that_is_noted(
    browse: Any, machine: Machine
) -> None:
    bring(machine, 0.3)
    page = browse("/axes?axis=0")
    take_control(page)
    shows(page, ".big", "0.3000")
    marked = page.locator("body.restarted")
    assert not marked.count()
    machine.simulation.fault("crash_engine")
    shows(page, "#alarms", "the engine was away: positions are those that it has now")
    marked.wait_for()
    picture(page, "alarms_crashed")
    order(page, page.locator("#acknowledge").click, "note the alarms: done")
    page.wait_for_selector("body:not(.restarted)")
    machine.axes.confirm()  # what other tests have homed has lost its zero
