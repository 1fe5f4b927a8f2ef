"""Positions that come as a stream, as MoveIt Servo sends them: the arm follows the last one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from ..drivers.errors import EngineLost, WmxError
from ..drivers.values import Floats, OperationState
from ..joint_layout import JointLayout, joint_layout, per_joint
from ..motions.events import MotionKind
from ..motions.recorded_motion import Description
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import parameter
from ..node.runner import run
from ..trajectories.stream import Rhythm, StreamRules, moves, worth_moving
from ..trajectory_messages import seconds
from ..validation import MOST_REASONS, BadRequest

WATCH_PERIOD = 0.01
"""How often it is looked whether the stream has stopped, s."""
ACTIVE_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPositionParameters:
    """Of `joint_position_controller`."""

    joint_number: int = parameter(6, "joints on axes 0 to joint_number - 1", (1, 128))
    joint_axes: tuple[int, ...] = parameter((), "axis of each joint, instead of joint_number")
    joint_name: tuple[str, ...] = parameter(
        (), "name of each joint; empty: joint1, joint2 and so on"
    )
    joint_trajectory_topic: str = parameter(
        "movensys_manipulator_arm_controller/joint_trajectory", "where the stream comes from"
    )
    execution_active_topic: str = parameter(
        "moveit2_trajectory/execution_active",
        "where it is said that a planned trajectory runs; empty: nowhere",
    )
    default_velocity: float = parameter(
        0.5,
        "velocity where time_from_start is 0, u/s",
        (1e-6, 1e6),
        changeable=True,
    )
    accel_ratio: float = parameter(
        0.3,
        "share of a move's time that goes into reaching its velocity",
        (0.01, 1.0),
        changeable=True,
    )
    min_step: float = parameter(
        0.001, "smaller changes of the target are left alone, u", (0.0, 1e6), changeable=True
    )
    stream_timeout: float = parameter(
        0.2, "the arm stops when no message has come for so long, s", (0.01, 10.0)
    )
    velocity_limit: tuple[float, ...] = parameter(
        (), "greatest speed of all joints or each, u/s; 0 or empty: none", (0.0, 1e15)
    )

    def __post_init__(self) -> None:
        self.rules()

    def layout(self) -> JointLayout:
        """The joints and their axes."""
        return joint_layout(self.joint_number, self.joint_axes, self.joint_name)

    def rules(self) -> StreamRules:
        """How the stream is followed."""
        count = len(self.layout().axes)
        limits = np.array(per_joint(self.velocity_limit, count, "velocity_limit", 0.0))
        return StreamRules(
            default_velocity=self.default_velocity,
            accel_ratio=self.accel_ratio,
            min_step=self.min_step,
            top_speed=np.where(limits > 0.0, limits, np.inf),
        )


class JointPositionController:
    """`joint_position_controller`."""

    def __init__(self, node: NodeContext[JointPositionParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._layout = parameters.layout()
        self._axes = list(self._layout.axes)
        self._rhythm = Rhythm(parameters.stream_timeout)
        self._asked: Floats | None = None
        """The last target that was followed, until the stream stops."""
        self._planned = False
        self._motion = node.motion(describe=self._describe)
        node.listen(JointTrajectory, parameters.joint_trajectory_topic, self.follow, 1)
        if parameters.execution_active_topic:
            node.hear(Bool, parameters.execution_active_topic, self._on_planned, ACTIVE_QOS)
        node.every(WATCH_PERIOD, self._watch)
        node.on_detach(self._forget)

    def follow(self, message: JointTrajectory) -> None:
        """Move to the last point of `message`, unless a planned trajectory runs."""
        if reasons := list(islice(self._wrong(message), MOST_REASONS)):
            raise BadRequest(reasons)
        now = time.monotonic()
        status = self._node.driver.motion.status()
        state = status.op_state[self._axes]
        if self._planned or (state == OperationState.INTPL).any():
            self._asked = None
            return
        point = message.points[-1]
        columns = [message.joint_names.index(name) for name in self._layout.names]
        target = np.array(point.positions)[columns]
        came = self._rhythm.arrive(now)
        rules = self._node.parameters.rules()
        if not worth_moving(target, self._asked, rules):
            return
        self._asked = target
        wanted = seconds(point.time_from_start)
        remaining = self._rhythm.arrival(came, wanted) - status.time if wanted else 0.0
        position = status.pos_cmd[self._axes]
        ordered = moves(tuple(self._axes), target, position, remaining, rules)
        if ordered:
            self._motion.move_absolute(ordered)

    def _describe(self) -> Description:
        """All that is streamed is one motion."""
        axes = tuple(self._axes)
        names = dict(zip(axes, self._layout.names, strict=True))
        return Description(kind=MotionKind.STREAM, axes=axes, names=names)

    def _wrong(self, message: JointTrajectory) -> Iterator[str]:
        if not message.points:
            yield "points is empty: must have a point"
            return
        names = list(message.joint_names)
        wanted = self._layout.names
        if sorted(names) != sorted(wanted):
            yield f"joint_names is {names}: must name each of {', '.join(wanted)} once"
            return
        point = message.points[-1]
        if len(point.positions) != len(names):
            yield (
                f"positions of the last point has {len(point.positions)} elements: "
                f"must have {len(names)}"
            )
        for name, value in zip(names, point.positions, strict=False):
            if not abs(value) <= 1e15:
                yield f"position of {name} is {value}: must be finite and within 1e15"
        if (wanted_time := seconds(point.time_from_start)) < 0.0:
            yield f"time_from_start of the last point is {wanted_time:g} s: must be 0 or later"

    def _on_planned(self, message: Bool) -> None:
        self._planned = message.data
        if message.data:
            self._forget()

    def _watch(self) -> None:
        """Stop what moves when the stream has stopped, and let axes go that rest."""
        over = self._asked is not None and self._rhythm.over(time.monotonic())
        if not over and not self._node.owned_axes():
            return
        motion = self._motion
        try:
            state = motion.status().op_state
            moving = [axis for axis in self._axes if state[axis] == OperationState.POS]
            if over:
                self._forget()
            if over and moving:
                motion.stop(moving)
                self._node.say(f"The stream has stopped, and so have axes {moving}")
        except EngineLost as error:
            self._node.lose_engine(error)
        except WmxError as error:
            self._node.say_error(f"Stopping axes whose stream has stopped: {error}")

    def _forget(self) -> None:
        self._asked = None


JOINT_POSITION = NodeKind(
    "joint_position_controller",
    JointPositionController,
    JointPositionParameters,
    not_ready="JointPositionController not initialized. Engine not ready.",
    moves=True,
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(JOINT_POSITION)
