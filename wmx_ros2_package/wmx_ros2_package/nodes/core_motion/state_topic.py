"""`wmx/axis/state`: what the axes do, 100 times a second."""

import sys
from functools import partial
from typing import Any

from wmx_ros2_message.msg import AxisState

from ...drivers.values import MotionStatus
from ...messages import conversion
from ...messages.axis_state_cdr import AxisStateCdr
from ...node.context import NodeContext


class StateTopic:
    """Publishes the newest status of the first `axes` axes, `rate` times a second."""

    def __init__(self, node: NodeContext[Any], axes: int, rate: float) -> None:
        self._at = node.ros_time.at
        self._message = (
            AxisStateCdr(axes, conversion.FRAME_ID)
            if sys.byteorder == "little"
            else partial(conversion.axis_state, axes)
        )
        self._publisher = node.create_publisher(AxisState, "wmx/axis/state")
        node.supervisor.add_sink(self._publish, rate, name="wmx/axis/state")

    def _publish(self, status: MotionStatus) -> None:
        self._publisher.publish(self._message(status, self._at(status.time)))
