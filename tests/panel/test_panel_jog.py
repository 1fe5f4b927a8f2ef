"""A jog lasts as long as its button is held, and as the browser proves that it is."""

import signal
import time
from math import inf
from typing import Any

import pytest
from acts import hold, hold_key, jog_button, take_control
from cable import Cable
from panels import LATE, Served, free_port, moving, shows, start_panel
from waits import at_best, eventually

from wmx_ros2_package.client import EndReason, Machine, MotionEnd
from wmx_ros2_package.control.leases import LEASE_TIMEOUT

ENDS_OF_A_JOG = (EndReason.STOPPED, EndReason.CANCELED, EndReason.LEASE_EXPIRED)


def jog(page: Any, machine: Machine) -> None:
    """Hold the button until the axis moves, and go on."""
    hold(jog_button(page), lambda: moving(machine))


def ended(machine: Machine, events: Any) -> MotionEnd:
    """The end of the jog that is under way; the axis rests then."""
    while True:
        event = events.get(timeout=20.0)
        if isinstance(event, MotionEnd):
            eventually(lambda: not moving(machine), "the axis rests")
            return event


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


def test_a_jog_by_the_keyboard(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    hold_key(page, "ArrowLeft", lambda: bool(machine.status().command_velocity[0] < -0.01))
    page.keyboard.up("ArrowLeft")
    eventually(lambda: not moving(machine), "the axis rests")


def test_a_jog_ends_when_the_window_loses_the_focus(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    with machine.events() as events:
        jog(page, machine)
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        assert ended(machine, events).reason in ENDS_OF_A_JOG
        page.wait_for_timeout(LATE)
        assert not moving(machine)


def test_a_jog_ends_when_the_connection_is_cut(browse: Any, machine: Machine, line: Cable) -> None:
    page = browse("/axes?axis=0", base=line.url)
    take_control(page)

    def rests_after() -> float:
        """Cut the cable during a jog; how long it goes on, s."""
        line.mend()
        page.mouse.up()
        jog(page, machine)
        with machine.events() as events:  # of this press: those before it have ended
            cut = time.time()
            line.cut()
            if not moving(machine):  # a busy browser has let go before
                return inf
            end = ended(machine, events)
        assert end.reason in ENDS_OF_A_JOG
        return end.time - cut

    at_best(rests_after, most=0.8)
    shows(page, "#problem", "No connection to the panel")
    # What the browser sent meanwhile arrives late, and moves nothing.
    before = machine.axes[0].position
    line.mend()
    page.wait_for_selector("body:not(.no-link)")
    page.wait_for_timeout(LATE)
    assert machine.axes[0].position == pytest.approx(before, abs=1e-4)


def test_a_jog_ends_when_the_browser_stalls(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)

    def rests_after() -> float:
        """Let the browser stall during a jog; how long that goes on, s."""
        page.mouse.up()
        jog(page, machine)
        with machine.events() as events:
            page.evaluate(
                "void setTimeout(() => { const t = Date.now(); while (Date.now() - t < 2500); }, 0)"
            )
            stalls = time.time()
            if not moving(machine):
                return inf
            end = ended(machine, events)
        assert end.reason in ENDS_OF_A_JOG
        return end.time - stalls

    at_best(rests_after, most=0.8)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_jog_ends_by_its_lease_when_the_panel_dies_or_hangs(
    browse: Any, machine: Machine, served: Served, number: signal.Signals
) -> None:
    def way() -> float:
        """How far the axis is commanded after its panel has gone, rad."""
        panel, url = served.panel, served.url
        if number is signal.SIGKILL:
            port = free_port()
            panel = start_panel(served.place, port)
            panel.says("connected to a SIMULATED machine")
            url = f"http://127.0.0.1:{port}"
        page = browse("/axes?axis=0", base=url)
        take_control(page)
        jog(page, machine)
        with machine.events() as events:  # of this press: those before it may have ended, too
            panel.send_signal(number)
            before = machine.status()
            # A computer that is too busy ends the jog before the panel has gone.
            busy = abs(before.command_velocity[0]) < 0.01
            end = None if busy else ended(machine, events)
        if number is signal.SIGSTOP:
            # The newest status may be from just before the end.
            eventually(lambda: machine.status().at_rest.all(), "all rest")
            rest = machine.status().command[0]
            panel.send_signal(signal.SIGCONT)
            page.wait_for_selector("body:not(.no-link)")
            page.wait_for_timeout(LATE)
            late = "what it had in hand moves nothing"
            assert machine.status().command[0] == pytest.approx(rest, abs=1e-6), late
            page.mouse.up()
        else:
            panel.kill()
            page.close()
        by_lease = end is not None and end.reason is EndReason.LEASE_EXPIRED
        return end.final[0] - before.command[0] if by_lease else inf

    try:
        at_best(way, most=0.2 * (LEASE_TIMEOUT + 1.0), attempts=3)
    finally:
        served.panel.send_signal(signal.SIGCONT)


def test_a_slow_connection_moves_nothing(browse: Any, machine: Machine, line: Cable) -> None:
    page = browse("/axes?axis=0", base=line.url)
    take_control(page)
    line.delay = 0.5
    page.wait_for_timeout(LATE)  # what was on its way has arrived
    before = machine.axes[0].position
    problem = page.locator("#problem").filter(has_text="the connection is too slow").first
    hold(jog_button(page), problem.is_visible)
    page.wait_for_timeout(LATE)
    page.mouse.up()
    assert machine.axes[0].position == pytest.approx(before, abs=1e-3)
    # Looking goes on, slower.
    page.wait_for_selector("body:not(.no-link)")
