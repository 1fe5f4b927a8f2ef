"""Axes in degrees and in rpm: joints and wheels are in radians all the same."""

import math
import re
from pathlib import Path

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import NAMES, Arm, trajectory
from geometry_msgs.msg import TwistStamped
from held_system import held_system
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from system import CONFIG, Place

pytestmark = pytest.mark.long


def machine(place: Place, robot: str, revolution: float) -> list[str]:
    """The arguments for `robot` with so many user units a revolution."""
    folder = CONFIG / "robots" / robot
    xml, file = Path(place.folder / "wmx_parameters.xml"), Path(place.folder / "machine.yaml")
    text = (folder / "wmx_parameters.xml").read_text()
    tag = "AxisGearRatioDenominator"
    text = re.sub(rf"(<{tag}>)[^<]*", rf"\g<1>{revolution}", text)

    def in_units(limit: re.Match[str]) -> str:
        return f"<{limit[1]}>{float(limit[2]) / math.tau * revolution:.6f}"

    xml.write_text(re.sub(r"<(FollowingError(?:Stopped|Moving))>([^<]*)", in_units, text))
    file.write_text((folder / "machine.yaml").read_text())
    return [f"device_path:={file}", f"wmx_param_file_path:={xml}"]


def test_an_arm_on_axes_in_degrees_follows_radians() -> None:
    with systems.place() as place:
        given = *machine(place, "arm", 360.0), "degree_axes:=[0,1,2,3,4,5]"
        with held_system(place, *given, options=("--robot", "arm")) as system:
            arm = Arm(system)
            arm.accepts()
            system.says("joint1: axis 0, in deg, taken as rad, -6.28 to 6.28, stands at 0")
            target = [0.5, -0.4, 0.3, -0.2, 0.1, 0.0]
            sent = arm.send(trajectory((0.0, 1.0), ([0.0] * 6, target)))
            sent.succeeded()
            assert list(arm.state().pos_cmd)[:6] == pytest.approx([math.degrees(x) for x in target])
            last = arm.joints.next(lambda s: abs(s.position[0] - 0.5) < 1e-3)
            assert list(last.name[:6]) == NAMES
            assert list(last.position[:6]) == pytest.approx(target, abs=1e-3)
            assert max(abs(point.actual.positions[0]) for point in sent.feedback) < 0.6


def test_a_base_on_axes_in_rpm_drives_as_it_is_asked_to() -> None:
    speed, radius = 0.19, 0.095
    with systems.place() as place:
        given = *machine(place, "base", 60.0), "wheel_velocity_unit:=rpm", "rpm_axes:=[0,1]"
        with held_system(place, *given, options=("--robot", "base")) as system:
            node = system.client.node
            odometry = system.client.listen("/odom_enc", Odometry, 10)
            wheels = system.client.listen("/joint_states", JointState, 10)
            command = node.create_publisher(TwistStamped, "/cmd_vel_safe", 10)
            system.says("diff_drive_controller is ready")
            system.client.states.next(lambda s: all(s.servo_on))  # another node switches them on
            message = TwistStamped()
            command.publish(message)  # to stand, which counts as the pause that a stream needs
            message.twist.linear.x = speed

            def at_speed() -> bool:
                command.publish(message)
                newest = odometry.next()
                return abs(newest.twist.twist.linear.x - speed) < 0.01 * speed

            system.client.eventually(at_speed, "the base drives")
            command.publish(message)
            rpm = system.client.state().velocity_cmd[0]
            assert rpm == pytest.approx(speed / radius * 60.0 / (2.0 * math.pi), rel=0.01)
            assert wheels.next().velocity[0] == pytest.approx(speed / radius, rel=0.02)
