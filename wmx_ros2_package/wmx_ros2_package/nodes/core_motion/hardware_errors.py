"""`wmx/hardware_error`: what broke in the machine, and when it is whole again."""

from collections.abc import Sequence
from typing import Any

from wmx_ros2_message.msg import HardwareError

from wmx_core.values import MotionStatus

from ...control.conditions import changes
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.qos import latched

ERRORS_QOS = latched(100)


class HardwareErrors:
    """The conditions of the axes of `node` that are faults of the machine."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._publisher = node.create_publisher(HardwareError, "wmx/hardware_error", ERRORS_QOS)
        self._engine_lost = False
        node.on_attach.append(self._attach)
        node.on_detach.append(self._detach)

    def update(self, before: MotionStatus | None, now: MotionStatus) -> None:
        """Publish what broke or healed; of a first sample everything that is broken."""
        for condition, axis, active in changes(before, now):
            if condition.hardware:
                code = condition.code(now, axis)
                words = condition.describe(now, axis) if active else condition.words
                self._publish(["engine", f"axis {axis}"], code, condition.name, words, active)

    def _attach(self) -> None:
        if self._engine_lost:
            self._engine_lost = False
            self._publish(["engine"], 0, "EngineLost", "the engine answers again", active=False)

    def _detach(self) -> None:
        if not self._node.deactivating.is_set():
            self._engine_lost = True
            words = "the engine is lost, or does not communicate"
            self._publish(["engine"], 0, "EngineLost", words, active=True)

    def _publish(self, path: Sequence[str], code: int, name: str, words: str, active: bool) -> None:
        message = HardwareError(path=list(path), code=code, name=name, message=words, active=active)
        message.header.stamp = time_message(self._node.ros_time.at(self._node.clock.now()))
        self._publisher.publish(message)
