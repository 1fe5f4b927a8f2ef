"""Plays a plan on the engine, in a thread of its own, and says how that ended.

The thread looks at the state of the axes every `LOOK_PERIOD`. Time is that of the engine, counted
in communication cycles: a simulated engine may run at a rate of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from ..drivers.errors import CommandRefused, EngineLost, WmxError
from ..drivers.interface import Motion
from ..drivers.values import MotionStatus, SplineMove
from . import watch
from .plan import Plan
from .runs import Run
from .tolerances import Tolerances

LOOK_PERIOD = 0.005
"""s; what goes wrong is seen and acted on within twice of it."""
START_TIME = 0.05
"""By then the state shows that axes follow a spline, s."""
END_TIME = 1.0
"""How much longer than planned a spline may take, s: engines round times."""
REST_TIME = 10.0
"""How long stopped axes may take to come to rest, s."""
ARRIVED = 1e-5
"""How far from its end a spline's command may end, u: rounding in the engine."""


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
    """How well a plan is to be followed."""

    path: Tolerances
    goal: Tolerances
    settling: float
    """How late the axes may settle, s."""


class _Ended(Exception):
    """The execution is over, as `outcome` says."""

    def __init__(self, ending: Ending, text: str = "") -> None:
        self.outcome = Outcome(ending=ending, text=text)


class Execution:
    """One plan that is played; `report` sees every sample and the time in the plan (s).

    `outcome` is there as soon as it is known how it ends. `play` returns when the axes are at
    rest, or another trajectory moves them.
    """

    def __init__(
        self,
        plan: Plan,
        demands: Demands,
        motion: Motion,
        cycle_time: float,
        report: Callable[[MotionStatus, float], None] = lambda *_: None,
    ) -> None:
        self.plan = plan
        self.outcome: Outcome | None = None
        self.moving = False
        """Whether the axes move because of this."""
        self._demands = demands
        self._motion = motion
        self._cycle_time = cycle_time
        self._report = report
        self._wake = threading.Event()
        self._canceled = False
        self._taken_over = False
        self._ended = threading.Event()
        self._first_cycle = 0
        self._fed_cycle = -1

    # Asked for by others

    def cancel(self) -> None:
        """Slow down along the path; the outcome is there when the axes stand."""
        self._canceled = True
        self._wake.set()

    def give_way(self, timeout: float = 1.0) -> None:
        """Another trajectory takes the axes over: touch them no more; returns when that is so."""
        self._taken_over = True
        self._wake.set()
        self._ended.wait(timeout)

    # In the thread

    def play(self, stopping: threading.Event) -> Outcome:
        """Lead the axes until they rest; `stopping` cancels."""
        self.moving = True
        try:
            self._play(stopping)
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
            self.moving = False
            self._ended.set()
        assert self.outcome is not None
        return self.outcome

    def _play(self, stopping: threading.Event) -> None:
        self._first_cycle = self._motion.status().cycle
        for run in self.plan.runs:
            self._hold(run.begin, stopping)
            self._follow(run, stopping)
        self._hold(self.plan.duration, stopping)
        self._settle(stopping)

    def _hold(self, until: float, stopping: threading.Event) -> None:
        """Stand until `until` in the plan."""
        while True:
            status, time = self._look(stopping)
            if time >= until - self._cycle_time / 2:
                return
            self._judge(status)
            self._wake.wait(min(LOOK_PERIOD, until - time))

    def _follow(self, run: Run, stopping: threading.Event) -> None:
        plan = self.plan
        self._motion.move_spline(
            SplineMove(axes=plan.axes, times=run.times, positions=run.positions)
        )
        begun = False
        while True:
            self._wake.wait(LOOK_PERIOD)
            status, time = self._look(stopping)
            if watch.follows(status, plan.axes):
                begun = True
            elif begun or time > run.begin + START_TIME:
                self._judge(status)
                off = np.abs(status.pos_cmd[list(plan.axes)] - run.positions[-1]).max()
                if watch.rests(status, plan.axes) and off <= ARRIVED:
                    return
                reason = watch.interrupted(status, plan.names, plan.axes)
                raise _Ended(Ending.OFF_PATH, reason)
            self._judge(status)
            if time > run.end + END_TIME:
                raise _Ended(Ending.OFF_PATH, f"not at the end after {time:.3f} s")

    def _settle(self, stopping: threading.Event) -> None:
        plan = self.plan
        target = plan.runs[-1].positions[-1] if plan.runs else plan.target
        while True:
            status, time = self._look(stopping)
            if reason := watch.unfit(status, plan.names, plan.axes):
                raise _Ended(Ending.OFF_PATH, reason)
            reason = watch.unsettled(status, plan.axes, target, self._demands.goal)
            if not reason:
                return
            if not watch.rests(status, plan.axes):
                raise _Ended(
                    Ending.OFF_PATH, watch.interrupted(status, plan.names, plan.axes) or reason
                )
            late = time - plan.duration
            if late > self._demands.settling:
                raise _Ended(Ending.OFF_GOAL, f"{reason}, {late:.3f} s after the end")
            self._wake.wait(LOOK_PERIOD)

    def _look(self, stopping: threading.Event) -> tuple[MotionStatus, float]:
        """A sample and the time in the plan; ends the execution when that is wanted."""
        if self._taken_over:
            raise _Ended(Ending.PREEMPTED, "another trajectory has taken over")
        if self._canceled:
            raise _Ended(Ending.CANCELED, "canceled")
        if stopping.is_set():
            raise _Ended(Ending.CANCELED, "the node lets go of the axes")
        status = self._motion.status()
        time = (status.cycle - self._first_cycle) * self._cycle_time
        if status.cycle != self._fed_cycle:
            self._fed_cycle = status.cycle
            self._report(status, time)
        return status, time

    def _judge(self, status: MotionStatus) -> None:
        """End the execution when the axes are not as they have to be on the way."""
        plan = self.plan
        if reason := watch.unfit(status, plan.names, plan.axes):
            raise _Ended(Ending.OFF_PATH, reason)
        errors = watch.errors(status, plan.axes)
        reason = self._demands.path.violation(errors.position, errors.velocity, "the path")
        if reason:
            raise _Ended(Ending.OFF_PATH, reason)

    def _end(self, outcome: Outcome) -> None:
        """Bring the axes to rest; whoever waits for the reason of an abort has it at once."""
        if outcome.ending is Ending.PREEMPTED:
            self.outcome = outcome
            return
        if outcome.ending is not Ending.CANCELED:
            self.outcome = outcome
        trouble = self._bring_to_rest()
        if self._taken_over:
            outcome = Outcome(ending=Ending.PREEMPTED, text="another trajectory has taken over")
        if self.outcome is None:
            self.outcome = Outcome(
                ending=outcome.ending,
                text=f"{outcome.text}; {trouble}" if trouble else outcome.text,
            )

    def _bring_to_rest(self) -> str:
        """Stop the axes and wait until they rest; what went wrong, in words."""
        axes = self.plan.axes
        try:
            if watch.rests(self._motion.status(), axes):
                return ""
            self._motion.stop(axes)
            first = self._motion.status().cycle
            while not self._taken_over:
                status = self._motion.status()
                if watch.rests(status, axes) or not status.communicating:
                    return ""
                if (status.cycle - first) * self._cycle_time > REST_TIME:
                    return f"the axes still move {REST_TIME:g} s after they were stopped"
                self._wake.wait(LOOK_PERIOD) if not self._wake.is_set() else _pause()
        except EngineLost:
            return "the engine is lost"
        except CommandRefused as error:
            return f"stopping the axes: {error}"
        return ""


def _pause() -> None:
    threading.Event().wait(LOOK_PERIOD)
