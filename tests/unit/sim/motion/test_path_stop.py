"""Axes slow down along the path that they follow."""

from math import ceil

import numpy as np
import pytest

from wmx_sim.engine.clock import CYCLE
from wmx_sim.engine.motion.path_stop import to_rest_along
from wmx_sim.engine.motion.profile import Profile, Segment, at, duration, hold

DEC = 2.0


def out_and_back(farthest: float) -> Profile:
    """One second out to `farthest` (u) along a parabola, and one back."""
    return (Segment(2.0, 0.0, 2.0 * farthest, -2.0 * farthest), *hold(0.0))


@pytest.mark.parametrize(
    ("since", "lasts"), [(1.0, CYCLE), (2.0, 0.0), (2.5, 0.0)], ids=["turns", "ends", "has ended"]
)
def test_what_stands_stays_where_it_is(since: float, lasts: float) -> None:
    paths = [out_and_back(1.0), out_and_back(-0.5)]
    stops = to_rest_along(paths, since, DEC)
    assert [duration(stop) for stop in stops] == [lasts] * 2
    assert [at(stop, 0.0) for stop in stops] == [(at(path, since)[0], 0.0) for path in paths]


@pytest.mark.parametrize("since", [0.0, 0.25, 1.5])
def test_the_time_of_the_path_is_slowed_down_evenly(since: float) -> None:
    """r(t) = t - t^2 / 2T, T in whole cycles, until the path itself ends."""
    paths = [out_and_back(0.25), out_and_back(-0.5)]
    velocity = float(np.hypot(*(at(path, since)[1] for path in paths)))
    lasts = CYCLE * ceil(velocity / DEC / CYCLE - 1e-6)
    stops = to_rest_along(paths, since, DEC)
    for time in np.linspace(0.0, duration(stops[0]), 7):
        gone = min(time - time**2 / (2.0 * lasts), 2.0 - since)
        for path, stop in zip(paths, stops, strict=True):
            assert at(stop, time)[0] == pytest.approx(at(path, since + gone)[0], abs=1e-6)
    assert [at(stop, duration(stop))[1] for stop in stops] == pytest.approx([0.0, 0.0], abs=1e-12)
