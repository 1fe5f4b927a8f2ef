"""Several properties of several actuators in one message, commanded and measured."""

from __future__ import annotations

from sensor_msgs.msg import JointState
from wmx_ros2_message.msg import ActuatorGroup

from wmx_core.values import MotionStatus

from ...actuators.groups import group_commands, measured
from ...messages import actuators as messages
from ...messages.times import time_message
from ...node_base.context import NodeContext
from .control import ActuatorControl
from .parameters import ActuatorNodeParameters


class ActuatorGroups:
    """`wmx/actuator_group/command` and `/state`.

    Where the commands of the actuators in the parameter `open_loop` put them is also on
    `wmx/actuator/estimated`.
    """

    def __init__(self, node: NodeContext[ActuatorNodeParameters], control: ActuatorControl) -> None:
        self._node = node
        self._control = control
        self._before: MotionStatus | None = None
        self._states = node.create_publisher(ActuatorGroup, "wmx/actuator_group/state")
        node.on_command(ActuatorGroup, "wmx/actuator_group/command", self._command)
        node.supervisor.add_sink(
            self._publish,
            node.parameters.state_rate,
            name="wmx/actuator_group/state",
            wanted=self._states.get_subscription_count,
        )
        if open_loop := node.parameters.open_loop:
            self._open_loop = list(open_loop)
            self._estimated = node.create_publisher(JointState, "wmx/actuator/estimated")
            node.supervisor.add_sink(
                self._publish_estimates,
                node.parameters.state_rate,
                name="wmx/actuator/estimated",
                wanted=self._estimated.get_subscription_count,
            )

    def _command(self, message: ActuatorGroup, sent: float) -> None:
        values = messages.group_values(message)
        self._control.start(group_commands(message.names, values, self._control.actuators), sent)

    def _publish(self, status: MotionStatus) -> None:
        before, self._before = self._before, status
        passed = status.time - before.time if before is not None else 0.0
        elapsed = passed * status.clock_rate
        message = ActuatorGroup()
        message.header.stamp = time_message(self._node.ros_time.at(status.time))
        for name, actuator in self._control.actuators.items():
            axis = actuator.axis
            if axis >= status.axes:
                continue  # the engine has fewer axes than the parameters name
            acceleration = 0.0
            if before is not None and elapsed > 0.0 and axis < before.axes:
                change = status.actual_velocity[axis] - before.actual_velocity[axis]
                acceleration = float(change) / elapsed
            message.names.append(name)
            message.actuators.append(
                messages.actuator_values(measured(status, actuator, acceleration))
            )
        self._states.publish(message)

    def _publish_estimates(self, status: MotionStatus) -> None:
        message = JointState()
        message.header.stamp = time_message(self._node.ros_time.at(status.time))
        for name in self._open_loop:
            axis = self._control.actuators[name].axis
            if axis < status.axes:
                message.name.append(name)
                message.position.append(float(status.pos_cmd[axis]))
                message.velocity.append(float(status.velocity_cmd[axis]))
        self._estimated.publish(message)
