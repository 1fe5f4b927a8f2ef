"""One owner per axis: who wins, what the others are told, and when an axis is free again."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from other_processes import Client, wait_until

from wmx_ros2_package.drivers import owned_motion
from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.owned_motion import motion_for
from wmx_ros2_package.drivers.ownership import SHOWN
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EmergencyStop,
    LinearMove,
    OperationState,
    PositionMove,
    SplineMove,
    VelocityMove,
)

Drivers = Callable[..., Driver]
AXES = range(3)


@pytest.fixture
def one(drivers: Drivers) -> Driver:
    """A device on an engine whose axes 0 to 2 are on."""
    driver = drivers(in_process=True)
    driver.engine.create_device("", "/one")
    driver.engine.start_communication()
    for axis in AXES:
        driver.motion.set_servo(axis, on=True)
    wait_until(lambda: all(driver.motion.status().servo_on[list(AXES)]))
    return driver


@pytest.fixture
def other(one: Driver, drivers: Drivers) -> Driver:
    """Another device on the same engine."""
    driver = drivers(in_process=True)
    driver.engine.create_device("", "/other")
    return driver


def move(*axes: int, target: float = 1000.0) -> list[PositionMove]:
    return [PositionMove(axis=a, target=target, velocity=1.0, acc=100.0, dec=100.0) for a in axes]


def jog(*axes: int) -> list[VelocityMove]:
    return [VelocityMove(axis=a, velocity=1.0, acc=100.0, dec=100.0) for a in axes]


def refused(command: Callable[[], None]) -> str:
    with pytest.raises(CommandRefused) as error:
        command()
    assert error.value.code == ErrorCode.ResourceInUse
    return error.value.detail


def at_rest(driver: Driver) -> None:
    def everything_rests() -> bool:
        return bool((driver.motion.status().op_state == OperationState.IDLE).all())

    wait_until(everything_rests)


def test_the_first_to_command_wins_and_the_loser_is_told_at_once(
    one: Driver, other: Driver, sleeps: list[float]
) -> None:
    one.motion.move_absolute(move(0))
    wait_until(lambda: bool(one.motion.status().velocity_cmd[0] > 0.0))
    sleeps.clear()
    assert refused(lambda: other.motion.move_absolute(move(0, target=-1.0))) == (
        f"axis 0 is owned by /one, process {os.getpid()}"
    )
    assert not sleeps, "not once the move is over"
    wait_until(lambda: bool(other.motion.status().velocity_cmd[0] > 0.5))  # where it went


COMMANDS: dict[str, Callable[[Driver], None]] = {
    "absolute": lambda d: d.motion.move_absolute(move(1, 0)),
    "relative": lambda d: d.motion.move_relative(move(1, 0)),
    "jog": lambda d: d.motion.jog(jog(1, 0)),
    "velocity": lambda d: d.motion.move_velocity(jog(1, 0)),
    "line": lambda d: d.motion.move_linear(
        LinearMove(axes=(1, 0), targets=(1.0, 1.0), velocity=1.0, acc=1.0, dec=1.0)
    ),
    "spline": lambda d: d.motion.move_spline(
        SplineMove(axes=(1, 0), times=np.array([0.0, 1.0]), positions=np.zeros((2, 2)))
    ),
    "homing": lambda d: d.motion.home(0),
    "mode": lambda d: d.motion.set_command_mode(0, CommandMode.VELOCITY),
    "polarity": lambda d: d.motion.set_polarity(0, -1),
    "gear ratio": lambda d: d.motion.set_gear_ratio(0, 1.0, 1.0),
    "position": lambda d: d.motion.set_position(0, 1.0),
    "parameters": lambda d: d.motion.load_parameters("/nowhere.xml"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_is_commanded_nobody_else_gets_through(
    one: Driver, other: Driver, command: str
) -> None:
    one.motion.jog(jog(0))
    assert "axis 0 is owned by /one" in refused(lambda: COMMANDS[command](other))
    assert other.motion.status().op_state[1] == OperationState.IDLE, "nothing of it was done"
    assert other.owners
    assert other.owners.owned() == frozenset(), "and no axis is kept for it"


def test_an_owner_may_command_anew(one: Driver) -> None:
    one.motion.move_absolute(move(0))
    one.motion.move_absolute(move(0, target=-1000.0))
    wait_until(lambda: bool(one.motion.status().velocity_cmd[0] < 0.0))


def test_purposes_of_one_node_do_not_fight_either(one: Driver, other: Driver) -> None:
    jogging, positioning = motion_for(one, "jog"), motion_for(one, "position")
    jogging.jog(jog(0))
    assert "/one (jog)" in refused(lambda: positioning.move_absolute(move(0)))
    assert "/one (jog)" in refused(lambda: other.motion.move_absolute(move(0)))
    assert one.owners
    assert one.owners.owned() == {0}


def test_what_rests_another_purpose_may_command_at_once(one: Driver) -> None:
    homing, jogging = motion_for(one, "homing"), motion_for(one, "jog")
    homing.home(0)
    time.sleep(2.0 * SHOWN)
    jogging.jog(jog(0))


def test_what_the_engine_lets_be_set_rests(one: Driver) -> None:
    homing, turning = motion_for(one, "homing"), motion_for(one, "velocity")
    for _ in range(20):
        homing.home(0)
        wait_until(lambda: one.motion.status().op_state[0] == OperationState.IDLE)
        one.motion.set_command_mode(0, CommandMode.VELOCITY)
        turning.move_velocity([VelocityMove(axis=0, velocity=0.0, acc=1.0, dec=1.0)])
        wait_until(lambda: one.motion.status().op_state[0] == OperationState.IDLE)
        one.motion.set_command_mode(0, CommandMode.POSITION)


def test_an_axis_is_free_once_it_has_been_seen_at_rest(one: Driver, other: Driver) -> None:
    one.motion.move_relative(move(0, target=0.05))
    at_rest(one)
    time.sleep(2.0 * SHOWN)
    one.motion.status()
    other.motion.move_absolute(move(0))
    assert "/other" in refused(lambda: one.motion.move_absolute(move(0)))


def test_what_the_engine_refuses_owns_nothing(one: Driver, other: Driver) -> None:
    with pytest.raises(CommandRefused, match="NotVelocityMode"):
        one.motion.move_velocity(jog(0, 1))
    other.motion.move_absolute(move(0))


def test_what_it_refuses_of_an_owner_leaves_it_the_owner(one: Driver, other: Driver) -> None:
    one.motion.move_absolute(move(0))
    with pytest.raises(CommandRefused, match="NotVelocityMode"):
        one.motion.move_velocity(jog(0))
    assert "/one" in refused(lambda: other.motion.move_absolute(move(0)))


STOPS: dict[str, Callable[[Driver], None]] = {
    "stop": lambda d: d.motion.stop([0]),
    "quick stop": lambda d: d.motion.quick_stop([0]),
    "emergency stop": lambda d: d.motion.emergency_stop(EmergencyStop.LEVEL1),
    "servo off": lambda d: d.motion.set_servo(0, on=False),
}


@pytest.mark.parametrize("stop", STOPS)
def test_whoever_stops_an_axis_wins(one: Driver, other: Driver, stop: str) -> None:
    one.motion.jog(jog(0))
    STOPS[stop](other)
    at_rest(other)
    assert not one.motion.status().velocity_cmd.any()


def test_a_claim_holds_axes_that_rest(one: Driver, other: Driver) -> None:
    assert one.owners
    with one.owners.owner("trajectory").claim([0, 1]):
        time.sleep(2.0 * SHOWN)
        one.motion.status()
        assert "/one (trajectory)" in refused(lambda: other.motion.move_absolute(move(1)))
        motion_for(one, "trajectory").move_absolute(move(0, target=0.01))
    time.sleep(2.0 * SHOWN)
    at_rest(one)
    other.motion.move_absolute(move(0, 1))


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it was waited for owners to give axes back."""
    slept: list[float] = []
    sleep = time.sleep
    clock = SimpleNamespace(
        monotonic=time.monotonic, sleep=lambda s: (slept.append(s), sleep(s))[1]
    )
    monkeypatch.setattr(owned_motion, "time", clock)
    return slept


def test_nobody_waits_for_a_claim_to_end(one: Driver, other: Driver, sleeps: list[float]) -> None:
    assert one.owners
    with one.owners.owner("").claim([0, 1]):
        refused(lambda: other.motion.move_absolute(move(0)))
        refused(lambda: other.motion.set_polarity(1, -1))
        assert not sleeps
    time.sleep(2.0 * SHOWN)
    one.motion.status()
    other.motion.move_absolute(move(0))


def test_whoever_hangs_is_waited_for_once(one: Driver, other: Driver, sleeps: list[float]) -> None:
    one.motion.move_absolute(move(0, target=0.0))  # nobody looks whether it rests
    refused(lambda: other.motion.move_absolute(move(0)))
    assert sleeps
    sleeps.clear()
    for _ in range(20):
        refused(lambda: other.motion.move_absolute(move(0)))
    assert not sleeps
    one.motion.status()
    other.motion.move_absolute(move(0))


def test_a_claim_of_what_is_owned_is_refused_as_a_whole(one: Driver, other: Driver) -> None:
    assert one.owners
    other.motion.jog(jog(1))
    claim = one.owners.owner("trajectory").claim([0, 1])
    assert "axis 1 is owned by /other" in refused(lambda: claim.__enter__() and None)
    other.motion.jog(jog(0))


def test_a_closed_device_owns_nothing(one: Driver, other: Driver) -> None:
    one.motion.jog(jog(0))
    one.engine.close_device()
    other.motion.jog(jog(0))


def test_the_first_engine_node_leads_until_its_device_is_closed(one: Driver, other: Driver) -> None:
    assert one.owners is not None
    assert other.owners is not None
    assert one.owners.lead() is None
    assert other.owners.lead() == f"/one, process {os.getpid()}"
    assert one.owners.lead() is None, "it still does"
    one.engine.close_device()
    assert other.owners.lead() is None


def test_who_owns_what_can_be_asked(one: Driver, other: Driver) -> None:
    assert one.owners
    assert other.owners
    one.motion.jog(jog(0))
    motion_for(other, "jog").jog(jog(2))
    name = f", process {os.getpid()}"
    expected = {0: f"/one{name}", 2: f"/other (jog){name}"}
    assert one.owners.names(range(6)) == other.owners.names(range(6)) == expected


@pytest.mark.parametrize("axis", [-1, 6, 127, 128, 10**6])
def test_axes_that_there_are_not_are_left_to_the_engine(one: Driver, axis: int) -> None:
    with pytest.raises(CommandRefused, match="AxisOutOfRange"):
        one.motion.move_absolute(move(axis))


def test_without_a_place_for_it_no_device_is_created(
    drivers: Drivers, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = runtime / f"wmx-axes-{os.getuid()}"
    directory.mkdir(mode=0o755)
    driver = drivers(in_process=True)
    with pytest.raises(CommandRefused, match=r"CreateDeviceLockError.*must belong to user"):
        driver.engine.create_device("", "/one")
    directory.rmdir()
    driver.engine.create_device("", "/one")


@pytest.fixture
def there(one_in_its_own: Driver, clients: Callable[[int], list[Client]]) -> Client:
    """Another process with a device, whose axes are on."""
    [client] = clients(1)
    client.ask("driver.engine.create_device('', '/there')")
    return client


@pytest.fixture
def one_in_its_own(drivers: Drivers) -> Driver:
    """A device on an engine that has a process of its own; axis 0 is on."""
    driver = drivers()
    driver.engine.create_device("", "/here")
    driver.engine.start_communication()
    driver.motion.set_servo(0, on=True)
    wait_until(lambda: bool(driver.motion.status().servo_on[0]))
    return driver


JOG_THERE = (
    "driver.motion.jog([__import__('wmx_ros2_package.drivers.values').drivers.values.VelocityMove("
    "axis=0, velocity=1.0, acc=100.0, dec=100.0)])"
)


def test_two_processes_do_not_fight(one_in_its_own: Driver, there: Client) -> None:
    here = one_in_its_own
    assert there.ask(JOG_THERE) == "None"
    pid = there.process.pid
    assert refused(lambda: here.motion.jog(jog(0))) == f"axis 0 is owned by /there, process {pid}"
    here.motion.stop([0])
    at_rest(here)
    assert "/there" in refused(lambda: here.motion.jog(jog(0))), "until it has seen the rest"
    time.sleep(2.0 * SHOWN)
    there.ask("driver.motion.status().communicating")
    here.motion.jog(jog(0))
    assert "owned by /here" in there.ask(JOG_THERE)


def test_a_killed_process_owns_nothing(one_in_its_own: Driver, there: Client) -> None:
    here = one_in_its_own
    assert there.ask(JOG_THERE) == "None"
    os.kill(there.process.pid, signal.SIGKILL)
    there.process.wait()
    here.motion.move_absolute(move(0, target=0.0))
    assert here.owners
    assert here.owners.owned() == {0}


def test_nothing_is_left_behind(one_in_its_own: Driver, there: Client, runtime: Path) -> None:
    there.ask(JOG_THERE)
    os.kill(there.process.pid, signal.SIGKILL)
    there.process.wait()
    one_in_its_own.engine.close_device()
    assert [*runtime.glob("wmx-axes-*/*")] == []
