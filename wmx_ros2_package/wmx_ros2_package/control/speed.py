"""The pause, in which the gate refuses motion, and the override, at which each move is commanded.

Clients set it for all nodes (`wmx/engine/set_speed`), and it is kept in the axis file, so that it
is what the last client made it whatever dies. Each node carries it out for the motions it has open:

| motion | at a lower speed | paused |
|---|---|---|
| to a position | the engine's override of its velocity | that is 0: it waits on its way |
| jog, velocity | its velocity is commanded lower, and overridden | it is stopped |
| trajectory | `trajectories/pace.py` | it rests on its path |
| stream with times, homing, effort | as it is commanded | it is stopped |
| stream without times | its velocity is commanded lower | it is stopped |
| base | `bases/drive.py` leads its wheels to less | it is stopped |

While the system is paused no motion begins.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import copysign
from typing import Any, TypeVar, cast

from wmx_core.errors import CommandRefused, ErrorCode, RefusalCode
from wmx_core.interface import Motion
from wmx_core.move_rules import RATE_RANGE
from wmx_core.values import MotionStatus, OperationState, PositionMove, VelocityMove

from .axis_file.records import FULL_SPEED, AxisPause, Speed
from .ownership import Ownership
from .request import MotionKind, MotionRequest
from .tracker import MotionTracker

Move = TypeVar("Move", PositionMove, VelocityMove)

PAUSED = "the system is paused"
_OVERRIDABLE = OperationState.POS, OperationState.JOG, OperationState.VELOCITY
_OVERRIDDEN = MotionKind.POSITION, MotionKind.JOG, MotionKind.VELOCITY
_ENDED = (
    *(MotionKind.JOG, MotionKind.VELOCITY, MotionKind.STREAM),
    *(MotionKind.HOMING, MotionKind.EFFORT),
)
"""Motions that have no place to go on from: a pause stops them."""
_NOT_YET = ErrorCode.NotPosOrJogOrVelocityState, ErrorCode.StartingPreviousCommand
"""Refusals of an override that is to be tried again: its motion begins, or ends, just now."""


class Paused(CommandRefused):
    """The refusal of every motion that would begin while the system is paused."""

    def __init__(self) -> None:
        super().__init__(RefusalCode.PAUSED, f"{PAUSED}: wmx resume lets axes move", "Paused")


class SystemSpeed:
    """The speed of the system for the motions of one node.

    The gate holds its lock around all calls but `speed`, `require_running` and `report`.
    """

    def __init__(
        self,
        motion: Motion,
        ownership: Ownership,
        tracker: MotionTracker,
        end: Callable[[Sequence[int], str], object],
    ) -> None:
        """`end` brings axes to rest whose motions a pause, or a refused override, ends."""
        self._motion = motion
        self._ownership = ownership
        self._tracker = tracker
        self._end = end
        self._commanded: dict[int, float] = {}
        """The percentage of what was asked for at which each axis was commanded last."""
        self._own: dict[int, float] = {}
        """The override of the axis itself, percent; without one 100."""
        self._in_force: dict[int, float] = {}
        """The percentage of each axis without its own override."""

    @property
    def speed(self) -> Speed:
        """The speed that clients have set; full speed while the device is closed."""
        file = self._ownership.file
        return Speed() if file is None else file.speed

    # What begins

    def require_running(self, requests: Sequence[MotionRequest] = ()) -> None:
        """Paused while the system is; what holds axes, or goes on along a path, may all the same.

        The latter are trajectories that have begun: they come to rest on their paths.
        """
        if not self.speed.paused:
            return
        for request in requests or (None,):
            goes_on = request is not None and (
                request.kind is MotionKind.HOLD
                or (request.kind is MotionKind.TRAJECTORY and self._tracker.is_open(request.id))
            )
            if not goes_on:
                raise Paused

    def slowed(self, requests: Sequence[MotionRequest]) -> Motion:
        """Return the motion interface that commands `requests` at the speed that is set.

        Those that have times of their own are commanded at full speed.
        """
        timed = all(request.is_timed for request in requests)
        percent = FULL_SPEED if timed else self.speed.percent
        return cast(Motion, _Slowed(self._motion, self, percent))

    def begun(self, axes: Sequence[int], percent: float) -> None:
        """Axes were commanded at `percent` of what was asked for."""
        for axis in axes:
            self._commanded[axis] = self._in_force[axis] = percent
            self._own.pop(axis, None)

    def set_own(self, axis: int, percent: float) -> None:
        """Have an axis go on at `percent` of what it would do at the speed of the system."""
        self.require_running()
        rate = self.speed.percent
        self._override(axis, percent, rate)
        self._own[axis], self._in_force[axis] = percent, rate

    def _override(self, axis: int, own: float, percent: float) -> None:
        commanded = self._commanded.get(axis, FULL_SPEED)
        self._motion.set_override(axis, own * percent / commanded)

    # What is under way, in the supervisor

    def follow(self, status: MotionStatus, width: float) -> None:
        """Have the open motions go on at the speed that is set; `width` as `report` has it."""
        speed = self.speed
        if speed.paused and (axes := self._tracker.axes_of(*_ENDED, stopping=False)):
            self._end(axes, PAUSED)
        wanted = 0.0 if speed.paused else speed.percent
        for axis in self._tracker.axes_of(*_OVERRIDDEN, stopping=False):
            in_force = self._in_force.get(axis, wanted)
            if status.op_state[axis] not in _OVERRIDABLE:
                continue
            if in_force != wanted:
                self._change(axis, in_force, wanted)
            elif speed.paused and status.velocity_cmd[axis] == 0.0:
                off = abs(status.pos_cmd[axis] - status.actual_pos[axis])
                self.report([axis], [axis] if off > width else [])

    def _change(self, axis: int, before: float, wanted: float) -> None:
        """Let an axis go on at another speed; where that is refused it stops rather than be fast.

        Nor does one that is paused wait for good. A speed that cannot be higher stays as it is.
        """
        try:
            self._override(axis, self._own.get(axis, FULL_SPEED), wanted)
        except CommandRefused as error:
            if error.code in _NOT_YET:
                return
            if wanted < before or not before:
                self._end([axis], f"its speed could not be changed: {error}")
        self._in_force[axis] = wanted

    def report(self, axes: Sequence[int], away: Sequence[int]) -> None:
        """Record that axes rest where they were paused, those in `away` with motors elsewhere."""
        if (file := self._ownership.file) is not None:
            for axis in axes:
                file.set_pause(axis, AxisPause.AWAY if axis in away else AxisPause.HELD)


class _Slowed:
    """The commands of `motion`, at `percent` of their velocities where these can be changed."""

    def __init__(self, motion: Motion, speeds: SystemSpeed, percent: int) -> None:
        self._motion = motion
        self._speeds = speeds
        self._percent = percent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._motion, name)

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        self._give(self._motion.move_absolute, moves)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        self._give(self._motion.move_relative, moves)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        self._give(self._motion.jog, moves)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        self._give(self._motion.move_velocity, moves)

    def _give(self, command: Callable[[Sequence[Move]], None], moves: Sequence[Move]) -> None:
        command(moves if self._percent == FULL_SPEED else [self._slower(each) for each in moves])
        self._speeds.begun([move.axis for move in moves], self._percent)

    def _slower(self, move: Move) -> Move:
        rate, profile, asked = self._percent / FULL_SPEED, move.profile, abs(move.velocity)
        speed = max(asked * rate, min(asked, RATE_RANGE[0]))  # less is refused
        return replace(
            move,
            velocity=copysign(speed, move.velocity),
            profile=replace(
                profile,
                starting_velocity=profile.starting_velocity * rate,
                end_velocity=profile.end_velocity * rate,
                second_velocity=profile.second_velocity * rate,
            ),
        )
