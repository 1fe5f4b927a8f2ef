"""Leads axes along a trajectory, in a thread of its own, and says how that ended.

The thread looks at the state of the axes every `LOOK_PERIOD`. Time is that of the engine, counted
in communication cycles: a simulated engine may run at a rate of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from ..drivers.errors import CommandRefused, EngineLost, WmxError
from ..drivers.interface import Motion
from ..drivers.values import MotionStatus, OperationState, SplineMove
from . import watch
from .check import check_start
from .goal import Goal, Joints, Rules
from .plan import Plan, check_plan, plan
from .runs import Run
from .take_over import COMMAND_CYCLES, Beginning, ahead, cut, present
from .tolerances import Tolerances

LOOK_PERIOD = 0.005
"""s; what goes wrong is seen and acted on within twice of it."""
LEADS = 0.05, 0.15, 0.45
"""How far ahead a trajectory that takes over in motion is planned, s: first, and when that was too
late."""
LATEST = 0.03
"""How late it may come and still be led up to, s."""
START_TIME = 0.05
"""By then the state shows that axes follow a spline, s."""
END_TIME = 1.0
"""How much longer than planned a spline may take, s: engines round times."""
REST_TIME = 10.0
"""How long stopped axes may take to come to rest, s."""
ARRIVED = 1e-5
"""How far from its last point a spline may end, u: rounding in the engine."""


class Ending(Enum):
    """How an execution can end."""

    SUCCEEDED = auto()
    CANCELED = auto()
    PREEMPTED = auto()
    """Another trajectory has taken the axes over."""
    NOT_STARTED = auto()
    """The axes were not as they have to be at the start, or the engine refused."""
    OFF_PATH = auto()
    """Something kept the axes from following the path."""
    OFF_GOAL = auto()
    """The axes have not settled at the goal in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution ended, and in words why."""

    ending: Ending
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """How well a goal is to be followed."""

    path: Tolerances
    goal: Tolerances
    settling: float
    """How late the axes may settle, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What executions of one server share."""

    joints: Joints
    rules: Rules
    motion: Motion
    cycle_time: float
    """A communication cycle, s."""
    stopping: threading.Event
    """Set when the server lets go of the axes."""
    commanding: Callable[[], AbstractContextManager[None]] = nullcontext
    """Motion is commanded in there only."""


class _Ended(Exception):
    """The execution is over, as `outcome` says."""

    def __init__(self, ending: Ending, text: str = "") -> None:
        super().__init__(text)
        self.outcome = Outcome(ending=ending, text=text)


class Execution:
    """A goal that is executed; `report` sees samples on the way, with the time in the plan (s).

    `outcome` is there as soon as it is known how it ends. `play` returns when the axes are at
    rest, or another trajectory leads them.
    """

    def __init__(
        self,
        setting: Setting,
        goal: Goal,
        demands: Demands,
        report: Callable[[Execution, MotionStatus, float], None] = lambda *_: None,
    ) -> None:
        self.goal = goal
        self.plan: Plan | None = None
        """There is one once it has begun."""
        self.outcome: Outcome | None = None
        self.first_cycle = 0
        """In which the plan began."""
        self._setting = setting
        self._demands = demands
        self._report = report
        self._wake = threading.Event()
        self._canceled = False
        self._taken_over = False
        self.ended = threading.Event()
        """Set when `play` has returned."""

    @property
    def leads(self) -> bool:
        """Whether the axes are on its way."""
        return self.plan is not None and self.outcome is None and not self._canceled

    @property
    def canceled(self) -> bool:
        """Whether somebody has asked for its end."""
        return self._canceled

    # Asked for by others

    def cancel(self) -> None:
        """Slow down along the path; the outcome is there when the axes stand."""
        self._canceled = True
        self._wake.set()

    def give_way(self, timeout: float = 1.0) -> None:
        """Touch the axes no more: another trajectory takes them over when this returns."""
        self._taken_over = True
        self._wake.set()
        self.ended.wait(timeout)

    # In the thread

    def play(self, begin: Callable[[], list[Execution]] = list) -> Outcome:
        """Lead the axes until they rest.

        `begin` is called when it begins, and returns the executions that it takes over from.
        """
        try:
            self._wait_for_start()
            self._begin(begin())
            self.outcome = Outcome(ending=Ending.SUCCEEDED)
        except _Ended as end:
            self._end(end.outcome)
        except EngineLost as error:
            self.outcome = Outcome(ending=Ending.OFF_PATH, text=f"engine lost: {error.detail}")
        except WmxError as error:
            self._end(Outcome(ending=Ending.NOT_STARTED, text=str(error)))
        except Exception as error:
            self._end(Outcome(ending=Ending.OFF_PATH, text=f"internal error: {error!r}"))
            raise
        finally:
            self.ended.set()
        assert self.outcome is not None
        return self.outcome

    def _wait_for_start(self) -> None:
        start = time.monotonic() + self.goal.starts_in
        while (remaining := start - time.monotonic()) > 0.0:
            self._require_wanted()
            self._wake.wait(min(LOOK_PERIOD, remaining))

    def _begin(self, others: list[Execution]) -> None:
        setting = self._setting
        for lead in LEADS:
            beginning, planned = self._planned(others, lead)
            late = setting.motion.status().cycle - beginning.cycle
            if not beginning.moving or late * setting.cycle_time <= LATEST:
                break
        else:
            raise _Ended(Ending.NOT_STARTED, "planning took too long to take over in motion")
        self._require_wanted()
        for other in others:
            other.give_way()
        self.first_cycle = beginning.cycle if beginning.moving else setting.motion.status().cycle
        self.plan = planned
        self._follow_all(planned, beginning)

    def _planned(self, others: list[Execution], lead: float) -> tuple[Beginning, Plan]:
        """What is planned to begin `lead` s from now, if the axes move by then."""
        joints, rules = self._setting.joints, self._setting.rules
        beginning = self._beginning(others, lead)
        reasons = [*check_start(self.goal, joints, beginning.start, rules)]
        if not reasons:
            planned = plan(self.goal, joints, beginning.start)
            reasons = check_plan(planned, joints, rules)
        if reasons:
            raise _Ended(Ending.NOT_STARTED, "; ".join(reasons))
        return beginning, planned

    def _beginning(self, others: list[Execution], lead: float) -> Beginning:
        status = self._setting.motion.status()
        joints = self._setting.joints
        for other in others:
            if other.leads and other.plan is not None:
                return ahead(
                    status, joints, other.plan, other.first_cycle, self._setting.cycle_time, lead
                )
        return present(status, joints)

    def _follow_all(self, planned: Plan, beginning: Beginning) -> None:
        for run in planned.runs:
            if beginning.moving and run.begin == 0.0:
                self._follow(planned, run, beginning)
            else:
                self._hold(planned, run.begin)
                self._follow(planned, run)
        self._hold(planned, planned.duration)
        self._settle(planned)

    def _hold(self, planned: Plan, until: float) -> None:
        """Stand until `until` in the plan."""
        while True:
            status, now = self._look()
            if now >= until - self._setting.cycle_time / 2:
                return
            self._judge(planned, status)
            self._wake.wait(min(LOOK_PERIOD, max(0.0, until - now)))

    def _follow(self, planned: Plan, run: Run, beginning: Beginning | None = None) -> None:
        """Lead the axes along one spline; one of axes that move begins at `beginning`."""
        motion, axes = self._setting.motion, planned.axes
        with self._setting.commanding():
            status = motion.status()
            if beginning is None:
                times, positions = run.times, run.positions.copy()
                positions[0] = status.pos_cmd[list(axes)]
                if run is planned.runs[0]:  # a busy machine took a while to come here
                    begun_at = round(run.begin / self._setting.cycle_time)
                    self.first_cycle = status.cycle + COMMAND_CYCLES - begun_at
            else:
                late = status.cycle - beginning.cycle
                if late * self._setting.cycle_time > LATEST:
                    raise _Ended(
                        Ending.OFF_PATH,
                        f"the trajectory was planned {late * self._setting.cycle_time:.3f} s too "
                        "late to take over",
                    )
                times, positions = cut(run, status, axes, beginning, self._setting.cycle_time)
            motion.move_spline(SplineMove(axes=axes, times=times, positions=positions))
        begun = False
        while True:
            self._wake.wait(LOOK_PERIOD)
            status, now = self._look()
            self._judge(planned, status)
            if watch.follows(status, axes):
                begun = True
            elif begun or now > run.begin + START_TIME or now >= run.end:
                off = np.abs(status.pos_cmd[list(axes)] - positions[-1]).max()
                if watch.rests(status, axes) and off <= ARRIVED:
                    return
                raise _Ended(Ending.OFF_PATH, watch.interrupted(status, planned.names, axes))
            if now > run.end + END_TIME:
                raise _Ended(Ending.OFF_PATH, f"not at the end of the path after {now:.3f} s")

    def _settle(self, planned: Plan) -> None:
        axes, target = planned.axes, planned.target
        while True:
            status, now = self._look()
            if reason := watch.unfit(status, planned.names, axes):
                raise _Ended(Ending.OFF_PATH, reason)
            if not watch.rests(status, axes):
                raise _Ended(Ending.OFF_PATH, watch.interrupted(status, planned.names, axes))
            reason = watch.unsettled(status, axes, target, self._demands.goal)
            if not reason:
                return
            if (late := now - planned.duration) > self._demands.settling:
                raise _Ended(Ending.OFF_GOAL, f"{reason}, {late:.3f} s after the end")
            self._wake.wait(LOOK_PERIOD)

    def _require_wanted(self) -> None:
        """End the execution when that is asked for."""
        if self._taken_over:
            raise _Ended(Ending.PREEMPTED, "another trajectory has taken over")
        if self._canceled:
            raise _Ended(Ending.CANCELED, "canceled")
        if self._setting.stopping.is_set():
            raise _Ended(Ending.NOT_STARTED, "the server lets go of the axes")

    def _look(self) -> tuple[MotionStatus, float]:
        """A sample and the time in the plan."""
        self._require_wanted()
        status = self._setting.motion.status()
        now = (status.cycle - self.first_cycle) * self._setting.cycle_time
        self._report(self, status, now)
        return status, now

    def _judge(self, planned: Plan, status: MotionStatus) -> None:
        """End the execution when the axes are not as they have to be on the way."""
        if reason := watch.unfit(status, planned.names, planned.axes):
            raise _Ended(Ending.OFF_PATH, reason)
        errors = watch.errors(status, planned.axes)
        if reason := self._demands.path.violation(errors.position, errors.velocity, "the path"):
            raise _Ended(Ending.OFF_PATH, reason)

    def _end(self, outcome: Outcome) -> None:
        """Bring the axes to rest; who waits for the reason of an abort has it at once."""
        if outcome.ending is not Ending.CANCELED:
            self.outcome = outcome
        if outcome.ending is Ending.PREEMPTED or self.plan is None:
            self.outcome = outcome
            return
        trouble = self._bring_to_rest(self.plan)
        if outcome.ending is Ending.CANCELED:
            text = f"{outcome.text}; {trouble}" if trouble else outcome.text
            self.outcome = Outcome(ending=Ending.CANCELED, text=text)

    def _bring_to_rest(self, planned: Plan) -> str:
        """Stop the axes that are on the path still, wait until they rest, and say what failed."""
        motion = self._setting.motion
        try:
            status = motion.status()
            led = [a for a in planned.axes if status.op_state[a] == OperationState.INTPL]
            if not led:  # what was commanded just now may show in a moment
                time.sleep(LOOK_PERIOD)
                status = motion.status()
                led = [a for a in planned.axes if status.op_state[a] == OperationState.INTPL]
            if led:
                motion.stop(led)
            moved = [a for a in planned.axes if _is_led(status, a)]
            first = status.cycle
            while not self._taken_over:
                status = motion.status()
                if watch.rests(status, moved) or not status.communicating:
                    return ""
                if (status.cycle - first) * self._setting.cycle_time > REST_TIME:
                    return f"the axes still move {REST_TIME:g} s after they were stopped"
                time.sleep(LOOK_PERIOD)
        except EngineLost:
            return "the engine is lost"
        except CommandRefused as error:
            return f"stopping the axes: {error}"
        return ""


def _is_led(status: MotionStatus, axis: int) -> bool:
    """Whether an axis moves because of a path, or because that was ended."""
    return bool(status.op_state[axis] in (OperationState.INTPL, OperationState.STOP))
