"""How a motion changes its velocity: the vendor's profile types, as a field of a move."""

from dataclasses import dataclass
from enum import IntEnum


class ProfileType(IntEnum):
    """The shape of speeding up and slowing down; the numbers are the vendor's.

    `acc` and `dec` of the move are mean values, unless they are the most by its type.
    """

    TRAPEZOIDAL = 0
    """Constant acceleration."""
    S_CURVE = 1
    """The acceleration rises evenly, then falls: at most twice its mean."""
    JERK_RATIO = 2
    """It rises, stays and falls; `jerk_acc_ratio` of the time is rising and falling."""
    PARABOLIC = 3
    """It is a parabola of the time; `acc` and `dec` are the most."""
    SIN = 4
    """It is half a sine; `acc` and `dec` are the most."""
    ADVANCED_S = 5
    """Like JERK_RATIO, but rising and falling smoothly, as an S themselves."""
    TRAPEZOIDAL_MAT = 6
    """TRAPEZOIDAL, averaged over the last `moving_average_time`, which it takes longer."""
    JERK_LIMITED = 7
    """The quickest within `acc` and `jerk_acc`, `dec` and `jerk_dec`."""
    JERK_LIMITED_S_CURVE = 8
    """The quickest S_CURVE within them."""
    JERK_LIMITED_ADVANCED_S = 9
    """The quickest ADVANCED_S within them."""
    TWO_VELOCITY_TRAPEZOIDAL = 10
    """To the velocity, then evenly on to `second_velocity`."""
    TWO_VELOCITY_S_CURVE = 11
    """TWO_VELOCITY_TRAPEZOIDAL, beginning and ending as S_CURVE."""
    TWO_VELOCITY_JERK_RATIO = 12
    """TWO_VELOCITY_TRAPEZOIDAL, beginning and ending as JERK_RATIO."""
    TIME_ACC_TRAPEZOIDAL = 13
    """TRAPEZOIDAL that would be at the velocity after `acc_time`, and at rest after `dec_time`."""
    TIME_ACC_S_CURVE = 14
    """S_CURVE with the times of TIME_ACC_TRAPEZOIDAL."""
    TIME_ACC_JERK_RATIO = 15
    """JERK_RATIO with the times of TIME_ACC_TRAPEZOIDAL."""
    TIME_ACC_PARABOLIC = 16
    """PARABOLIC with the times of TIME_ACC_TRAPEZOIDAL."""
    TIME_ACC_SIN = 17
    """SIN with the times of TIME_ACC_TRAPEZOIDAL."""
    TIME_ACC_ADVANCED_S = 18
    """ADVANCED_S with the times of TIME_ACC_TRAPEZOIDAL."""
    CONSTANT_DEC = 19
    """From `starting_velocity` evenly to rest at the target."""
    JERK_RATIO_FIXED_VELOCITY_T = 20
    """JERK_RATIO at exactly its velocity, what is over added as a trapezoid."""
    JERK_RATIO_FIXED_VELOCITY_S = 21
    """JERK_RATIO at exactly its velocity, what is over added as a sine."""
    JERK_LIMITED_FIXED_VELOCITY_T = 22
    """JERK_LIMITED at exactly its velocity, what is over added as a trapezoid."""
    JERK_LIMITED_FIXED_VELOCITY_S = 23
    """JERK_LIMITED at exactly its velocity, what is over added as a sine."""
    PARABOLIC_VELOCITY = 24
    """Speeding up for `acc_time` and at once slowing down for `dec_time`: the velocity follows."""


TWO_VELOCITIES = frozenset(kind for kind in ProfileType if kind.name.startswith("TWO_VELOCITY"))
"""Types that use `second_velocity`."""
JERK_LIMITED = frozenset(kind for kind in ProfileType if kind.name.startswith("JERK_LIMITED"))
"""Types that use `jerk_acc` and `jerk_dec`."""
TIME_ACC = frozenset(kind for kind in ProfileType if kind.name.startswith("TIME_ACC"))
"""Types that use `acc_time` and `dec_time` instead of `acc` and `dec`."""
TIMED = TIME_ACC | {ProfileType.PARABOLIC_VELOCITY}
"""Types that use `acc_time` and `dec_time`."""
WITH_TARGET = TWO_VELOCITIES | {
    ProfileType.CONSTANT_DEC,
    ProfileType.PARABOLIC_VELOCITY,
    ProfileType.TRAPEZOIDAL_MAT,
}
"""Types that a motion without a target cannot have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProfile:
    """The type of a motion's profile, and what only some types use."""

    type: ProfileType = ProfileType.TRAPEZOIDAL
    jerk_acc: float = 0.0
    """u/s^3."""
    jerk_dec: float = 0.0
    """u/s^3."""
    jerk_acc_ratio: float = 0.0
    """0 to 1, of the time of speeding up."""
    jerk_dec_ratio: float = 0.0
    """0 to 1, of the time of slowing down."""
    acc_time: float = 0.0
    """s."""
    dec_time: float = 0.0
    """s."""
    starting_velocity: float = 0.0
    """The velocity at which an axis at rest begins at once, u/s."""
    end_velocity: float = 0.0
    """The velocity of the axis at the target, u/s."""
    second_velocity: float = 0.0
    """u/s."""
    moving_average_time: float = 0.0
    """s."""


TRAPEZOID = MoveProfile()
