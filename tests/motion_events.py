"""What tests of the begin and end of motions share."""

from concurrent.futures import Future
from math import nan
from typing import Any
from uuid import UUID, uuid4

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_ros2_package.client import EndReason, Machine, Motion, MotionBegin, MotionEnd, Result
from wmx_ros2_package.control.request import MotionKind

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


def begun(kind: MotionKind, *axes: int, **fields: Any) -> MotionBegin:
    """The begin of a motion of joints without end, but for what `fields` say."""
    usual = {
        "id": uuid4(),
        "time": 1.0,
        "source": "/node",
        "names": tuple(f"joint{axis}" for axis in axes),
        "initial": (0.0,) * len(axes),
        "targets": (nan,) * len(axes),
        "arrival": None,
    }
    return MotionBegin(kind=kind, axes=axes, **{**usual, **fields})


def ended(begin: MotionBegin, reason: EndReason, *final: float) -> MotionEnd:
    """The end of a motion that has begun, of which the motors are at `final`, 0 without."""
    return MotionEnd(
        id=begin.id,
        time=begin.time + 1.0,
        source=begin.source,
        axes=begin.axes,
        names=begin.names,
        final=final or (0.0,) * len(begin.axes),
        reason=reason,
        code=0,
        message="",
    )


def handle(end: "Future[Result]", **parts: Any) -> Motion:
    """The handle of a motion whose end and `parts` are those of the test."""
    usual = {
        "cancel": lambda: None,
        "progress": lambda: nan,
        "check": lambda: None,
        "remedy": lambda: "",
    }
    return Motion("axis 0 to 1", end, **{**usual, **parts})


def identity(event: BeginMotion | EndMotion) -> UUID:
    """The id of the command."""
    return UUID(bytes=bytes(bytearray(event.command_id.uuid)))
