"""What `joint_position_controller` makes of messages, on a simulated engine in this process."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from other_processes import wait_until
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.fake.clock import HeldClock
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.values import PositionMove
from wmx_ros2_package.drivers.wrapped_motion import WrappedMotion
from wmx_ros2_package.nodes.joint_position import JointPositionController, JointPositionParameters
from wmx_ros2_package.streams.position import PositionStream
from wmx_ros2_package.validation import BadRequest

NAMES = ["joint1", "joint2"]


class StubbornMotion(WrappedMotion):
    """Refuses the first `refusals` stops."""

    refusals = 0

    def stop(self, axes: Any) -> None:
        if self.refusals:
            self.refusals -= 1
            raise CommandRefused(ErrorCode.StartingPreviousCommand, "a command is pending")
        super().stop(axes)


class Node:
    """What the controller needs of its node; the test calls what the executor would."""

    def __init__(self, driver: Driver, **parameters: Any) -> None:
        self.driver = driver
        self.parameters = JointPositionParameters(joint_number=2, **parameters)
        self.stubborn = StubbornMotion(driver.motion)
        self.name = self.full_name = "arm"
        self.said: list[str] = []
        self.ticks: list[Callable[[], None]] = []
        self.silence: list[Callable[[bool], None]] = []
        self.log = SimpleNamespace(error=lambda text, **_: self.said.append(text))
        self.say = self.say_error = self.said.append
        self.listen = self.hear = self.on_attach = self.on_detach = lambda *_: None
        self.commanding = nullcontext
        self.on_silence = self.silence.append
        self.controller = JointPositionController(self)  # type: ignore[arg-type]

    def motion(self, **_: Any) -> Any:
        return self.stubborn

    def every(self, _: float, tick: Callable[[], None]) -> None:
        self.ticks.append(tick)

    def owned_axes(self) -> list[int]:
        assert self.driver.owners is not None
        return sorted(self.driver.owners.owned())

    def send(self, positions: list[float], seconds: float) -> None:
        sec, part = divmod(seconds, 1.0)
        until = Duration(sec=int(sec), nanosec=int(part * 1e9))
        point = JointTrajectoryPoint(positions=positions, time_from_start=until)
        self.controller.follow(JointTrajectory(joint_names=NAMES, points=[point]))

    def spin(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not stop():
            for tick in self.ticks:
                tick()
            time.sleep(0.005)

    def rests(self) -> bool:
        return not self.driver.motion.status().velocity_cmd.any()


@pytest.fixture(autouse=True)
def held_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes where somebody sleeps, and nowhere else: a busy machine changes nothing."""
    clock = HeldClock()
    clock.advance(time.monotonic())
    monkeypatch.setattr(time, "monotonic", lambda: clock.now_ns() / 1e9)
    monkeypatch.setattr(time, "monotonic_ns", clock.now_ns)
    monkeypatch.setattr(time, "sleep", clock.advance)
    made = PositionStream.__init__.__kwdefaults__
    monkeypatch.setitem(made, "clock", time.monotonic)  # which it has had since it was imported


@pytest.fixture
def driver(drivers: Callable[..., Driver]) -> Driver:
    driver = drivers(in_process=True)
    driver.engine.create_device("", "/arm")
    driver.engine.start_communication()
    for axis in range(2):
        driver.motion.set_servo(axis, on=True)
    wait_until(lambda: all(driver.motion.status().servo_on[:2]))
    return driver


def test_a_stop_that_is_refused_is_tried_again_until_the_axes_slow_down(driver: Driver) -> None:
    node = Node(driver)
    node.stubborn.refusals = 5
    node.send([5.0, 5.0], 4.0)
    node.spin(0.15)
    assert not node.rests()
    node.spin(5.0, node.rests)
    assert node.rests()
    assert driver.motion.status().pos_cmd[0] < 3.0
    assert "Following a stream: Error=1563 (StartingPreviousCommand): a command is pending" in (
        node.said
    )


@pytest.mark.parametrize("period", [0.005, 0.02, 0.1])
def test_what_was_stopped_stays_stopped_while_the_stream_goes_on(
    driver: Driver, period: float
) -> None:
    node = Node(driver)

    def stream(seconds: float, begin: float) -> list[bool]:
        through = []
        for i in range(1, round(seconds / period) + 1):
            try:
                node.send([begin + 0.5 * i * period, 0.0], period)
                through.append(True)
            except CommandRefused:
                through.append(False)
            node.spin(period)
        return through

    assert all(stream(0.5, 0.0))
    assert not node.rests()
    driver.motion.stop([0])
    refused = stream(1.0, 0.25)
    assert not any(refused[5:])
    assert node.rests()
    assert any("axis 0 was stopped" in text for text in node.said)
    node.spin(0.25)
    assert all(stream(0.1, float(driver.motion.status().pos_cmd[0])))


def test_what_stops_one_axis_stops_the_others(driver: Driver) -> None:
    node = Node(driver, stream_timeout=5.0)
    node.send([4.0, 4.0], 4.0)
    node.spin(0.2)
    driver.motion.stop([0])
    node.spin(3.0, node.rests)
    assert driver.motion.status().pos_cmd[1] < 2.0


def test_a_first_message_that_asks_for_a_huge_speed_is_refused(driver: Driver) -> None:
    node = Node(driver)
    rule = r"joint1 would go at [0-9.]* u/s: must be 5 or slower \(unlimited_velocity"
    with pytest.raises(BadRequest, match=rule):
        node.send([1.0, 0.0], 0.02)
    node.spin(0.05)
    assert node.rests()
    node.send([0.05, 0.0], 0.02)
    node.spin(0.05)
    assert not node.rests() or driver.motion.status().pos_cmd[0] > 0.0


def test_a_velocity_limit_slows_it_down_instead(driver: Driver) -> None:
    node = Node(driver, velocity_limit=(1.0,))
    node.send([1.0, 0.0], 0.02)
    node.spin(0.1)
    assert 0.0 < driver.motion.status().velocity_cmd[0] <= 1.0


def test_a_deaf_node_stops_and_refuses(driver: Driver) -> None:
    node = Node(driver, stream_timeout=5.0)
    node.send([4.0, 4.0], 4.0)
    node.spin(0.1)
    for hear in node.silence:
        hear(True)
    node.spin(3.0, node.rests)
    assert node.rests()
    with pytest.raises(Exception, match="leases are refused"):
        node.send([0.0, 0.0], 1.0)


def test_a_suspended_node_does_nothing_of_what_has_waited(driver: Driver) -> None:
    node = Node(driver, stream_timeout=0.1)
    node.send([0.4, 0.4], 0.8)
    node.spin(0.05)
    time.sleep(1.2)  # as if it was suspended
    here = driver.motion.status().pos_cmd[0]
    with pytest.raises(CommandRefused, match="this process was suspended for"):
        node.send([0.0, 0.0], 0.5)
    node.spin(0.3)
    assert driver.motion.status().pos_cmd[0] == pytest.approx(here)


def test_axes_of_others_are_not_stopped(driver: Driver, drivers: Callable[..., Driver]) -> None:
    other = drivers(in_process=True)
    other.engine.create_device("", "/other")
    node = Node(driver)
    node.send([0.0, 0.02], 0.1)
    node.spin(0.05)
    other.motion.move_absolute([_far(0)])
    node.spin(0.6)
    assert driver.motion.status().velocity_cmd[0] > 0.9
    other.motion.stop([0])


def _far(axis: int) -> Any:
    return PositionMove(axis=axis, target=1e3, velocity=1.0, acc=50.0, dec=50.0)
