"""How a base of the client library moves its wheels, and what it refuses before it asks."""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import nullcontext
from math import pi
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from motion_events import begun, ended
from rclpy.parameter import Parameter

from wmx_ros2_package.client import EndReason, Motion, Refused, SeveralSystems
from wmx_ros2_package.client.base import BEGIN_TIMEOUT, STREAM_PERIOD, Base
from wmx_ros2_package.client.motions import OpenMotion
from wmx_ros2_package.control.request import MotionKind

LIMITS = ("velocity", "acceleration", "deceleration")
UNLIMITED = {f"max_{way}_{what}": 0.0 for way in ("linear", "angular") for what in LIMITS}
PARAMETERS = UNLIMITED | {
    "driver": "fake",
    "left_axis": 0,
    "right_axis": 1,
    "wheel_radius": 0.1,
    "wheel_to_wheel": 0.5,
    "wheel_velocity_unit": "rad/s",
    "cmd_vel_topic": "/cmd_vel_safe",
    "use_stamped_vel": True,
    "cmd_vel_timeout": 0.25,
    "encoder_odometry_topic": "/odom_enc",
}
LINEAR = {
    "max_linear_velocity": 0.4,
    "max_linear_acceleration": 1.0,
    "max_linear_deceleration": 0.8,
}
WIDE = LINEAR | {"max_angular_velocity": 3.0, "max_angular_acceleration": 4.0}
NARROW = {"max_linear_velocity": 0.05, "max_linear_deceleration": 0.1, "max_angular_velocity": 0.2}
RPM = {"wheel_velocity_unit": "rpm"}


def session_of(changes: dict[str, Any]) -> MagicMock:
    """Takes what would be asked of two wheels, which are commanded to be at 1 and 2."""

    def call(_kind: Any, _service: str, *, names: list[str], **_: Any) -> Any:
        values = (Parameter("", value=(PARAMETERS | changes)[name]) for name in names)
        return SimpleNamespace(values=[each.get_parameter_value() for each in values])

    session = MagicMock(names=("left", "right"), units=("rad", "rad"))
    session.link.call = call
    session.link.discovered = lambda _kind, services: services[:1]
    session.commanded = lambda axes: [1.0 + axis for axis in axes]
    return session


@pytest.mark.parametrize(
    ("changes", "move", "left", "right", "velocity", "acceleration"),
    [
        ({}, lambda base: base.forward(0.2), 2.0, 2.0, 2.0, 5.0),
        (NARROW, lambda base: base.forward(0.2), 2.0, 2.0, 0.5, 1.0),
        (WIDE, lambda base: base.forward(-0.2), -2.0, -2.0, 2.0, 5.0),
        (WIDE, lambda b: b.forward(0.1, velocity=0.4, acceleration=0.8), 1.0, 1.0, 4.0, 8.0),
        ({}, lambda base: base.turn(1.0), -2.5, 2.5, 1.25, 2.5),
        (NARROW, lambda base: base.turn(1.0), -2.5, 2.5, 0.5, 2.5),
        ({}, lambda base: base.turn(-2.0, velocity=9.0, acceleration=8), 5.0, -5.0, 22.5, 20.0),
        (RPM, lambda base: base.turn(1.0), -75.0 / pi, 75.0 / pi, 37.5 / pi, 75.0 / pi),
    ],
)
def test_wheels_turn_as_far_as_the_base_goes(
    changes: dict[str, Any],
    move: Callable[[Base], Motion],
    left: float,
    right: float,
    velocity: float,
    acceleration: float,
) -> None:
    """They do so with what is usual, which is no more than its limits."""
    session = session_of(changes)
    move(Base(session))
    names = "value", "velocity", "acceleration"
    commands = session.begin.call_args.args[0].values()
    found = [[command[name] for name in names] for command in commands]
    wheels = [1.0 + left, velocity, acceleration], [2.0 + right, velocity, acceleration]
    assert [*map(pytest.approx, wheels)] == found


def test_a_status_of_before_the_end_of_a_drive_is_not_the_newest() -> None:
    """What waits for the end reads one at once."""
    session, motion, first = session_of({}), OpenMotion([0, 1]), Future[OpenMotion]()
    first.set_result(motion)
    session.explain.return_value = []
    session.expected.return_value = nullcontext(SimpleNamespace(first=first))
    session.link.clock.now.return_value = 0.0
    drive = Base(session).drive(0.1)
    ended_before: list[bool] = []
    session.states.outdate = lambda: ended_before.append(drive.done)
    begin = begun(MotionKind.STREAM, 0, 1)
    motion.see(ended(begin, EndReason.ARRIVED))
    assert (ended_before, drive.done) == ([False], True)


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (lambda base: base.forward(0.1, velocity=5.0), "velocity is 5: must be 0.4 m/s or less"),
        (lambda base: base.forward(0.1, acceleration=5.0), "acceleration is 5: must be 0.8 m/s"),
        (lambda base: base.turn(0.1, velocity=5.0), "velocity is 5: must be 3 rad/s or less"),
        (lambda base: base.turn(0.1, acceleration=5.0), "acceleration is 5: must be 4 rad/s"),
        (lambda base: base.check(velocity=5.0), "velocity is 5: must be 0.4 m/s or less"),
        (lambda base: base.check(turning=5.0), "turning is 5: must be 3 rad/s or less"),
        (lambda base: base.drive(9.0), "linear is 9: must be from -0.4 to 0.4 m/s"),
        (lambda base: base.drive(0.0, -4.0), "angular is -4: must be from -3 to 3 rad/s"),
        (lambda base: base.drive(0.0), "linear and angular are 0: one of them must not be"),
    ],
)
def test_a_base_goes_somewhere_and_no_faster_than_it_may(
    ask: Callable[[Base], object], rule: str
) -> None:
    session = session_of(WIDE)
    with pytest.raises(ValueError, match=rule):
        ask(Base(session))
    assert not session.begin.called
    assert not session.link.publisher.called


def test_a_base_is_not_driven_where_another_one_may_be_reached() -> None:
    session = session_of({})
    session.require_one_system.side_effect = SeveralSystems("two run")
    with pytest.raises(SeveralSystems):
        Base(session).drive(0.2)
    assert not session.expected.called
    assert not session.link.publisher.return_value.publish.called


class Driven:
    """A base whose wheels rest, and which begins no drive; the time is that of its waits."""

    def __init__(self) -> None:
        self.done: list[str] = []
        """What was asked of it, in its order."""
        self.now = 0.0
        session = session_of({})
        session.explain.return_value = []
        session.remedy.side_effect = lambda _: self.done.append("remedy")
        session.expected.return_value = nullcontext(SimpleNamespace(first=Future()))
        publish = SimpleNamespace(publish=self._take)
        session.link.publisher.return_value = publish
        session.link.create_timer.side_effect = lambda *_: lambda: self.done.append("no more")
        session.link.clock = MagicMock(now=lambda: self.now, result=self._wait)
        self.base = Base(session)

    def _take(self, message: Any) -> None:
        self.done.append("drive" if message.twist.linear.x else "stand")

    def _wait(self, _: Future[Any], timeout: float) -> None:
        self.now += timeout
        raise NotInTime


def test_a_base_that_is_not_to_drive_any_more_stands_before_it_has_begun() -> None:
    driven = Driven()

    def before() -> None:
        if driven.now > 2.5 * STREAM_PERIOD:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        driven.base.drive(0.2, before=before)
    assert driven.now < 4.0 * STREAM_PERIOD
    assert driven.done == ["stand", "no more", "stand"]


def test_a_base_that_does_not_begin_to_drive_stands_before_its_remedy_is_asked_for() -> None:
    driven = Driven()
    with pytest.raises(Refused, match="does not begin to drive"):
        driven.base.drive(0.2)
    assert driven.now == pytest.approx(BEGIN_TIMEOUT, abs=1.5 * STREAM_PERIOD)
    assert driven.done == ["stand", "no more", "stand", "remedy"]
