"""A robot whose axes count encoder counts does not move; a clean start of one warns of nothing."""

import pytest
import system as systems
from held_system import held_system

pytestmark = pytest.mark.long

BASE = "left_axis:=1", "right_axis:=0", "joint_axes:=[0,1]"
NODES = "bringup", "manipulator_state", "diff_drive_controller"


@pytest.mark.parametrize("servo_on_time", [0.05, 1.0])
def test_a_clean_start_of_two_nodes_on_the_same_axes_warns_of_nothing(
    servo_on_time: float,
) -> None:
    with systems.place() as place:
        machine = place.machine(servo_on_time=servo_on_time)
        with held_system(place, f"device_path:={machine}", *BASE, executables=NODES) as system:
            system.ready()
            system.client.eventually(
                lambda: all(system.client.state().servo_on[:2]), "the servos are on"
            )
            system.client.clock.sleep(1.0)
            assert "left as they are" not in system.output


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
