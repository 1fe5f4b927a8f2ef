"""A copy of some axes of an engine, on a clock of its own: what is commanded moves nothing else.

The network, the inputs and what others will do to the axes stay as they are. An axis that searches
for its home does not continue with that, and what does not belong to the copied axes is not there.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import (
    CommandMode,
    Course,
    EngineState,
    MotionStatus,
    OperationState,
)

from .clock import CYCLES_PER_SECOND, Instant
from .machine.description import AxisModel
from .motion.axes import Axes
from .motion.copying import Copied
from .motion.course import course_of
from .motion.history import cycle_of
from .proxies import MotionProxy, declared

MOST_STATES = 256
"""So many states are collected before they are evaluated: `history` keeps more of 128 axes."""


class EngineCopy:
    """Axes `indexes` of `axes`, which belong to the copy alone, from their cycle on."""

    def __init__(self, axes: Axes, indexes: Sequence[int], *, exact: bool) -> None:
        self.motion = MotionProxy(self._call)
        self.exact = exact
        self._axes = axes
        self._indexes = tuple(indexes)
        self._first = axes.now.cycle
        """The first cycle that was not answered."""
        self._origin = axes.now.steady - axes.rate * axes.now.time
        """The steady time of cycle 0, s: a sum of all steps would differ from the engine's time."""
        self._number = 0
        """How many states were read."""
        axes.keep_states()
        axes.advance(axes.now)
        axes.note()

    def run(self, cycle: int) -> None:
        """Let time pass, see `EngineCopy` of the driver interface."""
        axes, state = self._axes, self._axes.shared_state
        doing = state.op_state.tobytes(), state.servo_on.tobytes()
        begin = axes.noted
        while axes.now.cycle < cycle and axes.noted < begin + MOST_STATES:
            _, time = state.next_axis()
            due = max(cycle_of(time), axes.now.cycle + 1) if time < inf else cycle
            self._go_to(min(cycle, due))
            if (state.op_state.tobytes(), state.servo_on.tobytes()) != doing:
                break

    def _go_to(self, cycle: int) -> None:
        time, rate = cycle / CYCLES_PER_SECOND, self._axes.rate
        self._axes.advance(Instant(cycle, time, self._origin + rate * time, 1.0 / rate))

    def course(self) -> Course:
        """Return what was done, see `EngineCopy` of the driver interface."""
        number, cycle, _, _, noted = self._axes.history(self._number)
        first, self._first, self._number = self._first, cycle + 1, number
        return course_of(noted, self._indexes, first, cycle)

    def _call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        about = declared(part, method)
        state = self._axes.shared_state.record["engine_state"]
        if state != EngineState.COMMUNICATING and not about.offline:
            raise CommandRefused(ErrorCode.CommNotStarted)
        self._axes.advance(self._axes.now)  # what is due at once is done before the next call
        result = getattr(self._axes, method)(*args, **kwargs)
        if not about.reads:
            self._axes.note()
        return result


def exact_copy(copied: Sequence[Any], indexes: Sequence[int]) -> EngineCopy:
    """Return a copy of `indexes`, of which `StatesProxy.copy` has returned the values."""
    axes = Axes.made_of(Copied(*copied))
    return EngineCopy(axes, indexes, exact=True)


def copy_from_status(
    status: MotionStatus, parameters: ParameterSet, indexes: Sequence[int]
) -> EngineCopy:
    """Return axes that are as in `status` and `parameters` of another engine.

    Their motors and drives are those of `AxisModel`, for no status has what these are, nor where
    limit switches are that are off. Refused for axes that are not there, or do not rest.
    """
    for index in indexes:
        if not 0 <= index < status.axes:
            raise CommandRefused(ErrorCode.AxisOutOfRange, f"axis {index}")
        if status.op_state[index] != OperationState.IDLE or status.velocity_cmd[index]:
            detail = f"axis {index} moves: what it would do can be computed once it rests"
            raise CommandRefused(ErrorCode.NotIdleState, detail)
    for index in range(status.axes):
        if (mode := int(status.command_mode[index])) in [*CommandMode]:
            parameters = parameters.with_axis(index, command_mode=mode)
    axes = Axes((AxisModel(),) * status.axes, parameters)
    axes.advance(Instant(0, 0.0, status.time))
    axes.stand_as(status)
    return EngineCopy(axes, indexes, exact=False)
