"""A jog lasts as long as its button is held, and as the browser proves that it is."""

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import Any

import pytest
from acts import PRESS, hold, hold_key, holds, jog_button, take_control
from cable import CableProxy
from panels import LATE, Served, moving, shows
from waits import at_best, eventually

from wmx_ros2_package.client import EndReason, Machine, MotionEnd
from wmx_ros2_package.control.leases import LEASE_TIMEOUT

ENDS_OF_A_JOG = (EndReason.STOPPED, EndReason.CANCELED, EndReason.LEASE_EXPIRED)
MOST_WAY = 0.2 * (LEASE_TIMEOUT + 1.0)
"""How far an axis may go on when the lease of its jog is renewed no more, rad."""


def jog(page: Any, machine: Machine) -> None:
    """Hold the button until the axis moves, and go on."""
    hold(jog_button(page), lambda: moving(machine))


def ended(machine: Machine, events: Any) -> MotionEnd:
    """The end of the jog that is under way; the axis rests then."""
    while True:
        event = events.get(timeout=60.0)
        if isinstance(event, MotionEnd):
            eventually(lambda: not moving(machine), "the axis rests")
            return event


def rests_after(page: Any, machine: Machine, act: Callable[[], object]) -> float:
    """Jog, and `act`; how long the jog goes on then, s."""
    page.mouse.up()
    jog(page, machine)
    with machine.events() as events:  # of this press: those before it have ended
        at = time.time()
        act()
        if not moving(machine):  # a busy browser has let go before
            return inf
        end = ended(machine, events)
    assert end.reason in ENDS_OF_A_JOG
    return end.time - at


def way_after(page: Any, machine: Machine, act: Callable[[], object]) -> float:
    """Jog, and `act`; how far the axis is commanded until its lease has ended that, rad."""
    page.mouse.up()
    jog(page, machine)
    with machine.events() as events:  # of this press: those before it may have ended, too
        act()
        before = machine.status()
        # A computer that is too busy ends the jog before.
        busy = abs(before.command_velocity[0]) < 0.01
        end = None if busy else ended(machine, events)
    by_lease = end is not None and end.reason is EndReason.LEASE_EXPIRED
    return end.final[0] - before.command[0] if by_lease else inf


def test_a_jog_lasts_as_long_as_its_button_is_held(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    far = 0.4
    """Two seconds, rad: many leases of the panel, and two of the machine."""

    def falls_short() -> float:
        """Hold the button, release it far from there; how much of the way is missing then, rad."""
        eventually(lambda: not moving(machine), "the axis rests")
        with machine.events() as events:
            jog(page, machine)
            before = machine.axes[0].position
            while (way := machine.axes[0].position - before) < far and moving(machine):
                page.wait_for_timeout(20)
            page.mouse.up()
            assert ended(machine, events).reason in ENDS_OF_A_JOG
        return far - way

    at_best(falls_short, most=0.0)
    hold_key(page, "ArrowLeft", lambda: bool(machine.status().command_velocity[0] < -0.01))
    before = machine.axes[0].position
    page.keyboard.down("ArrowRight")  # and the other way: neither is meant
    eventually(lambda: not moving(machine), "the axis rests")
    assert before - machine.axes[0].position < 1.0  # far from its limit
    page.keyboard.up("ArrowRight")
    page.keyboard.up("ArrowLeft")


def test_a_key_that_no_button_has_moves_nothing(browse: Any, machine: Machine) -> None:
    """Nor does it end the script that looks for its button: the fixture fails on its errors."""
    page = browse("/axes?axis=0")
    take_control(page)
    page.locator(".jog-area").focus()
    for key in '"', "\\", "]", "1", "x":
        page.keyboard.press(key)
    page.wait_for_timeout(LATE)
    assert not moving(machine)


def test_a_jog_ends_where_the_browser_lets_go_or_stalls(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    button = jog_button(page)
    box = button.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    jogged = page.locator("[data-live='blocks:0'].busy").filter(
        has_text="it is jogged by tester (127.0.0.1)"
    )

    def moves_on() -> bool:
        """Hold the button, and move on it; a busy browser lets go."""
        jog(page, machine)
        page.mouse.move(x + 5, y)
        with suppress(AssertionError):
            eventually(jogged.is_visible, "it is shown", timeout=PRESS)
        return bool(jogged.is_visible()) and moving(machine)

    eventually(partial(holds, moves_on), "on the button it may move")
    page.mouse.move(box["x"] + box["width"] + 20, y)
    eventually(lambda: not moving(machine), "the axis rests")
    page.mouse.move(x, y)
    page.wait_for_timeout(LATE)
    assert not moving(machine), "coming back is no press"
    blur = "window.dispatchEvent(new Event('blur'))"
    at_best(lambda: rests_after(page, machine, lambda: page.evaluate(blur)), most=0.8)
    page.wait_for_timeout(LATE)
    assert not moving(machine)
    stall = "void setTimeout(() => { const t = Date.now(); while (Date.now() - t < 2500); }, 0)"
    at_best(lambda: rests_after(page, machine, lambda: page.evaluate(stall)), most=0.8)


def test_a_jog_ends_when_the_connection_is_cut_and_a_slow_one_moves_nothing(
    browse: Any, machine: Machine, line: CableProxy
) -> None:
    page = browse("/axes?axis=0", base=line.url)
    take_control(page)

    def cut() -> float:
        line.mend()
        return rests_after(page, machine, line.cut)

    at_best(cut, most=0.8)
    shows(page, "#problem", "No connection to the panel")
    # What the browser sent meanwhile arrives late, and moves nothing.
    before = machine.axes[0].position
    line.mend()
    page.wait_for_selector("body:not(.no-link)")
    page.wait_for_timeout(LATE)
    assert machine.axes[0].position == pytest.approx(before, abs=1e-4)
    page.mouse.up()
    line.set_delay(0.5)
    page.wait_for_timeout(LATE)  # what was on its way has arrived
    problem = page.locator("#problem").filter(has_text="the connection is too slow").first
    hold(jog_button(page), problem.is_visible)
    page.wait_for_timeout(LATE)
    page.mouse.up()
    assert machine.axes[0].position == pytest.approx(before, abs=1e-3)
    # Looking goes on, slower.
    page.wait_for_selector("body:not(.no-link)")


def test_a_jog_ends_by_its_lease_when_the_panel_hangs(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/axes?axis=0")
    take_control(page)

    def way() -> float:
        """How far the axis is commanded after its panel hangs, rad."""
        on = way_after(page, machine, lambda: served.panel.send_signal(signal.SIGSTOP))
        # The newest status may be from just before the end.
        eventually(lambda: machine.status().at_rest.all(), "all rest")
        rest = machine.status().command[0]
        served.panel.send_signal(signal.SIGCONT)
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_timeout(LATE)
        late = "what it had in hand moves nothing"
        assert machine.status().command[0] == pytest.approx(rest, abs=1e-6), late
        return on

    try:
        at_best(way, most=MOST_WAY, attempts=3)
    finally:
        served.panel.send_signal(signal.SIGCONT)
