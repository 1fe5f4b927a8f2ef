"""Efforts on an engine that ends no torque by itself, as the vendor's SDK has it: the node does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from actuator_client import Actuators, position
from builtin_interfaces.msg import Duration
from local_actuators import local_actuators
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver, Motion
from wmx_core.options import DriverOptions
from wmx_core.values import CommandMode, OperationState, TorqueMove
from wmx_ros2_package.messages.times import seconds
from wmx_ros2_package.testing import HeldClock
from wmx_sim.driver import open_fake

AXIS = 3


class Untimed:
    """A motion that has no torque with a run time."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    def __getattr__(self, name: str) -> Any:
        return getattr(self._motion, name)

    def stop(self, axes: Sequence[int]) -> None:
        self._motion.stop(axes)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        assert not any(move.run_time for move in moves), "the engine has no such torque"
        self._motion.move_torque(moves)


@pytest.fixture
def driver(runtime: Path, clock: HeldClock) -> Driver:
    real = open_fake(DriverOptions(in_process=True, clock=clock))
    motion: Any = Untimed(real.motion)
    return replace(real, motion=motion, times_torques=False)


@pytest.fixture
def actuators(
    driver: Driver, clock: HeldClock, monkeypatch: pytest.MonkeyPatch, runtime: Path
) -> Iterator[Actuators]:
    with local_actuators(driver, clock, [AXIS], monkeypatch, runtime) as actuators:
        yield actuators


def torque(actuators: Actuators, **fields: Any) -> Any:
    return actuators.execute(f"axis_{AXIS}", ActuatorCommand.EFFORT, 5.0, **fields)


def test_the_node_ends_it_in_time(actuators: Actuators, driver: Driver) -> None:
    answer = torque(actuators, duration=Duration(sec=1))
    assert answer.accepted, answer.message
    assert driver.motion.status().op_state[AXIS] == OperationState.TRQ
    actuators.client.eventually(
        lambda: driver.motion.status().op_state[AXIS] != OperationState.TRQ, "the torque ends"
    )
    late = actuators.client.clock.time_ns() * 1e-9 - seconds(answer.expected_arrival)
    assert -0.01 < late <= 0.2
    assert actuators.end_of(answer.command_id).reason == EndMotion.ARRIVED
    actuators.client.eventually(
        lambda: driver.motion.status().command_mode[AXIS] == CommandMode.POSITION,
        "it is in position mode again",
    )


def test_a_lease_is_kept_by_the_node(actuators: Actuators, driver: Driver) -> None:
    actuators.set(timeout=0.3)
    answer = torque(actuators)
    assert actuators.end_of(answer.command_id).reason == EndMotion.LEASE_EXPIRED
    assert driver.motion.status().op_state[AXIS] == OperationState.IDLE


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The engine refuses as many stops as there are left in it."""
    refusals, stop = iter(range(3)), Untimed.stop

    def refuse(self: Untimed, axes: Sequence[int]) -> None:
        for _ in refusals:
            raise CommandRefused(ErrorCode.StartingPreviousCommand)
        stop(self, axes)

    monkeypatch.setattr(Untimed, "stop", refuse)
    return refusals


def test_a_stop_that_is_refused_is_tried_again(
    actuators: Actuators, driver: Driver, refusals: Iterator[int]
) -> None:
    answer = torque(actuators, duration=Duration(nanosec=200_000_000))
    assert actuators.end_of(answer.command_id).reason == EndMotion.ARRIVED
    assert driver.motion.status().op_state[AXIS] == OperationState.IDLE
    assert next(refusals, None) is None, "it was refused as often as it should be"


def test_a_cancel_that_is_refused_is_tried_again(
    actuators: Actuators, driver: Driver, refusals: Iterator[int]
) -> None:
    handle = actuators.send_goal(position(f"axis_{AXIS}", 100.0))
    actuators.client.eventually(lambda: driver.motion.status().velocity_cmd[AXIS] > 1.0, "it moves")
    actuators.client.in_thread(handle.cancel_goal_async)
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert driver.motion.status().op_state[AXIS] == OperationState.IDLE
    assert next(refusals, None) is None, "it was refused as often as it should be"
