"""What most tests of the wmx3 backend begin with."""

import pytest
from recorder import Recorder
from stand_in import StandIn

from wmx_ros2_package.drivers.interface import Driver


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def world(recorder: Recorder) -> StandIn:
    return StandIn(recorder)


@pytest.fixture
def driver(world: StandIn) -> Driver:
    return world.attached()
