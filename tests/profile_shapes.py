"""What each type of profile of the vendor's asks for, in tests of all of them."""

from dataclasses import replace

from wmx_core.profile_types import MoveProfile, ProfileType

SHAPE = MoveProfile(
    jerk_acc=200.0,
    jerk_dec=100.0,
    jerk_acc_ratio=0.5,
    jerk_dec_ratio=0.25,
    acc_time=0.1,
    dec_time=0.2,
    second_velocity=3.0,
    moving_average_time=0.05,
)
"""Everything that any of them asks for."""


def shaped(kind: ProfileType, velocity: float = 2.0) -> MoveProfile:
    """What the type asks for in a move at `velocity`, u/s; the rest means nothing to it."""
    if kind is ProfileType.CONSTANT_DEC:
        return MoveProfile(type=kind, starting_velocity=velocity)
    return replace(SHAPE, type=kind)
