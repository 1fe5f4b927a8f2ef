"""Jogs by a button that is held, and how they end."""

import time
from collections.abc import Callable
from math import inf
from typing import Any

from acts import hold, jog_button
from panels import moving
from waits import eventually

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
