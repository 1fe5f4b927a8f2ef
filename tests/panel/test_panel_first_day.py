"""What somebody does who has never seen the panel: from power-on to a trajectory, alarm, clear."""

from typing import Any

from acts import (
    READY,
    bring,
    click_for,
    click_until,
    follow,
    give_back,
    order,
    take_control,
    tells,
    told,
    until,
)
from panels import LATE, Served, assert_curves_differ, shows, shows_curves
from waits import eventually

from wmx_ros2_package.client import Event, Machine, MotionBegin
from wmx_ros2_package.control.request import MotionKind


def began_trajectory(event: Event) -> bool:
    return isinstance(event, MotionBegin) and event.kind is MotionKind.TRAJECTORY


def test_from_power_on_to_a_trajectory_and_out_of_an_alarm(
    browse: Any, machine: Machine, served: Served
) -> None:
    before = len(served.panel.output)
    machine.axes.off()
    page = browse()
    shows(page, "#kind", "SIMULATED")
    shows(page, "tbody tr:nth-child(1)", "its servo is off")
    shows(page, "tbody tr:nth-child(1)", "servo off")

    # As a viewer nothing can be moved.
    all_on = page.get_by_role("button", name="All servos on")
    order(page, all_on.click, "take control first")
    assert not machine.status().servo_on.any()

    take_control(page)
    shows(page, "#holder", "You have control")
    first, last = page.locator("tbody tr:nth-child(1)"), page.locator("tbody tr:nth-child(6)")
    click_for(first.get_by_role("button", name="Switch on"), first.get_by_text("ready"))
    eventually(lambda: machine.axes[0].status.servo_on, "its servo is on")
    click_for(all_on, last.get_by_text("ready"))

    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    shows(page, "#trajectory-summary", "4.00 s")
    shows_curves(page)
    assert_curves_differ(page)

    go = page.locator("#run")
    looked: list[bool] = []

    def run() -> None:
        bring(machine)
        page.get_by_role("button", name="Example").click()
        page.locator(f"#run{READY}").click()
        tells(page, "run Example (4.00 s, sha256 ")
        shows(page, "#trajectory-progress", " of 4.0 s")
        page.wait_for_timeout(2 * LATE)  # until it is known that the joints are owned
        warning, disabled = page.locator("#trajectory-warning").inner_text(), go.is_disabled()
        runs = " of 4.0 s" in page.locator("#trajectory-progress").inner_text()
        if runs and disabled and warning == "":  # its own run is no fault
            looked.append(True)

    with machine.events() as events:
        until(page, run, lambda: looked and told(page, "): arrived"), "it arrives")
        eventually(lambda: began_trajectory(events.get()), "a trajectory began")
    shows(page, "#trajectory-progress", ": ARRIVED")

    page.click(".menu-faults")
    page.get_by_role("button", name="Alarm of the drive").click()
    eventually(lambda: machine.axes[0].status.alarm, "the drive has an alarm")
    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    shows(page, "#trajectory-warning", "joint1: its drive has alarm 0x7121")
    assert page.locator("#run").is_disabled(), "what would be refused cannot be asked for"
    page.click(".menu-overview")
    shows(page, "[data-page][aria-current=page]", "Overview")
    alarm = first.get_by_text("its drive has alarm")
    alarm.wait_for()
    first.get_by_text("ALARM", exact=True).wait_for()
    shows(page, "#reasons", "; its servo is off")  # whatever its row has room for
    clicks = 0

    def clear() -> None:
        nonlocal clicks
        clicks += 1
        first.get_by_role("button", name="Clear alarm").click()

    until(page, clear, lambda: not alarm.count(), "the alarm is cleared")
    click_for(first.get_by_role("button", name="Switch on"), first.get_by_text("ready"))
    eventually(lambda: not machine.axes[0].status.alarm, "the alarm is cleared")

    give_back(page)
    shows(page, "#holder", "control is free")
    orders = served.panel.output[before:].count("tester (127.0.0.1): Clear alarm (axis 0): done")
    assert 1 <= orders <= clicks, "a click is one order"


def test_on_a_phone_and_in_the_dark(browse: Any, machine: Machine) -> None:
    phone = browse(size=(390, 844), color_scheme="dark")
    shows(phone, "#kind", "SIMULATED")
    stop = phone.locator("#estop").bounding_box()
    assert stop["x"] >= 0
    assert stop["x"] + stop["width"] <= 390
    assert stop["y"] + stop["height"] <= 844
    assert stop["height"] >= 44
    assert phone.evaluate(f"isOnStop({{ clientX: {stop['x']}, clientY: {stop['y']} }})")
    assert not phone.evaluate("isOnStop({ clientX: 380, clientY: 30 })")
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    refusal = phone.locator(".q-notification").filter(has_text="take control first")

    def slid() -> bool:
        if not refusal.count():
            return False
        box = refusal.bounding_box()
        assert refusal.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing is cut"
        return bool(box["y"] + box["height"] <= stop["y"])

    click_until(phone.get_by_role("button", name="All servos off"), slid)
    follow(phone, "/axes")
    shows_curves(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.set_viewport_size({"width": 375, "height": 740})
    follow(phone, "/robot")
    phone.get_by_role("button", name="Delete ...").wait_for()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 375
