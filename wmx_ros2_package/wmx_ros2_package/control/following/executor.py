"""The trajectories of one node: which begins when, and which takes over from which.

Goals are planned in a thread of their own, one after the other (`plan_in`), and carried out by the
supervisor. A goal takes over from those before it whose axes it names, or is refused where that is
not allowed; goals without a common axis run side by side. One that names some axes of a goal before
it, but not all, is refused: the others would be left on their way.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from itertools import takewhile
from uuid import UUID

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, RefusalCode, WmxError
from wmx_core.values import CommandMode, MotionStatus, OperationState

from ...trajectories.goal import Goal, Joints, Rules, Start
from ...trajectories.plan import Plan, Prepared, require_plan
from ...trajectories.take_over import Departure, ahead, departure_now, is_late, same_start
from ...trajectories.tolerances import GoalTolerances
from ...validation import BadRequest
from ..conditions import blocked, refusal_code
from ..gate import GateClosed, TooLate
from ..leases import EXPIRED
from ..request import MotionRequest
from ..supervisor import Tasks
from .context import ExecutionContext, Repeat, TrajectoryEnd
from .execution import Execution, Report
from .pacing import LEADS

TAKEN_OVER = "another trajectory has taken over"
LET_GO = "the node lets go of the axes"


class TrajectoryExecutor:
    """The trajectories of one node; any thread may call."""

    def __init__(
        self,
        context: ExecutionContext,
        supervisor: Tasks,
        *,
        on_count: Callable[[int], None] = lambda _: None,
        preempt: bool = True,
    ) -> None:
        """`on_count` gets how many trajectories have begun and not ended, at each change."""
        self._context = context
        self._gate = context.gate
        self._supervisor = supervisor
        self._on_count = on_count
        self._preempt = preempt
        self.alive: list[Execution] = []
        """Those that are waiting or under way, in the order in which they were accepted."""
        self._count = 0
        self._lock = threading.RLock()
        """Held while an execution is updated, or begins: so that only one touches an axis."""

    def attach(self, cycle_time: float) -> None:
        """The node is attached to an engine with communication cycles of `cycle_time` s."""
        self._context.cycle_time = cycle_time

    def detach(self, text: str) -> None:
        """The node lets go of the engine: every execution ends."""
        with self._lock:
            waiting = [each for each in self.alive if each.is_waiting]
            for execution in self.alive:
                if not execution.is_waiting:
                    execution.end(TrajectoryEnd.OFF_PATH, text)
            self._forget_ended()
        for execution in waiting:
            self._refuse(execution, text)

    def prepare(
        self,
        goal: Goal,
        joints: Joints,
        rules: Rules,
        planned_from: Callable[[Start, float], Plan] | None = None,
    ) -> Prepared:
        """Judge a goal as the axes are now, and plan it; BadRequest with the reasons against it.

        For `planned_from` see `Prepared`.
        """
        status = self._gate.status()
        start = departure_now(status, joints).start
        if planned_from is None:
            made = require_plan(goal, joints, start, rules)
        else:
            made = planned_from(start, status.time)
        self.require_free(made.axes)
        if reason := blocked(status, made.axes, made.names):
            raise BadRequest([reason], code=refusal_code(status, made.axes))
        return Prepared(goal=goal, joints=joints, rules=rules, plan=made, planned_from=planned_from)

    def require_free(self, axes: Sequence[int], others: Sequence[Execution] | None = None) -> None:
        """BadRequest where one of `axes` can neither take over from `others` nor run beside them.

        Without `others` all count that are waiting or under way.
        """
        for other in list(self.alive) if others is None else others:
            names, theirs = other.request.names, other.request.axes
            if other.ended or set(axes).isdisjoint(theirs):
                continue
            if not self._preempt:
                rule = "another trajectory runs: must have ended (or set preempt)"
                raise BadRequest([rule])
            if left := [n for n, axis in zip(names, theirs, strict=True) if axis not in axes]:
                rule = (
                    f"another trajectory leads {', '.join(names)}: must name {', '.join(left)} "
                    "as well, or none of these joints"
                )
                raise BadRequest([rule])

    def start(
        self,
        prepared: Prepared,
        request: MotionRequest,
        *,
        at: Callable[[], bool] = lambda: True,
        tolerances: GoalTolerances | None = None,
        report: Report = lambda *_: None,
        repeat: Repeat | None = None,
        mode: CommandMode | None = None,
        newest: bool = False,
    ) -> Execution:
        """Carry out a goal once `at` is true; the engine or a stop may still refuse it then.

        It waits for one of the same axes that is being stopped, and takes over from any other.

        To be called in the thread that plans. Where `at` is true now and nothing is being stopped,
        the execution has begun, or was refused, on return. Axes in another `mode` are switched to
        it. With `newest` it is refused where a command that was asked for later has moved one.
        """
        execution = Execution(
            self._context,
            prepared,
            request,
            tolerances=tolerances or GoalTolerances(),
            report=report,
            repeat=repeat,
            mode=mode,
            newest=newest,
        )
        with self._lock:
            self.alive.append(execution)

        if self._may_begin(execution):  # a node that let go has no task that would end it
            if at() and not self._is_held_up(execution):
                self._begin(execution)
            else:
                self._begin_later(execution, at)
        return execution

    def cancel_all(self) -> None:
        """Slow down along the path whatever is under way, and begin nothing that waits."""
        for execution in list(self.alive):
            execution.cancel()

    def withdraw(self, ids: Collection[UUID]) -> None:
        """Begin none of the trajectories with these ids that wait still."""
        for execution in list(self.alive):
            if execution.request.id in ids and execution.is_waiting:
                execution.cancel()

    def time_on_path(self, status: MotionStatus) -> float:
        """How far the trajectory that runs is, s of what was asked; 0 if there is none."""
        for execution in list(self.alive):
            if execution.is_active:
                return max(0.0, execution.time_on_path(status))
        return 0.0

    def rate(self, status: MotionStatus) -> float:
        """How fast the trajectory that runs is, as a part of what was asked, or the next would."""
        for execution in list(self.alive):
            if execution.is_active:
                return execution.rate(status.cycle)
        return self._gate.speed.speed.rate

    def _begin_later(self, execution: Execution, at: Callable[[], bool]) -> None:
        """Begin an execution once `at` is true and none of the same axes is being stopped."""

        def wait(_: MotionStatus) -> bool:
            if not self._may_begin(execution):
                return False
            if not at() or self._is_held_up(execution):
                return True
            self._context.plan_in(lambda: self._begin(execution))
            return False

        self._supervisor.add_task("trajectory", wait)

    def _is_held_up(self, execution: Execution) -> bool:
        """Whether an execution waits for one of the same axes that is being stopped."""
        return any(other.is_stopping for other in self._sharing(execution))

    def _may_begin(self, execution: Execution) -> bool:
        """Whether an execution that has not begun may begin; else it has ended then."""
        request = execution.request
        if execution.ended:
            return False
        if execution.cancel_requested:
            self._refuse(execution, "canceled before it began", TrajectoryEnd.CANCELED)
            return False
        if self._gate.has_closed_since(request.asked_at):
            self._refuse(execution, LET_GO, code=RefusalCode.NOT_READY)
            return False
        if stopped := self._gate.stopped_since([request]):
            self._refuse(execution, stopped.detail, code=stopped.code)
            return False
        moved = self._context.tracker.moved_since(request.axes, request.asked_at)
        if execution.newest and moved:
            text = f"axis {moved[0]}: a command that was sent later has moved it"
            self._refuse(execution, text, code=ErrorCode.NotIdleState)
            return False
        if self._context.has_expired(request.id):
            self._refuse(execution, EXPIRED)
            return False
        try:
            self._context.require_sent_after_suspension(request.asked_at)
        except CommandRefused as error:
            self._refuse(execution, error.detail, code=error.code)
            return False
        return True

    # How a trajectory begins, in the thread that plans

    def _begin(self, execution: Execution) -> None:
        if not self._may_begin(execution):
            return
        try:
            self._start_or_take_over(execution)
        except BadRequest as error:
            self._refuse(execution, str(error), code=error.code)
        except WmxError as error:  # which the gate has published, or `_status`
            published = isinstance(error, CommandRefused)
            self._refuse(execution, str(error), code=error.code, published=published)
            if isinstance(error, EngineLost):
                self._context.lose_engine(error)
        except GateClosed:
            self._refuse(execution, LET_GO, code=RefusalCode.NOT_READY)
        except Exception as error:
            self._refuse(execution, f"internal error: {error!r}")

    def _stop_begun(self, execution: Execution, error: Exception) -> None:
        """Stop and end what the engine had taken before `error`: nothing would watch it."""
        request = execution.request
        if self._context.tracker.is_open(request.id):
            text = f"it was taken, and is stopped: {error}"
            self._gate.end_until_taken(request.axes, text)
            execution.end(TrajectoryEnd.OFF_PATH, text)
            self._forget_ended()

    def _refuse(
        self,
        execution: Execution,
        text: str,
        ending: TrajectoryEnd = TrajectoryEnd.NOT_STARTED,
        *,
        code: int = 0,
        published: bool = False,
    ) -> None:
        """End an execution that has not begun."""
        with self._lock:
            if execution.ended:
                return
            execution.end(ending, text, code)
            self._forget_ended()
        request = execution.request
        if not published:
            self._context.tracker.refuse(
                text, axes=request.axes, names=request.names, code=code, id=request.id
            )

    def _start_or_take_over(self, execution: Execution) -> None:
        """Begin a plan; one that begins in motion is made for a moment that is still to come."""
        prepared = execution.prepared
        joints, columns = prepared.joints, prepared.plan.columns
        cycle_time = self._context.cycle_time
        others = self._sharing(execution)
        self.require_free(execution.request.axes, others)
        for lead in LEADS:
            with self._lock:  # else a plan may be read with the begin of the one before it
                status = self._status(execution)
                leading = [(o.plan, o.first_cycle) for o in others if o.is_active]
                departure = ahead(status, joints, columns, leading, cycle_time, lead)
                moving_at, change = _rate_of(others, departure)
            begin = status.time_in((departure.cycle - status.cycle) * cycle_time)
            start = departure.start
            if moving_at is not None and not execution.pacing.is_stream:
                start = start.at_rate(moving_at, change)
            asked = self.planned(prepared, start, begin)
            made = execution.pacing.at_start(asked, self._gate.speed.speed.rate, moving_at)
            with self._lock, ExitStack() as held:
                if not self._may_begin(execution):
                    return  # since its planning began
                if self._is_held_up(execution):
                    self._begin_later(execution, lambda: True)
                    return
                status = self._status(execution)
                now = departure_now(status, joints, columns)
                if not departure.moving and now.moving:
                    continue  # they have begun to move
                if departure.moving and is_late(departure.cycle, status.cycle, cycle_time):
                    continue
                # Its axes belong to it while they stand in between, too.
                held.enter_context(self._gate.claim(execution.request))
                opening = made.plan.opening
                if opening is None and _are_led(status, made.plan.axes):
                    self._begin_at_rest(execution, departure.cycle)
                    return
                try:
                    if opening is not None and departure.moving:
                        execution.begin_in_motion(made, opening, departure.cycle, status)
                    else:
                        execution.begin(made, status)
                    held.callback(self._count_by, -1)
                    self._count_by(1)
                except TooLate:  # a busy machine let the axes move on
                    continue
                except Exception as error:
                    self._stop_begun(execution, error)
                    raise
                execution.held = held.pop_all()
                for other in others:
                    if other.is_waiting:
                        self._refuse(other, TAKEN_OVER, TrajectoryEnd.PREEMPTED)
                    else:
                        other.end(TrajectoryEnd.PREEMPTED, TAKEN_OVER)
                self._forget_ended()
                self._supervisor.add_task(
                    "trajectory", lambda status: self._update(execution, status)
                )
                return
        raise BadRequest([f"planned too late to take over, {len(LEADS)} times"])

    def _status(self, execution: Execution) -> MotionStatus:
        """The status that an execution begins with; one that is refused ends it, as refused."""
        try:
            return self._gate.status()
        except CommandRefused as error:
            self._refuse(execution, str(error), code=error.code)
            raise

    def _begin_at_rest(self, execution: Execution, cycle: int) -> None:
        """Begin a plan whose joints stand at first once those before it have come to rest.

        These rest by `cycle`; where they do not, it is planned again from where they are then.
        """
        axes = execution.request.axes

        def rest() -> bool:
            status = self._gate.status()
            return not _are_led(status, axes) or status.cycle > cycle

        self._begin_later(execution, rest)

    def planned(self, prepared: Prepared, start: Start, time: float) -> Plan:
        """The plan from `start`: the one that was judged, where the axes are as they were.

        It begins at `time`, s of the steady clock.
        """
        if prepared.planned_from is not None:
            return prepared.planned_from(start, time)
        made = prepared.plan
        if same_start(made.start_at(0.0), start.of(made.columns)):
            return made
        return require_plan(prepared.goal, prepared.joints, start, prepared.rules)

    def _sharing(self, execution: Execution) -> list[Execution]:
        """The executions before this one of which an axis is among its axes."""
        axes = set(execution.request.axes)
        with self._lock:
            earlier = list(takewhile(lambda other: other is not execution, self.alive))
            return [other for other in earlier if not axes.isdisjoint(other.request.axes)]

    def _count_by(self, change: int) -> None:
        self._count += change
        self._on_count(self._count)

    # While it runs, in the supervisor

    def _update(self, execution: Execution, status: MotionStatus) -> float | bool:
        with self._lock:
            again = execution.update(status)
            if not again:
                self._forget_ended()
            return again

    def _forget_ended(self) -> None:
        self.alive = [each for each in self.alive if not each.ended]


def _rate_of(others: Sequence[Execution], departure: Departure) -> tuple[float | None, float]:
    """The rate at which joints move at `departure`, of what was asked of them, and its change.

    It is None where they rest; 1, and does not change, where they are led by nothing that has a
    rate, or by several.
    """
    if not departure.moving:
        return None, 0.0
    cycle = departure.cycle
    rates = {(o.rate(cycle), o.rate_change(cycle)) for o in others if o.is_active}
    rate, change = rates.pop() if len(rates) == 1 else (1.0, 0.0)
    return (rate, change) if rate else (1.0, 0.0)


def _are_led(status: MotionStatus, axes: Sequence[int]) -> bool:
    """Whether the engine still leads one of `axes` somewhere."""
    return bool((status.op_state[list(axes)] != OperationState.IDLE).any())
