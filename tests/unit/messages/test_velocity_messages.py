"""Velocities of `wmx/axis/velocity` as moves."""

import pytest
from wmx_ros2_message.msg import AxisVelocity

from wmx_core.move_rules import RATE_RANGE
from wmx_ros2_package.messages.conversion import velocity_moves


@pytest.mark.parametrize(
    ("given", "taken"),
    [(0.3 - 3 * 0.1, 0.0), (-3e-10, 0.0), (RATE_RANGE[0], RATE_RANGE[0]), (-0.5, -0.5)],
)
def test_what_rounding_has_left_of_a_velocity_is_none(given: float, taken: float) -> None:
    """Engines refuse it, and the axis would go on as before."""
    message = AxisVelocity(index=[0], velocity=[given], acc=[1.0], dec=[1.0])
    [move] = velocity_moves(message, 1)
    assert move.velocity == taken
