"""What `wmx move` asks before axes turn further than once."""

from math import inf

import numpy as np
import pytest

from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.cli.move import far_turns, times

START = np.array([1.0, 0.0, 0.0])


def of(kind: str = "revolute", least: float = -inf, most: float = inf) -> dict[str, Actuator]:
    actuator = Actuator(name="a", axis=0, kind=kind, position_min=least, position_max=most)
    return {"a": actuator}


@pytest.mark.parametrize("limit", [inf, 1e6])
def test_an_axis_without_limits_that_turns_far_is_named(limit: float) -> None:
    words = far_turns(of(least=-limit, most=limit), {0: 91.0, 1: 90.0}, START)
    assert words == "a turns 14.3 times, from 1 to 91 rad"


def test_a_count_that_is_absurd_has_few_digits() -> None:
    assert (times(14.32), times(1e20)) == ("14.3", "1e+20")


@pytest.mark.parametrize("actuators", [of("prismatic"), of(least=-6.28, most=6.28), {}])
def test_limits_protect_and_metres_are_no_turns(actuators: dict[str, Actuator]) -> None:
    assert far_turns(actuators, {0: 91.0}, START) == ""
