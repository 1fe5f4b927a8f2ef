"""A base on a held engine: smooth, on time, and never on one wheel."""

import numpy as np
import pytest
from held_base import AXES, BASE, PERIOD, Robot

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, OperationState
from wmx_ros2_package.bases.differential import Twist
from wmx_ros2_package.bases.speed import SpeedLimits


@pytest.mark.parametrize(
    ("mode", "state"),
    [
        (CommandMode.POSITION, OperationState.JOG),
        (CommandMode.VELOCITY, OperationState.VELOCITY),
    ],
)
def test_the_wheels_turn_as_the_twist_says_in_either_mode(
    mode: CommandMode, state: OperationState
) -> None:
    robot = Robot(mode=mode)
    status = robot.drives(1.0, 0.5, 0.4)
    left, right = BASE.wheels(Twist(0.5, 0.4))
    assert status.velocity_cmd[AXES] == pytest.approx([left, right])
    assert (status.op_state == state).all()
    status = robot.drives(1.0, 0.0, 0.0)
    assert not status.velocity_cmd.any()
    assert (status.op_state == OperationState.IDLE).all()
    assert not robot.braked_at


def test_a_change_takes_its_time_and_both_wheels_are_done_together() -> None:
    robot = Robot()
    speeds = [status.velocity_cmd[AXES] for status in robot.run(0.6, Twist(0.5, 1.0))]
    ratio = speeds[-1][0] / speeds[-1][1]
    for speed in speeds[:-10]:
        assert speed[0] == pytest.approx(ratio * speed[1], rel=1e-3)
    assert speeds[24] == pytest.approx(speeds[-1] / 2.0, rel=0.01)
    assert speeds[47] != pytest.approx(speeds[-1])
    assert speeds[51] == pytest.approx(speeds[-1])


def test_a_dead_client_stops_the_wheels_within_the_timeout() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    last = max(i for i in range(100) if i % 5 == 0)
    heard = (last - 99) * PERIOD
    speeds = [status.velocity_cmd[0] for status in robot.run(0.8)]
    slowing = next(i for i, speed in enumerate(speeds) if speed < 0.999 * speeds[0])
    assert 0.25 - 2 * PERIOD <= slowing * PERIOD - heard <= 0.25 + 2 * PERIOD
    assert speeds[slowing + 51] == 0.0
    assert len(robot.braked_at) == 1


def test_a_dead_node_stops_the_wheels_within_twice_the_timeout() -> None:
    """The engine does it, whose lease on the motion is over."""
    robot = Robot()
    robot.drives(1.0, 0.5, 0.2)
    speeds = [status.velocity_cmd[0] for status in robot.run(1.2, alive=False)]
    assert speeds[30] == pytest.approx(speeds[0])
    assert speeds[51] < 0.99 * speeds[0]
    assert speeds[110] == 0.0


def test_a_node_that_is_late_for_once_stops_nothing() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    for status in robot.run(0.35, Twist(0.5, 0.0), alive=False):
        assert status.velocity_cmd.all()
    assert robot.drives(1.0, 0.5, 0.0).velocity_cmd == pytest.approx([5.0, 5.0])


@pytest.mark.parametrize("target", [0.5, 0.05, -0.3])
def test_a_node_that_dies_while_it_slows_down_gently_stops_the_wheels_all_the_same(
    target: float,
) -> None:
    robot = Robot(limits=SpeedLimits(acceleration=0.2, jerk=0.2))
    robot.drives(6.0, 0.6, 0.0)
    robot.drives(0.1, target, 0.0)
    assert not robot.drives(2.0, alive=False).velocity_cmd.any()


def test_a_steady_speed_is_told_to_the_engine_only_to_renew_its_lease() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    told = 0
    jog = robot.motion.jog

    def counted(moves: object) -> None:
        nonlocal told
        told += 1
        jog(moves)  # type: ignore[arg-type]

    robot.motion.jog = counted  # type: ignore[method-assign]
    robot.drives(2.0, 0.5, 0.0)
    assert 2.0 / 0.25 <= told <= 2.0 / 0.125 + 1
    robot.drives(1.0, 0.0, 0.0)
    told = 0
    robot.drives(1.0, 0.0, 0.0)
    assert not told


@pytest.mark.parametrize(
    "twists",
    [
        [(0.3, 0.0), (-0.3, 0.0)],
        [(0.3, 0.3 / 0.25), (0.3, -0.3 / 0.25)],
        [(0.1 * 3.0, 1.2), (0.0, 1e-12), (0.3, 0.0)],
        [(1e-9, 0.0), (0.3, 1e-9)],
    ],
    ids=["reverse", "about one wheel", "next to standing", "next to nothing"],
)
def test_a_wheel_that_next_to_stands_stands(twists: list[tuple[float, float]]) -> None:
    """Engines refuse velocities next to zero, which sums of floats are full of."""
    robot = Robot()
    for twist in twists:
        status = robot.drives(1.2, *twist)
        assert status.velocity_cmd[AXES] == pytest.approx(
            list(BASE.wheels(Twist(*twist))), abs=1e-6
        )


def test_a_wheel_that_does_not_show_its_command_yet_has_not_been_stopped() -> None:
    robot = Robot()
    status = robot.held.status()
    robot.drive.set_target(100.0, Twist(0.5, 0.4))
    robot.drive.step(100.0, status, 1.0)
    robot.drive.step(100.019, status, 1.0)
    with pytest.raises(CommandRefused, match="axis 1 was stopped by something else"):
        robot.drive.step(100.04, status, 1.0)
    robot.drive.reset()
    robot.drive.set_target(100.05, Twist(0.5, 0.4))
    begins = [move.velocity for move in robot.drive.step(100.05, status, 1.0)]
    assert begins == pytest.approx(list(BASE.wheels(Twist(0.01, 0.008)))), "from rest"


@pytest.mark.parametrize("mode", [CommandMode.POSITION, CommandMode.VELOCITY])
def test_a_wheel_that_has_fallen_behind_catches_up_as_gently_as_in_a_change_from_rest(
    mode: CommandMode,
) -> None:
    robot = Robot(mode=mode)
    robot.drives(1.0, 0.5, 0.0)
    robot.motion.set_override(0, 50.0)
    assert robot.drives(0.1, alive=False).velocity_cmd[0] < 4.5
    speeds = [status.velocity_cmd[0] for status in robot.run(1.0, Twist(0.5, 0.0))]
    assert max(np.diff(speeds)) <= 5.0 / 0.5 * PERIOD * (1.0 + 1e-6)
    assert speeds[-1] == pytest.approx(5.0)


def test_a_change_of_the_override_is_led_as_one_of_the_twist() -> None:
    """So the wheels keep their ratio, and the base its acceleration, whatever it is told then."""
    robot = Robot(limits=SpeedLimits(acceleration=0.4, velocity=0.6))
    robot.override = 0.5
    assert robot.drives(1.0, 0.9, 0.0).velocity_cmd == pytest.approx([3.0, 3.0]), "half of 0.6 m/s"
    robot.override = 1.0
    speeds = [status.velocity_cmd[0] for status in robot.run(0.7, Twist(0.5, 0.0))]
    assert max(np.diff(speeds)) <= 4.0 * PERIOD * (1.0 + 1e-6)
    assert speeds[-1] == pytest.approx(5.0)
    robot.override = 0.01
    assert robot.drives(2.0, 0.5, 0.4).velocity_cmd[AXES] == pytest.approx([0.04, 0.06])
