"""Bringing axes to rest, as every exit path of a motion must."""

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .errors import CommandRefused
from .interface import Motion
from .values import OperationState

_LOOK_PERIOD = 0.005


def busy_axes(motion: Motion, among: Iterable[int] | None = None) -> NDArray[np.intp]:
    """The axes that do something, all or those `among` some.

    An engine that does not communicate has none.
    """
    status = motion.status()
    busy = np.flatnonzero((status.op_state != OperationState.IDLE) & status.communicating)
    return busy if among is None else busy[np.isin(busy, list(among))]


def come_to_rest(motion: Motion, timeout: float, axes: Iterable[int] | None = None) -> bool:
    """Stop every axis that does something, or those of `axes`, and wait until they are at rest.

    Blocks for as long as the axes take to slow down, `timeout` seconds at most; false when some
    still move then. A stop that is refused for one axis may have reached the others: they are
    waited for all the same, then the refusal is raised.
    """
    deadline = time.monotonic() + timeout
    busy = busy_axes(motion, axes)
    if not busy.size:
        return True
    try:
        motion.stop([int(axis) for axis in busy])
    except CommandRefused:
        _wait_for_rest(motion, busy, deadline)
        raise
    return _wait_for_rest(motion, busy, deadline)


def _wait_for_rest(motion: Motion, axes: NDArray[np.intp], deadline: float) -> bool:
    while (motion.status().op_state[axes] != OperationState.IDLE).any():
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_PERIOD)
    return True
