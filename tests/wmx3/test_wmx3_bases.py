"""A base over the SDK, by both readings of the time in which a timed command speeds up."""

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from held_base import AXES, BASE, PERIOD, Robot
from held_engine import HeldEngine

from wmx3.running_moves import LONGEST
from wmx_core.interface import Motion
from wmx_core.values import CommandMode, MotionStatus
from wmx_ros2_package.bases.differential import Twist
from wmx_sim.sdk import sdk_commands

STEPS = 50
"""In which a speed changes, in 0.5 s."""


def over_sdk(held: HeldEngine) -> Motion:
    return CheckedSdk(held.fake).attached().motion


@pytest.fixture(params=[False, True], ids=["as documented", "the other way"])
def _reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time counts from the present velocity for jogs, from rest for velocities; or not so."""
    jogs, velocities = sdk_commands.timed_jogs, sdk_commands.timed_velocities
    if request.param:
        monkeypatch.setattr(sdk_commands, "timed_jogs", velocities)
        monkeypatch.setattr(sdk_commands, "timed_velocities", jogs)


@pytest.fixture(params=[CommandMode.POSITION, CommandMode.VELOCITY], ids=["position", "velocity"])
def robot(_reading: None, request: pytest.FixtureRequest) -> Robot:
    return Robot(mode=request.param, motion_of=over_sdk)


def wheels(status: MotionStatus) -> list[float]:
    return [float(v) for v in status.velocity_cmd[AXES]]


def test_the_wheels_are_as_fast_as_is_asked(robot: Robot) -> None:
    """Once a change has taken its 0.5 s and was renewed, and as long as the speed is steady."""
    for twist in [(0.5, 0.0), (0.6, 0.0), (0.5, 0.4), (0.5, -0.4), (-0.2, 1.2), (0.3, 0.0)]:
        asked = pytest.approx([*BASE.wheels(Twist(*twist))])
        assert wheels(robot.drives(0.7, *twist)) == asked
        assert wheels(robot.drives(5.0, *twist)) == asked
    assert wheels(robot.drives(STEPS * PERIOD, 0.0, 0.0)) == [0.0, 0.0]


def test_no_wheel_is_ahead_of_its_change_or_behind_by_more_than_a_step(robot: Robot) -> None:
    begin = np.zeros(2)
    for twist in [(0.5, 0.4), (0.7, -0.2), (-0.3, 0.1), (-0.1, 0.0)]:
        end = np.array([*BASE.wheels(Twist(*twist))])
        seen = [wheels(status) for status in robot.run(STEPS * PERIOD, Twist(*twist))]
        done = (np.array(seen) - begin) / (end - begin) * STEPS
        steps = np.arange(1, STEPS + 1)[:, None]
        assert (done <= steps + 1e-6).all()
        assert (done >= steps - 1.0).all()
        begin = end


def test_a_dead_node_stops_the_wheels_in_time_without_a_dead_man(robot: Robot) -> None:
    """After twice the timeout, 0.5 s, or 1 s where a jog was renewed; each then takes 0.5 s."""
    robot.drives(3.0, 0.5, 0.2)
    before = wheels(robot.held.status())
    longest = LONGEST if robot.drive.mode is CommandMode.POSITION else 0.5
    seen = [wheels(status) for status in robot.run(longest + 0.5 + PERIOD, alive=False)]
    begins = next(i for i, each in enumerate(seen) if each != pytest.approx(before))
    assert 0.35 <= begins * PERIOD <= longest
    assert seen[-1] == [0.0, 0.0]


def test_a_wheel_that_has_fallen_behind_catches_up(robot: Robot) -> None:
    robot.drives(1.0, 0.5, 0.0)
    robot.motion.set_override(0, 50.0)
    assert min(wheels(robot.drives(0.1, alive=False))) < 4.5
    assert wheels(robot.drives(1.0, 0.5, 0.0)) == pytest.approx([5.0, 5.0])
