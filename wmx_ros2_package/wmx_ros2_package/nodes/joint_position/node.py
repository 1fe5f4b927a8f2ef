"""`joint_position_controller`: follows streams of joint positions."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf, nan

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_core.errors import CommandRefused
from wmx_core.values import Floats, MotionStatus, OperationState, PositionMove

from ...control.conditions import at_limit, blocked
from ...control.gate import GateClosed
from ...control.request import MotionKind, MotionRequest
from ...messages.times import seconds
from ...node_base.context import NodeContext
from ...node_base.domain.sole_server import sole_topic
from ...node_base.kind import NodeKind
from ...node_base.qos import latched
from ...node_base.servo_start import LOAD_TIMEOUT, require_units
from ...trajectories.reach import too_far
from ...validation import MOST_REASONS, BadRequest, told_once
from .joint_commands import as_trajectory
from .parameters import JointPositionParameters
from .stream import Setpoints
from .stream_moves import Now, StreamHistory, moves, too_fast, worth_moving

WATCH_PERIOD = 0.004
"""How often a stream is looked after, s: so long the other joints go on when one was stopped."""
PLANNED = "a planned trajectory runs"
CLAIMED_BY = 1.0
"""How long after it is announced a planned trajectory has claimed its axes, s; else it is dead."""


class JointPositionController:
    """Moves joints to the newest position of a stream, as MoveIt Servo sends it."""

    def __init__(self, node: NodeContext[JointPositionParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._layout = parameters.layout()
        self._axes = list(self._layout.axes)
        node.on_attached.append(lambda: require_units(node, self._axes, LOAD_TIMEOUT))
        self._lease = node.leases.add(self._axes, parameters.stream_timeout)
        self._latency = 4.0 * node.driver.status_latency
        """After this time the status shows a setpoint on a busy machine, too, s."""
        self._setpoints = Setpoints(self._latency)
        self._history = StreamHistory(parameters.stream_timeout)
        """The messages that were followed, until the stream stops."""
        self._next: tuple[JointTrajectoryPoint, float] | None = None
        """The point that came last and when it was sent, until it is carried out."""
        self._came = 0.0
        """When it came, s of the steady clock."""
        self._followed_at = -inf
        """When the newest point was sent that was followed, s; -inf after one that was refused."""
        self._approaches = False
        """Whether the newest point is approached, for it is too far away."""
        self._planned_at: float | None = None
        """When a planned trajectory was announced that has not ended."""
        self._lock = threading.RLock()
        """Guards all above: the worker, the supervisor and the thread that spins take it."""
        node.leases.on_interrupted(self._end)
        commands = parameters.joint_commands_topic
        topic = commands or parameters.joint_trajectory_topic
        self._sole = sole_topic(node.graph, topic, node.clock)
        if commands:
            node.on_command(JointState, topic, self.follow_commands, 1, newest=True)
        else:
            node.on_command(JointTrajectory, topic, self.follow, 1, newest=True)
        if topic := parameters.execution_active_topic:
            node.subscribe(Bool, topic, self._on_planned, latched())
        node.on_detach.append(self._forget)

    # In the worker

    def follow_commands(self, message: JointState, sent: float) -> None:
        """Move to the positions of `message`, see `as_trajectory`."""
        trajectory = as_trajectory(message, self._node.parameters.joint_commands_time)
        if trajectory is not None:
            self.follow(trajectory, sent)

    def follow(self, message: JointTrajectory, sent: float) -> None:
        """Move to the last point of `message`, unless a planned trajectory runs."""
        if reasons := list(islice(self._wrong(message), MOST_REASONS)):
            raise BadRequest(reasons)
        self._sole.require()
        with self._lock:
            self._follow(message, sent)

    def _follow(self, message: JointTrajectory, sent: float) -> None:
        status = self._node.gate.status()
        if self._is_planned(status):
            self._end(PLANNED)
            self._lease.reject(sent, PLANNED)
            return
        self._check(status)
        self._lease.refresh(sent)
        self._came = self._node.clock.now()
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
        history = self._history.extended(sent, np.array(point.positions))
        now = Now(status.time, status.pos_cmd[self._axes], status.velocity_cmd[self._axes])
        wanted = seconds(point.time_from_start)
        speed = self._approach_speed(history.target, sent, wanted, now)
        ordered = []
        if worth_moving(history.target, now, rules):
            ordered = moves(axes, history, wanted, now, rules, speed)
        if reasons := too_fast(self._layout.names, ordered, axes, rules):
            raise BadRequest(reasons[:MOST_REASONS])
        self._history, self._followed_at = history, sent
        if not ordered:
            return
        self._command(ordered, sent, is_timed=wanted > 0.0 and not speed)
        targets = dict(zip(axes, now.position.tolist(), strict=True))
        targets |= {move.axis: move.target for move in ordered}
        self._setpoints.sent(targets, status, self._node.clock.now())
        self._node.supervisor.ensure_task("stream", self._watch, WATCH_PERIOD)

    def _approach_speed(self, target: Floats, sent: float, wanted: float, now: Now) -> float:
        """How fast joints may go to a `target` that is further away than they may go, else 0, u/s.

        BadRequest where that is to be refused. A message of a stream has the time since the one
        before it as well, so that a stall is made up for; what has no time has the time it takes.
        What is approached is approached until it is within reach at that speed.
        """
        rules = self._node.parameters.rules()
        since, top = sent - self._followed_at, rules.top
        if self._approaches:
            since, top = inf, np.minimum(top, rules.approach_speed)
        time = wanted + (since if since <= self._history.timeout else 0.0)
        names, tolerance = self._layout.names, rules.start_tolerance
        far = wanted and too_far(names, target, now.position, time, tolerance, top)
        if not far:
            self._approaches = False
            return 0.0
        if not rules.approach_speed:
            self._followed_at = -inf
            raise BadRequest(far[:MOST_REASONS])
        if not self._approaches:
            self._approaches = True
            reasons = "; ".join(far[:MOST_REASONS])
            self._node.log_error(f"Approached at {rules.approach_speed:g} u/s: {reasons}")
        return rules.approach_speed

    def _command(self, ordered: Sequence[PositionMove], sent: float, *, is_timed: bool) -> None:
        """All that is streamed is one motion; joints `is_timed` that have a time to arrive."""
        request = MotionRequest(
            kind=MotionKind.STREAM,
            axes=tuple(self._axes),
            names=self._layout.names,
            asked_at=sent,
            targets=(nan,) * len(self._axes),
            is_timed=is_timed,
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
        stamp, parameters = message.header.stamp, self._node.parameters
        age = self._node.ros_time.now() * 1e-9 - seconds(stamp)
        if (stamp.sec or stamp.nanosec) and age > parameters.late_start:
            yield (
                f"header.stamp is {age:.3f} s in the past: must be {parameters.late_start:g} s or "
                "less (late_start)"
            )
        point = message.points[-1]
        if len(point.positions) != len(names):
            yield (
                f"positions of the last point has {len(point.positions)} elements: "
                f"must have {len(names)}"
            )
        yield from told_once(
            (f"position of {{name}} is {value}: must be finite and within 1e15", name)
            for name, value in zip(names, point.positions, strict=False)
            if not abs(value) <= 1e15
        )
        if (wanted_time := seconds(point.time_from_start)) < 0.0:
            yield f"time_from_start of the last point is {wanted_time:g} s: must be 0 or later"

    # Planned trajectories

    def _on_planned(self, message: Bool) -> None:
        with self._lock:
            self._planned_at = self._node.clock.now() if message.data else None
            if message.data:
                self._end(PLANNED)

    def _is_planned(self, status: MotionStatus) -> bool:
        """Whether a planned trajectory runs; what a node that has died announced does not count."""
        if (status.op_state[self._axes] == OperationState.INTPL).any():
            return True
        if self._planned_at is None or self._node.clock.now() < self._planned_at + CLAIMED_BY:
            return self._planned_at is not None
        return bool(self._node.ownership.owners(self._axes, status)) and not self._setpoints

    # In the supervisor

    def _watch(self, status: MotionStatus) -> bool:
        """Do what is due for the stream; return whether something is left to do."""
        with self._lock:
            timeout = self._node.parameters.stream_timeout
            if self._setpoints and self._node.clock.now() > self._came + timeout:
                if self._lease.active:  # otherwise it goes on, and has to pause still
                    self._node.log_info(f"The stream has stopped, and so do axes {self._axes}")
                    self._lease.clear()
                self._forget()
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
            self._end(reason, quick=self._is_stopped_hard(status))

    def _is_stopped_hard(self, status: MotionStatus) -> bool:
        """Whether one of the axes has failed, or comes to rest sooner than by its own stop.

        The others then stop as hard as they can: the sooner, the nearer to their line.
        """
        if blocked(status, self._axes) or at_limit(status, self._axes):
            return True
        half = self._node.parameters.stop_time / 2.0
        return any(status.remaining[axis] < half for axis in self._setpoints.left(status))

    def _end(self, reason: str, *, quick: bool = False) -> None:
        """Stop the axes; the stream has to pause."""
        with self._lock:
            moves = bool(self._setpoints)
            self._lease.end(reason)
            self._forget()
            if moves:
                self._stop(reason, quick=quick)

    def _stop(self, reason: str, *, quick: bool = False) -> None:
        """Stop what the stream moves, until it rests or a new stream takes over."""
        self._node.gate.end_until_rest(
            self._axes,
            reason,
            quick=quick,
            states=(OperationState.POS, OperationState.STOP),
            wanted=lambda: not self._setpoints,
            lock=self._lock,
            latency=self._latency,
        )

    def _forget(self) -> None:
        with self._lock:  # at a detach the supervisor still looks after the stream
            self._next, self._followed_at = None, -inf
            self._history = StreamHistory(self._history.timeout)
            self._setpoints.clear()


KIND = NodeKind(
    JointPositionController,
    JointPositionParameters,
    not_ready="JointPositionController not initialized. Engine not ready.",
    commands_motion=True,
)
