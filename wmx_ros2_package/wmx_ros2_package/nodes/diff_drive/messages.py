"""The messages that a base publishes: odometry, joint states of its wheels, and a transform."""

from __future__ import annotations

from importlib import import_module
from math import cos, sin
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ...bases.differential import Base, Pose, Wheels
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...validation import BadRequest
from .parameters import DiffDriveParameters


class BaseMessages:
    """The publishers of `node`, by its parameters; a topic without a name is none."""

    def __init__(self, node: NodeContext[DiffDriveParameters]) -> None:
        parameters = node.parameters
        self._odometry = Odometry()
        self._odometry.header.frame_id = parameters.odom_frame
        self._odometry.child_frame_id = parameters.base_frame
        self._odometry.pose.covariance[::7] = parameters.pose_covariance_diagonal
        self._odometry.twist.covariance[::7] = parameters.twist_covariance_diagonal
        self._wheels = JointState(name=list(parameters.joint_name))

        def publisher(kind: Any, topic: str) -> Any:
            return node.create_publisher(kind, topic) if topic else None

        self._to_odometry = publisher(Odometry, parameters.encoder_odometry_topic)
        self._to_measured = publisher(JointState, parameters.encoder_omega_topic)
        self._to_commanded = publisher(JointState, parameters.cmd_omega_topic)
        self._to_twist = publisher(Twist, parameters.encoder_vel_topic)
        self._to_speeds = publisher(Float64MultiArray, parameters.encoder_omega_array_topic)
        self._to_transform: Any = None
        if parameters.publish_tf:
            self._transforms = _transforms()
            self._to_transform = node.create_publisher(self._transforms, "/tf", 100)

    def publish(
        self,
        nanoseconds: int,
        pose: Pose,
        base: Base,
        *,
        angles: Wheels,
        speeds: Wheels,
        commanded_angles: Wheels,
        commanded_speeds: Wheels,
    ) -> None:
        """Publish the sample that was taken at `nanoseconds` of ROS time."""
        stamp = time_message(nanoseconds)
        self._publish_odometry(stamp, pose, base.twist(speeds))
        self._publish_wheels(self._to_measured, stamp, angles, speeds)
        self._publish_wheels(self._to_commanded, stamp, commanded_angles, commanded_speeds)
        if self._to_twist:
            linear, angular = base.twist(commanded_speeds)
            twist = Twist()
            twist.linear.x, twist.angular.z = linear, angular
            self._to_twist.publish(twist)
        if self._to_speeds:
            self._to_speeds.publish(Float64MultiArray(data=list(speeds)))
        if self._to_transform:
            self._publish_transform(stamp, pose)

    def _publish_odometry(self, stamp: Time, pose: Pose, twist: tuple[float, float]) -> None:
        message = self._odometry
        message.header.stamp = stamp
        place = message.pose.pose
        place.position.x, place.position.y = pose.x, pose.y
        place.orientation.z, place.orientation.w = sin(pose.yaw / 2.0), cos(pose.yaw / 2.0)
        message.twist.twist.linear.x, message.twist.twist.angular.z = twist
        self._to_odometry.publish(message)

    def _publish_wheels(self, to: Any, stamp: Time, angles: Wheels, speeds: Wheels) -> None:
        if to:
            self._wheels.header.stamp = stamp
            self._wheels.position, self._wheels.velocity = list(angles), list(speeds)
            to.publish(self._wheels)

    def _publish_transform(self, stamp: Time, pose: Pose) -> None:
        transform = TransformStamped(child_frame_id=self._odometry.child_frame_id)
        transform.header.stamp = stamp
        transform.header.frame_id = self._odometry.header.frame_id
        transform.transform.translation.x = pose.x
        transform.transform.translation.y = pose.y
        transform.transform.rotation = self._odometry.pose.pose.orientation
        self._to_transform.publish(self._transforms(transforms=[transform]))


def _transforms() -> Any:
    """The type of /tf, which is not everywhere that rclpy is."""
    try:
        return import_module("tf2_msgs.msg").TFMessage
    except ImportError:
        rule = "publish_tf is True: needs the ROS package tf2_msgs, which is not installed here"
        raise BadRequest([rule]) from None
