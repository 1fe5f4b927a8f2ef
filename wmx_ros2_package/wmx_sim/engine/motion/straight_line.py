"""Straight lines of several axes that start and arrive together.

The point that the axes are at goes along the line, of length L, with a trapezoidal profile s(t)
from 0 to L, and each axis with its direction cosine c = (target - start) / L:

    x(t) = start + c s(t)

Axes in motion, at velocities v whose root of the sum of squares is |v|, let these fade out
linearly and together, in T = |v| / dec or what it takes to whole cycles, which alone would take
each axis by v T / 2. The line starts from there and is added to it at once:

    x(t) = p + v (t - t^2 / 2T) + c s(t)    up to T        start = p + v T / 2

Full speed V is reached no sooner than at T, so both together are never faster than the greater
of |v| and V: |v| (1 - t/T) + V t/T lies between the two. Velocity is continuous; the sum of both
accelerations may come to dec + max(acc, dec). After T the axes are on the line.
"""

from collections.abc import Sequence
from math import hypot

from wmx_core.move_rules import require_position, require_rates
from wmx_core.path_rules import require_line
from wmx_core.profile_types import TRAPEZOID, MoveProfile
from wmx_core.values import LinearMove

from . import rules
from .profile import Profile, Segment, hold, superposed
from .ramps import whole_cycles
from .shaped_move import shaped_move


def plan_line(
    move: LinearMove, positions: Sequence[float], velocities: Sequence[float]
) -> tuple[Profile, ...]:
    """Return the profile of each axis of `move`, from where and how fast it is; or a refusal."""
    require_line(move)
    require_limits(move)
    return line(
        positions,
        velocities,
        move.targets,
        max_velocity=move.velocity,
        acc=move.acc,
        dec=move.dec,
        shape=move.profile,
    )


def require_limits(move: LinearMove) -> None:
    """Refuse a line whose targets or limits cannot be planned with."""
    for axis, target in zip(move.axes, move.targets, strict=True):
        require_position(target, f"target of axis {axis}")
    require_rates(move)
    rules.require_shape(move.profile, move.velocity)


def line(
    positions: Sequence[float],
    velocities: Sequence[float],
    targets: Sequence[float],
    *,
    max_velocity: float,
    acc: float,
    dec: float,
    shape: MoveProfile = TRAPEZOID,
) -> tuple[Profile, ...]:
    """Move along the straight line to `targets` and rest there: a profile for each axis.

    `max_velocity`, `acc` and `dec` are those of the point along the line. All profiles have the
    same break points. A line without length is no motion.
    """
    fading = to_rest_together(positions, velocities, dec)
    starts = [profile[-1].position for profile in fading]
    ways = [target - start for start, target in zip(starts, targets, strict=True)]
    length = hypot(*ways)
    if speed := hypot(*velocities):
        acc = min(acc, max_velocity / whole_cycles(speed / dec))
    along = shaped_move(0.0, 0.0, length, max_velocity=max_velocity, acc=acc, dec=dec, shape=shape)
    profiles = []
    for fade, way, target in zip(fading, ways, targets, strict=True):
        cosine = way / length if length > 0.0 else 0.0
        *moving, _ = superposed(fade, _scaled(along, cosine))
        profiles.append((*moving, *hold(target)))
    return tuple(profiles)


def to_rest_together(
    positions: Sequence[float], velocities: Sequence[float], dec: float
) -> tuple[Profile, ...]:
    """Slow all axes down in the same whole cycles, with `dec` along the direction they move in.

    Velocities keep their ratio, so that axes on a straight line stay on it.
    """
    speed = hypot(*velocities)
    if speed == 0.0:
        return tuple(hold(position) for position in positions)
    time = whole_cycles(speed / dec)
    return tuple(
        (
            Segment(time, position, velocity, -velocity / time),
            *hold(position + velocity * time / 2),
        )
        for position, velocity in zip(positions, velocities, strict=True)
    )


def _scaled(profile: Profile, factor: float) -> Profile:
    return tuple(
        Segment(segment.duration, *(factor * value for value in segment[1:])) for segment in profile
    )
