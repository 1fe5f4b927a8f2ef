"""Trapezoidal motions: those of the planner with even ramps, by their velocities and rates."""

from wmx_sim.engine.motion import planner
from wmx_sim.engine.motion.planner import even_rates
from wmx_sim.engine.motion.profile import Profile
from wmx_sim.engine.motion.ramps import Ramp


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
    return planner.move(position, velocity, target, even_rates(max_velocity, acc, dec))
