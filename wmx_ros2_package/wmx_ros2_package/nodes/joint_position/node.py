"""`joint_position_controller`: follows streams of joint positions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import nan

import numpy as np
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ...control.conditions import blocked
from ...control.gate import GateClosed
from ...control.request import EndReason, MotionKind, MotionRequest
from ...drivers.errors import CommandRefused
from ...drivers.values import MotionStatus, OperationState, PositionMove
from ...messages.times import seconds
from ...node_base.common_parameters import JointParameters
from ...node_base.context import NodeContext
from ...node_base.kind import NodeKind
from ...node_base.parameters import parameter
from ...node_base.qos import latched
from ...robots.joint_layout import per_joint
from ...validation import MOST_REASONS, BadRequest
from .course import Course, Now, StreamRules, moves, too_fast, worth_moving
from .stream import Setpoints

WATCH_PERIOD = 0.01
"""How often a stream is looked after, s."""
PLANNED = "a planned trajectory runs"
CLAIMED_BY = 1.0
"""How long after it is announced a planned trajectory has claimed its axes, s; else it is dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPositionParameters(JointParameters):
    """The parameters of `joint_position_controller`."""

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
        "share of the time that a move looks ahead that goes into reaching its velocity",
        (0.01, 1.0),
        changeable=True,
    )
    min_step: float = parameter(
        0.001,
        "joints at rest are left alone within this of the target, u",
        (0.0, 1e6),
        changeable=True,
    )
    bridge_time: float = parameter(
        0.03, "how long the arm goes on when a message is late, s", (0.0, 1.0), changeable=True
    )
    stop_time: float = parameter(
        0.1, "how long it then takes to come to rest, s", (0.001, 10.0), changeable=True
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
        JointParameters.__post_init__(self)
        self.rules()

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
            bridge_time=self.bridge_time,
            stop_time=self.stop_time,
        )


class JointPositionController:
    """Moves joints to the newest position of a stream, as MoveIt Servo sends it."""

    def __init__(self, node: NodeContext[JointPositionParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._layout = parameters.layout()
        self._axes = list(self._layout.axes)
        self._lease = node.leases.add(self._axes, parameters.stream_timeout)
        self._latency = 4.0 * node.driver.status_latency
        """By then the status shows a setpoint on a busy machine, too, s."""
        self._setpoints = Setpoints(self._latency)
        self._course = Course(parameters.stream_timeout)
        """What was followed, until the stream stops."""
        self._next: tuple[JointTrajectoryPoint, float] | None = None
        """The point that came last and when it was sent, until it is carried out."""
        self._came = 0.0
        """When it came, s of the steady clock."""
        self._planned_at: float | None = None
        """When a planned trajectory was announced that has not ended."""
        self._lock = threading.RLock()
        """Of all above: the worker, the supervisor and the thread that spins take it."""
        node.leases.on_interrupted(self._end)
        topic = parameters.joint_trajectory_topic
        node.on_command(JointTrajectory, topic, self.follow, 1, newest=True)
        if topic := parameters.execution_active_topic:
            node.subscribe(Bool, topic, self._on_planned, latched())
        node.on_detach.append(self._forget)

    # In the worker

    def follow(self, message: JointTrajectory, sent: float) -> None:
        """Move to the last point of `message`, unless a planned trajectory runs."""
        if reasons := list(islice(self._wrong(message), MOST_REASONS)):
            raise BadRequest(reasons)
        self._node.leases.require_heartbeat()
        with self._lock:
            self._follow(message, sent)

    def _follow(self, message: JointTrajectory, sent: float) -> None:
        status = self._node.gate.status()
        if self._is_planned(status):
            self._end(PLANNED)
            self._lease.reject(sent, PLANNED)
            return
        self._check(status)
        self._lease.refresh(sent, self._node.ownership.stopped)
        self._came = time.monotonic()
        point = message.points[-1]
        names = list(message.joint_names)
        point.positions = [point.positions[names.index(name)] for name in self._layout.names]
        self._next = point, sent
        self._go_on(status)

    def _go_on(self, status: MotionStatus) -> None:
        """Do what came last, unless it is not known yet what became of what came before."""
        if self._next is None or self._setpoints.pending(status):
            return
        (point, sent), self._next = self._next, None
        rules = self._node.parameters.rules()
        axes = tuple(self._axes)
        course = self._course.extended(sent, np.array(point.positions))
        now = Now(status.time, status.pos_cmd[self._axes], status.velocity_cmd[self._axes])
        ordered = []
        if worth_moving(course.target, now, rules):
            ordered = moves(axes, course, seconds(point.time_from_start), now, rules)
        if reasons := too_fast(self._layout.names, ordered, axes, rules):
            raise BadRequest(reasons[:MOST_REASONS])
        self._course = course
        if not ordered:
            return
        self._command(ordered, sent)
        targets = dict(zip(axes, now.position.tolist(), strict=True))
        targets |= {move.axis: move.target for move in ordered}
        self._setpoints.sent(targets, status, time.monotonic())
        self._node.supervisor.ensure_task("stream", self._watch, WATCH_PERIOD)

    def _command(self, ordered: Sequence[PositionMove], sent: float) -> None:
        """All that is streamed is one motion."""
        request = MotionRequest(
            kind=MotionKind.STREAM,
            axes=tuple(self._axes),
            names=self._layout.names,
            asked_at=sent,
            targets=(nan,) * len(self._axes),
        )
        try:
            self._node.gate.issue([request], lambda motion: motion.move_absolute(ordered))
        except CommandRefused as error:
            self._end(str(error))
            raise

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

    # Planned trajectories

    def _on_planned(self, message: Bool) -> None:
        self._planned_at = time.monotonic() if message.data else None
        if message.data:
            with self._lock:
                self._end(PLANNED)

    def _is_planned(self, status: MotionStatus) -> bool:
        """Whether a planned trajectory runs; what a node that has died announced does not count."""
        if (status.op_state[self._axes] == OperationState.INTPL).any():
            return True
        if self._planned_at is None or time.monotonic() < self._planned_at + CLAIMED_BY:
            return self._planned_at is not None
        return bool(self._node.ownership.owners(self._axes, status)) and not self._setpoints

    # In the supervisor

    def _watch(self, status: MotionStatus) -> bool:
        """Do what is due for the stream; return whether something is left to do."""
        with self._lock:
            timeout = self._node.parameters.stream_timeout
            if self._setpoints and time.monotonic() > self._came + timeout:
                self._node.log_info(f"The stream has stopped, and so do axes {self._axes}")
                self._forget()
                self._lease.clear()
                self._stop("the stream has stopped")
            self._check(status)
            try:
                self._go_on(status)
            except (CommandRefused, BadRequest, GateClosed) as error:
                self._node.log.error(f"Following a stream: {error}", throttle_duration_sec=1.0)
            return bool(self._setpoints) or self._next is not None

    def _check(self, status: MotionStatus) -> None:
        """End what the stream moves when something else has ended a part of it."""
        if not self._setpoints:
            return
        reason = blocked(status, self._axes, self._layout.names)
        if reason := reason or self._setpoints.interrupted(status):
            self._node.log_error(f"The stream has to pause: {reason}")
            self._end(reason)

    def _end(self, reason: str) -> None:
        """Stop the axes; the stream has to pause."""
        with self._lock:
            moves = bool(self._setpoints)
            self._lease.end(reason)
            self._forget()
            if moves:
                self._stop(reason)

    def _stop(self, reason: str) -> None:
        """Stop what the stream moves, until it rests or a new stream takes over."""
        gate, last_commanded = self._node.gate, self._node.ownership.last_commanded

        def stop(axes: Sequence[int]) -> None:
            mine = [axis for axis in axes if axis in last_commanded()]
            with self._lock:
                if mine and not self._setpoints:
                    gate.end_motion(mine, reason=EndReason.STOPPED, message=reason)

        moving = OperationState.POS, OperationState.STOP
        self._node.stop_until_rest(
            stop,
            self._axes,
            moving,
            wanted=lambda: not self._setpoints,
            latency=self._latency,
        )

    def _forget(self) -> None:
        self._next = None
        self._course = Course(self._course.timeout)
        self._setpoints.clear()


KIND = NodeKind(
    JointPositionController,
    JointPositionParameters,
    not_ready="JointPositionController not initialized. Engine not ready.",
    commands_motion=True,
)
