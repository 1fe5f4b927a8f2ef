"""Slowing down along a curved path: the axes pass the places that they would have passed, later.

The path time r, which went by like the time t, is slowed down evenly and stands after T seconds:

    r(t) = t - t^2 / 2T        T = |v| / dec, in whole cycles

where v is the velocity at the start, along the path. So no axis leaves the path, wherever that
turns; and a path that ends before that is followed to its end. Source: the vendor's API reference
of WMX3, StartCSplinePos: a stopped spline decelerates along its path, with about its greatest
composite acceleration.

A harder stop may follow while the path time of an earlier one, s, goes by, which has S seconds left
until it stands. The time of the path itself is slowed down evenly again:

    s - s^2 / 2S = t - t^2 / 2T        s(t) = 2u / (1 + sqrt(1 - 2u / S)),  u = t - t^2 / 2T

Such a motion is a polynomial of the sixth degree. It is given as cubics that have its position and
velocity at the cycles, or at a thousandth of it where it takes longer than that.
"""

from collections.abc import Sequence
from math import ceil, inf

import numpy as np

from wmx_core.values import Floats

from ..clock import CYCLE, ROUNDING
from .profile import Profile, duration, hold, through
from .ramps import whole_cycles

MOST_SEGMENTS = 1000


def to_rest_along(
    profiles: Sequence[Profile], since: float, time: float, slowing: float = inf
) -> tuple[Profile, ...]:
    """Slow axes down along the path of `profiles`, which they have followed for `since` s.

    The time of the path stands after `time` s. All profiles have the same break points. Where they
    slow down along it already, it would stand after `slowing` s, which is more than `time`.
    """
    now = np.array([since])
    left = max(0.0, duration(profiles[0]) - since)
    if left == 0.0:
        return tuple(hold(float(_evaluated(profile, now)[0][0])) for profile in profiles)
    left -= left**2 / (2.0 * slowing)
    ends_before = left < time / 2.0
    lasts = whole_cycles(time * (1.0 - (1.0 - 2.0 * left / time) ** 0.5)) if ends_before else time
    step = CYCLE * ceil(lasts / CYCLE / MOST_SEGMENTS - ROUNDING)
    times = np.append(np.arange(0.0, lasts - step / 2.0, step), lasts)
    slowed = np.minimum(times - times**2 / (2.0 * time), left)
    speeds = 1.0 - times / time
    root = np.sqrt(1.0 - 2.0 * slowed / slowing)
    stops = []
    for profile in profiles:
        positions, unslowed = _evaluated(profile, since + 2.0 * slowed / (1.0 + root))
        slower = unslowed * speeds / root
        slower[-1] = 0.0
        stops.append(through(times, positions, slower))
    return tuple(stops)


def _evaluated(profile: Profile, times: Floats) -> tuple[Floats, Floats]:
    """Return positions and velocities at `times`."""
    durations, p, v, a, j = np.array(profile).T
    starts = np.concatenate([[0.0], np.cumsum(durations[:-1])])
    i = np.searchsorted(starts, times, side="right") - 1
    s = times - starts[i]
    position: Floats = p[i] + s * (v[i] + s * (a[i] / 2.0 + s * j[i] / 6.0))
    velocity: Floats = v[i] + s * (a[i] + s * j[i] / 2.0)
    return position, velocity
