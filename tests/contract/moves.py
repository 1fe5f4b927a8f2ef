"""Moves as the tests of the contract order them, unless they say otherwise."""

from wmx_core.values import LinearMove, PositionMove, TorqueMove, VelocityMove

VELOCITY, ACC, DEC = 2.0, 20.0, 10.0
LIMITS = {"velocity": VELOCITY, "acc": ACC, "dec": DEC}


def to(axis: int, target: float = 1.0, **limits: float) -> PositionMove:
    """A move at 2 u/s, 20 u/s^2 up and 10 u/s^2 down."""
    return PositionMove(axis=axis, target=target, **{**LIMITS, **limits})


def at(axis: int, velocity: float = VELOCITY, **limits: float) -> VelocityMove:
    """An endless move, 20 u/s^2 up and 10 u/s^2 down."""
    return VelocityMove(axis=axis, **{**LIMITS, "velocity": velocity, **limits})


def torque(axis: int, percent: float) -> TorqueMove:
    """A constant torque."""
    return TorqueMove(axis=axis, torque=percent)


def line(*targets: tuple[int, float], **limits: float) -> LinearMove:
    """A straight line to `targets`, pairs of axis and position."""
    axes, positions = zip(*targets, strict=True)
    return LinearMove(axes=axes, targets=positions, **{**LIMITS, **limits})
