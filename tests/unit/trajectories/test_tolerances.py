"""Tolerances have the special numbers of control_msgs: 0 leaves the default, -1 allows anything."""

import numpy as np
import pytest

from wmx_ros2_package.trajectories.goal import JointTolerance
from wmx_ros2_package.trajectories.tolerances import Tolerances, time_tolerance, tolerances

NAMES = ("joint1", "joint2")


def given_for_joint2(position: float, default: float = 0.0) -> Tolerances:
    return tolerances(
        NAMES,
        [JointTolerance(name="joint2", position=position)],
        position=np.array([default, default]),
        velocity=np.zeros(2),
    )


@pytest.mark.parametrize(
    ("given", "default", "in_force"),
    [(0.3, 0.0, 0.3), (0.3, 0.1, 0.3), (0.0, 0.1, 0.1), (0.0, 0.0, np.inf), (-1.0, 0.1, np.inf)],
)
def test_position(given: float, default: float, in_force: float) -> None:
    chosen = given_for_joint2(given, default)
    assert chosen.position.tolist() == [default or np.inf, in_force]
    assert chosen.velocity.tolist() == [np.inf, np.inf]


def test_violation_names_joint_value_and_tolerance() -> None:
    chosen = given_for_joint2(0.3)
    none = np.zeros(2)
    assert chosen.violation(np.array([9.0, 0.3]), none, "the path") == ""
    assert (
        chosen.violation(np.array([9.0, -0.31]), none, "the path")
        == "position of joint2 is 0.31 off the path: must be within 0.3"
    )


def test_velocity_is_judged_likewise() -> None:
    chosen = tolerances(
        NAMES, [JointTolerance(name="joint1", velocity=0.5)], np.zeros(2), np.zeros(2)
    )
    off = chosen.violation(np.zeros(2), np.array([0.6, 9.0]), "the path")
    assert off == "velocity of joint1 is 0.6 off the path: must be within 0.5"


def test_an_error_that_is_not_a_number_violates() -> None:
    assert "joint2" in given_for_joint2(0.3).violation(np.array([0.0, np.nan]), np.zeros(2), "it")


@pytest.mark.parametrize(
    ("given", "in_force"), [(0.0, 5.0), (2.0, 2.0), (-1.0, 30.0), (99.0, 30.0)]
)
def test_time_is_never_without_an_end(given: float, in_force: float) -> None:
    assert time_tolerance(given, default=5.0, most=30.0) == in_force
