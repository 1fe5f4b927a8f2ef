"""`wmx/axis/state`: what the axes do, 100 times a second."""

from typing import Any

from wmx_ros2_message.msg import AxisState

from ...drivers.values import MotionStatus
from ...messages.axis_state_cdr import AxisStateCdr
from ...messages.conversion import FRAME_ID
from ...node_base.context import NodeContext


class StateTopic:
    """Publishes the newest status of the first `axes` axes, `rate` times a second."""

    def __init__(self, node: NodeContext[Any], axes: int, rate: float) -> None:
        self._at = node.ros_time.at
        self._message = AxisStateCdr(axes, FRAME_ID)
        self._publisher = node.create_publisher(AxisState, "wmx/axis/state")
        node.supervisor.add_sink(self._publish, rate, name="wmx/axis/state")

    def _publish(self, status: MotionStatus) -> None:
        self._publisher.publish(self._message(status, self._at(status.time)))
