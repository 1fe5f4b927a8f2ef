"""Bringing axes to rest, as every exit path of a motion must."""

import time

import numpy as np

from .interface import Motion
from .values import OperationState

_LOOK_PERIOD = 0.005


def come_to_rest(motion: Motion, timeout: float) -> bool:
    """Stop every axis that does something, and wait until all are at rest.

    Blocks for as long as the axes take to slow down, `timeout` seconds at most; false when some
    still move then. An engine that does not communicate has no moving axes.
    """
    deadline = time.monotonic() + timeout
    status = motion.status()
    busy = np.flatnonzero(status.op_state != OperationState.IDLE)
    if not status.communicating or not busy.size:
        return True
    motion.stop([int(axis) for axis in busy])
    while (motion.status().op_state[busy] != OperationState.IDLE).any():
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_PERIOD)
    return True
