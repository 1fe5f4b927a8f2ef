"""The ends of motions, each of the command mode that its function is for."""

from collections.abc import Callable, Sequence

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import CommandMode, OperationState

from .arguments import require_axis
from .runtime import Runtime

_WRONG_MODE = {
    CommandMode.POSITION: ErrorCode.NotPosMode,
    CommandMode.VELOCITY: ErrorCode.NotVelocityMode,
    CommandMode.TORQUE: ErrorCode.NotTrqMode,
}


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
