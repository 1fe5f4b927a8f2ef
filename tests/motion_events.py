"""What tests of the begin and end of motions share."""

from typing import Any
from uuid import UUID

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_ros2_package.client import Machine

EVENTS_QOS = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
IN_POSITION = 0.00101
"""How far from its target a motor may be that has arrived, u: InPosWidth of the shipped files."""


def near(position: float) -> Any:
    """Equal to a place that a motor in position may have."""
    return pytest.approx(position, abs=IN_POSITION)


def all_rest(machine: Machine) -> bool:
    """Whether every axis and its motor rest."""
    status = machine.status()
    return bool(status.at_rest.all() and (status.command_velocity == 0.0).all())


def identity(event: BeginMotion | EndMotion) -> UUID:
    """The id of the command."""
    return UUID(bytes=bytes(bytearray(event.command_id.uuid)))
