"""Positions that come as a stream, as MoveIt Servo sends them: the arm follows the last one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..drivers.errors import CommandRefused, EngineLost, WmxError
from ..drivers.values import Floats, MotionStatus, OperationState, PositionMove
from ..features.stream_guard import StreamGuard
from ..messages.trajectories import seconds
from ..motions.events import MotionKind
from ..motions.recorded_motion import Description
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import parameter
from ..node.refusals import NotReady
from ..node.runner import run
from ..robots.joint_layout import JointLayout, joint_layout, per_joint
from ..streams import SHOWN, PositionStream
from ..trajectories.stream import Rhythm, StreamRules, moves, too_fast, worth_moving
from ..trajectories.watch import unfit
from ..validation import MOST_REASONS, BadRequest

WATCH_PERIOD = 0.01
"""How often it is looked whether the stream has stopped, s."""
PLANNED = "a planned trajectory ran meanwhile"
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
    unlimited_velocity: float = parameter(
        5.0,
        "a message that asks a joint without velocity_limit for a greater speed is refused, u/s",
        (1e-6, 1e15),
        changeable=True,
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
            unlimited_speed=self.unlimited_velocity,
        )


class JointPositionController:
    """`joint_position_controller`."""

    def __init__(self, node: NodeContext[JointPositionParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._layout = parameters.layout()
        self._axes = list(self._layout.axes)
        self._rhythm = Rhythm(parameters.stream_timeout)
        self._stream = PositionStream(self._axes, timeout=parameters.stream_timeout)
        self._asked: Floats | None = None
        """The last target that was followed, until the stream stops."""
        self._next: tuple[JointTrajectoryPoint, list[int]] | None = None
        """The point that came last, and the place of each joint in it, until it is looked at."""
        self._came = 0.0
        """When it should have come, by the rhythm."""
        self._to_stop = False
        """Whether the axes that the stream has moved are to be brought to rest."""
        self._sent_at = 0.0
        self._planned = False
        self._motion = node.motion(describe=self._describe)
        self._guard = StreamGuard(node, self._begin_anew, self._end)
        node.listen(JointTrajectory, parameters.joint_trajectory_topic, self.follow, 1)
        if parameters.execution_active_topic:
            node.hear(Bool, parameters.execution_active_topic, self._on_planned, ACTIVE_QOS)
        node.every(WATCH_PERIOD, self._watch)
        node.on_detach(self._forget)

    def follow(self, message: JointTrajectory) -> None:
        """Move to the last point of `message`, unless a planned trajectory runs."""
        if reasons := list(islice(self._wrong(message), MOST_REASONS)):
            raise BadRequest(reasons)
        self._guard.require_heard()
        status = self._motion.status()
        self._stream.hear()
        if self._planned or (status.op_state[self._axes] == OperationState.INTPL).any():
            self._end(PLANNED)
            return
        self._look(status)
        self._stream.require_running()
        self._came = self._rhythm.arrive(time.monotonic())
        self._next = message.points[-1], [message.joint_names.index(n) for n in self._layout.names]
        self._go_on(status)
        if self._guard.was_suspended():  # in the middle of it: the message has waited, too
            self._watch()

    def _go_on(self, status: MotionStatus) -> None:
        """Do what came last, unless it is not known yet what became of what came before."""
        if self._next is None or self._stream.begins(status):
            return
        (point, columns), self._next = self._next, None
        rules = self._node.parameters.rules()
        target = np.array(point.positions)[columns]
        if not worth_moving(target, self._asked, rules):
            return
        wanted = seconds(point.time_from_start)
        remaining = self._rhythm.arrival(self._came, wanted) - status.time if wanted else 0.0
        position = status.pos_cmd[self._axes]
        ordered = moves(tuple(self._axes), target, position, remaining, rules)
        if reasons := too_fast(self._layout.names, ordered, tuple(self._axes), rules):
            raise BadRequest(reasons[:MOST_REASONS])
        self._asked = target
        if ordered:
            self._order(ordered)
        self._to_stop = False  # a new stream takes over from what the one before has left
        self._stream.sent(dict(zip(self._axes, target.tolist(), strict=True)), status)

    def _order(self, ordered: Sequence[PositionMove]) -> None:
        try:
            self._motion.move_absolute(ordered)
        except CommandRefused as error:
            self._end(str(error))
            raise
        finally:
            self._sent_at = time.monotonic()

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
            self._end(PLANNED)

    def _watch(self) -> None:
        """Stop what moves when the stream has ended, and let axes go that rest."""
        idle = self._asked is None and self._next is None and not self._to_stop
        if idle and not self._node.owned_axes():
            return
        try:
            status = self._motion.status()
            if self._asked is not None and self._rhythm.over(time.monotonic()):
                self._node.say(f"The stream has stopped, and so do axes {self._axes}")
                self._forget()
                self._to_stop = True  # until they do, however often that is refused
            self._look(status)
            if self._next is not None:
                with self._node.commanding():
                    self._go_on(status)
            if self._to_stop:
                self._stop(status)
        except EngineLost as error:
            self._node.lose_engine(error)
        except (WmxError, BadRequest, NotReady) as error:
            self._node.log.error(f"Following a stream: {error}", throttle_duration_sec=1.0)

    def _look(self, status: MotionStatus) -> None:
        """End what the stream moves when something else has ended a part of it."""
        if not self._stream.followed:
            return
        if reason := (unfit(status, self._layout.names, self._axes) or self._stream.end_of(status)):
            self._node.say_error(f"The stream has to pause: {reason}")
            self._end(reason)

    def _end(self, reason: str) -> None:
        """Stop the axes; the stream has to pause."""
        self._to_stop |= self._asked is not None
        self._asked = self._next = None
        self._stream.pause(reason)

    def _stop(self, status: MotionStatus) -> None:
        """Stop those of the axes that this node moves, until all of them are seen to slow down."""
        owned = self._node.owned_axes()
        state = status.op_state
        if moving := [a for a in self._axes if a in owned and state[a] == OperationState.POS]:
            self._motion.stop(moving)
        # What was sent just now may not show yet.
        self._to_stop = bool(moving) or status.time <= self._sent_at + SHOWN

    def _begin_anew(self, reason: str) -> None:
        """What was heard is of the past: stop, and let the stream pause."""
        self._end(reason)
        self._stream.begin_anew(reason)

    def _forget(self) -> None:
        self._asked = self._next = None
        self._to_stop = False
        self._stream.forget()


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
