"""A program that drives a base: it is killed, or started with parameters that it refuses."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
import system as systems
from geometry_msgs.msg import Twist
from held_system import refusal
from system import Place, System


@pytest.mark.process
def test_a_killed_node_leaves_no_wheel_turning(program: System) -> None:
    program.place.start("diff_drive_controller")
    other = program.place.start(
        "diff_drive_controller",
        "encoder_vel_topic:=cmd_vel_safe",  # a Twist, which the first base does not take
        "left_axis:=2",
        "right_axis:=3",
        "cmd_vel_topic:=other_vel",
        "use_stamped_vel:=false",
        "acc_time:=0.1",
        "dec_time:=0.1",
        ros=("-r", "__node:=other_base"),
    )
    publisher: Any = program.client.node.create_publisher(Twist, "other_vel", 10)
    program.client.eventually(publisher.get_subscription_count, "the other base listens")
    program.says("other_base is ready")
    program.says("/other_base publishes Twist on cmd_vel_safe, which takes TwistStamped")
    twist = Twist()
    twist.linear.x = 0.3

    def turning() -> bool:
        publisher.publish(Twist())  # to stand, which counts as the pause that a stream needs
        for _ in range(100):  # and may be lost before both have found each other
            publisher.publish(twist)
            if program.client.state().velocity_cmd[2] > 3.0:
                return True
        return False

    program.client.eventually(turning, "its wheels turn")
    other.kill()
    program.client.clock.sleep(0.05)  # what it sent before has reached the engine then
    since = program.client.state()
    end = program.client.states.next(lambda s: s.velocity_cmd[2] == 0.0 == s.velocity_cmd[3])
    # How far they get tells the time on the engine's clock, however busy this machine is: a lease
    # of 0.5 s at 3 rad/s or so, and 0.1 s of slowing down.
    assert end.pos_cmd[2] - since.pos_cmd[2] <= 0.3 / 0.095 * (0.5 + 0.1 / 2.0) + 0.01


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with systems.place() as place:
        yield place


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        ("wheel_radius:=0.0", "wheel_radius"),
        ("right_axis:=0", "right_axis is 0: must not be left_axis, too"),
        ("joint_name:=[wheel]", "joint_name is ['wheel']: must be two names"),
        ("pose_covariance_diagonal:=[1.0]", "must have 6"),
        ("max_linear_jerk:=1.0", "max_linear_jerk needs max_linear_acceleration"),
        ("cmd_vel_timeout:=0.0", "cmd_vel_timeout"),
        ("publish_tf:=true", "needs the ROS package tf2_msgs"),
    ],
)
def test_bad_parameters_are_refused(place: Place, parameter: str, reason: str) -> None:
    if "tf" in parameter and find_spec("tf2_msgs"):
        pytest.skip("tf2_msgs is installed")
    assert reason in refusal(place, "diff_drive_controller", parameter)
