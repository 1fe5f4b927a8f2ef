"""Judges a command to an axis: servo, alarm, stop, mode, ranges of the profile; vendor's codes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import RATE_RANGE
from wmx_core.profile_types import (
    JERK_LIMITED,
    TIME_ACC,
    TIMED,
    TWO_VELOCITIES,
    WITH_TARGET,
    MoveProfile,
    ProfileType,
)
from wmx_core.values import CommandMode, OperationState

from .shared_state import NO_EMERGENCY_STOP, SharedState


@contextmanager
def naming(axis: int) -> Iterator[None]:
    """A refusal inside names the axis it is about."""
    try:
        yield
    except CommandRefused as error:
        detail = ": ".join(filter(None, (f"axis {axis}", error.detail)))
        raise CommandRefused(error.code, detail) from None


def require_online(axis: SharedState) -> None:
    """Refuse what a drive has to be reached for while the master does not reach it."""
    if axis.servo_offline:
        raise CommandRefused(ErrorCode.ServoOffline)


def require_healthy(axis: SharedState) -> None:
    """Refuse to switch an axis on, or to move it, while something is wrong with it."""
    require_online(axis)
    if axis.emergency_stop != NO_EMERGENCY_STOP:
        raise CommandRefused(ErrorCode.EmergencyStopSignalOn, "release the emergency stop")
    if axis.amp_alarm:
        raise CommandRefused(ErrorCode.AxisAmpAlarm, f"alarm code 0x{axis.alarm_code.item():X}")


class Rule(NamedTuple):
    """The command mode a command needs, the operation states that take it, and the refusals."""

    mode: CommandMode
    wrong_mode: ErrorCode
    states: frozenset[OperationState]
    wrong_state: ErrorCode

    def judge(self, axis: SharedState) -> None:
        """Refuse the command to `axis`, a column of the shared state, as that is now."""
        require_healthy(axis)
        if not axis.servo_on:
            raise CommandRefused(ErrorCode.ServoOff)
        if axis.command_mode.item() != self.mode:
            raise CommandRefused(self.wrong_mode)
        if (doing := OperationState(axis.op_state.item())) not in self.states:
            raise CommandRefused(self.wrong_state, f"in {doing.name} state")


_IDLE = OperationState.IDLE

POSITION_MOVE = Rule(
    CommandMode.POSITION,
    ErrorCode.NotPosMode,
    frozenset({_IDLE, OperationState.POS, OperationState.JOG}),
    ErrorCode.NotIdleOrPosOrJogState,
)
JOG = POSITION_MOVE
"""A move and a jog take over from each other."""
VELOCITY_MOVE = Rule(
    CommandMode.VELOCITY,
    ErrorCode.NotVelocityMode,
    frozenset({_IDLE, OperationState.VELOCITY}),
    ErrorCode.NotIdleOrVelocityState,
)
TORQUE_MOVE = Rule(
    CommandMode.TORQUE,
    ErrorCode.NotTrqMode,
    frozenset({_IDLE, OperationState.TRQ}),
    ErrorCode.NotIdleOrTorqueState,
)
INTERPOLATION = Rule(
    CommandMode.POSITION,
    ErrorCode.NotPosMode,
    frozenset({_IDLE, OperationState.INTPL}),
    ErrorCode.NotIdleOrIntplState,
)
HOMING = Rule(
    CommandMode.POSITION, ErrorCode.NotPosMode, frozenset({_IDLE}), ErrorCode.NotIdleState
)

GEARING = HOMING
"""Of the slave and of the master: both rest."""

OVERRIDABLE = frozenset({OperationState.POS, OperationState.JOG, OperationState.VELOCITY})
"""The motions whose velocity may be changed on the way."""


def require_shape(shape: MoveProfile, velocity: float) -> None:
    """Refuse a profile without a value that its type needs; NaN is refused as well.

    `velocity` (u/s) is that of the move.
    """
    low, high = RATE_RANGE
    for name, least, most, code, asking in (
        ("jerk_acc", low, high, ErrorCode.JerkAccArgumentOutOfRange, JERK_LIMITED),
        ("jerk_dec", low, high, ErrorCode.JerkDecArgumentOutOfRange, JERK_LIMITED),
        ("jerk_acc_ratio", 0.0, 1.0, ErrorCode.JerkAccRatioArgumentOutOfRange, None),
        ("jerk_dec_ratio", 0.0, 1.0, ErrorCode.JerkDecRatioArgumentOutOfRange, None),
        ("acc_time", 0.001, 1e6, ErrorCode.AccArgumentOutOfRange, TIMED),
        ("dec_time", 0.001, 1e6, ErrorCode.DecArgumentOutOfRange, TIMED),
        ("starting_velocity", 0.0, high, ErrorCode.StartingVelocityArgumentOutOfRange, None),
        ("end_velocity", 0.0, high, ErrorCode.EndVelocityArgumentOutOfRange, None),
        ("second_velocity", low, high, ErrorCode.SecondVelocityArgumentOutOfRange, TWO_VELOCITIES),
        ("moving_average_time", 0.0, 1e3, ErrorCode.MovingAverageTimeArgumentOutOfRange, None),
    ):
        value = getattr(shape, name)
        if (asking is None or shape.type in asking) and not least <= value <= most:
            raise CommandRefused(code, f"{name} {value} must be within {least:g} to {most:g}")
    for time, code in (
        (shape.acc_time, ErrorCode.AccArgumentOutOfRange),
        (shape.dec_time, ErrorCode.DecArgumentOutOfRange),
    ):
        if shape.type in TIME_ACC and velocity / time > high:
            detail = f"velocity {velocity:g} in {time:g} s is above {high:g} u/s^2"
            raise CommandRefused(code, detail)
    if shape.type is ProfileType.CONSTANT_DEC:
        if not shape.starting_velocity >= low:
            detail = f"starting_velocity {shape.starting_velocity} must be {low:g} or more"
            raise CommandRefused(ErrorCode.StartingVelocityArgumentOutOfRange, detail)
    elif shape.starting_velocity > velocity:
        detail = f"starting_velocity {shape.starting_velocity} is above velocity {velocity}"
        raise CommandRefused(ErrorCode.StartingVelocityArgumentOutOfRange, detail)
    elif shape.end_velocity > velocity:
        detail = f"end_velocity {shape.end_velocity} is above velocity {velocity}"
        raise CommandRefused(ErrorCode.EndVelocityArgumentOutOfRange, detail)


def require_endless_shape(shape: MoveProfile, velocity: float) -> None:
    """Refuse a profile for a motion without a target whose type needs one."""
    if shape.type in WITH_TARGET:
        detail = f"{shape.type.name} is of a motion that has a target"
        raise CommandRefused(ErrorCode.ProfileTypeNotSupported, detail)
    require_shape(shape, velocity)


def require_torque(torque: float, limit: float) -> None:
    """Refuse a torque beyond `limit` (percent of rated torque); NaN is refused as well."""
    if not abs(torque) <= limit:
        detail = f"torque {torque} must be within {-limit:g} to {limit:g}"
        raise CommandRefused(ErrorCode.TorqueArgumentOutOfRange, detail)
