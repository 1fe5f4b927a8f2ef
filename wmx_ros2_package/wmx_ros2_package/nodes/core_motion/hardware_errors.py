"""`wmx/hardware_error`: what broke in the machine, and when it is whole again."""

from collections.abc import Sequence
from typing import Any

from wmx_ros2_message.msg import HardwareError

from wmx_core.values import MotionStatus

from ...control.conditions import CONDITIONS, Condition
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.qos import latched

ERRORS_QOS = latched(100)


class HardwareErrors:
    """The conditions of the axes of `node` that are faults of the machine."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._publisher = node.create_publisher(HardwareError, "wmx/hardware_error", ERRORS_QOS)
        self._broken: dict[tuple[Condition, int], int] = {}
        """What was published as active, with the code that it had."""
        self._attached = False
        self._engine_lost = False
        node.on_attached.append(self._attach)
        node.on_detach.append(self._detach)

    def update(self, now: MotionStatus) -> None:
        """Publish what broke, has another code or healed since the sample before.

        That may be one of another engine, or of before this node was detached.
        """
        broken = {
            (condition, axis): condition.code(now, axis)
            for condition in CONDITIONS
            if condition.hardware
            for axis in condition.axes(now).nonzero()[0].tolist()
        }
        for condition, axis in self._broken.keys() - broken.keys():
            self._publish_axis(axis, 0, condition.name, condition.words, active=False)
        for (condition, axis), code in broken.items():
            if self._broken.get((condition, axis)) != code:
                words = condition.describe(now, axis)
                self._publish_axis(axis, code, condition.name, words, active=True)
        self._broken = broken

    def _attach(self) -> None:
        self._attached = True
        if self._engine_lost:
            self._engine_lost = False
            self._publish(["engine"], 0, "EngineLost", "the engine answers again", active=False)

    def _detach(self) -> None:
        """A node that could not attach has lost nothing."""
        if self._attached and not self._node.deactivating.is_set():
            self._engine_lost = True
            words = "the engine is lost, or does not communicate"
            self._publish(["engine"], 0, "EngineLost", words, active=True)
        self._attached = False

    def _publish_axis(self, axis: int, code: int, name: str, words: str, *, active: bool) -> None:
        self._publish(["engine", f"axis {axis}"], code, name, words, active=active)

    def _publish(
        self, path: Sequence[str], code: int, name: str, words: str, *, active: bool
    ) -> None:
        message = HardwareError(path=list(path), code=code, name=name, message=words, active=active)
        message.header.stamp = time_message(self._node.ros_time.now())
        self._publisher.publish(message)
