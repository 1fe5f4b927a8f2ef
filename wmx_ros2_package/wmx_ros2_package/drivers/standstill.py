"""Bringing axes to rest, as every exit path of a motion must."""

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .errors import CommandRefused
from .interface import Motion
from .values import MotionStatus, OperationState

_LOOK_PERIOD = 0.005
"""s; a few communication cycles, within which a command has started."""
_RETRY_PERIOD = 0.02
"""How long after a stop that is refused it is ordered again, s."""


def busy_axes(motion: Motion, among: Iterable[int] | None = None) -> NDArray[np.intp]:
    """The axes that do something, all or those `among` some.

    An engine that does not communicate has none. A command may only start in the next cycles, and
    its axis seems to rest until then: where none does anything, a second look is taken.
    """
    chosen = None if among is None else list(among)
    status = motion.status()
    busy = _busy(status, chosen)
    if not busy.size and chosen != [] and status.communicating:
        time.sleep(_LOOK_PERIOD)
        busy = _busy(motion.status(), chosen)
    return busy


def come_to_rest(motion: Motion, timeout: float, axes: Iterable[int] | None = None) -> bool:
    """Stop every axis that does something, or those of `axes`, and wait until they are at rest.

    Blocks for as long as the axes take to slow down, `timeout` seconds at most; false when some
    still move then. A stop that is refused is ordered again until then, since the refusal of one
    axis may hide that of the others; the last refusal is raised if it never helps.
    """
    deadline = time.monotonic() + timeout
    while (busy := busy_axes(motion, axes)).size:
        try:
            motion.stop([int(axis) for axis in busy])
        except CommandRefused:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_PERIOD)
        else:
            return _wait_for_rest(motion, busy, deadline)
    return True


def _busy(status: MotionStatus, among: list[int] | None) -> NDArray[np.intp]:
    busy = status.busy
    return busy if among is None else busy[np.isin(busy, among)]


def _wait_for_rest(motion: Motion, axes: NDArray[np.intp], deadline: float) -> bool:
    while (motion.status().op_state[axes] != OperationState.IDLE).any():
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_PERIOD)
    return True
