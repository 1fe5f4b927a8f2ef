"""The joints of the shipped robots are actuators of the same names, within the same limits."""

import pytest
import system as systems
from actuator_client import Actuators
from held_system import held_system
from motion_events import near
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

pytestmark = pytest.mark.long

POSITION, VELOCITY = ActuatorCommand.POSITION, ActuatorCommand.VELOCITY


@pytest.mark.parametrize(
    ("robot", "joint", "axis", "target", "limit"),
    [
        ("arm", "joint3", 2, 0.5, 2.7),
        ("gantry", "axis_z", 2, 0.03, 0.09),
        ("mobile_manipulator", "joint1", 2, 0.5, 6.28),
    ],
)
def test_a_joint_by_its_name(
    robot: str, joint: str, axis: int, target: float, limit: float
) -> None:
    with (
        systems.place() as place,
        held_system(place, options=("--robot", robot)) as system,
    ):
        client = system.client
        client.states.next(lambda s: s.servo_on[axis])
        actuators = Actuators(client)
        id = actuators.accepted(joint, POSITION, target)
        end = actuators.end_of(id)
        assert (end.reason, list(end.names), list(end.axes)) == (EndMotion.ARRIVED, [joint], [axis])
        assert client.states.next().pos_cmd[axis] == target
        refusal = actuators.refused(joint, POSITION, limit + 0.01)
        assert f"value of {joint!r} is {limit + 0.01}: must be" in refusal
        fast = {"velocity_max": 3.1, "acceleration": 30.0} if robot != "gantry" else {}
        speed = fast.pop("velocity_max", 0.5)
        id = actuators.accepted(joint, VELOCITY, speed, acceleration=fast.get("acceleration", 0.0))
        end = actuators.end_of(id)
        assert (end.reason, list(end.final_position)) == (EndMotion.LIMIT, [near(limit)])
