"""CoreMotion.motion: moves, lines, jogs, stops and waits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import radians
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState, PositionMove, VelocityMove

from . import sdk_commands
from .conditions import triggered
from .enums import ENUMS
from .line_takeover import taking_over
from .parts import command
from .pieces import circle, followed, sampled, way_of
from .progress import Progress
from .sdk_commands import axes_of, commands_of, numbers
from .stops import Stops, Waits
from .tables import Tables


class Motion(Stops, Waits, Tables):
    """What programs start, stop and wait for."""

    mode = CommandMode.POSITION

    # Moves

    @command
    def StartPos(self, *args: Any) -> None:
        self.absolute(commands_of(args))

    @command
    def StartMov(self, *args: Any) -> None:
        self.relative(commands_of(args))

    def StartPos_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self.absolute)

    def StartMov_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self.relative)

    @command
    def StartLinearIntplPos(self, line: Any) -> None:
        self._line(line)

    @command
    def StartLinearIntplMov(self, line: Any) -> None:
        self._line(line, relative=True)

    @command
    def StartLinearIntplPos_Trigger(self, line: Any, trigger: Any) -> None:
        self._wait_for(axes_of(line), trigger, partial(self._line, line, late=_is_late(trigger)))

    @command
    def StartLinearIntplMov_Trigger(self, line: Any, trigger: Any) -> None:
        start = partial(self._line, line, relative=True, late=_is_late(trigger))
        self._wait_for(axes_of(line), trigger, start)

    @command
    def StartCircularIntplPos_CenterAndLength(self, circle: Any) -> None:
        self._circle(circle)

    @command
    def StartCircularIntplMov_CenterAndLength(self, circle: Any) -> None:
        self._circle(circle, relative=True)

    @command
    def StartJog(self, *args: Any) -> None:
        self._jog(sdk_commands.jogs(commands_of(args), self.runtime.status))

    @command
    def StartJog_TimedJog(self, *args: Any) -> None:
        self._jog(sdk_commands.timed_jogs(commands_of(args), self.runtime.status))

    # Stops with a deceleration of their own

    @command
    def Stop_Dec(self, axis: int, dec: float) -> None:
        self._end([axis], lambda axes: self.runtime.local.stop_with(axes, dec))

    @command
    def Stop_StopCommand(self, count: int, commands: Any) -> None:
        refusal = None
        for each in commands[:count]:
            try:
                self._end([each.axis], partial(self.runtime.local.stop_with, dec=each.dec))
            except CommandRefused as error:
                refusal = error  # the others are stopped, as by every stop of several axes
        if refusal is not None:
            raise refusal

    # Overrides

    @command
    def OverrideVel(self, *args: Any) -> None:
        self.runtime.overrides.set(commands_of(args))

    @command
    def Pause(self, axis: int) -> None:
        self.runtime.overrides.pause(axis)

    @command
    def Resume(self, axis: int) -> None:
        self.runtime.overrides.resume(axis)

    # Waits

    def Wait_WaitCondition(self, condition: Any) -> int:
        kinds = ENUMS["Motion_WaitConditionType"]
        kind = condition.waitConditionType
        if kind == kinds.AxisIdle:
            return self.Wait_AxisSel(condition)
        if kind not in (kinds.MotionStarted, kinds.MotionStartedOverrideReady):
            return int(ErrorCode.NoSupportedFunction)
        axes = axes_of(condition)
        return self.runtime.wait(lambda: not self.runtime.waits(*axes))

    # How

    def absolute(self, commands: list[Any]) -> None:
        """Start moves to places."""
        self._require_free([command.axis for command in commands])
        moves = [self._shortest(self._move(each)) for each in commands]
        self.runtime.motion.move_absolute(moves)
        self._started(moves)

    def relative(self, commands: list[Any]) -> None:
        """Start moves by distances."""
        self._require_free([command.axis for command in commands])
        moves = [self._move(each) for each in commands]
        self.runtime.motion.move_relative(moves)
        self._started(moves)

    def _jog(self, moves: list[VelocityMove]) -> None:
        self.runtime.motion.jog(moves)
        self._started(moves)

    def _started(self, moves: Sequence[PositionMove | VelocityMove]) -> None:
        self.runtime.overrides.started(moves)
        self.runtime.commanded(move.axis for move in moves)

    def _shortest(self, move: PositionMove) -> PositionMove:
        """Return `move` by the shortest way to a place within one turn, on an axis that turns."""
        turn = self.runtime.single_turns.get(move.axis, 0.0)
        if not turn or not 0.0 <= move.target < turn:
            return move
        place = self.runtime.position(move.axis)
        way = (move.target - place + turn / 2.0) % turn - turn / 2.0
        return replace(move, target=place + way)

    def _move(self, command: Any) -> PositionMove:
        if not command.profile.startingVelocity:
            command.profile.startingVelocity = self.runtime.starting_velocities.get(
                command.axis, 0.0
            )
        return sdk_commands.position_move(command)

    def _line(self, command: Any, *, relative: bool = False, late: bool = False) -> None:
        axes = axes_of(command)
        self._require_free(axes)
        starts = self.runtime.positions(axes)
        move = sdk_commands.line(command, starts if relative else ())
        move = sdk_commands.limited(move, command, starts)
        on_line = self.runtime.status.op_state == OperationState.INTPL
        before = {other for axis in axes for other in self.runtime.paths.get(axis, ())}
        # What a new line leaves of an old one has to stop, which the engine does.
        leaves = any(on_line[other] for other in before - set(axes))
        if all(on_line[axis] for axis in axes) and not leaves:
            courses = [self.runtime.local.course(axis) for axis in axes]
            gone = self.runtime.time - courses[0][0]
            old = [course for _, course in courses]
            profiles = taking_over(move, old, gone, late=late)
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)
        else:
            self.runtime.motion.move_linear(move)
        self.runtime.commanded(axes)
        self.runtime.paths |= dict.fromkeys(axes, axes)

    def _circle(self, command: Any, *, relative: bool = False) -> None:
        axes = axes_of(command, 2)
        starts = self.runtime.positions(axes)
        center = numbers(command, "CenterPos", 2)
        if relative:
            center = tuple(start + way for start, way in zip(starts, center, strict=True))
        turn = radians(command.arcLengthDegree) * (-1.0 if command.clockwise else 1.0)
        piece = circle(starts, center, turn)
        points = followed(piece, way_of(piece.length, command.profile))
        self.runtime.local.follow(axes, sampled(points), OperationState.INTPL)

    def _require_free(self, axes: Any) -> None:
        if self.runtime.waits(*axes):
            raise CommandRefused(ErrorCode.NotIdleState, "waits for a trigger")

    def _triggered(self, args: tuple[Any, ...], start: Callable[[list[Any]], None]) -> int:
        if len(args) > 1 and hasattr(args[1], "triggerType"):
            raise TypeError("a command with a trigger of its own, or a count and a list of them")
        return self._start_later(commands_of(args), start)

    @command
    def _start_later(self, commands: list[Any], start: Callable[[list[Any]], None]) -> None:
        axes = [each.axis for each in commands]
        self._wait_for(axes, commands[0].trigger, lambda: start(commands))

    def _wait_for(self, axes: Any, trigger: Any, start: Callable[[], None]) -> None:
        """Start when `trigger` comes true, in that very cycle; instead of what waited before."""
        runtime = self.runtime

        def look() -> None:
            if any(runtime.waiting.get(axis) is not look for axis in axes):
                runtime.watchers.remove(look)
            elif triggered(trigger, Progress(runtime, trigger.triggerAxis)):
                runtime.wait_no_longer(axes)
                runtime.watchers.remove(look)
                runtime.command_now(start)

        runtime.waiting |= dict.fromkeys(axes, look)
        runtime.watchers.append(look)


def _is_late(trigger: Any) -> bool:
    """Return whether the engine acts on `trigger` of a line a cycle late."""
    return bool(trigger.triggerType == ENUMS["TriggerType"].CompletedDistance)
