"""The ends of motions, each of the command mode that its function is for, and waits for them."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState

from .arguments import require_axis
from .parts import Part, command
from .runtime import Runtime
from .sdk_commands import axes_of

_WRONG_MODE = {
    CommandMode.POSITION: ErrorCode.NotPosMode,
    CommandMode.VELOCITY: ErrorCode.NotVelocityMode,
    CommandMode.TORQUE: ErrorCode.NotTrqMode,
}


class Stops(Part):
    """The stops that CoreMotion.motion and CoreMotion.velocity have, of axes in their `mode`."""

    mode: ClassVar[CommandMode]

    @command
    def Stop(self, axis: int) -> None:
        self._end([axis], self.runtime.motion.stop)

    @command
    def Stop_AxisSel(self, selection: Any) -> None:
        self._end(axes_of(selection), self.runtime.motion.stop)

    @command
    def ExecQuickStop(self, axis: int) -> None:
        self._end([axis], self.runtime.motion.quick_stop)

    @command
    def ExecQuickStop_AxisSel(self, selection: Any) -> None:
        self._end(axes_of(selection), self.runtime.motion.quick_stop)

    def _end(self, axes: Sequence[int], end: Callable[[Sequence[int]], None]) -> None:
        if self.mode == CommandMode.POSITION:  # also those that wait for a trigger
            self.runtime.wait_no_longer(axes)
        end_motion(self.runtime, axes, self.mode, end)


class Waits(Part):
    """The waits that CoreMotion.motion and ApiBuffer have, until axes are idle."""

    def Wait(self, axis: int) -> int:
        return self.runtime.wait(lambda: self.runtime.idle(axis))

    def Wait_AxisSel(self, selection: Any) -> int:
        axes = axes_of(selection)
        return self.runtime.wait(lambda: self.runtime.idle(*axes))


def end_motion(
    runtime: Runtime,
    axes: Sequence[int],
    mode: CommandMode,
    end: Callable[[Sequence[int]], None],
) -> None:
    """End what `axes` do in `mode`; with an error for one of them, the others are ended.

    In error is an axis in another command mode, without servo, or whose newest command starts in
    the next cycle (API reference, Stop [2/4]).
    """
    status = runtime.status
    able, refusal = [], None
    for axis in axes:
        require_axis(axis, runtime.axes)
        if status.command_mode[axis] != mode:
            refusal = _WRONG_MODE[mode]
        elif not status.servo_on[axis]:
            refusal = ErrorCode.ServoOff
        elif status.op_state[axis] == OperationState.SYNC:  # is stopped with its master alone
            refusal = ErrorCode.IsSyncSlave
        elif runtime.is_starting(axis):
            refusal = ErrorCode.StartingPreviousCommand
        else:
            able.append(axis)
    if able:
        end(able)
    if refusal is not None:
        raise CommandRefused(refusal)
