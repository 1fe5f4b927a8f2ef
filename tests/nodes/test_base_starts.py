"""A base at its start: what its servos and the units of its axes do."""

import pytest
import system as systems
from geometry_msgs.msg import TwistStamped
from held_system import held_system

pytestmark = pytest.mark.long

BASE = "left_axis:=1", "right_axis:=0", "joint_axes:=[0,1]"
NODES = "bringup", "manipulator_state", "diff_drive_controller"
SERVO_ON_TIME = 1.5
PERIOD = 0.05
"""Of the commands, s; each holds for 0.25 s."""


def test_axes_without_units_keep_a_robot_from_being_ready() -> None:
    with systems.place() as place:
        machine = place.machine(axes=7)  # without a parameter file
        with held_system(place, f"device_path:={machine}", *BASE, executables=NODES) as system:
            system.says("Failed to attach to device, will try again. Error=65536")
            system.says("axes [0, 1] have gear ratio 1, so that their user unit is one encoder")
            assert not any(system.client.state().servo_on)
            system.client.must(
                "wmx/params/load", file_path=str(systems.CONFIG / "wmx_parameters_6_axes.xml")
            )
            system.says("diff_drive_controller is ready")


def test_a_stream_that_began_before_the_servos_were_on_has_to_pause() -> None:
    """Servos take longer to come on than a command of the stream holds."""
    with systems.place() as place:
        machine = place.machine(servo_on_time=SERVO_ON_TIME)
        settings = (
            f"device_path:={machine}",
            "wheel_radius:=0.1",
            "wheel_to_wheel:=0.5",
            *BASE[:2],
        )
        nodes = "bringup", "diff_drive_controller"
        with held_system(place, *settings, executables=nodes) as system:
            topic = system.client.node.create_publisher(TwistStamped, "cmd_vel_safe", 10)
            message = TwistStamped()
            message.twist.linear.x = 0.2

            def stream(seconds: float) -> None:
                for _ in range(round(seconds / PERIOD)):
                    topic.publish(message)
                    system.client.clock.sleep(PERIOD)

            def turns() -> bool:
                return any(system.client.state().velocity_cmd)

            stream(SERVO_ON_TIME + 1.0)
            system.ready()
            stream(1.0)
            system.client.eventually(
                lambda: all(system.client.state().servo_on[:2]), "the servos are on"
            )
            assert not turns()
            system.client.clock.sleep(0.5)
            stream(1.0)
            assert turns()
