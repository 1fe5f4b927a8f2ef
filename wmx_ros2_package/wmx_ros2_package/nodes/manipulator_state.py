"""Where the joints of an arm are: JointState, mirrors for simulators, and the servos' start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from wmx_core.values import MotionStatus

from ..messages.joint_state_cdr import JointStateCdr
from ..node_base.common_parameters import JointParameters
from ..node_base.context import NodeContext
from ..node_base.kind import NodeKind
from ..node_base.parameters import parameter
from ..node_base.servo_start import ServoStart
from ..robots.gripper import jaws, joint_position, require_address
from ..robots.joint_layout import JointLayout, joint_layout, per_joint, require_axes

GRIPPER_RATE = 50.0
"""How often the gripper's output is read, Hz: it changes by the command of a person or a plan."""
LISTENERS_RATE = 10.0
"""How often it is looked whether a mirror has subscribers, Hz: most machines have none."""
NEWEST_ONLY = QoSProfile(depth=1)
"""Reliable, as what listens to joint states expects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManipulatorStateParameters(JointParameters):
    """The parameters of `manipulator_state`."""

    gripper_joint_name: tuple[str, ...] = parameter((), "names of more gripper joints")
    gripper_address: tuple[int, ...] = parameter(
        (0, 0), "byte and bit of the output that closes the gripper"
    )
    confirm_address: tuple[int, ...] = parameter(
        (), "byte and bit of the input that is on while it is closed; empty: by its output"
    )
    gripper_open_value: float = parameter(0.0, "position of gripper joints while it is open")
    gripper_close_value: float = parameter(0.045, "position of gripper joints while it is closed")
    joint_feedback_rate: int = parameter(500, "messages a second, Hz", (1, 1000))
    effort_per_percent: tuple[float, ...] = parameter(
        (), "effort at 1 % of rated torque, for all joints or each; empty: effort is in percent"
    )
    encoder_joint_topic: str = parameter("joint_states", "JointState of all joints")
    isaacsim_joint_topic: str = parameter("", "the same for Isaac Sim; empty: none")
    gazebo_joint_topic: str = parameter("", "positions for Gazebo; empty: none")
    gazebo_position_joint_topic: str = parameter("", "another name of gazebo_joint_topic")
    gazebo_position_joint_axes: tuple[int, ...] = parameter(
        (), "axes whose positions Gazebo gets; empty: all, then the gripper joints", (0, 127)
    )
    gazebo_velocity_joint_topic: str = parameter("", "velocities for Gazebo; empty: none")
    gazebo_velocity_joint_axes: tuple[int, ...] = parameter(
        (), "axes whose velocities Gazebo gets; empty: all", (0, 127)
    )
    wmx_param_file_path: str = parameter("", "WMX parameter file to load; empty: none")
    auto_servo_on: bool = parameter(True, "clear alarms and switch servos on at the start")
    servo_timeout: float = parameter(5.0, "how long that may take, s", (0.0, 60.0))

    def __post_init__(self) -> None:
        JointParameters.__post_init__(self)
        count = len(self.layout().axes)
        per_joint(self.effort_per_percent, count, "effort_per_percent", 1.0)
        require_address("gripper_address", self.gripper_address)
        if self.confirm_address:
            require_address("confirm_address", self.confirm_address)

    def layout(self) -> JointLayout:
        """The joints and their axes."""
        return joint_layout(
            self.joint_number, self.joint_axes, self.joint_name, self.gripper_joint_name
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mirror:
    """Publishes joint states in the form that a simulator subscribes to."""

    publisher: Publisher[Any]
    message: Callable[[MotionStatus], Any]


class ManipulatorState:
    """Publishes the joint states of an arm or a base, and switches servos on if configured."""

    def __init__(self, node: NodeContext[ManipulatorStateParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._layout = parameters.layout()
        self._axes = np.array(self._layout.axes)
        self._message = JointStateCdr((*self._layout.names, *self._layout.gripper))
        self._effort = np.array(
            per_joint(parameters.effort_per_percent, len(self._axes), "effort_per_percent", 1.0)
        )
        self._states = node.create_publisher(
            JointState, parameters.encoder_joint_topic, NEWEST_ONLY
        )
        stream = node.supervisor
        if self._layout.gripper:
            stream.add_sink(self._look_at_gripper, GRIPPER_RATE, name="gripper output")
        self._mirrors = list(self._make_mirrors())
        self._heard: list[_Mirror] = []
        if self._mirrors:
            stream.add_sink(self._look_for_listeners, LISTENERS_RATE, name="listeners")
        stream.add_sink(self._publish, parameters.joint_feedback_rate, name="joint states")
        node.on_attach.append(self._require_axes)
        ServoStart(
            node,
            self._layout.axes,
            parameters.wmx_param_file_path,
            switch_on=parameters.auto_servo_on,
            timeout=parameters.servo_timeout,
        )

    def _require_axes(self) -> None:
        count = self._node.engine_axes
        require_axes(self._layout.axes, count)
        for name in ("gazebo_position_joint_axes", "gazebo_velocity_joint_axes"):
            require_axes(getattr(self._node.parameters, name), count, named_by=f"{name} names")

    def _make_mirrors(self) -> Iterator[_Mirror]:
        parameters = self._node.parameters
        if parameters.isaacsim_joint_topic:
            isaac = self._node.create_publisher(
                JointState, parameters.isaacsim_joint_topic, NEWEST_ONLY
            )
            yield _Mirror(publisher=isaac, message=lambda _: self._message.at(0))
        positions = parameters.gazebo_position_joint_topic or parameters.gazebo_joint_topic
        if positions:
            yield self._gazebo(positions, parameters.gazebo_position_joint_axes, self._positions)
        if parameters.gazebo_velocity_joint_topic:
            yield self._gazebo(
                parameters.gazebo_velocity_joint_topic,
                parameters.gazebo_velocity_joint_axes,
                lambda status, axes: status.actual_velocity[list(axes)].tolist(),
            )

    def _gazebo(
        self,
        topic: str,
        axes: Sequence[int],
        numbers: Callable[[MotionStatus, Sequence[int]], list[float]],
    ) -> _Mirror:
        chosen = axes or self._layout.axes
        return _Mirror(
            publisher=self._node.create_publisher(Float64MultiArray, topic, NEWEST_ONLY),
            message=lambda status: Float64MultiArray(data=numbers(status, chosen)),
        )

    def _positions(self, status: MotionStatus, axes: Sequence[int]) -> list[float]:
        """Return the positions of the arm, then those of the gripper."""
        gripper = self._message.position[len(self._axes) :]
        return [*status.actual_pos[list(axes)].tolist(), *gripper.tolist()]

    def _publish(self, status: MotionStatus) -> None:
        count, message = len(self._axes), self._message
        message.position[:count] = status.actual_pos[self._axes]
        message.velocity[:count] = status.actual_velocity[self._axes]
        message.effort[:count] = status.actual_torque[self._axes] * self._effort
        stamp = self._node.ros_time.at(status.time)
        self._states.publish(message.at(stamp))
        for mirror in self._heard:
            mirror.publisher.publish(mirror.message(status))

    def _look_for_listeners(self, _: MotionStatus) -> None:
        self._heard = [m for m in self._mirrors if m.publisher.get_subscription_count()]

    def _look_at_gripper(self, _: MotionStatus) -> None:
        parameters, io = self._node.parameters, self._node.driver.io
        confirm = parameters.confirm_address
        here = jaws(
            output=io.output_bit(*parameters.gripper_address),
            confirmed=io.input_bit(*confirm) if confirm else None,
        )
        self._message.position[len(self._axes) :] = joint_position(
            here, parameters.gripper_open_value, parameters.gripper_close_value
        )


KIND = NodeKind(
    ManipulatorState,
    ManipulatorStateParameters,
    not_ready="ManipulatorState not initialized. Engine not ready.",
    names=("manipulator_state", "joint_state_broadcaster"),
    ineffective={"gripper_joint_number": "gripper_joint_name has as many as there are"},
)
