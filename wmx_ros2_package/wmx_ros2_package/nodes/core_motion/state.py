"""Adds itself to the supervisor, which keeps the rate; publishes its status as `wmx/axis/state`."""

from wmx_ros2_message.msg import AxisState

from wmx_core.values import MotionStatus

from ...messages import conversion
from ...messages.axis_state_cdr import AxisStateCdr
from ...node_base.context import NodeContext
from .parameters import CoreMotionParameters


class StateTopic:
    """`wmx/axis/state` of `node`."""

    def __init__(self, node: NodeContext[CoreMotionParameters]) -> None:
        self._ros_time = node.ros_time
        self._state = AxisStateCdr(node.parameters.axis_count, conversion.FRAME_ID)
        self._topic = node.create_publisher(AxisState, "wmx/axis/state")
        node.supervisor.add_sink(self.publish, node.parameters.rate, name="wmx/axis/state")

    def publish(self, status: MotionStatus) -> None:
        self._topic.publish(self._state(status, self._ros_time.at(status.time)))
