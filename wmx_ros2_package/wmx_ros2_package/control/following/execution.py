"""One trajectory while it is carried out.

The supervisor calls `update` with each sample. Time is that of the engine, counted in communication
cycles: a simulated engine may run at a rate of its own.

    waiting -> following <-> standing -> settling -> ended
       |           |   ^        |            |
       |           |   +-- paused            |
       +-----------+------------+------------+--> stopping -> ended
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from math import inf, isfinite

import numpy as np

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.interface import Motion
from wmx_core.values import CommandMode, Floats, MotionStatus, OperationState, SplineMove

from ...trajectories.pace import PacedPlan, paced
from ...trajectories.plan import Plan, Prepared
from ...trajectories.segments import Segment
from ...trajectories.take_over import (
    COMMAND_CYCLES,
    cut,
    cycle_of_begin,
    is_late,
    is_nothing,
    led_from,
)
from ...trajectories.tolerances import ANYTHING, GoalTolerances
from ...validation import BadRequest
from ..conditions import off_path
from ..gate import GateClosed, TooLate
from ..motion_ends import Ending
from ..request import EndReason, MotionKind, MotionRequest
from ..speed import PAUSED
from ..stopping import Stopping
from .context import ExecutionContext, Outcome, Repeat, TrajectoryEnd
from .faults import has_fault, stop_lasts, why_unfit
from .pacing import Pacing

END_TIME = 1.0
"""How much longer than planned a spline may take, s: engines round times."""
REACHED = 1e-5
"""How far from its last point a spline may end, u: rounding in the engine."""
REST_TIME = 10.0
"""How long stopped axes may take to come to rest, s; then the outcome is that they still move."""
NOT_PAUSED = "it could not be paused on its path, and was stopped"
LATE_PART = "the next part was not planned in time"
PLANNING = 0.2
"""How long before it is due the next part of an endless trajectory is planned, s."""
_ON_PATH = OperationState.INTPL, OperationState.STOP
"""The operation states of an axis on a path, or of one that slows down from it."""


class _Phase(Enum):
    WAITING = auto()
    FOLLOWING = auto()
    STANDING = auto()
    PAUSED = auto()
    SETTLING = auto()
    STOPPING = auto()
    ENDED = auto()


Report = Callable[["Execution", MotionStatus, float], None]
"""Gets the samples on the way of a trajectory, with the time on its path, s."""


class Execution:
    """A trajectory, whose `outcome` is there as soon as it is known how it ends.

    What is public but `outcome` and `cancel` is for its `TrajectoryExecutor`, which holds
    its lock around all calls.
    """

    def __init__(
        self,
        context: ExecutionContext,
        prepared: Prepared,
        request: MotionRequest,
        *,
        tolerances: GoalTolerances,
        report: Report,
        repeat: Repeat | None,
        mode: CommandMode | None,
        newest: bool,
    ) -> None:
        self.prepared = prepared
        self.request = request
        self.newest = newest
        """Whether it begins only where no command that was asked for later has moved its axes."""
        self.outcome: Future[Outcome] = Future()
        self.cancel_requested = False
        """Whether `cancel` was called."""
        self.plan: Plan
        """Set when it begins: the rest of what was asked, at the pace that is in force."""
        self.pacing = Pacing(context, prepared)
        self._made: PacedPlan
        """The paced plan that has `plan`."""
        self.first_cycle: int
        """The cycle in which its plan began, or its newest part: as its segment shows that."""
        self.held = ExitStack()
        """The claims that are released at the end."""
        self._context = context
        self._gate = context.gate
        self._tracker = context.tracker
        self._cycle_time = context.cycle_time
        self._tolerances = tolerances
        self._report = report
        self._mode = mode
        self._repeat = repeat
        self._span = repeat.span if repeat else inf
        """When the next part takes over, s on the path."""
        self._next_part: Future[Plan] | None = None
        """The next part, once it is being planned."""
        self._phase = _Phase.WAITING
        self._segments: list[Segment] = []
        """The segments that are left of the plan; the first one is being followed."""
        self._spline_end: Floats
        """Where the spline that was commanded last ends."""
        self._begun: bool
        """Whether a status has shown that the axes follow the newest spline."""
        self._entered_cycle: int
        """The cycle in which its plan began: one late segment makes no others late."""
        self._stopping: Stopping
        self._ending: Outcome
        """How it ends once it is being stopped."""
        self._late_at: float
        self._updated_at: float
        """When it began, or the last update did, s of the steady clock."""

    @property
    def is_waiting(self) -> bool:
        """Whether it has yet to begin."""
        return self._phase is _Phase.WAITING

    @property
    def is_active(self) -> bool:
        """Whether it commands the axes now."""
        return self._phase in (
            *(_Phase.FOLLOWING, _Phase.STANDING),
            *(_Phase.PAUSED, _Phase.SETTLING),
        )

    @property
    def is_stopping(self) -> bool:
        """Whether it is brought to rest, or is about to be."""
        return not self.ended and (self.cancel_requested or self._phase is _Phase.STOPPING)

    @property
    def ended(self) -> bool:
        """Whether it commands and watches the axes no more."""
        return self._phase is _Phase.ENDED

    def cancel(self) -> None:
        """Slow down along the path; the outcome is there when the axes rest. For any thread."""
        self.cancel_requested = True

    def time_on_path(self, status: MotionStatus) -> float:
        """How far on the path of what was asked the joints are at `status`, s."""
        return self._made.pace.path_time(self._time(status))

    def rate(self, cycle: int) -> float:
        """How fast time on the path passes in `cycle`."""
        return self._made.pace.rate_at((cycle - self.first_cycle) * self._cycle_time)

    def rate_change(self, cycle: int) -> float:
        """By how much the rate increases in each s in `cycle`."""
        return self._made.pace.change_at((cycle - self.first_cycle) * self._cycle_time)

    def _time(self, status: MotionStatus) -> float:
        """How far the plan is at `status`, s."""
        return (status.cycle - self.first_cycle) * self._cycle_time

    @property
    def _takes_over_at(self) -> float:
        """When the next part of an endless trajectory takes over, s in the plan."""
        return self._made.pace.time_at(self._span) if isfinite(self._span) else inf

    # How it begins

    def begin(self, made: PacedPlan, status: MotionStatus) -> None:
        """Begin a plan with axes that stand; CommandRefused or GateClosed if that is refused."""
        plan = self._adopt(made)
        if (opening := plan.opening) is not None:
            first_cycle = self._begin_segment(opening, status)
        else:
            self._gate.issue([self.request], lambda _: None, self._mode)
            first_cycle = status.cycle + COMMAND_CYCLES
        self._enter(made, first_cycle)

    def begin_in_motion(
        self, made: PacedPlan, opening: Segment, cycle: int, status: MotionStatus
    ) -> None:
        """Begin a plan, whose `opening` begins in `cycle`, with axes that move.

        Raises as `begin` does, or TooLate: nothing was commanded, and a later plan may begin.
        """
        plan = self._adopt(made)
        times, positions = cut(opening, status, plan.axes, cycle, self._cycle_time)
        move = SplineMove(axes=plan.axes, times=times, positions=positions)

        def command(motion: Motion) -> None:
            try:
                motion.move_spline(move)
            except CommandRefused as error:
                # What begins elsewhere is refused with this code; after others the axes may have
                # been stopped.
                moved_on = error.code == ErrorCode.PositionArgumentOutOfRange
                if moved_on and is_late(status.cycle, motion.status().cycle, self._cycle_time):
                    raise TooLate from error
                raise

        self._lead_along(move, command)
        self._enter(made, cycle)

    def _adopt(self, made: PacedPlan) -> Plan:
        """Let `made` be what is about to begin, and tell how long that takes."""
        self.plan = made.plan
        if self._phase is _Phase.WAITING and self.request.lasts == made.asked.duration:
            self.request = replace(self.request, lasts=made.plan.duration)
        return made.plan

    def _enter(self, made: PacedPlan, first_cycle: int) -> None:
        plan = made.plan
        self._made, self.plan = made, plan
        self.first_cycle = self._entered_cycle = first_cycle
        self._segments = list(plan.segments)
        self._phase = _Phase.STANDING if plan.opening is None else _Phase.FOLLOWING
        self._updated_at = self._tracker.now()

    def _begin_segment(self, segment: Segment, status: MotionStatus) -> int:
        """Let the engine lead the axes, which stand, along `segment`; since when that is the plan.

        That is the cycle in which a plan began of which the segment is on time.
        """
        axes, cycle_time = self.plan.axes, self._cycle_time
        here = status.pos_cmd[list(axes)]
        times, positions = led_from(here, segment.times[1:], segment.positions[1:])
        self._lead_along(SplineMove(axes=axes, times=times, positions=positions))
        begun = cycle_of_begin(segment, axes, status.cycle, self._gate.status(), cycle_time)
        return begun - round(segment.begin / cycle_time)

    def _lead_along(
        self, move: SplineMove, command: Callable[[Motion], None] | None = None
    ) -> None:
        """Let the engine lead the axes along a spline, by `command` where that is given."""
        self._gate.issue([self.request], command or (lambda m: m.move_spline(move)), self._mode)
        self._spline_end, self._begun = move.positions[-1], False

    # While it is carried out

    def update(self, status: MotionStatus) -> float | bool:
        """Do what is due in `status`; when to be called again, or False at the end."""
        if self._phase is _Phase.ENDED:
            return False
        if self._phase is _Phase.STOPPING:
            return self._stop(status)
        if self.cancel_requested:
            return self._stop_then_end(TrajectoryEnd.CANCELED, "canceled", status)
        if not self._tracker.runs(self.request.id):
            return self._on_motion_over(status)
        try:
            now = self._tracker.now()
            self._report(self, status, self.time_on_path(status))
            again = self._go_on(status, self._time(status))
            self._updated_at = now
            return again
        except (WmxError, BadRequest, GateClosed) as error:
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, str(error), status)
        except Exception as error:  # whatever fails, the axes are stopped
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, f"internal error: {error!r}", status)

    def _go_on(self, status: MotionStatus, now: float) -> float | bool:
        if reason := self._why_unfit(status):
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, reason, status)
        axes = list(self.plan.axes)
        off = status.pos_cmd[axes] - status.actual_pos[axes]
        slower = status.velocity_cmd[axes] - status.actual_velocity[axes]
        reason = self._tolerances.path.violation(off, slower, "the path")
        if reason and self._phase not in (_Phase.SETTLING, _Phase.PAUSED):
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, reason, status, quick=True)
        rate = self._gate.speed.speed.rate
        if self._phase is _Phase.PAUSED:
            return self._rest_paused(status, rate)
        if self._phase is not _Phase.SETTLING:
            if self.pacing.is_stream:
                if rate == 0.0:
                    return self._stop_then_end(TrajectoryEnd.OFF_PATH, PAUSED, status)
            elif self.pacing.is_overdue(self._made, rate, status):
                return self._stop_then_end(TrajectoryEnd.OFF_PATH, NOT_PAUSED, status)
        takes_over_at = self._takes_over_at
        if self._repeat is not None and now >= takes_over_at - PLANNING:
            part = self._planned_part(self._repeat)
            cycle = self.first_cycle + round(takes_over_at / self._cycle_time)
            if part is not None and status.cycle + COMMAND_CYCLES >= cycle:
                made = paced(part, self._made.pace.later(takes_over_at))
                return self._switch(made, takes_over_at, cycle, status)
        elif self._phase is not _Phase.SETTLING and not self.pacing.is_stream:
            segment, until = self._segments[0] if self._segments else None, self._span
            change = self.pacing.change(self._made, rate, now, status, segment, until)
            if change is not None:
                return self._switch(*change, status)
        if self._phase is _Phase.FOLLOWING:
            return self._follow(status, now)
        if self._phase is _Phase.STANDING:
            return self._stand(status, now)
        return self._settle(status, now)

    def _follow(self, status: MotionStatus, now: float) -> float | bool:
        segment, axes = self._segments[0], list(self.plan.axes)
        state = status.op_state[axes]
        if (state == OperationState.INTPL).all():
            self._begun = True
        elif (
            self._begun or now > segment.begin + 10.0 * self._context.latency or now >= segment.end
        ):
            away = np.abs(status.pos_cmd[axes] - self._spline_end).max()
            if not (state == OperationState.IDLE).all() or away > REACHED:
                return self._end_interrupted(status)
            self._segments.pop(0)
            self._phase = _Phase.STANDING
            self.first_cycle = self._entered_cycle
            return self._stand(status, self._time(status))
        if now > segment.end + END_TIME:
            reason = f"not at the end of the path after {now:.3f} s"
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, reason, status)
        return self._next_check(status, segment.end - now)

    def _stand(self, status: MotionStatus, now: float) -> float | bool:
        until = self._segments[0].begin if self._segments else self.plan.duration
        if self._segments and until >= self._takes_over_at - self._cycle_time / 2.0:
            until = inf  # the next part has taken over by then
        if self._segments:
            self._require_awake()
        if now < until - self._cycle_time / 2.0:
            return self._next_check(status, until - now)
        if self._segments:
            self.first_cycle = self._begin_segment(self._segments[0], status)
            self._phase = _Phase.FOLLOWING
            return True
        if self._is_on_the_way:
            self._phase = _Phase.PAUSED
            return True
        if isfinite(self._span):
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, LATE_PART, status)
        self._phase = _Phase.SETTLING
        return self._settle(status, now)

    @property
    def _is_on_the_way(self) -> bool:
        """Whether the plan ends on the path, not at its end: it is paused there."""
        pace, asked = self._made.pace, self._made.asked
        return pace.then == 0.0 and pace.changed_at < asked.duration - self._cycle_time / 2.0

    def _require_awake(self) -> None:
        """CommandRefused if this process was suspended since the last update: no axis moves again.

        Axes that the engine leads on are stopped by the dead man.
        """
        self._context.require_sent_after_suspension(self._updated_at)

    def _rest_paused(self, status: MotionStatus, rate: float) -> float | bool:
        """Rest on the path until the pause is over, and go on then."""
        self._require_awake()
        axes = list(self.plan.axes)
        if not (status.op_state[axes] == OperationState.IDLE).all():
            return self._end_interrupted(status)
        if rate == 0.0:
            off = np.abs(self.plan.target - status.actual_pos[axes])
            away = np.flatnonzero(~(off <= self.prepared.rules.start_tolerance))
            self._gate.speed.report(axes, [axes[i] for i in away])
        made = self.pacing.resume(self._made, rate)
        if made is not None:
            self.begin(made, status)
        return True

    def _settle(self, status: MotionStatus, now: float) -> float | bool:
        axes = list(self.plan.axes)
        if not (status.op_state[axes] == OperationState.IDLE).all():
            return self._end_interrupted(status)
        off = self.plan.target - status.actual_pos[axes]
        goal = self._tolerances.goal
        reason = goal.violation(off, np.asarray(status.actual_velocity[axes]), "its goal")
        if not reason:
            return self.end(TrajectoryEnd.SUCCEEDED)
        if (late := now - self.plan.duration) > self._tolerances.settling:
            return self.end(TrajectoryEnd.OFF_GOAL, f"{reason}, {late:.3f} s after the end")
        return True

    def _planned_part(self, repeat: Repeat) -> Plan | None:
        """The part that takes over from the plan, once planned; raises what its planning did."""
        if self._next_part is None:
            with suppress(BadRequest):  # too many goals wait: the next sample tries again
                asked = self._made.asked
                self._next_part = self._context.plan_in(lambda: repeat.part(asked, repeat.span))
            return None
        return self._next_part.result() if self._next_part.done() else None

    def _switch(self, made: PacedPlan, at: float, cycle: int, status: MotionStatus) -> float | bool:
        """Go on with what takes over `at` (s in the plan), in `cycle`, which is due."""
        segment = self.plan.segment_at(at)
        half = self._cycle_time / 2.0  # rounding is less
        if segment and segment.begin < at - half and segment.end > at + half:
            if (status.op_state[list(self.plan.axes)] != OperationState.INTPL).any():
                return self._end_interrupted(status)
            if is_late(cycle, status.cycle, self._cycle_time):
                return self._stop_then_end(TrajectoryEnd.OFF_PATH, LATE_PART, status)
        elif is_late(cycle, status.cycle, self._cycle_time):  # they stand, and go on from now
            cycle = status.cycle + COMMAND_CYCLES
        self._next_part = None
        self.pacing.forget()
        if (opening := made.plan.opening) is not None:
            axes = made.plan.axes
            times, positions = cut(opening, status, axes, cycle, self._cycle_time)
            if is_nothing(positions):
                if (status.op_state[list(axes)] == OperationState.IDLE).all():
                    self._enter(made, cycle)
                    self._segments.pop(0)  # at whose end they are already
                    self._phase = _Phase.STANDING
                return True  # what moves has another change planned
            self._lead_along(SplineMove(axes=axes, times=times, positions=positions))
        self._enter(made, cycle)
        return True

    def _next_check(self, status: MotionStatus, seconds: float) -> float:
        """Return when to call `update` again: after a period, or in `seconds` if that is sooner.

        Not before the next sample, which a slow engine has only after several periods; these are
        of the steady clock. Another pace takes over on time: what is late has to be led up to.
        """
        seconds, rate = min(seconds, self.pacing.due_in(self._time(status))), status.clock_rate
        if seconds <= self._cycle_time:  # it is awaited: of a fast engine no sooner than of any
            seconds = self._cycle_time * max(1.0, rate)
        return status.time_in(min(seconds, max(self._context.period * rate, self._cycle_time)))

    # Why it cannot go on

    def _why_unfit(self, status: MotionStatus) -> str:
        return why_unfit(self._gate, self.request, self.plan, status)

    def _on_motion_over(self, status: MotionStatus) -> float | bool:
        """End because the motion has ended, or is being stopped by another command of the node."""
        if self._tracker.is_open(self.request.id):
            return self._end_interrupted(status)
        if self._axes_to_stop(status) and (reason := self._why_unfit(status)):
            return self._stop_then_end(TrajectoryEnd.OFF_PATH, reason, status)
        if self._held_axes(status):
            return True  # a HOLD is recorded as a stop a moment after it has begun
        return self.end(TrajectoryEnd.PREEMPTED, "another command has taken over")

    def _left_axes(self) -> list[int]:
        """The axes that no other motion has taken over, which does not end for a stop of these."""
        tracker, axes = self._tracker, list(self.plan.axes)
        if tracker.is_open(self.request.id):
            return axes
        return [axis for axis in axes if not tracker.has_motion_on([axis])]

    def _held_axes(self, status: MotionStatus) -> list[int]:
        """The axes that a HOLD has taken over, where the engine still leads them along the path."""
        held = self._tracker.axes_of(MotionKind.HOLD)
        return [a for a in self.plan.axes if a in held and status.op_state[a] in _ON_PATH]

    def _axes_to_stop(self, status: MotionStatus) -> list[int]:
        """The axes that are left, and those that are held: the engine stops these too gently."""
        return sorted({*self._left_axes(), *self._held_axes(status)})

    # How it ends

    def end(self, ending: TrajectoryEnd, text: str = "", code: int = 0) -> bool:
        """End at once: nothing is to be stopped, or another command does it; return False."""
        self._phase = _Phase.ENDED
        self._tracker.release(self.request.id, self._judged(ending, text))
        self.held.close()
        self._resolve(Outcome(ending=ending, text=text, code=code))
        return False

    def _judged(self, ending: TrajectoryEnd, text: str) -> Ending | None:
        """The end of the motion, by the tolerances of the goal; None without: by InPosition."""
        if ending is TrajectoryEnd.OFF_GOAL:
            return Ending(EndReason.NOT_ARRIVED, 0, text)
        if ending is TrajectoryEnd.SUCCEEDED and self._tolerances.goal is not ANYTHING:
            return Ending(EndReason.ARRIVED)
        return None

    def _end_interrupted(self, status: MotionStatus) -> float | bool:
        """Bring the axes to rest, for one that should follow a spline does not."""
        reason = self._why_unfit(status) or off_path(status, self.plan.axes, self.plan.names)
        return self._stop_then_end(TrajectoryEnd.OFF_PATH, reason, status)

    def _stop_then_end(
        self, ending: TrajectoryEnd, text: str, status: MotionStatus, *, quick: bool = False
    ) -> float | bool:
        """Bring the axes to rest along the path; the reason of an abort is known at once.

        It is a quick stop after a fault, and where another one would take too long.
        """
        self._ending = Outcome(ending=ending, text=text)
        if ending is not TrajectoryEnd.CANCELED:
            self._resolve(self._ending)
        reason = EndReason.CANCELED if ending is TrajectoryEnd.CANCELED else EndReason.STOPPED
        axes, stop = self._axes_to_stop(status), self._gate.slow_down
        self._tracker.set_end_reason(reason, text, self._left_axes())
        longest = self._context.stopping_time
        gently = stop_lasts(self._segments, axes, status)
        hard = quick or gently > longest or has_fault(self._gate, self.request, status)
        self._stopping = Stopping(
            stop,
            axes,
            self._context.latency,
            _ON_PATH,
            self._context.log,
            quick_stop=partial(stop, quick=True),
            quick_after=0.0 if hard else longest / status.clock_rate,
            now=self._tracker.now,
        )
        self._late_at = self._tracker.now() + REST_TIME
        self._phase = _Phase.STOPPING
        return self._stop(status)

    def _stop(self, status: MotionStatus) -> float | bool:
        stopping = self._stopping
        if stopping.update(status):
            return self.end(self._ending.ending, self._ending.text)
        if self._tracker.now() > self._late_at:
            self._late_at = inf
            reason = f"axes {stopping.busy} still move {REST_TIME:g} s after they were stopped"
            if stopping.refusal is not None:
                reason += f": {stopping.refusal}"
            self._context.log(f"Trajectory ({self._ending.text}): {reason}")
            self._resolve(replace(self._ending, text=f"{self._ending.text}; {reason}"))
        return True

    def _resolve(self, outcome: Outcome) -> None:
        if not self.outcome.done():
            self.outcome.set_result(outcome)
