"""Brings axes that were led along a path to rest, however long the engine refuses to stop them."""

import time
from collections.abc import Callable, Sequence

from ..drivers.errors import CommandRefused, WmxError
from ..drivers.interface import Motion
from ..drivers.values import OperationState
from .setting import LOOK_PERIOD

REST_TIME = 10.0
"""How long stopped axes may take to come to rest, s; then it is said that they still move."""
LOOKS = 2
"""So often axes must seem to rest: what was commanded just now may show in a moment."""


def bring_to_rest(
    motion: Motion,
    axes: Sequence[int],
    cycle_time: float,
    *,
    wanted: Callable[[], bool],
    refused: Callable[[str], None],
    late: Callable[[str], None],
) -> str:
    """Stop those of `axes` that are on a path, and wait until all rest.

    A stop that is refused is tried again, until they do or that is not `wanted` any more. `refused`
    is told of the first refusal, and `late` when it takes longer than REST_TIME. Why nobody knows
    whether they rest, in words; nothing if they do, or if that is not wanted any more.
    """
    refusal, looks, first, told = "", 0, -1, False
    while wanted() and looks < LOOKS:
        try:
            status = motion.status()
        except WmxError as error:
            return f"the engine is lost: {error}"
        if not status.communicating:
            return ""
        led = [axis for axis in axes if status.op_state[axis] == OperationState.INTPL]
        if led:
            try:
                motion.stop(led)
            except CommandRefused as error:
                if not refusal:
                    refused(f"stopping axes {led}, trying again: {error}")
                refusal = f": {error}"
            except WmxError as error:
                return f"the engine is lost: {error}"
        busy = [axis for axis in axes if status.op_state[axis] in _LED]
        looks = 0 if busy else looks + 1
        first = status.cycle if first < 0 else first
        if busy and not told and (status.cycle - first) * cycle_time > REST_TIME:
            told = True
            late(f"axes {busy} still move {REST_TIME:g} s after they were stopped{refusal}")
        time.sleep(LOOK_PERIOD)
    return ""


_LED = OperationState.INTPL, OperationState.STOP
"""What an axis does because of a path, or because that was ended."""
