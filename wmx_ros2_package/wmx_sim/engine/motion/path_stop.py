"""Slowing down along a curved path: the axes pass the places that they would have passed, later.

The path time r, which went by like the time t, is slowed down evenly and stands after T seconds:

    r(t) = t - t^2 / 2T        T = |v| / dec, in whole cycles

where v is the velocity at the start, along the path. So no axis leaves the path, wherever that
turns; and a path that ends before that is followed to its end. Source: the vendor's API reference
of WMX3, StartCSplinePos: a stopped spline decelerates along its path, with about its greatest
composite acceleration.

Such a motion is a polynomial of the sixth degree. It is given as cubics that have its position and
velocity at the cycles, or at a thousandth of it where it takes longer than that.
"""

from collections.abc import Sequence
from math import ceil, hypot

import numpy as np

from wmx_ros2_package.drivers.values import Floats

from ..clock import CYCLE, ROUNDING
from .profile import Profile, Segment, duration, hold
from .trapezoidal import up

MOST_SEGMENTS = 1000


def to_rest_along(profiles: Sequence[Profile], since: float, dec: float) -> tuple[Profile, ...]:
    """Slow axes down along the path of `profiles`, which they have followed for `since` s.

    `dec` (u/s^2) is that along the path. All profiles have the same break points.
    """
    now = np.array([since])
    velocities = [float(_evaluated(profile, now)[1][0]) for profile in profiles]
    time = up(hypot(*velocities) / dec)
    left = max(0.0, duration(profiles[0]) - since)
    if time == 0.0 or left == 0.0:
        return tuple(hold(float(_evaluated(profile, now)[0][0])) for profile in profiles)
    ends_before = left < time / 2.0
    lasts = up(time * (1.0 - (1.0 - 2.0 * left / time) ** 0.5)) if ends_before else time
    step = CYCLE * ceil(lasts / CYCLE / MOST_SEGMENTS - ROUNDING)
    times = np.append(np.arange(0.0, lasts - step / 2.0, step), lasts)
    slowed = np.minimum(times - times**2 / (2.0 * time), left)
    speeds = 1.0 - times / time
    return tuple(
        _through(times, *_evaluated(profile, since + slowed), speeds) for profile in profiles
    )


def _evaluated(profile: Profile, times: Floats) -> tuple[Floats, Floats]:
    """Return positions and velocities at `times`."""
    durations, p, v, a, j = np.array(profile).T
    starts = np.concatenate([[0.0], np.cumsum(durations[:-1])])
    i = np.searchsorted(starts, times, side="right") - 1
    s = times - starts[i]
    position: Floats = p[i] + s * (v[i] + s * (a[i] / 2.0 + s * j[i] / 6.0))
    velocity: Floats = v[i] + s * (a[i] + s * j[i] / 2.0)
    return position, velocity


def _through(times: Floats, positions: Floats, velocities: Floats, speeds: Floats) -> Profile:
    """Return the cubics with these positions, and `velocities` times `speeds`, at `times`.

    Then rest.
    """
    velocities = velocities * speeds
    velocities[-1] = 0.0
    h = np.diff(times)
    mean = np.diff(positions) / h
    before, after = velocities[:-1], velocities[1:]
    acceleration = 2.0 * (3.0 * mean - 2.0 * before - after) / h
    jerk = 6.0 * (before + after - 2.0 * mean) / h**2
    columns = np.stack([h, positions[:-1], before, acceleration, jerk], axis=1)
    segments = (Segment(*row) for row in columns.tolist())
    return (*segments, *hold(float(positions[-1])))
