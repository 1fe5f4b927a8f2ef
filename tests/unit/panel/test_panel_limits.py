"""How fast the panel moves axes at most."""

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.nodes.actuators.parameters import ActuatorNodeParameters
from wmx_ros2_package.panel.description import FASTEST, axes_of

SHIPPED = min(ActuatorNodeParameters().velocity_max)


@pytest.mark.parametrize(
    ("limit", "most"), [(0.2, 0.2), (3.0, 3.0), (SHIPPED, FASTEST), (inf, 1.0)]
)
def test_an_axis_without_a_limit_of_its_machine_is_moved_slowly(limit: float, most: float) -> None:
    """Of what a motor can do nobody has said that the machine may."""
    axis = SimpleNamespace(number=0, name="a", unit="rad")
    actuator = Actuator(name="a", axis=0, velocity_max=limit)
    machine: Any = SimpleNamespace(axes=[axis], actuators={"a": actuator})
    assert axes_of(machine)[0].velocity == most
