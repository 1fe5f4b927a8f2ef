"""The line of alarms in the header."""

from typing import Any

from acts import bring, click_for, follow, order, take_control
from panels import shows
from waits import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.diagnosis.blockers import BlockerCode


def test_the_header_has_a_line_of_alarms_and_marks_positions_after_a_crash(
    browse: Any, machine: Machine
) -> None:
    page = browse()
    line = page.locator("#alarms")
    line.wait_for(state="hidden")
    machine.simulation.fault("raise_alarm", axis=2, code=0x8611)
    shows(page, "#alarms", "axis 2: ")
    shows(page, "#alarms", ", since ")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    page.set_viewport_size({"width": 1280, "height": 720})
    take_control(page, "Ann")
    order(page, page.locator("#acknowledge").click, "note the alarms: done")
    shows(page, "#alarms", ", noted by Ann")
    machine.axes.clear()
    eventually(lambda: not machine.status().alarm.any(), "they are cleared")
    line.wait_for(state="hidden")

    machine.axes.on()
    machine.axes[0].home().wait()
    bring(machine, 0.3)
    follow(page, "/axes?axis=0")
    shows(page, ".big", "0.3000")
    marked = page.locator("body.restarted")
    assert not marked.count()
    machine.simulation.fault("crash_engine")
    shows(page, "#alarms", "the engine was away: positions are those that it has now")
    marked.wait_for()
    shows(page, "[data-live='home:0']", "reference lost")
    order(page, page.locator("#acknowledge").click, "note the alarms: done")
    page.wait_for_selector("body:not(.restarted)")
    confirm = page.get_by_role("button", name="Confirm ...").first
    agree = page.get_by_role("button", name="It is right as it is")
    click_for(confirm, agree)
    page.get_by_text("its reference was lost with the engine").last.wait_for()
    order(page, agree.click, "confirm axis 0: done")
    assert machine.explain([0])[0].codes == [BlockerCode.SERVO_OFF]
    machine.axes.confirm()  # what other tests have homed has lost its zero, too
