"""CoreMotion.motion: moves, lines, jogs, stops and waits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import CommandMode, OperationState, PositionMove, VelocityMove

from . import sdk_commands
from .circles import circle_profiles
from .conditions import triggered
from .enums import ENUMS
from .line_takeover import taking_over
from .not_simulated import NotSimulated
from .overrides import Overrides
from .progress import Progress
from .runtime import Runtime
from .stops import end_motion
from .tables import Tables


class Motion(Tables):
    """What programs start, stop and wait for."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.overrides = Overrides(runtime)
        self._armed: dict[int, Callable[[], None]] = {}
        """What waits for a trigger to start an axis."""

    # Moves

    def StartPos(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self._command(lambda: self._absolute(commands))

    def StartMov(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self._command(lambda: self._relative(commands))

    def StartPos_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self._absolute)

    def StartMov_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self._relative)

    def StartLinearIntplPos(self, command: Any) -> int:
        command = command.copy()
        return self._command(lambda: self._line(command))

    def StartLinearIntplMov(self, command: Any) -> int:
        command = command.copy()
        return self._command(lambda: self._line(command, relative=True))

    def StartLinearIntplPos_Trigger(self, command: Any, trigger: Any) -> int:
        command = command.copy()
        axes = sdk_commands.axes_of(command)
        return self._wait_for(axes, trigger, partial(self._line, command, late=self._late(trigger)))

    def StartLinearIntplMov_Trigger(self, command: Any, trigger: Any) -> int:
        command = command.copy()
        axes = sdk_commands.axes_of(command)
        line = partial(self._line, command, relative=True, late=self._late(trigger))
        return self._wait_for(axes, trigger, line)

    def StartCircularIntplPos_CenterAndLength(self, command: Any) -> int:
        command = command.copy()
        return self._command(lambda: self._circle(command))

    def StartCircularIntplMov_CenterAndLength(self, command: Any) -> int:
        command = command.copy()
        return self._command(lambda: self._circle(command, relative=True))

    def StartJog(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self._command(lambda: self._jog([sdk_commands.jog(each) for each in commands]))

    def StartJog_TimedJog(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self._command(
            lambda: self._jog(sdk_commands.timed_jogs(commands, self.runtime.status))
        )

    # Overrides

    def OverrideVel(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self._command(lambda: self.overrides.set(commands))

    def Pause(self, axis: int) -> int:
        return self._command(lambda: self.overrides.pause(axis))

    def Resume(self, axis: int) -> int:
        return self._command(lambda: self.overrides.resume(axis))

    # Stops

    def Stop(self, axis: int) -> int:
        return self._command(lambda: self.stop([axis]))

    def Stop_AxisSel(self, selection: Any) -> int:
        axes = sdk_commands.axes_of(selection)
        return self._command(lambda: self.stop(axes))

    def ExecQuickStop(self, axis: int) -> int:
        return self._command(lambda: self.quick_stop([axis]))

    def ExecQuickStop_AxisSel(self, selection: Any) -> int:
        axes = sdk_commands.axes_of(selection)
        return self._command(lambda: self.quick_stop(axes))

    def stop(self, axes: Sequence[int]) -> None:
        """Stop `axes`, also those that wait for a trigger."""
        self._end(axes, self.runtime.motion.stop)

    def quick_stop(self, axes: Sequence[int]) -> None:
        """Stop `axes` with their quick stop deceleration, also those that wait for a trigger."""
        self._end(axes, self.runtime.motion.quick_stop)

    def _end(self, axes: Sequence[int], end: Callable[[Sequence[int]], None]) -> None:
        self.runtime.waiting -= set(axes)
        end_motion(self.runtime, axes, CommandMode.POSITION, end)

    # Waits

    def Wait(self, axis: int) -> int:
        return self._wait(lambda: self.runtime.idle(axis))

    def Wait_AxisSel(self, selection: Any) -> int:
        axes = sdk_commands.axes_of(selection)
        return self._wait(lambda: all(self.runtime.idle(axis) for axis in axes))

    def Wait_WaitCondition(self, condition: Any) -> int:
        kinds = ENUMS["Motion_WaitConditionType"]
        axes = sdk_commands.axes_of(condition)
        kind = condition.waitConditionType
        if kind == kinds.AxisIdle:
            return self._wait(lambda: all(self.runtime.idle(axis) for axis in axes))
        if kind not in (kinds.MotionStarted, kinds.MotionStartedOverrideReady):
            return int(ErrorCode.NoSupportedFunction)
        return self._wait(lambda: not self.runtime.waiting.intersection(axes))

    # How

    def _command(self, give: Callable[[], Any]) -> int:
        return self.runtime.command(give)

    def _wait(self, condition: Callable[[], bool]) -> int:
        if self.runtime.recording is not None:
            self.runtime.recording.append(condition)
            return 0
        self.runtime.until(condition)
        return 0

    def _absolute(self, commands: list[Any]) -> None:
        self._require_free([command.axis for command in commands])
        moves = [self._shortest(self._move(each)) for each in commands]
        self.runtime.motion.move_absolute(moves)
        self._started(moves)

    def _relative(self, commands: list[Any]) -> None:
        self._require_free([command.axis for command in commands])
        moves = [self._move(each) for each in commands]
        self.runtime.motion.move_relative(moves)
        self._started(moves)

    def _jog(self, moves: list[VelocityMove]) -> None:
        self.runtime.motion.jog(moves)
        self._started(moves)

    def _started(self, moves: Sequence[PositionMove | VelocityMove]) -> None:
        self.overrides.started(moves)
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
        axes = sdk_commands.axes_of(command)
        self._require_free(axes)
        starts = [self.runtime.position(axis) for axis in axes]
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

    def _late(self, trigger: Any) -> bool:
        """Return whether the engine acts on `trigger` of a line a cycle late."""
        return bool(trigger.triggerType == ENUMS["TriggerType"].CompletedDistance)

    def _circle(self, command: Any, *, relative: bool = False) -> None:
        axes = [int(command.element("Axis", i)) for i in range(2)]
        starts = [self.runtime.position(axis) for axis in axes]
        center = [float(command.element("CenterPos", i)) for i in range(2)]
        if relative:
            center = [start + way for start, way in zip(starts, center, strict=True)]
        profiles = circle_profiles(
            starts, center, float(command.arcLengthDegree), bool(command.clockwise), command.profile
        )
        self.runtime.local.follow(axes, profiles, OperationState.INTPL)

    def _require_free(self, axes: Any) -> None:
        if self.runtime.waiting.intersection(axes):
            raise CommandRefused(ErrorCode.NotIdleState, "waits for a trigger")

    def _triggered(self, args: tuple[Any, ...], start: Callable[[list[Any]], None]) -> int:
        if len(args) > 1 and hasattr(args[1], "triggerType"):
            raise TypeError("a command with a trigger of its own, or a count and a list of them")
        commands = sdk_commands.commands_of(args)
        axes = [command.axis for command in commands]
        return self._wait_for(axes, commands[0].trigger, lambda: start(commands))

    def _wait_for(self, axes: Any, trigger: Any, start: Callable[[], None]) -> int:
        """Start when `trigger` comes true, in that very cycle; instead of what waited before."""
        runtime, trigger = self.runtime, trigger.copy()

        def arm() -> None:
            runtime.waiting |= set(axes)
            self._armed |= dict.fromkeys(axes, look)
            runtime.watchers.append(look)

        def look() -> None:
            if not runtime.waiting.issuperset(axes) or any(self._armed[a] != look for a in axes):
                runtime.watchers.remove(look)
            elif triggered(trigger, Progress(runtime, trigger.triggerAxis)):
                runtime.waiting -= set(axes)
                runtime.watchers.remove(look)
                runtime.command_now(start)

        return self._command(arm)
