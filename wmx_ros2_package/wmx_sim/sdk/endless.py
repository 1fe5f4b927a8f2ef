"""CoreMotion.velocity and CoreMotion.torque: axes that run until they are stopped."""

from collections.abc import Callable, Sequence
from typing import Any

from wmx_ros2_package.drivers.values import CommandMode, TorqueMove, VelocityMove

from . import sdk_commands
from .not_simulated import NotSimulated
from .overrides import Overrides
from .parts import Part
from .runtime import Runtime
from .stops import end_motion


class Velocity(Part):
    """Axes in velocity mode; what overrides their moves is CoreMotion.motion's."""

    def __init__(self, runtime: Runtime, missing: NotSimulated, overrides: Overrides) -> None:
        super().__init__(runtime, missing)
        self._overrides = overrides

    def StartVel(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self.runtime.command(
            lambda: self._start([sdk_commands.jog(each) for each in commands])
        )

    def StartVel_TimedVel(self, *args: Any) -> int:
        commands = sdk_commands.commands_of(args)
        return self.runtime.command(
            lambda: self._start(sdk_commands.timed_velocities(commands, self.runtime.status))
        )

    def Stop(self, axis: int) -> int:
        return self._end([axis], self.runtime.motion.stop)

    def Stop_AxisSel(self, selection: Any) -> int:
        return self._end(sdk_commands.axes_of(selection), self.runtime.motion.stop)

    def ExecQuickStop(self, axis: int) -> int:
        return self._end([axis], self.runtime.motion.quick_stop)

    def ExecQuickStop_AxisSel(self, selection: Any) -> int:
        return self._end(sdk_commands.axes_of(selection), self.runtime.motion.quick_stop)

    def _start(self, moves: list[VelocityMove]) -> None:
        self.runtime.motion.move_velocity(moves)
        self._overrides.started(moves)
        self.runtime.commanded(move.axis for move in moves)

    def _end(self, axes: Sequence[int], end: Callable[[Sequence[int]], None]) -> int:
        return self.runtime.command(
            lambda: end_motion(self.runtime, axes, CommandMode.VELOCITY, end)
        )


class Torque(Part):
    """Axes in torque mode."""

    def StartTrq(self, *args: Any) -> int:
        moves = [sdk_commands.torque(command) for command in sdk_commands.commands_of(args)]
        return self.runtime.command(lambda: self._start(moves))

    def StopTrq(self, axis: int) -> int:
        return self._end([axis])

    def StopTrq_AxisSel(self, selection: Any) -> int:
        return self._end(sdk_commands.axes_of(selection))

    def _start(self, moves: list[TorqueMove]) -> None:
        self.runtime.motion.move_torque(moves)
        self.runtime.commanded(move.axis for move in moves)

    def _end(self, axes: Sequence[int]) -> int:
        runtime = self.runtime
        mode, stop = CommandMode.TORQUE, runtime.motion.stop
        return runtime.command(lambda: end_motion(runtime, axes, mode, stop))
