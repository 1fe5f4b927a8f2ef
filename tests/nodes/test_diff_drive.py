"""A base on two wheels over ROS: commands in, odometry and wheels out."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import atan2
from typing import Any

import pytest
import system as systems
from geometry_msgs.msg import Twist, TwistStamped
from held_system import held_system
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from system import System

from wmx_ros2_package.control.leases import SUSPENSION as LATE

RADIUS, DISTANCE = 0.1, 0.5
PARAMETERS = (
    f"wheel_radius:={RADIUS}",
    f"wheel_to_wheel:={DISTANCE}",
    "left_axis:=1",
    "right_axis:=0",
    "max_linear_acceleration:=2.0",
    "max_angular_acceleration:=6.0",
    "encoder_vel_topic:=vel_enc",
    "encoder_omega_array_topic:=omega_array",
)


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with (
        systems.place() as place,
        held_system(place, *PARAMETERS, executables=("bringup", "diff_drive_controller")) as system,
    ):
        system.ready()
        yield system


class Base:
    """A client of the base."""

    def __init__(self, system: System) -> None:
        self.client = system.client
        node = self.client.node
        self.odometry = self.client.listen("odom_enc", Odometry, 1000)
        self.measured = self.client.listen("omega_enc", JointState, 1000)
        self.commanded = self.client.listen("omega_cmd", JointState, 1000)
        self.echo = self.client.listen("vel_enc", Twist, 1000)
        self.array = self.client.listen("omega_array", Float64MultiArray, 1000)
        self._publisher: Any = node.create_publisher(TwistStamped, "cmd_vel_safe", 10)

    def command(self, linear: float, angular: float = 0.0) -> None:
        message = TwistStamped()
        message.twist.linear.x, message.twist.angular.z = linear, angular
        self._publisher.publish(message)

    def met(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    @contextmanager
    def driving(self, linear: float, angular: float = 0.0) -> Iterator[None]:
        """A client that commands 25 times a second; then it is dead."""
        over = self.client.clock.event()

        def stream() -> None:
            while not over.wait(0.04):
                self.command(linear, angular)

        thread = threading.Thread(target=stream)
        thread.start()
        try:
            self.commanded.next(lambda m: any(m.velocity), timeout=3.0)
            yield
        finally:
            over.set()
            thread.join()

    def pose(self) -> tuple[float, float, float]:
        pose = self.odometry.next().pose.pose
        yaw = 2.0 * atan2(pose.orientation.z, pose.orientation.w)
        return pose.position.x, pose.position.y, yaw

    def rests(self) -> None:
        def standing(message: Odometry) -> bool:
            twist = message.twist.twist
            return max(abs(twist.linear.x), abs(twist.angular.z)) < 1e-9

        # In one message it may stand only because it creeps by less than a count of the encoder.
        self.client.eventually(
            lambda: all(standing(self.odometry.next()) for _ in range(10)), "it stands"
        )


@pytest.fixture(scope="module")
def base(system: System) -> Base:
    base = Base(system)
    system.client.eventually(base.met, "the base listens")
    system.says("Servos of axes [1, 0] are on")
    base.odometry.next()
    system.client.clock.sleep(
        LATE
    )  # a stream that was there before the node has attached has to pause
    return base


def test_it_follows_and_tells(base: Base) -> None:
    with base.driving(0.4, 0.5):
        odometry = base.odometry.next(
            lambda m: abs(m.twist.twist.linear.x - 0.4) < 1e-3 > abs(m.twist.twist.angular.z - 0.5)
        )
        wheels = pytest.approx([2.75, 5.25], abs=0.05)
        exactly = pytest.approx([2.75, 5.25], abs=1e-6)
        base.commanded.next(lambda m: list(m.velocity) == exactly)
        measured = base.measured.next(lambda m: list(m.velocity) == wheels)
        base.echo.next(lambda m: m.linear.x == pytest.approx(0.4, abs=1e-6))
        base.array.next(lambda m: list(m.data) == wheels)
    assert list(measured.name) == ["left_wheel_joint", "right_wheel_joint"]
    assert odometry.header.frame_id == "odom"
    assert odometry.child_frame_id == "base_link"
    assert odometry.pose.covariance[0] == odometry.twist.covariance[35] == 0.01
    assert odometry.pose.covariance[14] == 99999.0
    assert not any(odometry.pose.covariance[1:7])
    base.rests()


def test_nonsense_is_refused_in_the_log(system: System, base: Base) -> None:
    base.command(float("nan"))
    system.says("linear.x is nan: must be -1000 to 1000")


def test_odometry_goes_on_where_it_was_when_the_communication_comes_back(
    system: System, base: Base
) -> None:
    with base.driving(0.4):
        base.odometry.next(lambda m: m.twist.twist.linear.x > 0.39)
    base.rests()
    before = base.pose()
    assert before[:2] != (0.0, 0.0)
    system.client.must("wmx/engine/set_comm", data=False)
    system.client.must("wmx/engine/set_comm", data=True)
    system.ready()
    assert base.pose() == pytest.approx(before, abs=1e-4)
