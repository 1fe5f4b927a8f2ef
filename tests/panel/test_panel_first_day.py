"""What somebody does who has never seen the panel: from power-on to a trajectory, alarm, clear."""

from typing import Any

import pytest
from panels import (
    LATE,
    Served,
    assert_curves_differ,
    follow,
    picture,
    settled,
    shows,
    shows_curves,
    take_control,
)
from waits import eventually

from wmx_ros2_package.client import Machine


def test_from_power_on_to_a_trajectory_and_out_of_an_alarm(
    browse: Any, machine: Machine, served: Served
) -> None:
    machine.axes.off()
    page = browse()
    shows(page, "#kind", "SIMULATED")
    shows(page, "tbody tr:nth-child(1)", "its servo is off")
    shows(page, "tbody tr:nth-child(1)", "servo off")
    picture(page, "overview_off")

    # As a viewer nothing can be moved.
    page.get_by_role("button", name="All servos on").click()
    shows(page, ".q-notification", "take control first")
    assert not machine.status().servo_on.any()

    take_control(page)
    shows(page, "#holder", "You have control")
    page.locator("tbody tr:nth-child(1)").get_by_role("button", name="Switch on").click()
    shows(page, "tbody tr:nth-child(1)", "ready")
    assert machine.axes[0].status.servo_on
    page.get_by_role("button", name="All servos on").click()
    shows(page, "tbody tr:nth-child(6)", "ready")
    picture(page, "overview_on")

    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    shows(page, "#trajectory-summary", "4.00 s")
    shows_curves(page)
    picture(page, "trajectory")
    assert_curves_differ(page)
    with machine.events() as events:
        page.click("#run")
        shows(page, ".q-notification", "run Example (4.00 s, sha256 ")
        begin = events.get()
        assert begin.kind.name == "TRAJECTORY"
        shows(page, "#trajectory-progress", " of 4.0 s")
        page.wait_for_timeout(LATE)  # until it is known that the joints are owned
        assert page.locator("#trajectory-warning").inner_text() == "", "its own run is no fault"
        assert page.locator("#run").is_disabled()
        assert events.get(timeout=30.0).reason.name == "ARRIVED"
    shows(page, "#trajectory-progress", ": ARRIVED")
    shows(page, ".q-notification", "): arrived")

    page.click(".menu-faults")
    page.get_by_role("button", name="Alarm of the drive").click()
    eventually(lambda: machine.axes[0].status.alarm, "the drive has an alarm")
    picture(page, "faults")
    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    shows(page, "#trajectory-warning", "joint1: its drive has alarm 0x7121")
    assert page.locator("#run").is_disabled(), "what would be refused cannot be asked for"
    page.click(".menu-overview")
    shows(page, "[data-page][aria-current=page]", "Overview")
    row = page.locator("tbody tr:nth-child(1)")
    row.get_by_text("its drive has alarm").wait_for()
    row.get_by_text("ALARM", exact=True).wait_for()
    picture(page, "overview_alarm")
    row.get_by_role("button", name="Clear alarm").click()
    row.get_by_text("its drive has alarm").wait_for(state="detached")
    row.get_by_role("button", name="Switch on").click()
    row.get_by_text("ready").wait_for()
    eventually(lambda: not machine.axes[0].status.alarm, "the alarm is cleared")

    page.click("#give")
    shows(page, "#holder", "control is free")
    log = served.panel.output
    assert log.count("tester (127.0.0.1): Clear alarm (axis 0): done") == 1, "a click is one order"


def test_on_a_phone_and_in_the_dark(browse: Any, machine: Machine) -> None:
    phone = browse(size=(390, 844), color_scheme="dark")
    shows(phone, "#kind", "SIMULATED")
    stop = phone.locator("#estop").bounding_box()
    assert stop["x"] >= 0
    assert stop["x"] + stop["width"] <= 390
    assert stop["y"] + stop["height"] <= 844
    assert stop["height"] >= 44
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    picture(phone, "phone")
    phone.get_by_role("button", name="All servos off").click()
    refusal = phone.locator(".q-notification").filter(has_text="take control first")
    refusal.wait_for()

    def slid() -> bool:
        box = refusal.bounding_box()
        return bool(box["y"] + box["height"] <= stop["y"])

    eventually(slid, "the refusal slides to its place above the emergency stop")
    assert refusal.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing is cut off"
    follow(phone, "/axes")
    shows_curves(phone)
    picture(phone, "phone_axes")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.set_viewport_size({"width": 1280, "height": 720})
    picture(phone, "axes_dark")


COVERED = """() => {
  window.covered = [];
  window.looking = true;
  (function look() {
    const { left, top, width, height } = document.getElementById("estop").getBoundingClientRect();
    for (const x of [0.1, 0.5, 0.9]) for (const y of [0.2, 0.5, 0.8]) {
      const above = document.elementFromPoint(left + x * width, top + y * height);
      if (!above?.closest("#estop")) window.covered.push(above?.outerHTML);
    }
    if (window.looking) requestAnimationFrame(look);
  })();
}"""
"""Looks in every picture that the browser makes for what is in front of the emergency stop."""


ORDER_ALL = """document.querySelectorAll('.page .q-btn.needs-control').forEach(each => {
  if (!each.textContent.includes("...")) each.click();
})"""
"""Clicks each of the six buttons for an order; one of them finds no number."""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_covers_the_emergency_stop(
    browse: Any, machine: Machine, size: tuple[int, int]
) -> None:
    page = browse("/axes", size=size)
    page.evaluate(COVERED)
    # Each refusal has a notice of its own: together they are as high as the window.
    page.evaluate(ORDER_ALL)
    move = page.get_by_role("button", name="Move to")
    for target in range(1, 6):
        page.get_by_label("Target, rad").fill(str(target))
        move.evaluate("button => button.click()")
    page.locator(".q-notification").filter(has_text="move axis 0 to 5").wait_for()
    assert page.locator(".refusal").count() == 10
    page.evaluate("document.getElementById('take').click()")  # which notices cover
    page.get_by_role("dialog").wait_for()
    machine.estop()
    page.locator("#release").wait_for()
    settled(page)
    picture(page, f"covered_{size[0]}")
    page.evaluate("window.looking = false")
    assert page.evaluate("window.covered") == []
    page.click("#estop", timeout=5000)
    page.get_by_role("button", name="Cancel").evaluate("button => button.click()")
