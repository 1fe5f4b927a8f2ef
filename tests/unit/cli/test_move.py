"""What `wmx move` asks before axes turn further than once."""

from math import inf
from unittest.mock import MagicMock

import numpy as np
import pytest
from command_line import Shell

from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.cli.move import far_turns, times

START = np.array([1.0, 0.0, 0.0])


def of(kind: str = "revolute", least: float = -inf, most: float = inf) -> dict[str, Actuator]:
    actuator = Actuator(name="a", axis=0, kind=kind, position_min=least, position_max=most)
    return {"a": actuator}


@pytest.mark.parametrize("limit", [inf, 1e6])
def test_an_axis_without_limits_that_turns_far_is_named(limit: float) -> None:
    actuators = of(least=-limit, most=limit)
    for unit in "rad", "u":
        words = far_turns(actuators, {0: 91.0, 1: 90.0}, START, {0: unit, 1: "u"})
        assert words == "a turns 14.3 times, from 1 to 91 rad"
    words = far_turns(actuators, {0: 901.0}, START, {0: "deg"})
    assert words == "a turns 2.5 times, from 1 to 901 deg"


def test_degrees_of_less_than_a_turn_are_not_asked_about(shell: Shell, machine: MagicMock) -> None:
    machine.axes[0].unit = "deg"
    machine.actuators = of()
    machine.status.return_value.command = START
    machine.move_together.return_value.wait.return_value.positions = {0: 90.0}
    assert shell.done("move", "0", "90") == "joint0 is at 90.0000 deg\n"
    assert "a turns 2.0 times, from 1 to 721 deg" in shell("move", "0", "721").err


def test_a_count_that_is_absurd_has_few_digits() -> None:
    assert (times(14.32), times(1e20)) == ("14.3", "1e+20")


@pytest.mark.parametrize("actuators", [of("prismatic"), of(least=-6.28, most=6.28), {}])
def test_limits_protect_and_metres_are_no_turns(actuators: dict[str, Actuator]) -> None:
    assert far_turns(actuators, {0: 91.0}, START, {0: "rad"}) == ""


def test_limits_in_degrees_are_limits() -> None:
    assert far_turns(of(least=-400.0, most=400.0), {0: 390.0}, START, {0: "deg"}) == ""
