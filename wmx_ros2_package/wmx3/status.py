"""The axes at one communication cycle, out of the SDK's status objects, and whether they rest.

For settings that change the position of an axis its motor has to rest. The operation state of the
engine is that of the command: a motor that lags behind it, or coasts, shows only in its feedback,
which trembles while a motor rests. So a motor counts as moving if its position moves on in the same
direction between each two of several reads.
"""

from collections.abc import Mapping, Sequence
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    EngineState,
    Floats,
    MotionStatus,
    OperationState,
)

from .sdk import Enums
from .session import SdkSession

FIELDS: Mapping[str, tuple[str, type[np.generic]]] = {
    "servo_on": ("servoOn", np.bool_),
    "servo_offline": ("servoOffline", np.bool_),
    "amp_alarm": ("ampAlarm", np.bool_),
    "alarm_code": ("ampAlarmCode", np.int32),
    "following_error_alarm": ("followingErrorAlarm", np.bool_),
    "home_done": ("homeDone", np.bool_),
    "home_switch": ("homeSwitch", np.bool_),
    "negative_ls": ("negativeLS", np.bool_),
    "positive_ls": ("positiveLS", np.bool_),
    "negative_soft_limit": ("negativeSoftLimit", np.bool_),
    "positive_soft_limit": ("positiveSoftLimit", np.bool_),
    "motion_complete": ("motionComplete", np.bool_),
    "op_state": ("opState", np.int32),
    "command_mode": ("axisCommandMode", np.int32),
    "pos_cmd": ("posCmd", np.float64),
    "velocity_cmd": ("velocityCmd", np.float64),
    "actual_pos": ("actualPos", np.float64),
    "actual_velocity": ("actualVelocity", np.float64),
    "actual_torque": ("actualTorque", np.float64),
    "target": ("profileTargetPos", np.float64),
    "remaining": ("profileRemainingMilliseconds", np.float64),
}
"""The arrays of MotionStatus: where CoreMotionAxisStatus has them, and as what.

The following error is not taken from there: its actualFollowingError is in encoder counts, and
means something only where the drive's object for it is mapped (user manual, Axis status).
"""

_read_axis = attrgetter(*(name for name, _ in FIELDS.values()))

SECONDS_PER_MILLISECOND = 1e-3
FREE_TIME = 3600.0
"""After so long of continuous communication an engine without a licence ends it, s: its own log
says so ("Free license running mode is applied", in a public notebook of LMX 3.5)."""
OTHER_STATE = -1
"""The operation state of an axis that does what has no name here, such as ECAM."""
ENDLESS = [
    OperationState.JOG,
    OperationState.SYNC,
    OperationState.VELOCITY,
    OperationState.TRQ,
]
"""What has no end that follows from a profile; what the SDK gives for it is not used."""
_IS_ENDLESS = np.zeros(max(OperationState) + 2, np.bool_)
"""By operation state, of which OTHER_STATE is the last: numpy's isin takes ten times as long."""
_IS_ENDLESS[ENDLESS] = True
OTHER_MODE = -1
"""The command mode of an axis that is commanded by what has no name here."""

MOST_LATE = 0.5e-3
"""How long after the begin of a call its sample is stamped at most, s: half a communication cycle,
far less than the latency of a status. A busy machine may give a thread its processor, or the lock
of Python, only tens of ms after the answer: stamped then, a sample would pass for one that shows
what was commanded after it."""
HELD_UP = 4e-3
"""A call that takes longer was held up before its sample or after it, s: the latency of a status
less a communication cycle. Held up before, a sample is stamped by more than that latency too early,
and what it shows, such as that an axis slows down, would pass for what was so that long before."""
ATTEMPTS = 3
"""How often a sample is read whose call was held up: a busy machine seldom does so thrice."""
MOST_HELD_UP = 0.05
"""After so long, s, none is read again: the engine itself is slow, and a stop may wait for it."""

READS = 8
"""Pairs of reads between which a motor has moved on; a trembling one hardly ever does by chance."""
CYCLES = 2
"""Communication cycles between two reads."""
POLL_PERIOD = 0.002
"""Time between two polls for them, s."""
POLLS = 10
"""Polls for them: enough for cycles of ten times the usual length."""
FINEST = 1e9
"""Counts of a unit with which every difference of positions shows."""


def read_status(session: SdkSession) -> MotionStatus:
    """Every axis at the newest cycle, in one call of the SDK.

    The sample is taken to be true half-way through the call, MOST_LATE after its begin at most: the
    SDK does not report when it was. What was HELD_UP is read again, ATTEMPTS times at most in all,
    and for MOST_HELD_UP at most.
    """
    until = session.time.now() + MOST_HELD_UP
    for _ in range(ATTEMPTS):
        before = session.time.now()
        status = session.look()
        after = session.time.now()
        if after - before < HELD_UP or after > until:
            break
    axes = [_read_axis(status.GetAxesStatus(axis)) for axis in range(session.axes)]
    columns: dict[str, Any] = dict(zip(FIELDS, zip(*axes, strict=True), strict=True))
    enums = session.enums
    states, modes = enums.operation_states.ours, enums.command_modes.ours
    columns["op_state"] = [states.get(state, OTHER_STATE) for state in columns["op_state"]]
    columns["command_mode"] = [modes.get(mode, OTHER_MODE) for mode in columns["command_mode"]]
    arrays: dict[str, Any] = {
        name: np.array(columns[name], kind) for name, (_, kind) in FIELDS.items()
    }
    at_rest = arrays["op_state"] == OperationState.IDLE
    endless = _IS_ENDLESS[arrays["op_state"]]
    arrays["target"][at_rest | endless] = np.nan
    arrays["remaining"] *= SECONDS_PER_MILLISECOND
    arrays["remaining"][at_rest], arrays["remaining"][endless] = 0.0, np.inf
    return MotionStatus(
        time=min((before + after) / 2, before + MOST_LATE),
        cycle=status.GetCycleCounter(0),
        engine_state=enums.engine_states.ours.get(status.engineState, EngineState.UNKNOWN),
        emergency_stop=_emergency_stop(enums, status),
        invalid_licence=bool(status.invalidLicenseError),
        licence_left=_licence_left(status),
        following_error=arrays["pos_cmd"] - arrays["actual_pos"],
        **arrays,
    )


def require_rest(session: SdkSession, *axes: int) -> None:
    """Refuse with NotIdleState while one of `axes` does something, or its motor moves.

    A motor that moves by less than a count of its encoder in CYCLES is taken for one that rests. An
    axis that another one follows is refused as well.
    """
    seen = read_status(session)
    require_no_slaves(session, seen, axes)
    for axis in axes:
        if seen.op_state[axis] != OperationState.IDLE:
            raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis} is not idle")
    if not seen.communicating:
        return
    before, seen = seen, _later(session, seen)
    turning = [axis for axis in axes if seen.actual_pos[axis] != before.actual_pos[axis]]
    counts = np.array([_counts_per_unit(session, axis) for axis in turning])
    directions = _directions(before, seen, turning, counts)
    for _ in range(READS - 1):
        if not directions.any():
            return
        before, seen = seen, _later(session, seen)
        directions[_directions(before, seen, turning, counts) != directions] = 0.0
    if not directions.any():
        return
    axis = turning[int(np.flatnonzero(directions)[0])]
    raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis} is idle, but its motor moves")


def require_no_slaves(session: SdkSession, seen: MotionStatus, axes: Sequence[int]) -> None:
    """Refuse an axis that another one follows, as `seen` has it."""
    slaves = np.flatnonzero(seen.op_state == OperationState.SYNC).tolist()
    if not slaves:
        return
    status = session.core.GetStatus()
    for slave in slaves:
        master = status.GetAxesStatus(slave).masterAxis
        if master in axes:
            detail = f"axis {slave} follows axis {master}"
            raise CommandRefused(ErrorCode.IsSyncMaster, detail)


def has_homed(session: SdkSession, axis: int, before: MotionStatus) -> bool:
    """Whether `axis`, if it was at rest `before`, has come to the end of its homing since.

    So it does at once where its home is the place where it is.
    """
    try:
        now = read_status(session)
    except CommandRefused:
        return False
    rested = before.op_state[axis] == now.op_state[axis] == OperationState.IDLE
    # The command of an axis that is not held follows its encoder.
    held = before.servo_on[axis] and before.command_mode[axis] == CommandMode.POSITION
    changed = not before.home_done[axis] or (held and now.pos_cmd[axis] != before.pos_cmd[axis])
    return bool(now.home_done[axis] and rested and changed)


def emergency_stop_of(session: SdkSession) -> EmergencyStop | None:
    """The level of the emergency stop in force; refusals of the status are raised."""
    return read_status(session).emergency_stop


def _licence_left(status: Any) -> float:
    """By the cycle counter, which counts since communication was last started."""
    if not status.invalidLicenseError:
        return inf
    cycle: float = SECONDS_PER_MILLISECOND * status.GetCycleTimeMilliseconds(0)
    return max(0.0, FREE_TIME - cycle * int(status.GetCycleCounter(0)))


def _emergency_stop(enums: Enums, status: Any) -> EmergencyStop | None:
    """The one in force; a level that has no name here is taken for the hardest."""
    if not status.emergencyStop:
        return None
    return enums.emergency_stops.ours.get(status.emergencyStopLevel, EmergencyStop.FINAL)


def _later(session: SdkSession, seen: MotionStatus) -> MotionStatus:
    """Return the status CYCLES later, or the newest one if no cycle has passed for long."""
    newest = seen
    for _ in range(POLLS):
        session.time.sleep(POLL_PERIOD)
        newest = read_status(session)
        if newest.cycle - seen.cycle >= CYCLES:
            break
    return newest


def _directions(
    before: MotionStatus, seen: MotionStatus, axes: list[int], counts: Floats
) -> Floats:
    """Return the directions in which motors have moved, 1, -1 or 0, in whole encoder counts."""
    places = (
        np.floor(before.actual_pos[axes] * counts),
        np.floor(seen.actual_pos[axes] * counts),
    )
    directions: Floats = np.sign(places[1] - places[0])
    return directions


def _counts_per_unit(session: SdkSession, axis: int) -> float:
    """Return the encoder counts of a user unit; FINEST where the SDK has no gear ratio."""
    try:
        numerator, denominator = session.config.GetGearRatio(axis)
    except CommandRefused:
        return FINEST
    return abs(numerator / denominator) if numerator and denominator else FINEST
