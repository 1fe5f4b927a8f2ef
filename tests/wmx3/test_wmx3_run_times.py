"""Endless moves that end by themselves, as the SDK's timed commands."""

from dataclasses import replace

import numpy as np
import pytest
from recorder import Recorder
from stand_in import StandIn

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.values import TorqueMove, VelocityMove
from wmx_ros2_package.drivers.wmx3.run_times import Times, times_of

MOVE = VelocityMove(axis=2, velocity=2.0, acc=10.0, dec=4.0, run_time=1.0)


@pytest.mark.parametrize(
    ("changes", "now", "expected"),
    [
        ({}, 0.0, (2.0, 200.0, 800, 500.0)),
        ({"velocity": -2.0}, 0.0, (-2.0, 200.0, 800, 500.0)),
        ({}, 1.0, (2.0, 100.0, 900, 500.0)),
        ({}, 2.0, (2.0, 1.0, 999, 500.0)),
        ({}, 3.0, (2.0, 250.0, 750, 500.0)),
        ({}, -1.0, (2.0, 450.0, 550, 500.0)),
        ({"run_time": 0.2}, 2.0, (2.0, 1.0, 199, 500.0)),
        ({"run_time": 0.1}, 0.0, (1.0, 100.0, 0, 250.0)),
        ({"run_time": 0.1, "velocity": -2.0}, 0.0, (-1.0, 100.0, 0, 250.0)),
        ({"run_time": 0.1}, 3.0, (2.6, 100.0, 0, 650.0)),
        ({"run_time": 0.3}, -1.0, (0.5, 300.0, 0, 125.0)),
        ({"run_time": 0.1}, -1.0, (-0.6, 100.0, 0, 150.0)),
        ({"run_time": 0.0005}, 2.0, (2.0, 1.0, 0, 500.0)),
    ],
)
def test_times(
    changes: dict[str, float], now: float, expected: tuple[float, float, int, float]
) -> None:
    """It gets as fast as it can by then, and slows down from there with its deceleration."""
    velocity, speeding_up, running, slowing_down = expected
    times = times_of(replace(MOVE, **changes), now)
    assert times == Times(
        velocity=pytest.approx(velocity),
        speeding_up=pytest.approx(speeding_up),
        running=running,
        slowing_down=pytest.approx(slowing_down),
    )


@pytest.mark.parametrize(
    ("order", "function"),
    [("jog", "Motion.StartJog_TimedJog"), ("move_velocity", "Velocity.StartVel_TimedVel")],
)
def test_a_timed_command(
    world: StandIn, driver: Driver, recorder: Recorder, order: str, function: str
) -> None:
    recorder.status = {"velocity_cmd": np.array([0.0, 0.0, 1.0, 0.0])}
    getattr(driver.motion, order)([MOVE])
    ((command,),) = world.called(function)
    profile = command.profile
    assert profile.type == world.sdk.ProfileType.TimeAccTrapezoidal
    assert (command.axis, profile.velocity, command.runTimeMilliseconds) == (2, 2.0, 900)
    assert type(command.runTimeMilliseconds) is int
    assert (profile.accTimeMilliseconds, profile.decTimeMilliseconds) == (100.0, 500.0)
    ((name, (move,)),) = recorder.orders
    assert (name, move) == (order, MOVE)


def test_several_start_in_one_call(world: StandIn, driver: Driver, recorder: Recorder) -> None:
    driver.motion.jog([MOVE, replace(MOVE, axis=0, velocity=-1.0)])
    ((count, given),) = world.called("Motion.StartJog_TimedJog")
    assert (count, [command.axis for command in given]) == (2, [2, 0])
    assert len(recorder.orders) == 1


def test_a_move_to_rest_ends_by_itself(world: StandIn, driver: Driver, recorder: Recorder) -> None:
    """No time is given to a command that runs at no velocity."""
    driver.motion.jog([MOVE, replace(MOVE, axis=1, velocity=0.0)])
    assert [order for order, _ in recorder.orders] == ["jog", "jog"]
    ((plain,),) = world.called("Motion.StartJog")
    ((timed,),) = world.called("Motion.StartJog_TimedJog")
    assert (plain.axis, timed.axis) == (1, 2)


@pytest.mark.parametrize("changes", [{"axis": 4}, {"velocity": float("nan")}, {"dec": 0.0}])
def test_one_bad_move_and_none_starts(
    world: StandIn, driver: Driver, changes: dict[str, float]
) -> None:
    moves = [MOVE, replace(MOVE, axis=0, velocity=0.0), replace(MOVE, **{"axis": 1, **changes})]
    with pytest.raises(CommandRefused):
        driver.motion.jog(moves)
    assert world.calls == []


def test_the_sdk_has_no_torque_that_ends(world: StandIn, driver: Driver) -> None:
    with pytest.raises(CommandRefused, match="run_time must be 0") as refused:
        driver.motion.move_torque([TorqueMove(axis=0, torque=5.0, run_time=1.0)])
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert world.calls == []
