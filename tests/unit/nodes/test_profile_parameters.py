"""Profiles of axes as parameters: one for all or one for each, and what is refused."""

from dataclasses import fields
from itertools import pairwise

import pytest

from wmx_core.profile_types import TRAPEZOID, ProfileType
from wmx_ros2_package.node_base.parameters import judged
from wmx_ros2_package.nodes.core_motion.parameters import OFFERED, ProfileParameters
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.motion.rules import require_shape
from wmx_sim.engine.motion.shaped_move import shaped_move


def test_moves_are_trapezoids_unless_told_otherwise() -> None:
    assert ProfileParameters().profile_of(5).type is TRAPEZOID.type


def test_one_element_is_that_of_all_axes() -> None:
    made = ProfileParameters(profile_type=("jerk_ratio",), jerk_ratio=(0.3,))
    for axis in 0, 127:
        profile = made.profile_of(axis)
        assert profile.type is ProfileType.JERK_RATIO
        assert (profile.jerk_acc_ratio, profile.jerk_dec_ratio) == (0.3, 0.3)


def test_axes_behind_the_end_of_a_list_are_trapezoids() -> None:
    made = ProfileParameters(profile_type=("sin", "jerk_limited"), jerk=(1.0, 20.0))
    assert [made.profile_of(axis).type.name.lower() for axis in range(3)] == [
        "sin",
        "jerk_limited",
        "trapezoidal",
    ]
    assert made.profile_of(1).jerk_acc == made.profile_of(1).jerk_dec == 20.0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"profile_type": ("jerk_limited",)}, r"'jerk_limited': needs jerk, which has no \[0\]"),
        ({"profile_type": ("sin",) * 2 + ("jerk_limited",), "jerk": (1.0, 1.0)}, r"has no \[2\]"),
    ],
)
def test_what_breaks_a_rule_is_refused(given: dict[str, tuple[str, ...]], reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        ProfileParameters(**given)


def test_elements_for_axes_that_the_engine_has_not_are_named() -> None:
    made = ProfileParameters(profile_type=("sin",) * 7, jerk_ratio=(0.1,) * 6)
    assert made.too_long(7) == []
    assert made.too_long(6) == [
        "profile_type has 7 elements: must be 6 at most, the axes of the engine"
    ]


@pytest.mark.parametrize("name", ["round", "constant_dec", ""])
def test_a_type_that_is_not_offered_is_refused(name: str) -> None:
    field = next(each for each in fields(ProfileParameters) if each.name == "profile_type")
    with pytest.raises(BadRequest, match=rf"profile_type\[1\] is '{name}': must be one of trapez"):
        judged(field, tuple[str, ...], ["s_curve", name])


def test_every_type_that_is_offered_has_what_it_needs() -> None:
    """Whatever is offered is a move that the engine plans, and ends at its target."""
    for name in OFFERED:
        shape = ProfileParameters(profile_type=(name,), jerk=(50.0,)).profile_of(0)
        require_shape(shape, 1.0)
        for velocity in 0.0, 0.5:
            profile = shaped_move(
                0.0, velocity, 2.0, max_velocity=1.0, acc=4.0, dec=4.0, shape=shape
            )
            assert profile[-1].position == 2.0
            assert profile[0].velocity == pytest.approx(velocity, abs=1e-9), name
            for one, other in pairwise(profile):
                position, speed = one.at(one.duration)
                assert position == pytest.approx(other.position, abs=1e-9), name
                assert speed == pytest.approx(other.velocity, abs=1e-9), name
