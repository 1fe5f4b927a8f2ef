"""CoreMotion.velocity and CoreMotion.torque: axes that run until they are stopped."""

from collections.abc import Sequence
from typing import Any

from wmx_core.values import CommandMode, VelocityMove

from . import sdk_commands
from .parts import Part, command
from .sdk_commands import axes_of, commands_of
from .stops import Stops, end_motion


class Velocity(Stops):
    """Axes in velocity mode; CoreMotion.motion overrides their moves."""

    mode = CommandMode.VELOCITY

    @command
    def StartVel(self, *args: Any) -> None:
        self._start([sdk_commands.jog(each) for each in commands_of(args)])

    @command
    def StartVel_TimedVel(self, *args: Any) -> None:
        self._start(sdk_commands.timed_velocities(commands_of(args), self.runtime.status))

    def _start(self, moves: list[VelocityMove]) -> None:
        self.runtime.motion.move_velocity(moves)
        self.runtime.overrides.started(moves)
        self.runtime.commanded(move.axis for move in moves)


class Torque(Part):
    """Axes in torque mode."""

    @command
    def StartTrq(self, *args: Any) -> None:
        moves = [sdk_commands.torque(each) for each in commands_of(args)]
        self.runtime.motion.move_torque(moves)
        self.runtime.commanded(move.axis for move in moves)

    @command
    def StopTrq(self, axis: int) -> None:
        self._end([axis])

    @command
    def StopTrq_AxisSel(self, selection: Any) -> None:
        self._end(axes_of(selection))

    def _end(self, axes: Sequence[int]) -> None:
        end_motion(self.runtime, axes, CommandMode.TORQUE, self.runtime.motion.stop)
