"""`bringup --events`, which `make run` starts: what its terminal shows."""

import pytest
import system as systems

from wmx_ros2_package.client import Machine

pytestmark = pytest.mark.process


def test_it_says_when_it_is_ready_and_shows_motions() -> None:
    with systems.place() as place:
        ros = "-r", "__ns:=/cell1"
        bringup = place.start("bringup", options=("--events",), ros=ros)
        bringup.says("The system is ready: 6 axes on the simulated engine: axis_0, axis_1,")
        with Machine("/cell1", place.domain, timeout=30.0) as machine:
            machine.axes[0].on()
            machine.axes[0].move(0.1).wait()
        bringup.says("axis_0: arrived at 0.")
        bringup.stop()


def test_a_system_that_refuses_to_start_ends_as_before() -> None:
    with systems.place() as place:
        bringup = place.start("bringup", "axis_count:=999", options=("--events",))
        assert bringup.wait() == 1
        assert "Traceback" not in bringup.output
