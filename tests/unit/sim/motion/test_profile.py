"""Profiles are read segment by segment, and add up."""

from math import inf

import pytest

from wmx_sim.engine.motion.profile import Segment, at, duration, hold, superposed


def test_a_segment_is_the_polynomial_of_its_docstring() -> None:
    segment = Segment(9.0, 1.0, 2.0, 6.0, 12.0)
    assert segment.at(0.0) == (1.0, 2.0)
    assert segment.at(3.0) == (1.0 + 6.0 + 27.0 + 54.0, 2.0 + 18.0 + 54.0)
    assert segment.after(3.0) == Segment(6.0, 88.0, 74.0, 42.0, 12.0)


def test_a_profile_is_read_segment_by_segment() -> None:
    profile = (Segment(1.0, 0.0, 1.0), Segment(2.0, 10.0, 0.0), Segment(inf, 20.0, 3.0))
    read = [at(profile, time) for time in (0.5, 1.0, 2.5, 3.0, 5.0)]
    assert read == [(0.5, 1.0), (10.0, 0.0), (10.0, 0.0), (20.0, 3.0), (26.0, 3.0)]
    assert duration(profile) == 3.0
    with pytest.raises(ValueError, match="endless"):
        at(profile[:1], 1.0)


def test_superposed_profiles_add_up() -> None:
    one = (Segment(1.0, 0.0, 2.0, -2.0), Segment(3.0, 1.0, 0.0, 0.0, 6.0), *hold(28.0))
    other = (Segment(3.0, 10.0, 1.0), *hold(13.0))
    assert superposed(one, other) == (
        Segment(1.0, 10.0, 3.0, -2.0),
        Segment(2.0, 12.0, 1.0, 0.0, 6.0),
        Segment(1.0, 22.0, 12.0, 12.0, 6.0),
        *hold(41.0),
    )
    assert superposed(other, one) == superposed(one, other)


def test_superposed_on_rest_a_profile_is_moved() -> None:
    profile = (Segment(1.0, 0.0, 2.0, -2.0), Segment(inf, 1.0, 0.0))
    assert superposed(hold(3.0), profile) == (Segment(1.0, 3.0, 2.0, -2.0), Segment(inf, 4.0, 0.0))
