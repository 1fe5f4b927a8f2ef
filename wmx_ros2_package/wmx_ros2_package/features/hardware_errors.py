"""`wmx/hardware_error`: what broke in the machine, and when it is whole again."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import HardwareError

from ..diagnosis.device_codes import alarm_in_words
from ..drivers.values import MotionStatus
from ..messages import actuators as messages
from ..node.context import NodeContext
from ..node.state_stream import StateStream

ERRORS_QOS = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class Trouble(NamedTuple):
    """One thing that can be wrong with an axis."""

    flag: str
    """The array of MotionStatus that says so."""
    name: str
    text: str


TROUBLES = (
    Trouble("amp_alarm", "AmpAlarm", "alarm of the amplifier"),
    Trouble("following_error_alarm", "FollowingErrorAlarm", "the following error is too large"),
    Trouble("servo_offline", "ServoOffline", "the drive is not reached"),
)


class HardwareErrors:
    """Those of the axes of `node`, whose states come from `stream`."""

    def __init__(self, node: NodeContext[Any], stream: StateStream) -> None:
        self._node = node
        self._publisher = node.publish(HardwareError, "wmx/hardware_error", ERRORS_QOS)
        self._before: MotionStatus | None = None
        self._engine_lost = False
        stream.feed(self._see, name="wmx/hardware_error")
        node.on_attach(self._attach)
        node.on_detach(self._detach)

    def _attach(self) -> None:
        self._before = None
        if self._engine_lost:
            self._engine_lost = False
            self._tell(["engine"], 0, "EngineLost", "the engine answers again", active=False)

    def _detach(self) -> None:
        if not self._node.stopping.is_set():
            self._engine_lost = True
            text = "the engine is lost, or does not communicate"
            self._tell(["engine"], 0, "EngineLost", text, active=True)

    def _see(self, status: MotionStatus) -> None:
        before, self._before = self._before, status
        for trouble, axis, active in _changes(before, status):
            code = int(status.alarm_code[axis]) if trouble.flag == "amp_alarm" else 0
            text = trouble.text
            if code and active:
                text = f"{text}: {alarm_in_words(code)}"
            self._tell(["engine", f"axis {axis}"], code, trouble.name, text, active=active)

    def _tell(self, path: list[str], code: int, name: str, text: str, *, active: bool) -> None:
        message = HardwareError(path=path, code=code, name=name, message=text, active=active)
        message.header.stamp = messages.time_message(self._node.ros_time.at(time.monotonic()))
        self._publisher.publish(message)


def _changes(before: MotionStatus | None, now: MotionStatus) -> Iterator[tuple[Trouble, int, bool]]:
    """What broke or healed; of a first sample everything that is broken."""
    for trouble in TROUBLES:
        is_on = getattr(now, trouble.flag)
        known = before is not None and before.axes == now.axes
        was_on = getattr(before, trouble.flag) if known else np.zeros_like(is_on)
        if was_on is is_on or np.array_equal(was_on, is_on):
            continue
        for axis in np.flatnonzero(was_on != is_on):
            yield trouble, int(axis), bool(is_on[axis])
