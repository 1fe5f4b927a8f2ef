"""The axes at one communication cycle, out of the SDK's status objects."""

from collections.abc import Mapping
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np

from wmx_core.values import EmergencyStop, EngineState, MotionStatus, OperationState

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


def read_status(session: SdkSession) -> MotionStatus:
    """Every axis at the newest cycle, in one call of the SDK.

    The sample is taken to be true half-way through the call: the SDK does not report when it was.
    """
    before = session.time.now()
    status = session.look()
    after = session.time.now()
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
        time=(before + after) / 2,
        cycle=status.GetCycleCounter(0),
        engine_state=enums.engine_states.ours.get(status.engineState, EngineState.UNKNOWN),
        emergency_stop=_emergency_stop(enums, status),
        invalid_licence=bool(status.invalidLicenseError),
        licence_left=_licence_left(status),
        following_error=arrays["pos_cmd"] - arrays["actual_pos"],
        **arrays,
    )


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
