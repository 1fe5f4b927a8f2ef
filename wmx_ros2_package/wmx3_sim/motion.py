"""CoreMotion.motion: moves, lines, jogs, stops and waits."""

from collections.abc import Callable
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import OperationState

from . import orders
from .advanced_motion import AdvMotion
from .circles import circle_profiles
from .parts import NotSimulated, Part
from .progress import Progress
from .runtime import Runtime
from .triggers import holds_for


class Motion(Part):
    """What programs start, stop and wait for."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._tables = AdvMotion(runtime, missing)

    # Moves

    def StartPos(self, *args: Any) -> int:
        commands = orders.commands_of(args)
        return self._order(lambda: self._absolute(commands))

    def StartMov(self, *args: Any) -> int:
        commands = orders.commands_of(args)
        return self._order(lambda: self._relative(commands))

    def StartPos_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self._absolute)

    def StartMov_Trigger(self, *args: Any) -> int:
        return self._triggered(args, self._relative)

    def StartLinearIntplPos(self, command: Any) -> int:
        command = command.copy()
        return self._order(lambda: self._line(command))

    def StartLinearIntplMov(self, command: Any) -> int:
        command = command.copy()
        return self._order(lambda: self._line(command, relative=True))

    def StartLinearIntplPos_Trigger(self, command: Any, trigger: Any) -> int:
        command = command.copy()
        return self._wait_for(orders.axes_of(command), trigger, lambda: self._line(command))

    def StartLinearIntplMov_Trigger(self, command: Any, trigger: Any) -> int:
        command = command.copy()
        axes = orders.axes_of(command)
        return self._wait_for(axes, trigger, lambda: self._line(command, relative=True))

    def StartCircularIntplPos_CenterAndLength(self, command: Any) -> int:
        command = command.copy()
        return self._order(lambda: self._circle(command))

    def StartCircularIntplMov_CenterAndLength(self, command: Any) -> int:
        command = command.copy()
        return self._order(lambda: self._circle(command, relative=True))

    def StartJog(self, *args: Any) -> int:
        moves = orders.commands_of(args)
        return self._order(lambda: self.runtime.motion.jog([orders.jog(move) for move in moves]))

    # Tables, which releases of the SDK have here or in AdvancedMotion

    def StartPVT(self, table: Any, *more: Any) -> int:
        return self._tables.StartPVT(table, *more)

    def StartPVT_Intpl(self, table: Any, *more: Any) -> int:
        return self._tables.StartPVT_Intpl(table, *more)

    def StartPT(self, table: Any, *more: Any) -> int:
        return self._tables.StartPT(table, *more)

    def StartVT(self, table: Any, *more: Any) -> int:
        return self._tables.StartVT(table, *more)

    # Stops

    def Stop(self, axis: int) -> int:
        return self._order(lambda: self.stop([axis]))

    def Stop_AxisSel(self, selection: Any) -> int:
        axes = [*orders.axes_of(selection)]
        return self._order(lambda: self.stop(axes))

    def ExecQuickStop(self, axis: int) -> int:
        return self._order(lambda: self.runtime.motion.quick_stop([axis]))

    def stop(self, axes: list[int]) -> None:
        """Stop `axes`, also those that wait for a trigger."""
        self.runtime.waiting -= set(axes)
        self.runtime.motion.stop(axes)

    # Waits

    def Wait(self, axis: int) -> int:
        return self._wait(lambda: self.runtime.idle(axis))

    def Wait_AxisSel(self, selection: Any) -> int:
        axes = orders.axes_of(selection)
        return self._wait(lambda: all(self.runtime.idle(axis) for axis in axes))

    def Wait_WaitCondition(self, condition: Any) -> int:
        kinds = self.enums["Motion_WaitConditionType"]
        axes = orders.axes_of(condition)
        kind = condition.waitConditionType
        if kind == kinds.AxisIdle:
            return self._wait(lambda: all(self.runtime.idle(axis) for axis in axes))
        if kind not in (kinds.MotionStarted, kinds.MotionStartedOverrideReady):
            return int(ErrorCode.NoSupportedFunction)
        return self._wait(lambda: not self.runtime.waiting.intersection(axes))

    # How

    def _order(self, give: Callable[[], Any]) -> int:
        return self.runtime.order(give)

    def _wait(self, condition: Callable[[], bool]) -> int:
        if self.runtime.recording is not None:
            self.runtime.recording.append(condition)
            return 0
        self.runtime.until(condition)
        return 0

    def _absolute(self, commands: list[Any]) -> None:
        self._require_free([command.axis for command in commands])
        self.runtime.motion.move_absolute([orders.position_move(each) for each in commands])

    def _relative(self, commands: list[Any]) -> None:
        self._require_free([command.axis for command in commands])
        self.runtime.motion.move_relative([orders.position_move(each) for each in commands])

    def _line(self, command: Any, *, relative: bool = False) -> None:
        axes = orders.axes_of(command)
        self._require_free(axes)
        starts = [self.runtime.position(axis) for axis in axes]
        move = orders.line(command, starts if relative else ())
        self.runtime.motion.move_linear(orders.limited(move, command, starts))
        self.runtime.paths |= dict.fromkeys(axes, axes)

    def _circle(self, command: Any, *, relative: bool = False) -> None:
        axes = [int(command.element("Axis", i)) for i in range(2)]
        starts = [self.runtime.position(axis) for axis in axes]
        center = [float(command.element("CenterPos", i)) for i in range(2)]
        if relative:
            center = [start + way for start, way in zip(starts, center, strict=True)]
        profiles = circle_profiles(
            starts, center, float(command.arcLengthDegree), bool(command.clockwise), command.profile
        )
        self.runtime.motion.follow(axes, profiles, OperationState.INTPL)

    def _require_free(self, axes: Any) -> None:
        if self.runtime.waiting.intersection(axes):
            raise CommandRefused(ErrorCode.NotIdleState, "waits for a trigger")

    def _triggered(self, args: tuple[Any, ...], start: Callable[[list[Any]], None]) -> int:
        trigger = args[1] if len(args) > 1 and hasattr(args[1], "triggerType") else None
        commands = orders.commands_of(args[:1] if trigger else args)
        trigger = trigger or commands[0].trigger
        axes = [command.axis for command in commands]
        return self._wait_for(axes, trigger, lambda: start(commands))

    def _wait_for(self, axes: Any, trigger: Any, start: Callable[[], None]) -> int:
        """Start when `trigger` comes true, in that very cycle."""
        runtime, trigger = self.runtime, trigger.copy()

        def arm() -> None:
            self._require_free(axes)
            runtime.waiting |= set(axes)
            runtime.watchers.append(look)

        def look() -> None:
            if not runtime.waiting.issuperset(axes):
                runtime.watchers.remove(look)
            elif holds_for(self.enums, trigger, Progress(runtime, trigger.triggerAxis)):
                runtime.waiting -= set(axes)
                runtime.watchers.remove(look)
                runtime.give(start)

        return self._order(arm)
