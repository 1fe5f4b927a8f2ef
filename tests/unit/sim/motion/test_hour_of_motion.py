"""A long run of six axes that do all they can, twice: the same to the last bit."""

import hashlib
import random

import numpy as np
import pytest
from held_engine import position_move, velocity_move
from random_orders import SIMULATED_HOME_TYPES, machine_with_ends

from wmx_core.errors import CommandRefused
from wmx_core.values import (
    HomeType,
    LinearMove,
    MotionStatus,
    OperationState,
    SplineMove,
)

pytestmark = pytest.mark.long

AXES = 6
HERTZ = 10
"""StatusCache a second."""
SEEN = OperationState.POS, OperationState.JOG, OperationState.HOME, OperationState.INTPL


class LongRun:
    """Six axes; every two seconds some of them are ordered something, as a seed has it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._held = machine_with_ends(AXES)
        self._log = hashlib.sha256()
        self.states: set[int] = set()
        self.refused = self.homed = self.limited = 0

    def run(self, seconds: int) -> str:
        """What all samples come to."""
        for second in range(0, seconds, 2):
            if second % 60 == 0:
                self._home(SIMULATED_HOME_TYPES[second // 60 % len(SIMULATED_HOME_TYPES)])
            self._order()
            for _ in range(2 * HERTZ):
                self._sample(self._held.after(1 / HERTZ))
        return self._log.hexdigest()

    def _home(self, kind: HomeType) -> None:
        """Every axis at once, from rest and with its servo on."""
        held = self._held
        held.motion.stop(range(AXES))
        held.after(5.0)
        held.apply(home_type=kind, home_direction=self._random.randrange(2))
        held.servo_on()
        for axis in range(AXES):
            try:
                held.motion.home(axis)
            except CommandRefused:  # on a limit that this home type does not deal with
                self.refused += 1
        for _ in range(20 * HERTZ):
            self._sample(held.after(1 / HERTZ))
        self.homed += int(held.status().home_done.sum())
        held.motion.stop(range(AXES))
        held.after(2.0)

    def _order(self) -> None:
        held, some = self._held, self._random
        axis, target, speed = some.randrange(AXES), some.uniform(-6, 6), some.uniform(-3, 3)
        pair = axis, (axis + 1) % AXES
        held.motion.clear_alarm(axis)
        try:
            match some.randrange(7):
                case 0:
                    held.motion.move_absolute([position_move(axis, target)])
                case 1:
                    held.motion.move_relative([position_move(axis, target)])
                case 2:
                    held.motion.jog([velocity_move(axis, speed)])
                case 3:
                    line = LinearMove(
                        axes=pair, targets=(target, speed), velocity=2.0, acc=10.0, dec=5.0
                    )
                    held.motion.move_linear(line)
                case 4:
                    points = np.array([some.uniform(-2, 2) for _ in range(6)]).reshape(3, 2)
                    points[0] = held.status().pos_cmd[list(pair)]
                    times = np.array([0.0, 1.5, 3.0])
                    held.motion.move_spline(SplineMove(axes=pair, times=times, positions=points))
                case 5:
                    held.motion.stop([axis])
                case _:
                    held.motion.quick_stop(pair)
        except CommandRefused:
            self.refused += 1

    def _sample(self, status: MotionStatus) -> None:
        self.states.update(status.op_state.tolist())
        self.limited += int((status.positive_ls | status.negative_ls).sum())
        for name in MotionStatus.__slots__:
            value = getattr(status, name)
            of_axes = isinstance(value, np.ndarray)
            self._log.update(value.tobytes() if of_axes else repr(value).encode())


def twice(seconds: int) -> None:
    one, other = LongRun(1), LongRun(1)
    assert one.run(seconds) == other.run(seconds)
    assert LongRun(2).run(60) != LongRun(1).run(60), "the log shows what happens"
    assert one.states >= set(SEEN), "all was done"
    assert min(one.homed, one.limited, one.refused) > 0


def test_minutes_of_motion_are_the_same_again() -> None:
    twice(4 * 60)


@pytest.mark.slow
def test_an_hour_of_motion_is_the_same_again() -> None:
    twice(60 * 60)
