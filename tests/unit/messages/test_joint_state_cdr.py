"""The bytes of a JointState are what rclpy makes of the message."""

import pytest
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from wmx_ros2_package.messages.joint_state_cdr import JointStateCdr


@pytest.mark.parametrize("names", [["a"], ["joint1", "joint2", "picker_1_joint"], ["é", "xyz"]])
def test_it_reads_as_the_message(names: list[str]) -> None:
    cdr = JointStateCdr(names)
    for array, first in ((cdr.position, 1.0), (cdr.velocity, 10.0), (cdr.effort, 100.0)):
        array[:] = [first + i for i in range(len(names))]
    read = deserialize_message(cdr.at(5_000_000_007), JointState)
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (5, 7)
    assert read.header.frame_id == ""
    assert list(read.name) == names
    assert list(read.position) == [1.0 + i for i in range(len(names))]
    assert list(read.velocity) == [10.0 + i for i in range(len(names))]
    assert list(read.effort) == [100.0 + i for i in range(len(names))]
