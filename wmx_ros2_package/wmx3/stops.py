"""Ending what axes do, whatever it is, by the functions that the SDK has for it.

The vendor's stop of an axis in torque mode takes its torque away, and its motor coasts. So that it
comes to rest under control and is held, it is brought into position mode at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.move_rules import require_axes

from . import commands
from .session import SdkSession

TRIES = 10
"""How often an axis is stopped that has only just been given another command."""
NEXT_CYCLE = 0.001
"""How long such a command is waited for, s: a communication cycle."""
AGAIN = {
    ErrorCode.StartingPreviousCommand,
    ErrorCode.NotIdleState,
    ErrorCode.IsSyncSlave,
    ErrorCode.NotSyncSlave,
}
"""Refusals of what may be taken in one of the next cycles: NotIdleState of a change of the mode,
IsSyncSlave of an axis that the status does not show to follow another yet, NotSyncSlave of one that
has just ceased to, and is not stopped yet."""
UNPOWERED = {ErrorCode.ServoOff, ErrorCode.ServoOffline}
"""Refusals of what cannot be stopped, for it is not driven."""
OTHER_MODE = {ErrorCode.NotPosMode, ErrorCode.NotVelocityMode, ErrorCode.NotTrqMode}
"""Refusals of the stop of another command mode than that of the axis."""

Stop = Callable[..., Any]


def end_motion(session: SdkSession, axes: Sequence[int], *, quick: bool = False) -> None:
    """End whatever `axes` do, each by the function of its command mode.

    An axis with a command that starts in the next cycle is left out of a stop, and moves on (API
    reference, Stop [2/4]): it is stopped again once that command has started. All others are
    stopped at once. The first refusal is raised when all that can be stopped is; EngineLost first.
    """
    errors = [*ends_refused(session, axes, quick=quick).values()]
    for error in sorted(errors, key=lambda error: not isinstance(error, EngineLost)):
        raise error


def ends_refused(
    session: SdkSession, axes: Sequence[int], *, quick: bool = False
) -> dict[int, WmxError]:
    """End whatever `axes` do, as `end_motion`; return the refusals by axis."""
    axes = list(dict.fromkeys(axes))
    require_axes(axes, session.axes)
    refused: dict[int, WmxError] = {}
    for attempt in range(TRIES):
        if attempt:
            session.time.sleep(NEXT_CYCLE)
        for axis in axes:
            refused.pop(axis, None)
        refused.update(_end_now(session, axes, quick=quick))
        axes = [a for a, e in refused.items() if e.code in AGAIN]
        if not axes:
            break
    return refused


def hold_torque_axes(session: SdkSession) -> None:
    """Bring every axis in torque mode into position mode, where it is held, after a stop.

    A status, which shows them, that is refused is read again. The first refusal is raised when all
    have been tried.
    """
    refused: dict[int, WmxError] = {}
    for attempt in range(TRIES):
        if attempt:
            session.time.sleep(NEXT_CYCLE)
        try:
            axes = _torque_axes(session)
        except CommandRefused:
            if attempt == TRIES - 1:
                raise
            continue
        refused = _hold(session, axes)
        if not any(error.code in AGAIN for error in refused.values()):
            break
    for error in refused.values():
        raise error


def _torque_axes(session: SdkSession) -> list[int]:
    """The axes in torque mode whose servos are on."""
    status = session.core.GetStatus()
    torque = session.sdk.AxisCommandMode.Torque
    return [
        axis
        for axis in range(session.axes)
        if status.GetAxesStatus(axis).servoOn
        and status.GetAxesStatus(axis).axisCommandMode == torque
    ]


def _leave_gears(session: SdkSession, slaves: Sequence[int]) -> dict[int, WmxError]:
    """Let `slaves` follow no longer, and slow down; return the refusals by axis.

    The SDK's stops leave out an axis that follows another (API reference, Stop). SyncToJog lets it
    jog instead, from the velocity that it has: here to rest, with its quick stop deceleration. An
    axis that is not allowed to is released as it moves. Whether it stops then is not documented, so
    that it counts as refused for now: the next try stops it by its command mode.
    """
    refused: dict[int, WmxError] = {}
    for axis in slaves:
        try:
            profile = session.sdk.Profile()
            profile.type = session.sdk.ProfileType.Trapezoidal
            motion_param = session.config.GetMotionParam(axis)
            profile.velocity, profile.acc = 0.0, motion_param.quickStopDec
            profile.dec = motion_param.quickStopDec
            session.sync.SyncToJog(axis, profile)
        except CommandRefused as error:
            refused[axis] = _release(session, axis) or error
        except EngineLost as error:
            refused[axis] = error
    return refused


def _release(session: SdkSession, slave: int) -> WmxError | None:
    """Let `slave` follow no longer; return why it is to be stopped again, None where it is not."""
    try:
        session.sync.ResolveSync(slave)
    except CommandRefused as refused:
        return refused if refused.code in AGAIN else None
    except EngineLost as lost:
        return lost
    return CommandRefused(ErrorCode.NotSyncSlave, f"axis {slave} was released and may move on")


def _hold(session: SdkSession, axes: Sequence[int]) -> dict[int, WmxError]:
    """Bring `axes` into position mode; return the refusals by axis."""
    refused: dict[int, WmxError] = {}
    for axis in axes:
        try:
            session.axis_control.SetAxisCommandMode(axis, session.sdk.AxisCommandMode.Position)
        except WmxError as error:
            refused[axis] = error
    return refused


def _end_now(session: SdkSession, axes: Sequence[int], *, quick: bool) -> dict[int, WmxError]:
    """Try once; return the refusals by axis.

    The SDK stops an axis only by the function of its command mode, and cancels homing only while
    that is paused. An axis that rests is stopped like one that moves, for it may just have been
    commanded to move; one without servo cannot be. One whose mode has no name here is left to the
    engine to refuse. A call that seems to have lost the engine keeps no other from being made, and
    nor does a status that is not answered.
    """
    mode = session.sdk.AxisCommandMode
    motion, velocity = session.motion, session.velocity
    by_mode = {
        mode.Position: motion.ExecQuickStop_AxisSel if quick else motion.Stop_AxisSel,
        mode.Velocity: velocity.ExecQuickStop_AxisSel if quick else velocity.Stop_AxisSel,
        mode.Torque: session.torque.StopTrq_AxisSel,
    }
    cancel_homing = session.home.Cancel_AxisSel
    try:
        status = session.core.GetStatus()  # not judged: an engine that seems dead is stopped, too
    except WmxError:
        return _end_unseen(session, axes, by_mode[mode.Torque], [*by_mode.values()])
    if status.engineState != session.sdk.EngineState.Communicating:
        raise CommandRefused(ErrorCode.CommNotStarted)
    ends: dict[Stop, list[int]] = {}
    slaves = []
    for axis in axes:
        axis_status = status.GetAxesStatus(axis)
        if axis_status.opState == session.sdk.OperationState.Sync:
            slaves.append(axis)
        elif axis_status.homePaused:
            ends.setdefault(cancel_homing, []).append(axis)
        elif axis_status.servoOn:
            end = by_mode.get(axis_status.axisCommandMode, by_mode[mode.Position])
            ends.setdefault(end, []).append(axis)
    refused: dict[int, WmxError] = {}
    for end, those in ends.items():
        refused.update(_end_by(session, end, those))
    torques = ends.get(by_mode[mode.Torque], [])
    refused.update(_hold(session, [axis for axis in torques if axis not in refused]))
    refused.update(_leave_gears(session, slaves))
    return refused


def _end_unseen(
    session: SdkSession, axes: Sequence[int], torque: Stop, ends: Sequence[Stop]
) -> dict[int, WmxError]:
    """Try once where no status shows what `axes` do; return the refusals by axis.

    Each gets the stop of every command mode: the engine refuses those of the modes that it is not
    in. The one for `torque` is among these `ends`.
    """
    answers = {end: _end_by(session, end, axes) for end in ends}
    refused: dict[int, WmxError] = {}
    for axis in axes:
        errors = [each[axis] for each in answers.values() if axis in each]
        if len(errors) == len(ends) and not any(error.code in UNPOWERED for error in errors):
            refused[axis] = min(errors, key=lambda e: (e.code not in AGAIN, e.code in OTHER_MODE))
    slaves = [axis for axis, error in refused.items() if error.code == ErrorCode.IsSyncSlave]
    for axis in slaves:
        del refused[axis]
    refused.update(_hold(session, [axis for axis in axes if axis not in answers[torque]]))
    refused.update(_leave_gears(session, slaves))
    return refused


def _end_by(session: SdkSession, end: Stop, axes: Sequence[int]) -> dict[int, WmxError]:
    """End `axes` in one call; where one of them is refused, each in a call of its own."""
    try:
        end(commands.axis_selection(session.sdk, axes))
    except EngineLost as error:
        return dict.fromkeys(axes, error)
    except CommandRefused as error:
        if len(axes) == 1:
            return {axes[0]: error}
        return {a: e for axis in axes for a, e in _end_by(session, end, [axis]).items()}
    return {}
