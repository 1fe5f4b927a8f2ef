"""Leads axes along a plan: the splines one after the other, and stands in between."""

import threading
from collections.abc import Callable
from math import isfinite

import numpy as np

from ..drivers.errors import CommandRefused
from ..drivers.values import Floats, MotionStatus, SplineMove
from . import watch
from .outcome import Ended, Ending
from .plan import Plan
from .runs import Run
from .setting import LOOK_PERIOD, Demands, Setting
from .take_over import COMMAND_CYCLES, Beginning, TooLate, cut, require_in_time

END_TIME = 1.0
"""How much longer than planned a spline may take, s: engines round times."""
ARRIVED = 1e-5
"""How far from its last point a spline may end, u: rounding in the engine."""


class Following:
    """One plan that is followed; `look` sees the axes, and raises `Ended` if that is not wanted.

    So do `begin` and `go_on` when the axes cannot follow, or must not. `begin` raises `TooLate`
    when the axes move and are no longer where the plan begins.
    """

    def __init__(
        self,
        setting: Setting,
        plan: Plan,
        demands: Demands,
        first_cycle: int,
        look: Callable[[], MotionStatus],
        wake: threading.Event,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`stopped` says whether somebody has stopped the axes, which may stand then."""
        self.first_cycle = first_cycle
        """In which the plan began."""
        self._setting = setting
        self._plan = plan
        self._demands = demands
        self._look_at = look
        self._wake = wake
        self._stopped = stopped
        self._end: Floats = np.zeros(0)
        """Where the spline that was ordered last ends."""

    def begin(self, beginning: Beginning) -> None:
        """Order the first spline, if the plan begins with one; `beginning` is where that is."""
        if self._plan.runs and self._plan.runs[0].begin == 0.0:
            self._order(self._plan.runs[0], beginning if beginning.moving else None)

    def go_on(self) -> None:
        """Lead the axes until they have settled at the end of the plan."""
        for run in self._plan.runs:
            if run.begin > 0.0:
                self._hold(run.begin)
                self._order(run)
            self._follow(run)
        self._hold(self._plan.duration)
        self._settle()

    def time_in_plan(self, status: MotionStatus) -> float:
        """How far the plan was in a sample, s."""
        return (status.cycle - self.first_cycle) * self._setting.cycle_time

    def _hold(self, until: float) -> None:
        """Stand until `until` in the plan."""
        while True:
            status, now = self._look()
            if self._stopped():
                raise Ended(Ending.OFF_PATH, self._why_stopped())
            if now >= until - self._setting.cycle_time / 2:
                return
            self._judge(status)
            self._wake.wait(min(LOOK_PERIOD, max(0.0, until - now)))

    def _order(self, run: Run, beginning: Beginning | None = None) -> None:
        """Let the engine lead the axes along one spline; those that move begin at `beginning`."""
        axes, cycle_time = self._plan.axes, self._setting.cycle_time
        with self._setting.commanding():
            status = self._setting.motion.status()
            if beginning is None:
                times, positions = run.times, run.positions.copy()
                positions[0] = status.pos_cmd[list(axes)]
                if run.begin == 0.0 and status.velocity_cmd[list(axes)].any():
                    raise TooLate
            else:
                times, positions = cut(run, status, axes, beginning, cycle_time)
            try:
                self._setting.motion.move_spline(
                    SplineMove(axes=axes, times=times, positions=positions)
                )
            except CommandRefused as error:
                if beginning is not None:  # a busy machine let the axes move on meanwhile
                    now = self._setting.motion.status().cycle
                    require_in_time(status.cycle, now, cycle_time, error)
                raise
            if beginning is None and run is self._plan.runs[0]:
                begun_at = round(run.begin / cycle_time)
                self.first_cycle = self._began(status.cycle, float(times[-1])) - begun_at
        self._end = positions[-1]
        if self._stopped():  # just before the command, which nothing of the axes shows
            raise Ended(Ending.OFF_PATH, self._why_stopped())

    def _began(self, ordered: int, duration: float) -> int:
        """The cycle in which a spline of `duration` s began that was ordered after cycle `ordered`.

        A busy machine may have come between. What takes over later has to know it, and the
        engine says how much of the spline is left, s.
        """
        status, cycle_time = self._setting.motion.status(), self._setting.cycle_time
        left = float(status.remaining[list(self._plan.axes)].max())
        earliest, latest = ordered + COMMAND_CYCLES, status.cycle + COMMAND_CYCLES
        if watch.rests(status, self._plan.axes):
            return latest
        if not isfinite(left):
            return earliest
        return min(max(status.cycle + round((left - duration) / cycle_time), earliest), latest)

    def _follow(self, run: Run) -> None:
        """Wait until the spline that was ordered is over."""
        axes, names = self._plan.axes, self._plan.names
        begun = False
        while True:
            self._wake.wait(LOOK_PERIOD)
            status, now = self._look()
            self._judge(status)
            if watch.follows(status, axes):
                begun = True
            elif begun or now > run.begin + watch.SHOWN or now >= run.end:
                off = np.abs(status.pos_cmd[list(axes)] - self._end).max()
                if watch.rests(status, axes) and off <= ARRIVED:
                    return
                raise Ended(Ending.OFF_PATH, watch.interrupted(status, names, axes))
            if now > run.end + END_TIME:
                raise Ended(Ending.OFF_PATH, f"not at the end of the path after {now:.3f} s")

    def _settle(self) -> None:
        axes, names, target = self._plan.axes, self._plan.names, self._plan.target
        while True:
            status, now = self._look()
            if reason := watch.unfit(status, names, axes):
                raise Ended(Ending.OFF_PATH, reason)
            if not watch.rests(status, axes):
                raise Ended(Ending.OFF_PATH, watch.interrupted(status, names, axes))
            reason = watch.unsettled(status, axes, target, self._demands.goal)
            if not reason:
                return
            if (late := now - self._plan.duration) > self._demands.settling:
                raise Ended(Ending.OFF_GOAL, f"{reason}, {late:.3f} s after the end")
            self._wake.wait(LOOK_PERIOD)

    def _why_stopped(self) -> str:
        """In words; a stop of axes that stand shows in nothing, another one a moment later."""
        self._wake.wait(LOOK_PERIOD)
        status = self._setting.motion.status()
        why = watch.unfit(status, self._plan.names, self._plan.axes)
        return why or "somebody stopped the joints"

    def _look(self) -> tuple[MotionStatus, float]:
        status = self._look_at()
        return status, self.time_in_plan(status)

    def _judge(self, status: MotionStatus) -> None:
        """End the execution when the axes are not as they have to be on the way."""
        if reason := watch.unfit(status, self._plan.names, self._plan.axes):
            raise Ended(Ending.OFF_PATH, reason)
        errors = watch.errors(status, self._plan.axes)
        if reason := self._demands.path.violation(errors.position, errors.velocity, "the path"):
            raise Ended(Ending.OFF_PATH, reason)
