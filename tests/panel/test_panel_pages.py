"""Each page of the panel, used by clicks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from acts import bring, click_for, click_until, order, take_control, until
from panels import LATE, Served, assert_curves_differ, picture, shows, shows_curves
from waits import eventually

from wmx_ros2_package.client import Machine

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


def test_an_axis_is_moved_stepped_and_plotted(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/axes?axis=1")
    take_control(page)

    def move() -> None:
        page.get_by_label("Target, rad").fill("0.5")
        page.get_by_label("Velocity, rad/s").last.fill("1.0")
        page.get_by_role("button", name="Move to").click()

    def step() -> None:
        bring(machine, 0.0, 0.5)
        page.get_by_role("button", name="+ Step").click()

    until(page, move, lambda: abs(machine.axes[1].position - 0.5) < 1e-3, "the axis arrives")

    def step_twice() -> None:
        page.get_by_label("Velocity, rad/s").last.fill("0.1")
        step()
        page.get_by_role("button", name="+ Step").click()

    order(page, step_twice, "a step is under way")
    until(page, step, lambda: abs(machine.axes[1].position - 0.6) < 1e-3, "it makes a step")
    shows(page, ".big", "0.6000")
    shows_curves(page, 100)
    assert len(set(page.evaluate(PLOT_WIDTHS))) == 1
    page.locator("canvas").first.hover(position={"x": 300, "y": 120})
    values = page.locator("div").filter(has_text="following error").filter(has_text=" s").last
    values.filter(has_text="0.6000").wait_for()
    picture(page, "axes")
    page.mouse.wheel(0, -300)  # scrolls, and zooms nothing
    page.keyboard.down("Shift")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Shift")
    page.wait_for_function(f"({ZOOM})() < 100")
    page.locator("canvas").first.dblclick(position={"x": 300, "y": 120})
    page.wait_for_function(f"({ZOOM})() === 100")
    with page.expect_download() as download:
        page.click("#png")
    assert download.value.suggested_filename == "axis_1.png"
    answer = page.request.get(f"{served.url}/history.csv?axis=1&seconds=10")
    rows = [row.split(",") for row in answer.text().split()]
    assert rows[0] == ["time_s", "command", "position", "velocity", "torque", "following_error"]
    assert np.array(rows[1:], dtype=float)[-1, 2] == pytest.approx(0.6, abs=1e-3)
    page.click("#pause")
    shows(page, "#pause", "Continue")
    off = page.get_by_role("button", name="Off", exact=True)
    click_until(off, lambda: not machine.axes[1].status.servo_on)


def test_every_page_is_there(browse: Any, machine: Machine) -> None:
    page = browse()
    for name, text in {
        "scope": "Window",
        "io": "0.0",
        "network": "Master 0: OP",
        "parameters": "parameters",
        "events": "filter",
        "diagnostics": "OK",
        "faults": "SIMULATION ONLY",
    }.items():
        page.click(f".menu-{name}")
        page.locator(".page").get_by_text(text).first.wait_for(state="attached")
        picture(page, name)


def test_an_output_is_switched(browse: Any, machine: Machine) -> None:
    page = browse("/io")
    take_control(page)
    assert page.get_by_role("button", name="0.1").count() == 1, "an input is no button"
    shows(page, ".lamp", "0.1")
    output = page.get_by_role("button", name="0.1").last
    click_until(output.filter(has_text="off"), lambda: machine.io.outputs[0, 1])
    click_until(output.filter(has_text="on"), lambda: not machine.io.outputs[0, 1])


def test_an_input_and_an_output_are_named(browse: Any, machine: Machine) -> None:
    page = browse("/io")
    take_control(page)
    place, name = page.get_by_label("Byte.bit"), page.get_by_label("Name", exact=True)
    give = page.get_by_role("button", name="Give it this name")

    def named(part: str, at: str, text: str) -> None:
        def act() -> None:
            page.get_by_label("Name one of the").click()
            page.get_by_role("option", name=part).click()
            place.fill(at)
            name.fill(text)
            give.click()

        order(page, act, f"{text!r}: done")

    named("inputs", "0,3", "door <b>closed")
    shows(page, "div.lamp", "0.3 ○ off door <b>closed")
    named("outputs", "0.1", "gripper")
    click_until(page.get_by_role("button", name="gripper"), lambda: machine.io.outputs[0, 1])
    machine.io.outputs[0, 1] = False

    def misname() -> None:
        place.fill("9")
        give.click()

    order(page, misname, "'9' is no place")
    picture(page, "io_names")
    other = browse("/io")
    other.get_by_role("button", name="0.1 ○ off gripper").wait_for()
    named("outputs", "0.1", "")
    other.get_by_role("button", name="gripper").wait_for(state="detached")


def test_a_slave_is_looked_into(browse: Any, machine: Machine) -> None:
    page = browse("/network")
    shows(page, "#master", "Master 0: OP")
    page.get_by_role("button", name="Read ports").click()
    rows = page.locator("#ports tbody tr")
    rows.nth(1).wait_for()
    assert rows.count() == 2
    assert rows.first.inner_text().split() == ["0", "yes", "yes", "0", "0", "0"]
    page.get_by_role("button", name="Read object").click()
    shows(page, "#object", "(0xfa4e, 64078)")

    def write() -> None:
        page.get_by_label("Object").fill("0x6065")  # following error window
        page.get_by_label("Subindex").fill("0")
        page.get_by_label("New value").fill("4711")
        page.get_by_role("button", name="Write object").click()

    order(page, write, "take control first")
    take_control(page)
    page.locator(".refusal").wait_for(state="detached")  # it lies over the button
    order(page, write, "of slave 0: done")
    assert int.from_bytes(machine.network.read_object(0, 0x6065), "little") == 4711
    page.get_by_label("Object").fill("0x9999")
    page.get_by_role("button", name="Read object").click()
    shows(page, "#object", "0x06020000")
    page.get_by_label("Slave").fill("99")
    page.get_by_role("button", name="Read ports").click()
    shows(page, "#ports-error", "99")
    picture(page, "slave")


def test_a_recording_is_opened(browse: Any, machine: Machine, served: Served) -> None:
    page = browse("/recordings")
    shows(page, "#recording-summary", "no recording is open")
    take_control(page)
    save = page.get_by_role("button", name="Save one now")
    click_until(save, lambda: [*served.recordings.glob("*_saved*.mcap")])
    number = len([*served.recordings.glob("*.mcap")])
    shows(page, "#recording-summary", f"{number} are in")
    files: list[Path] = []

    def record_and_open() -> None:
        before = {*served.recordings.glob("*_alarm*.mcap")}
        machine.axes.clear()
        machine.axes.on()
        bring(machine)
        machine.axes.move([0.2] * 6, velocity=1.0).wait()
        machine.simulation.fault("raise_alarm", axis=2, code=0x8611)
        new = eventually(
            lambda: {*served.recordings.glob("*_alarm*.mcap")} - before, "it is written"
        )
        files[:] = sorted(new)
        option = page.get_by_role("option", name=files[0].name, exact=True)
        click_for(page.locator("#recording"), option)
        option.click()
        shows(page, "#recording-summary", files[0].name)

    # That of an alarm of the test before may be written late.
    until(page, record_and_open, page.locator("tbody").filter(has_text="0x8611").first.is_visible)
    shows_curves(page)
    assert_curves_differ(page)
    picture(page, "recordings")
    files[0].write_bytes(b"nonsense")
    page.get_by_role("switch").click()
    shows(page, "#recording-summary", "is no MCAP file")
    assert not page.locator("tbody").first.is_visible(), "nothing of before stands below an error"


def test_an_axis_is_homed(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=5")
    take_control(page)
    bring(machine, *[0.0] * 5, 0.2)
    shows(page, ".big", "0.2000")
    ask = page.get_by_role("button", name="Home ...")
    set_here = page.get_by_role("button", name="Set the position here")
    confirm = page.locator(".confirm").filter(
        has_text="It is at 0.2000 rad, and that place is called 0 rad from then on"
    )
    click_for(ask, confirm)
    picture(page, "home_asks")
    page.get_by_role("button", name="Cancel").click()
    assert not machine.axes[5].status.homed

    def home() -> None:
        if not set_here.is_visible():
            ask.click()
        set_here.click()

    order(page, home, "home axis 5: begun")
    page.locator(".flag-homed").wait_for()
    shows(page, ".big", "0.0000")
    assert machine.axes[5].status.homed


def test_what_is_homed_is_listed_and_homed_there(browse: Any, machine: Machine) -> None:
    page = browse("/homing")
    take_control(page)
    row = page.locator(".page tbody tr").nth(4)
    shows(page, ".page tbody tr", "its position becomes 0 rad where it stands")
    ask = row.get_by_role("button", name="Home axis 4")
    set_here = page.get_by_role("button", name="Set the position here")
    click_for(ask, set_here)
    shows(page, ".confirm", "Axis 4 · joint5 is not searched for a home")
    picture(page, "homing")

    def home() -> None:
        if not set_here.is_visible():
            ask.click()
        set_here.click()

    order(page, home, "home axis 4: begun")
    row.get_by_text("homed", exact=True).wait_for()
    assert machine.axes[4].status.homed


def test_a_slave_is_connected_again(browse: Any, machine: Machine) -> None:
    page = browse("/faults")
    take_control(page)

    def fault(button: str) -> None:
        page.get_by_label("Slave").fill("2")
        page.get_by_role("button", name=button).click()

    def offline() -> int:
        return sum(slave.offline for slave in machine.network.state().slaves)

    until(page, lambda: fault("Slave loses power"), lambda: offline() == 1, "the slave goes")
    page.click(".menu-overview")
    blocked = page.locator("tbody tr:nth-child(3)")
    blocked.get_by_role("button", name="Hot connect").wait_for()
    page.click(".menu-network")
    slave = page.locator("tbody tr:nth-child(3)")
    slave.filter(has_text="OFFLINE").first.wait_for()
    shows(page, "#master", "1 offline")
    picture(page, "network_offline")
    page.click(".menu-faults")
    shows(page, ".page", "SIMULATION ONLY")
    order(page, lambda: fault("Slave has power again"), "return_slave: slave 2: done")
    page.click(".menu-network")
    click_until(page.get_by_role("button", name="Hot connect"), lambda: offline() == 0)
    shows(page, "#master", "0 offline")
    slave.filter(has_text="yes").first.wait_for()
    page.click(".menu-overview")

    def on() -> None:
        page.get_by_role("button", name="Clear all alarms").click()
        page.get_by_role("button", name="All servos on").click()

    until(page, on, blocked.get_by_text("ready").is_visible, "the axis is ready")
    assert machine.axes[2].status.servo_on


def test_events_are_filtered(browse: Any, machine: Machine) -> None:
    page = browse("/events")
    rows = page.locator(".page tbody tr")
    machine.axes[1].move_by(0.1, velocity=1.0).wait()
    machine.axes[2].move_by(0.1, velocity=1.0).wait()
    rows.filter(has_text="ARRIVED").filter(has_text="joint3").first.wait_for()

    def all_have(*words: str) -> bool:
        found = rows.all_inner_texts()
        return bool(found) and all(word in row for row in found for word in words)

    page.get_by_label("Filter").fill("joint2 arrived")
    eventually(lambda: all_have("joint2", "ARRIVED"), "these alone are shown")
    picture(page, "events_filtered")
    page.get_by_label("Filter").fill("no such word")
    page.get_by_text("nothing has happened that matches").wait_for()
    page.get_by_label("Filter").fill("")
    page.get_by_label("Kinds").click()
    for kind in ("order", "begin", "refused", "error"):
        option = page.get_by_role("option", name=kind)
        option.click()
        page.locator(f"[role=option][aria-selected=false]:has-text('{kind}')").wait_for()
    page.get_by_label("Filter").click()
    kinds = page.locator(".page tbody tr td:nth-child(2)")
    eventually(lambda: {*kinds.all_inner_texts()} == {"end"}, "only ends are shown")
    page.get_by_role("switch", name="Freeze").click()
    before = rows.first.inner_text()
    machine.axes[1].move_by(0.1, velocity=1.0).wait()
    page.wait_for_timeout(LATE)
    assert rows.first.inner_text() == before
    page.get_by_role("switch", name="Freeze").click()
    eventually(lambda: rows.first.inner_text() != before, "it goes on")
    page.get_by_label("From").fill("yesterday")
    shows(page, "#events-summary", "'yesterday' is no time: write it such as 2026-11-26 18:00")
    page.get_by_text("nothing has happened that matches").wait_for()
    page.get_by_label("From").fill("1999-01-01")
    page.get_by_label("Filter").fill("joint2 arrived")
    eventually(lambda: all_have("joint2", "ARRIVED"), "these alone are shown")
    with page.expect_download() as download:
        page.click("#export")
    head, *exported = Path(download.value.path()).read_text().splitlines()
    assert head == "date,at,kind,text,axes,source"
    assert len(exported) == rows.count()
    assert all("joint2" in row and "ARRIVED" in row for row in exported)
    page.get_by_label("To").fill("1999-01-02")
    shows(page, "#events-summary", "0 of ")
    page.get_by_label("From").fill("")
    page.get_by_label("To").fill("")
