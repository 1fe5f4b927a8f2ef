"""What enters a message: converted to the type of its field, or refused with the field's name."""

from math import inf
from threading import Lock

import numpy as np
import pytest
from geometry_msgs.msg import Twist
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Header
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands
from wmx_ros2_message.srv import LoadWmxParams, PlanMotion, SetAxis

from wmx_ros2_package.client.checked import checked, made, time_out


def test_a_whole_number_in_a_field_of_a_real_one() -> None:
    message = made(PlanMotion.Request, longest=60, samples=np.int64(5), line=np.bool_(True))
    assert (message.longest, message.samples, message.line) == (60.0, 5, True)
    assert type(message.longest) is float
    serialize_message(message)


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (PlanMotion.Request, {"samples": -1}, "samples is -1: must be 0 to 4294967295"),
        (PlanMotion.Request, {"longest": "60"}, "longest is '60': must be a number"),
        (PlanMotion.Request, {"longest": None}, "longest is None: must be a number"),
        (PlanMotion.Request, {"longest": True}, "longest is True: must be a number"),
        (PlanMotion.Request, {"longest": 10**400}, "too large"),
        (PlanMotion.Request, {"longest": np.array([60.0])}, "must be a number"),
        (PlanMotion.Request, {"samples": 1.5}, "samples is 1.5: must be a whole number"),
        (PlanMotion.Request, {"line": "yes"}, "line is 'yes': must be True or False"),
        (PlanMotion.Request, {"steps": 5}, "steps is 5: must be a list"),
        (PlanMotion.Request, {"steps": [5]}, r"steps\[0\] is 5: must be a ActuatorCommands"),
        (PlanMotion.Request, {"indx": [0]}, "has no field 'indx': it has steps, line"),
        (SetAxis.Request, {"index": [1.5]}, "index is"),
        (SetAxis.Request, {"index": ["0"]}, "index is"),
        (SetAxis.Request, {"index": "01"}, "index is '01'"),
        (SetAxis.Request, {"index": 5}, "index is 5"),
        (SetAxis.Request, {"index": [2**40]}, "index is"),
        (SetBool.Request, {"data": 1}, "data is 1: must be True or False"),
        (LoadWmxParams.Request, {"file_path": b"x"}, "must be a text"),
        (LoadWmxParams.Request, {"file_path": "\udcff"}, "surrogates not allowed"),
        (ActuatorCommand, {"header": Twist()}, "must be a Header"),
        (ActuatorCommand, {"points": [JointTrajectory()]}, "must be a JointTrajectoryPoint"),
        (ActuatorCommand, {"type": 256}, "type is 256: must be 0 to 255"),
        (ActuatorCommand, {"repeat": 2**31}, "must be -2147483648 to 2147483647"),
    ],
)
def test_what_cannot_be_is_refused_in_words(kind: type, fields: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made(kind, **fields)


def test_what_lies_deeper_is_judged_as_well() -> None:
    command = ActuatorCommand(header=Header(), value=1)
    command.header.stamp.sec = np.int32(3)
    command.points = [JointTrajectoryPoint(positions=[1, 2])]
    message = checked(ActuatorCommands(commands=(command,)))
    again = deserialize_message(serialize_message(message), ActuatorCommands)
    assert (again.commands[0].value, again.commands[0].header.stamp.sec) == (1.0, 3)
    assert list(again.commands[0].points[0].positions) == [1.0, 2.0]
    command.points[0].time_from_start.sec = 0.5
    with pytest.raises(
        ValueError, match=r"commands\[0\]\.points\[0\]\.time_from_start\.sec is 0.5"
    ):
        checked(message)


@pytest.mark.parametrize("timeout", [inf, 1e12])
def test_a_time_out_is_one_with_which_a_thread_can_wait(timeout: float) -> None:
    assert Lock().acquire(timeout=time_out(timeout))
