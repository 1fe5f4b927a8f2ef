"""The heading of a base from the quaternion of its odometry."""

from math import cos, pi, sin
from types import SimpleNamespace

import pytest

from wmx_ros2_package.client.base import heading_of


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("turns", [-2, -1, 0, 1, 5])
@pytest.mark.parametrize("angle", [-3.1, -pi / 2.0, -0.1, 0.0, 0.1, pi / 2.0, 3.1])
def test_it_is_in_its_range_however_often_the_base_has_turned(
    angle: float, turns: int, sign: float
) -> None:
    half = (angle + turns * 2.0 * pi) / 2.0
    quaternion = SimpleNamespace(z=sign * sin(half), w=sign * cos(half))
    assert heading_of(quaternion) == pytest.approx(angle, abs=1e-9)
