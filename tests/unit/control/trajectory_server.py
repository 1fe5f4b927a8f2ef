"""What a node with trajectories has beside its gate: an executor, two joints, and goals."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

import numpy as np
from held_engine import HeldEngine
from held_node import LATENCY, HeldNode

from wmx_core.errors import CommandRefused
from wmx_core.values import MotionStatus, OperationState, SplineMove
from wmx_ros2_package.control.following.context import ExecutionContext, Outcome
from wmx_ros2_package.control.following.execution import Execution
from wmx_ros2_package.control.following.executor import TrajectoryExecutor
from wmx_ros2_package.control.request import EndReason, MotionKind, MotionRequest
from wmx_ros2_package.node_base.threads import settle
from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules
from wmx_ros2_package.trajectories.plan import Prepared
from wmx_ros2_package.trajectories.tolerances import GoalTolerances, Tolerances

NAMES = "a", "b"
CYCLE = 1e-3


def joints(count: int = 2) -> Joints:
    """The joints a, b and so on, on axes 0, 1 and so on, without limits."""
    none = np.full(count, np.inf)
    names = tuple("abcd"[:count])
    return Joints(names=names, axes=tuple(range(count)), lower=-none, upper=none, top_speed=none)


def goal(
    *points: tuple[float, float], names: Sequence[str] = NAMES, starts_in: float = 0.0
) -> Goal:
    """Through `points`, each a time (s) and where all joints are then."""
    return Goal(
        joint_names=names,
        times=[time for time, _ in points],
        positions=[[position] * len(names) for _, position in points],
        velocities=[[]] * len(points),
        accelerations=[[]] * len(points),
        starts_in=starts_in,
    )


def tolerances(settling: float = 0.0, **fields: float) -> GoalTolerances:
    """Of both joints, such as `path_position` or `goal_velocity`, u and u/s; else anything."""
    made = {
        kind: Tolerances(
            names=NAMES,
            position=np.full(2, fields.get(f"{kind}_position", np.inf)),
            velocity=np.full(2, fields.get(f"{kind}_velocity", np.inf)),
        )
        for kind in ("path", "goal")
    }
    return GoalTolerances(**made, settling=settling)


class Server:
    """The trajectories of `node`; its threads are the test."""

    def __init__(self, node: HeldNode, *, preempt: bool = True, count: int = 2) -> None:
        self.node, self.held = node, node.held
        self.joints = joints(count)
        self.counts: list[int] = []
        self.plan_in: Callable[[Callable[[], Any]], Any] = lambda work: work()
        """Does work in the thread that plans: at once, unless a test has another one."""
        self.require_awake: Callable[[float], None] = lambda _: None
        """Refuses what was sent before a suspension; time that a test lets pass is none."""
        context = ExecutionContext(
            gate=node.gate,
            tracker=node.tracker,
            latency=LATENCY,
            plan_in=self._plan_in,
            log=node.logged.append,
            require_sent_after_suspension=lambda sent: self.require_awake(sent),
            lose_engine=node.lose_engine,
        )
        self.executor = TrajectoryExecutor(
            context,
            node.supervisor,  # type: ignore[arg-type]
            on_count=self.counts.append,
            preempt=preempt,
        )
        self.executor.attach(CYCLE)

    def _plan_in(self, work: Callable[[], Any]) -> "Future[Any]":
        future: Future[Any] = Future()
        self.plan_in(lambda: settle(future, work))
        return future

    def prepare(self, wanted: Goal) -> Prepared:
        return self.executor.prepare(wanted, self.joints, Rules(allow_partial=True))

    def request(self, prepared: Prepared, **fields: Any) -> MotionRequest:
        given = {
            "names": prepared.plan.names,
            "id": uuid4(),
            "purpose": "trajectory",
            "targets": tuple(map(float, prepared.goal.positions[-1])),
            "lasts": prepared.plan.duration,
        }
        return self.node.request(
            *prepared.plan.axes, kind=MotionKind.TRAJECTORY, **{**given, **fields}
        )

    def start(self, wanted: Goal, **options: Any) -> Execution:
        """Prepare and start a goal that was sent just now."""
        prepared = self.prepare(wanted)
        fields = {"lasts": options.pop("lasts")} if "lasts" in options else {}
        return self.executor.start(prepared, self.request(prepared, **fields), **options)

    def end(self, execution: Execution, within: float = 60.0) -> Outcome:
        """Let time pass until it is known how an execution ends, and its axes are let go of."""
        self.node.after(within, lambda: execution.outcome.done() and execution.ended)
        assert execution.ended
        outcome: Outcome = execution.outcome.result(0)
        return outcome

    def rests(self) -> MotionStatus:
        """That every axis rests, and goes on to."""
        for status in self.held.status(), self.node.after(1.0):
            assert not status.velocity_cmd.any()
            assert (status.op_state == OperationState.IDLE).all()
        return status


class BusyMotion:
    """The motion of `held` on a busy machine: time passes while it is used."""

    def __init__(self, held: HeldEngine, per_status: float = 0.0) -> None:
        self._held = held
        self.per_status = per_status
        self.delays: list[float] = []
        """How long each of the next splines takes to reach the engine, s."""
        self.refused: list[CommandRefused] = []
        self.on_refused: Callable[[], object] = lambda: None
        self.samples: list[MotionStatus] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held.motion, name)

    def status(self) -> MotionStatus:
        if self.per_status:
            self._held.clock.advance(self.per_status)
        self.samples.append(self._held.status())
        return self.samples[-1]

    def move_spline(self, spline: SplineMove) -> None:
        if self.delays:
            self._held.after(self.delays.pop(0))
        try:
            self._held.motion.move_spline(spline)
        except CommandRefused as error:
            self.refused.append(error)
            self.on_refused()
            raise


def steepest(samples: Sequence[MotionStatus], axis: int = 0) -> float:
    """The greatest change of the commanded velocity between two samples, u/s^2."""
    times = np.array([sample.time for sample in samples])
    speeds = np.array([sample.velocity_cmd[axis] for sample in samples])
    apart = np.diff(times) > 0.0
    return float((np.abs(np.diff(speeds))[apart] / np.diff(times)[apart]).max())


SLOW = goal((40.0, 20.0))
"""0.5 u/s for most of its way."""
NEXT = goal((1.0, 0.6))
LONG = goal((4.0, 4.0))
STANDS = goal((0.5, 0.1), (9.5, 0.1), (10.0, 0.5))
"""Moves, stands for 9 s, and moves again."""


def reasons(server: Server) -> list[EndReason]:
    server.node.after(0.1)
    return server.node.reasons()
