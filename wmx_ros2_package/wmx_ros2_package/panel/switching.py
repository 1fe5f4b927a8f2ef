"""Servos are switched off at rest: an axis that moves is stopped first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic, sleep

from ..client import Axes, Axis, Machine, MachineError

REST_TIMEOUT = 10.0
"""How long an axis may take to rest after its stop, s."""
PERIOD = 0.02


def switch_off(machine: Machine, axes: Axis | Axes, numbers: Sequence[int]) -> None:
    """Switch servos off, once their axes rest; MachineError where one does not come to rest."""
    wait_for_rest(lambda: _moving(machine, numbers), axes.stop, numbers)
    axes.off()


def wait_for_rest(
    moving: Callable[[], list[int]],
    stop: Callable[[], None],
    numbers: Sequence[int],
    clock: Callable[[], float] = monotonic,
    pause: Callable[[float], None] = sleep,
) -> None:
    """Stop `numbers` if any is among `moving`, and wait until none is."""
    if not moving():
        return
    stop()
    until = clock() + REST_TIMEOUT
    while left := moving():
        if clock() >= until:
            raise MachineError(
                f"axes {', '.join(map(str, left))} still move {REST_TIMEOUT:g} s after their "
                f"stop: no servo of {', '.join(map(str, numbers))} is switched off"
            )
        pause(PERIOD)


def _moving(machine: Machine, numbers: Sequence[int]) -> list[int]:
    at_rest = machine.status().at_rest
    return [axis for axis in numbers if not at_rest[axis]]
