"""How the pace of a trajectory changes while it is carried out.

The rest of the path is planned anew at the other pace, from where the joints will be a little
later; the plan takes over there, as the next part of an endless trajectory does. A plan that is
ready too late is made again, further ahead.
"""

from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from wmx_core.values import MotionStatus

from ...trajectories.goal_rules import ends_in_motion
from ...trajectories.pace import Pace, PacedPlan, TooShort, judged, paced
from ...trajectories.plan import ARRIVING, Plan, Prepared
from ...trajectories.segments import Segment
from ...trajectories.take_over import COMMAND_CYCLES, is_late
from ...validation import BadRequest
from .context import ExecutionContext

LEADS = 0.05, 0.15, 0.45, 0.45, 0.45
"""How far ahead what takes over in motion is planned, s: first, and each time that was too late."""
PAUSE_TIMEOUT = 1.5
"""After so long without the pause that is wanted, s, a trajectory is stopped and ends."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change that is being planned: what takes over `at` (s in the plan)."""

    planned: "Future[PacedPlan]"
    at: float


class Pacing:
    """The changes of the pace of one trajectory, which a `TrajectoryExecutor` has carried out."""

    def __init__(self, context: ExecutionContext, prepared: Prepared) -> None:
        self._context = context
        self._prepared = prepared
        self.is_stream = prepared.planned_from is not None or ends_in_motion(
            prepared.goal, prepared.rules
        )
        """Whether it is part of a stream, whose points are due at times: it keeps its pace."""
        self._change: _Change | None = None
        self._attempt = 0
        """How many changes in a row were planned too late."""
        self._unpaused_since = inf
        """Since when a pause is wanted that is not in force, s."""

    def at_start(self, asked: Plan, rate: float, moving_at: float | None) -> PacedPlan:
        """What is `asked` as it begins: at once at `rate` where joints rest, else from `moving_at`.

        BadRequest where joints that move cannot be led so.
        """
        if self.is_stream or not rate:
            return paced(asked)
        if moving_at is None or moving_at == rate:
            return paced(asked, Pace(rate=rate, then=rate))
        moving, ramp = Pace(rate=moving_at, then=moving_at), self._context.stopping_time
        return judged(
            asked,
            self._prepared.joints,
            self._prepared.rules,
            lambda longer: moving.changing(0.0, rate, ramp, longer),
            standing=True,
        )

    def is_overdue(self, made: PacedPlan, rate: float, status: MotionStatus) -> bool:
        """Whether a pause has been wanted for too long that is not in force."""
        if rate > 0.0 or made.pace.then == 0.0:
            self._unpaused_since = inf
            return False
        self._unpaused_since = min(self._unpaused_since, status.time)
        return status.time > self._unpaused_since + status.timeout(PAUSE_TIMEOUT)

    def change(
        self,
        made: PacedPlan,
        rate: float,
        now: float,
        status: MotionStatus,
        segment: Segment | None,
        until: float,
    ) -> "tuple[PacedPlan, float, int] | None":
        """Return the plan that takes over now from `made`, when in its plan, and in which cycle.

        The joints follow `segment`; nothing takes over just before its end, nor after `until`.
        Raises what the planning did: BadRequest where joints cannot be led so.
        """
        cycle_time = self._context.cycle_time
        if (change := self._change) is None:
            if made.pace.then != rate:
                lead = LEADS[min(self._attempt, len(LEADS) - 1)]
                at = max(now, 0.0) + lead
                arrives = segment is not None and segment.end < at + ARRIVING
                passed = made.pace.changing(at, rate, self._context.stopping_time).changed_at
                if not arrives and passed < until:
                    with suppress(BadRequest):  # too many goals wait: the next sample tries again
                        self._change = _Change(self._plan(made, rate, at), at)
            return None
        cycle = status.cycle + round((change.at - now) / cycle_time)
        if not change.planned.done() or status.cycle + COMMAND_CYCLES < cycle:
            return None
        self._change = None
        try:
            planned = change.planned.result()
        except TooShort:  # as good as at rest: later it moves, or stands
            self._unpaused_since = inf
            return None
        if is_late(cycle, status.cycle, cycle_time):
            self._attempt += 1
            return None
        self._attempt = 0
        return planned, change.at, cycle

    def due_in(self, now: float) -> float:
        """How long after `now` what is being planned is to be commanded, s; inf where nothing is.

        `now` is s in the plan.
        """
        if self._change is None:
            return inf
        cycle_time = self._context.cycle_time
        return (round((self._change.at - now) / cycle_time) - COMMAND_CYCLES) * cycle_time

    def resume(self, made: PacedPlan, rate: float) -> PacedPlan | None:
        """Return the plan with which joints go on that `made` has paused, once there is one."""
        if rate == 0.0:
            self._change = None
        elif self._change is None:
            with suppress(BadRequest):
                self._change = _Change(self._plan(made, rate, made.plan.duration), 0.0)
        elif self._change.planned.done():
            planned, self._change = self._change.planned.result(), None
            return planned
        return None

    def forget(self) -> None:
        """Forget a change that is being planned: another plan has taken over."""
        self._change = None

    def _plan(self, made: PacedPlan, rate: float, at: float) -> "Future[PacedPlan]":
        ramp = self._context.stopping_time
        joints, rules = self._prepared.joints, self._prepared.rules
        standing = made.plan.segment_at(at) is None
        return self._context.plan_in(
            lambda: judged(
                made.asked,
                joints,
                rules,
                lambda longer: made.pace.changing(at, rate, ramp, longer),
                standing=standing,
            )
        )
