"""Trapezoidal motions: `planner` with steady ramps, which most of the engine moves with."""

from ..clock import CYCLE
from . import planner
from .planner import Limits
from .profile import Profile
from .ramps import Ramp


def up(seconds: float) -> float:
    """Return the least number of whole cycles that last `seconds`, as seconds, at least one."""
    return Ramp(rate=1.0).cycles(max(seconds, CYCLE)).time


def to_rest(position: float, velocity: float, dec: float) -> Profile:
    """Slow down from `velocity` to rest."""
    return planner.rest(position, velocity, Ramp(rate=dec))


def to_velocity(
    position: float, velocity: float, target: float, *, acc: float, dec: float
) -> Profile:
    """Change from `velocity` to the velocity `target` and keep it."""
    return planner.change(position, velocity, target, up=Ramp(rate=acc), down=Ramp(rate=dec))


def to_position(
    position: float,
    velocity: float,
    target: float,
    *,
    max_velocity: float,
    acc: float,
    dec: float,
) -> Profile:
    """Move to `target` and rest there, no faster than `max_velocity` (a positive magnitude)."""
    limits = Limits(max_velocity, Ramp(rate=acc), Ramp(rate=dec))
    return planner.move(position, velocity, target, limits)
