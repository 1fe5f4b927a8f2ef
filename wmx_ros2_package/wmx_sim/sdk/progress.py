"""How far a motion is: what triggers, events and waits depend on."""

from math import hypot, inf

from wmx_core.values import OperationState

from ..engine.clock import CYCLE
from ..engine.motion.profile import duration, hold
from .runtime import Runtime


class Progress:
    """The motion of `axis`, now."""

    def __init__(self, runtime: Runtime, axis: int) -> None:
        self._runtime = runtime
        self._axis = axis
        self.moving = bool(runtime.status.op_state[axis] != OperationState.IDLE)
        if runtime.status.communicating:
            self._since, self._profile = runtime.local.course(axis)
        else:  # an engine that reaches no drive shows no motion
            self._since, self._profile = runtime.time, hold(runtime.position(axis))

    @property
    def completed_time(self) -> float:
        """Since the motion began, ms."""
        return (self._runtime.time - self._since) * 1000.0 if self.moving else 0.0

    @property
    def remaining_time(self) -> float:
        """Until it ends, ms."""
        if not self.moving:
            return 0.0
        if self._profile[-1].velocity:
            return inf
        left = self._since + duration(self._profile) - self._runtime.time
        # A motion that ends with a velocity counts as over in the cycle before.
        return (left - CYCLE * self._ends_moving) * 1000.0

    @property
    def _ends_moving(self) -> bool:
        last = self._profile[-2] if len(self._profile) > 1 else self._profile[-1]
        return bool(abs(last.at(last.duration)[1]) > 1e-6)

    @property
    def completed_distance(self) -> float:
        """From where it began, u."""
        if not self.moving:
            return 0.0
        gone = []
        for axis in self._together():
            _, profile = self._runtime.local.course(axis)
            gone.append(self._runtime.position(axis) - profile[0].position)
        return hypot(*gone)

    @property
    def remaining_distance(self) -> float:
        """To where it ends, u."""
        if not self.moving:
            return 0.0
        if self._profile[-1].velocity:
            return inf
        return hypot(*(self._left(axis) for axis in self._together()))

    def _left(self, axis: int) -> float:
        _, profile = self._runtime.local.course(axis)
        return float(profile[-1].position) - self._runtime.position(axis)

    def _together(self) -> tuple[int, ...]:
        """Return the axes on a line with this one; distances are those along it."""
        if self._runtime.status.op_state[self._axis] != OperationState.INTPL:
            return (self._axis,)
        return self._runtime.paths.get(self._axis, (self._axis,))

    def slows_down_within(self, seconds: float) -> bool:
        """Return whether its last phase, slowing down to rest, has begun or will have by then."""
        if not self.moving:
            return True
        left = self.remaining_time / 1000.0
        braking = 0.0
        for segment in reversed(self._profile[:-1]):
            _, end = segment.at(segment.duration)
            if abs(end) >= abs(segment.velocity):
                break
            braking += segment.duration
        return left <= braking + seconds + 1e-9
