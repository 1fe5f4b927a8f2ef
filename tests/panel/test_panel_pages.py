"""Each page of the panel, used by clicks."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from acts import (
    arrives,
    bring,
    click_for,
    click_until,
    follow,
    order,
    take_control,
    until,
)
from panels import CURVES, LATE, Served, assert_curves_differ, downloaded, shows, shows_curves
from waits import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.panel.pages.events import MOST_ROWS


def test_what_is_opened_of_the_diagnostics_stays_open(browse: Any, machine: Machine) -> None:
    page = browse()  # a page that is kept stands there: it would not enter the diagnostics anew
    page.click(".menu-diagnostics")
    line = page.locator("div").filter(has_text=re.compile(r"^cycle: "))
    engine = page.locator("details").filter(has=line).first
    cycle = engine.locator("div").filter(has_text=re.compile(r"^cycle: ")).first
    until(page, engine.locator("summary").click, cycle.is_visible, "it is opened")
    seen: set[str] = set()

    def is_open_and_newer() -> bool:
        return cycle.is_visible() and cycle.inner_text() not in seen

    for _ in range(3):
        seen.add(cycle.inner_text())
        eventually(is_open_and_newer, "it is open though its value has changed")
    until(page, engine.locator("summary").click, lambda: not cycle.is_visible(), "it is closed")
    page.wait_for_timeout(3 * LATE)
    assert not cycle.is_visible(), "nor is it opened again"
    follow(page, "/events")  # a page that is kept is led to the diagnostics


def test_outputs_are_switched_as_shown_and_named(
    browse: Any, machine: Machine, served: Served
) -> None:
    page, file = browse("/io"), served.place.folder / "names.yaml"
    take_control(page)
    assert page.get_by_role("button", name="0.1").count() == 1, "an input is no button"
    shows(page, ".lamp", "0.1")
    output = page.get_by_role("button", name="0.1 ").last
    click_until(output.filter(has_text="off"), lambda: machine.io.outputs[0, 1])
    click_until(output.filter(has_text="on"), lambda: not machine.io.outputs[0, 1])
    # A browser that shows other outputs than the panel by the time at which its click arrives.
    stale = "button => { button.dataset.shown = '9.1 off'; button.click(); }"
    order(page, lambda: output.evaluate(stale), "The button has changed since it was clicked")
    assert not any(machine.io.outputs[0:16])

    # A click in the moment in which another output appears is meant for the one before.
    click_then = """button => new MutationObserver((_, observer) => {
        if (!button.textContent.startsWith("4.1 ")) return;
        observer.disconnect();
        setTimeout(() => button.click(), 7);
    }).observe(button, { subtree: true, childList: true, characterData: true })"""

    def click_as_another_appears() -> None:
        machine.io.outputs[4, 1] = False  # should a click have come too late for this
        page.get_by_label("First byte").fill("0")
        shows(page, "button", "0.1 ")
        output.evaluate(click_then)
        page.get_by_label("First byte").fill("4")

    changed = "The button has changed since it was clicked, and nothing was done: "
    order(page, click_as_another_appears, changed)
    assert not any(machine.io.outputs[0:16])

    def switch() -> None:
        page.get_by_label("First byte").fill("4")
        page.get_by_role("button", name="4.1 ").last.click()

    until(page, switch, lambda: machine.io.outputs[4, 1], "the output that is shown is on")
    machine.io.outputs[4, 1] = False
    page.get_by_label("First byte").fill("-1")
    shows(page, "body", "first byte: '-1' is below 0")
    assert not page.get_by_role("button", name="4.1 ").count(), "no bit is shown"
    page.get_by_label("First byte").fill("0")

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
    page.get_by_role("button", name="0.1 ○ off gripper").wait_for()
    draft = file.with_name("draft.yaml")
    draft.write_text(file.read_text().replace("gripper", "clamp"))
    draft.replace(file)  # by another panel
    page.get_by_role("button", name="0.1 ○ off clamp").wait_for()

    def misname() -> None:
        place.fill("9")
        give.click()

    order(page, misname, "'9' is no place")
    named("outputs", "0.1", "")
    page.get_by_role("button", name="clamp").wait_for(state="detached")


def test_a_slave_is_looked_into(browse: Any, machine: Machine) -> None:
    page = browse("/network")
    shows(page, "#master", "Master 0: OP")
    rows = page.locator("#ports tbody tr")
    click_for(page.get_by_role("button", name="Read ports"), rows.nth(1))
    assert rows.count() == 2
    assert rows.first.inner_text().split() == ["0", "yes", "yes", "0", "0", "0"]
    vendor = page.locator("#object").filter(has_text="(0xfa4e, 64078)")
    click_for(page.get_by_role("button", name="Read object"), vendor)

    def write() -> None:
        page.get_by_label("Object").fill("0x6065")  # following error window
        page.get_by_label("Subindex").fill("0")
        page.get_by_label("New value").fill("4711")
        page.get_by_role("button", name="Write object").click()

    take_control(page)
    order(page, write, "of slave 0 of master 0: done")
    assert int.from_bytes(machine.network.read_object(0, 0x6065), "little") == 4711
    page.get_by_label("Object").fill("0x9999")
    page.get_by_role("button", name="Read object").click()
    shows(page, "#object", "0x06020000")
    page.get_by_label("Slave").fill("99")
    page.get_by_role("button", name="Read ports").click()
    shows(page, "#ports-error", "99")
    eventually(lambda: not rows.count(), "no ports of another one stand below an error")
    slaves = page.locator(".page tbody").first.locator("tr")
    slaves.first.wait_for()
    page.get_by_label("Master").fill("1")
    shows(page, "#master:not(:has-text('Master 0'))", "1")
    eventually(lambda: not slaves.count(), "no slaves of another one stand below an error")


def test_a_recording_is_saved_and_opened(browse: Any, machine: Machine, served: Served) -> None:
    page = browse("/events")
    take_control(page)

    def save_and_leave() -> None:
        follow(page, "/recordings")
        shows(page, "#recording-summary", "no recording is open")
        page.get_by_role("button", name="Save one now").click()
        page.locator("[data-page=events]").click()

    order(page, save_and_leave, "save a recording: done")  # which other pages show, too
    assert [*served.recordings.glob("*_saved*.mcap")]
    follow(page, "/recordings")
    number = len([*served.recordings.glob("*.mcap")])
    shows(page, "#recording-summary", f"{number} are in")
    save = page.get_by_role("button", name="Save one now")
    click_until(save, page.locator("#recording-summary").filter(has_text="_saved").is_visible)
    files: list[Path] = []

    def record_and_open() -> None:
        before = {*served.recordings.glob("*_alarm*.mcap")}
        machine.axes.clear()
        machine.axes.on()
        bring(machine, *[0.2] * 6)
        bring(machine)
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
    page.wait_for_function(f"{CURVES.format(of='name')}.includes('axis 0 (joint1)')")
    assert_curves_differ(page)
    assert downloaded(page, "#download") == (files[0].name, files[0].read_bytes())
    files[0].write_bytes(b"nonsense")
    page.get_by_role("switch").click()
    shows(page, "#recording-summary", "is no MCAP file")
    assert not page.locator("tbody").first.is_visible(), "nothing of before stands below an error"


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
    eventually(lambda: machine.axes[2].status.servo_on, "its servo is on")


def test_events_are_filtered_and_exported(browse: Any, machine: Machine) -> None:
    page = browse("/events")
    rows = page.locator(".page tbody tr")
    for axis in 1, 2:
        arrives(partial(machine.axes[axis].move_by, 0.1, velocity=3.0))
    rows.filter(has_text="ARRIVED").filter(has_text="joint3").first.wait_for()

    def finds(words: str) -> None:
        def found() -> bool:
            texts = rows.all_inner_texts()
            return bool(texts) and all(word in row for row in texts for word in words.split())

        until(page, lambda: page.get_by_label("Filter").fill(words), found, f"only {words!r}")

    finds("joint2 ARRIVED")
    head, *exported = downloaded(page, "#export")[1].decode().splitlines()
    assert head == "date,at,kind,text,axes,source"
    assert rows.count() == min(len(exported), MOST_ROWS)
    assert all("joint2" in row and "ARRIVED" in row for row in exported)
    page.get_by_role("switch", name="Freeze").click()
    before = rows.first.inner_text()
    arrives(partial(machine.axes[1].move_by, 0.1, velocity=3.0))
    page.wait_for_timeout(LATE)
    assert rows.first.inner_text() == before
    page.get_by_role("switch", name="Freeze").click()
    eventually(lambda: rows.first.inner_text() != before, "it goes on")
    page.get_by_label("Filter").fill("")
    page.get_by_label("Kinds").click()
    for kind in ("order", "begin", "refused", "error"):
        page.get_by_role("option", name=kind).click()
        page.locator(f"[role=option][aria-selected=false]:has-text('{kind}')").wait_for()
    page.get_by_label("Filter").click()
    kinds = page.locator(".page tbody tr td:nth-child(2)")
    eventually(lambda: {*kinds.all_inner_texts()} == {"end"}, "only ends are shown")
    since, to = page.locator("#events-from"), page.locator("#events-to")
    times = [row[:19] for row in rows.all_inner_texts()]
    assert times[-1] < times[0]

    def are_shown(right: Callable[[str], bool]) -> Callable[[], bool]:
        def shown() -> bool:
            found = [row[:19] for row in rows.all_inner_texts()]
            return bool(found) and all(map(right, found))

        return shown

    since.fill(times[0])
    eventually(are_shown(lambda time: time >= times[0]), "only what was later is shown")
    since.fill("")
    to.fill(times[-1])
    eventually(are_shown(lambda time: time <= times[-1]), "only what was earlier is shown")
    to.fill("")
    page.get_by_label("From").fill("yesterday")
    shows(page, "#events-summary", "'yesterday' is no time: write it such as 2026-11-26 18:00")
    page.get_by_text("nothing has happened that matches").wait_for()
    page.get_by_label("From").fill("")
