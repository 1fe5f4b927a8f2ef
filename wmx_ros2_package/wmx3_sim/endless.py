"""CoreMotion.velocity and CoreMotion.torque: axes that run until they are told to stop."""

from typing import Any

from wmx_ros2_package.drivers.values import VelocityMove

from . import orders
from .overrides import Overrides
from .parts import NotSimulated, Part
from .runtime import Runtime


class Velocity(Part):
    """Axes in velocity mode; what overrides their moves is CoreMotion.motion's."""

    def __init__(self, runtime: Runtime, missing: NotSimulated, overrides: Overrides) -> None:
        super().__init__(runtime, missing)
        self._overrides = overrides

    def StartVel(self, *args: Any) -> int:
        commands = orders.commands_of(args)
        return self.runtime.order(lambda: self._start([orders.jog(each) for each in commands]))

    def StartVel_TimedVel(self, *args: Any) -> int:
        commands = orders.commands_of(args)
        return self.runtime.order(lambda: self._start(orders.timed(commands, self.runtime.status)))

    def Stop(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.stop([axis]))

    def Stop_AxisSel(self, selection: Any) -> int:
        axes = orders.axes_of(selection)
        return self.runtime.order(lambda: self.runtime.motion.stop(axes))

    def ExecQuickStop(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.quick_stop([axis]))

    def ExecQuickStop_AxisSel(self, selection: Any) -> int:
        axes = orders.axes_of(selection)
        return self.runtime.order(lambda: self.runtime.motion.quick_stop(axes))

    def _start(self, moves: list[VelocityMove]) -> None:
        self.runtime.motion.move_velocity(moves)
        self._overrides.ordered(moves)


class Torque(Part):
    """Axes in torque mode."""

    def StartTrq(self, *args: Any) -> int:
        moves = [orders.torque(command) for command in orders.commands_of(args)]
        return self.runtime.order(lambda: self.runtime.motion.move_torque(moves))

    def StopTrq(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.stop([axis]))

    def StopTrq_AxisSel(self, selection: Any) -> int:
        axes = orders.axes_of(selection)
        return self.runtime.order(lambda: self.runtime.motion.stop(axes))
