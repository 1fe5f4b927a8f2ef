"""Leads the joints of a server along goals, one trajectory at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.values import LimitType, MotionStatus
from ..motions.events import EndReason, MotionKind
from ..motions.recorded_motion import Description
from ..node.context import NodeContext
from ..node.refusals import NotReady
from ..trajectories import watch
from ..trajectories.check import check_goal, named
from ..trajectories.execution import Execution
from ..trajectories.goal import Goal, Joints, Rules
from ..trajectories.outcome import Ended, Ending
from ..trajectories.plan import check_plan, plan
from ..trajectories.setting import Demands, Setting
from ..trajectories.take_over import present
from ..validation import BadRequest
from .execution_active import ExecutionActive

END_PATIENCE = 1.0
"""How long a node that lets go of the engine waits for its trajectories to end, s."""


class Receipt(NamedTuple):
    """What had been stopped when a goal came: what is stopped later does not begin by itself."""

    stops: int
    """Of all joints, by the server's own topic."""
    marks: tuple[bytes, ...]
    """Of stops of each joint, see `Owners.stop_marks`."""


class TrajectoryLeader:
    """The trajectories of `node`, for `joints`; `active` is told when they begin and end.

    A goal takes over from those before it whose joints it names, or is refused if `preempt` is
    false. Goals without a common joint run side by side. One that names some joints of a goal
    before it, but not all, is refused: nobody would watch the others on their way.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        joints: Joints,
        rules: Rules,
        active: ExecutionActive,
        *,
        preempt: bool,
    ) -> None:
        self._node = node
        self._joints = joints
        self._rules = rules
        self._active = active
        self._preempt = preempt
        self._stops = 0
        """How often all joints have been stopped."""
        self._alive: list[Execution] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._detaching = threading.Event()
        self._cycle_time = 1e-3
        node.on_attach(self._attach)
        node.on_detach(self._detach)

    def receipt(self) -> Receipt:
        """Of a goal that comes now."""
        return Receipt(self._stops, self._node.stop_marks(self._joints.axes))

    def stopped(self, goal: Goal, receipt: Receipt) -> bool:
        """Whether somebody, in whatever process, has stopped joints of `goal` since it came."""
        marks = self._node.stop_marks(self._joints.axes)
        if self._stops != receipt.stops or len(marks) != len(receipt.marks):
            return True
        joints = zip(self._joints.names, marks, receipt.marks, strict=False)  # none without owners
        changed = {name for name, now, then in joints if now != then}
        return not changed.isdisjoint(named(goal, self._joints))

    def judge(self, goal: Goal) -> None:
        """BadRequest, with reasons, for a goal that cannot be accepted now."""
        status = self._node.driver.motion.status()
        joints = self._limited(status)
        start = present(status, joints).start
        if reasons := check_goal(goal, joints, start, self._rules):
            raise BadRequest(reasons)
        with self._lock:
            if reason := self._conflict(goal, self._alive):
                raise BadRequest([reason])
        names = named(goal, joints)
        axes = [joints.axes[column] for column in joints.columns(names)]
        if reason := watch.unfit(status, names, axes):
            raise BadRequest([reason])
        planned = plan(goal, joints, start)
        if reasons := check_plan(planned, joints, self._rules):
            raise BadRequest(reasons)
        points = sum(len(run.times) for run in planned.runs)
        splines = "1 spline" if len(planned.runs) == 1 else f"{len(planned.runs)} splines"
        self._node.say(
            f"Trajectory of {len(goal.times)} points in {planned.duration:g} s accepted: "
            f"{splines} through {points} points, {planned.error:.1g} off at most"
        )

    def lead(
        self,
        goal: Goal,
        demands: Demands,
        report: Callable[[Execution, MotionStatus, float], None] = lambda *_: None,
        *,
        receipt: Receipt,
    ) -> Execution:
        """Execute a goal that was judged, in a thread of its own, unless it is `stopped`."""
        led: list[Execution] = []
        owners = self._node.driver.owners
        setting = Setting(
            joints=self._limited,
            rules=self._rules,
            motion=self._node.motion(describe=lambda: self._describe(led[0])),
            cycle_time=self._cycle_time,
            stopping=self._detaching,
            commanding=self._commanding,
            ending=nullcontext if owners is None else owners.unmarked,
            say=self._node.say_error,
            turn=self._turn,
        )
        execution = Execution(setting, goal, demands, report, lambda: self.stopped(goal, receipt))
        led.append(execution)
        thread = threading.Thread(
            target=self._play,
            args=[execution],
            name=f"{self._node.name}-trajectory",
            daemon=True,
        )
        with self._lock:
            self._alive.append(execution)
            self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
            thread.start()
        return execution

    def cancel_all(self) -> None:
        """Slow down along the path, whatever is under way."""
        with self._lock:
            self._stops += 1
            alive = list(self._alive)
        for execution in alive:
            execution.cancel()
        if (owners := self._node.driver.owners) is not None:
            owners.mark_stop(self._joints.axes)  # for whoever else has commands that wait

    def time_in_plan(self, status: MotionStatus) -> float:
        """How far the trajectory that runs is, s; 0 if there is none."""
        for execution in list(self._alive):
            if execution.leads:
                return max(0.0, (status.cycle - execution.first_cycle) * self._cycle_time)
        return 0.0

    # In threads

    def _play(self, execution: Execution) -> None:
        held = ExitStack()

        def begin() -> list[Execution]:
            held.enter_context(self._claim(execution.goal))
            self._active.begin()
            held.callback(self._active.end)
            return self._before(execution)

        with held:
            try:
                execution.play(begin)
            except Exception as error:
                self._node.log.error(f"Leading a trajectory: {error!r}")
            finally:
                if self._node.motions is not None:
                    self._node.motions.ledger.finish(execution.id)
                with self._lock:
                    self._alive.remove(execution)

    def _before(self, execution: Execution) -> list[Execution]:
        """Those that were accepted before it and whose joints it names: it takes over from them."""
        mine = set(named(execution.goal, self._joints))
        with self._lock:
            earlier = self._alive[: self._alive.index(execution)]
        if reason := self._conflict(execution.goal, earlier):
            raise Ended(Ending.NOT_STARTED, reason)
        return [other for other in earlier if mine & set(named(other.goal, self._joints))]

    def _conflict(self, goal: Goal, others: Sequence[Execution]) -> str:
        """Why `goal` can neither take over from `others` nor run beside them, in words."""
        mine = set(named(goal, self._joints))
        for other in others:
            theirs = named(other.goal, self._joints)
            if not mine.intersection(theirs):
                continue
            if not self._preempt:
                return "another trajectory runs: must have ended (or set preempt)"
            if left := [name for name in theirs if name not in mine]:
                return (
                    f"another trajectory leads {', '.join(theirs)}: must name {', '.join(left)} as "
                    "well, or none of these joints"
                )
        return ""

    def _describe(self, execution: Execution) -> Description:
        """All splines of a goal are one motion; one that is canceled says so when it stops."""
        goal = execution.goal
        names = named(goal, self._joints)
        axes = [self._joints.axes[column] for column in self._joints.columns(names)]
        return Description(
            kind=MotionKind.TRAJECTORY,
            names=dict(zip(axes, names, strict=True)),
            ids=dict.fromkeys(axes, execution.id),
            targets=dict(zip(axes, map(float, goal.positions[-1]), strict=True)),
            lasts=float(goal.times[-1]),
            reason=EndReason.CANCELED if execution.canceled else EndReason.STOPPED,
        )

    def _claim(self, goal: Goal) -> AbstractContextManager[None]:
        """Own the axes of `goal`, also while they stand in between."""
        owners = self._node.driver.owners
        columns = self._joints.columns(named(goal, self._joints))
        axes = [self._joints.axes[column] for column in columns]
        return nullcontext() if owners is None else owners.owner("").claim(axes)

    @contextmanager
    def _commanding(self) -> Iterator[None]:
        """As that of the node, in the words of the engine."""
        try:
            with self._node.commanding():
                yield
        except NotReady as error:
            raise CommandRefused(ErrorCode.CommNotStarted, str(error)) from None

    # Attached

    def _attach(self) -> None:
        self._detaching.clear()
        period = self._node.driver.ecat.network_state(0).statistics.comm_period
        self._cycle_time = period * 1e-6 or 1e-3

    def _detach(self) -> None:
        self._detaching.set()
        for thread in list(self._threads):
            thread.join(END_PATIENCE)

    def _limited(self, status: MotionStatus) -> Joints:
        """The joints with the soft limits of the engine as well; these hold for homed axes."""
        parameters = self._node.driver.motion.parameters()
        lower, upper = self._joints.lower.copy(), self._joints.upper.copy()
        for i, axis in enumerate(self._joints.axes):
            if not status.home_done[axis]:
                continue
            its = parameters.axis(axis)
            if its.soft_limit_type is LimitType.NONE:
                continue
            if its.soft_limit_positive:
                upper[i] = min(upper[i], its.soft_limit_positive)
            if its.soft_limit_negative:
                lower[i] = max(lower[i], its.soft_limit_negative)
        return Joints(
            names=self._joints.names,
            axes=self._joints.axes,
            lower=lower,
            upper=upper,
            top_speed=np.asarray(self._joints.top_speed),
        )
