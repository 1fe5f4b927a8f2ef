"""Parameters of `wmx_core_motion_node`: rates; the profile of each move, limits that refuse it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

from wmx_core.profile_types import JERK_LIMITED, MoveProfile, ProfileType
from wmx_core.values import PositionMove, VelocityMove

from ...control.axis_file.records import FULL_SPEED
from ...node_base.parameters import parameter
from ...validation import MOST_REASONS, BadRequest

T = TypeVar("T")
OFFERED = {
    kind.name.lower(): kind
    for kind in (
        ProfileType.TRAPEZOIDAL,
        ProfileType.S_CURVE,
        ProfileType.PARABOLIC,
        ProfileType.SIN,
        ProfileType.JERK_RATIO,
        ProfileType.ADVANCED_S,
        ProfileType.TRAPEZOIDAL_MAT,
        ProfileType.JERK_LIMITED,
        ProfileType.JERK_LIMITED_S_CURVE,
        ProfileType.JERK_LIMITED_ADVANCED_S,
    )
}
"""Types by name; the others ask for numbers of each move, which AxisPose does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileParameters:
    """How axes are moved, as far as commands do not say: one element for all, or one for each.

    An axis behind the end of a list that names several has the default.
    """

    profile_type: tuple[str, ...] = parameter(
        ("trapezoidal",), "shape of position moves", words=OFFERED, changeable=True
    )
    jerk_ratio: tuple[float, ...] = parameter(
        (0.5,),
        "part of speeding up and slowing down in which the acceleration changes, "
        "of jerk_ratio and advanced_s",
        (0.0, 1.0),
        changeable=True,
    )
    jerk: tuple[float, ...] = parameter(
        (),
        "the most of jerk_limited... types up to the full velocity, u/s^3",
        (1e-9, 1e15),
        changeable=True,
    )
    moving_average_time: tuple[float, ...] = parameter(
        (0.05,), "over which trapezoidal_mat averages, s", (0.0, 1000.0), changeable=True
    )
    velocity_limit: tuple[float, ...] = parameter(
        (),
        "greatest velocity that a command may ask for, u/s; 0: any",
        (0.0, 1e15),
        changeable=True,
    )
    acceleration_limit: tuple[float, ...] = parameter(
        (),
        "greatest acceleration and deceleration that a command may ask for, u/s^2; 0: any",
        (0.0, 1e15),
        changeable=True,
    )

    def __post_init__(self) -> None:
        """Refuse types that lack what they need."""
        reasons = [
            f"profile_type[{i}] is {name!r}: needs jerk, which has no [{i}]"
            for i, name in enumerate(self.profile_type)
            if OFFERED[name] in JERK_LIMITED and not _of(self.jerk, i, 0.0)
        ]
        if reasons:
            raise BadRequest(reasons)

    def too_long(self, axes: int) -> list[str]:
        """Return a reason for each list that has elements for more than the engine's `axes`."""
        return [
            f"{field.name} has {count} elements: must be {axes} at most, the axes of the engine"
            for field in fields(ProfileParameters)
            if (count := len(getattr(self, field.name))) > axes
        ]

    def profile_of(self, axis: int) -> MoveProfile:
        """The profile of the position moves of `axis`."""
        jerk = _of(self.jerk, axis, 0.0)
        ratio = _of(self.jerk_ratio, axis, 0.5)
        return MoveProfile(
            type=OFFERED[_of(self.profile_type, axis, "trapezoidal")],
            jerk_acc=jerk,
            jerk_dec=jerk,
            jerk_acc_ratio=ratio,
            jerk_dec_ratio=ratio,
            moving_average_time=_of(self.moving_average_time, axis, 0.05),
        )

    def require_within_limits(self, moves: Sequence[PositionMove | VelocityMove]) -> None:
        """BadRequest for `moves` that are faster or harder than their axes may be moved.

        Velocity 0 is a stop, and passes.
        """
        reasons = [
            f"{field} for axis {move.axis} is {asked:g}: must be {limit:g} or less ({name})"
            for move in moves
            for field, asked, name, limits in (
                ("velocity", abs(move.velocity), "velocity_limit", self.velocity_limit),
                ("acc", move.acc, "acceleration_limit", self.acceleration_limit),
                ("dec", move.dec, "acceleration_limit", self.acceleration_limit),
            )
            for limit in [_of(limits, move.axis, 0.0)]
            if limit and asked > limit and move.velocity
        ]
        if reasons:
            raise BadRequest(reasons[:MOST_REASONS])

    def require_overrides_within_limits(self, overrides: Sequence[tuple[int, float]]) -> None:
        """BadRequest for `overrides`, (axis, percent), that might be faster than `velocity_limit`.

        A move at the limit may be under way: what it was commanded at is not remembered.
        """
        reasons = [
            f"percent of axis {axis} is {percent:g}: "
            f"must be {FULL_SPEED} or less of an axis with velocity_limit, {limit:g}"
            for axis, percent in overrides
            if percent > FULL_SPEED and (limit := _of(self.velocity_limit, axis, 0.0))
        ]
        if reasons:
            raise BadRequest(reasons[:MOST_REASONS])


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreMotionParameters(ProfileParameters):
    """The parameters of `wmx_core_motion_node`."""

    axis_count: int = parameter(6, "axes in AxisState", (1, 128))
    rate: int = parameter(
        100, "AxisState messages a second, Hz", (1, 1000), aliases={"axes_status_rate": 1.0}
    )
    servo_timeout: float = parameter(
        1.0, "how long set_on waits for a servo, s", (0.0, 60.0), changeable=True
    )
    homing_timeout: float = parameter(
        60.0,
        "how long homing may take until it is stopped, s",
        (0.0, 3600.0),
        changeable=True,
    )
    velocity_timeout: float = parameter(
        0.0,
        "how long a message on wmx/axis/velocity holds, s; 0 for ever, 0.25 recommended",
        (0.0, 3600.0),
    )
    jog_timeout: float = parameter(
        0.2,
        "how long a message on wmx/axis/jog holds, s",
        (0.01, 3600.0),
        aliases={"jog_timeout_ms": 1e-3},
    )
    jog_run_time: float = parameter(
        2.0,
        "how long a jog may last until it has to pause, s; 0 for ever",
        (0.0, 3600.0),
        aliases={"jog_run_time_ms": 1e-3},
    )


def _of(values: tuple[T, ...], axis: int, default: T) -> T:
    """The element of `axis`; the only one is that of all axes."""
    if len(values) == 1:
        return values[0]
    return values[axis] if axis < len(values) else default
