"""Leads axes along a trajectory, in a thread of its own, and says how that ended.

The thread looks at the state of the axes every `LOOK_PERIOD`. Time is that of the engine, counted
in communication cycles: a simulated engine may run at a rate of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

from ..drivers.errors import EngineLost, WmxError
from ..drivers.values import MotionStatus
from .check import check_start, named
from .coming_to_rest import bring_to_rest
from .following import Following
from .goal import Goal
from .outcome import Ended, Ending, Outcome
from .plan import Plan, check_plan, plan
from .setting import LOOK_PERIOD, Demands, Setting
from .take_over import Beginning, TooLate, ahead, present, require_in_time, require_led

LEADS = 0.05, 0.15, 0.45, 0.45, 0.45
"""How far ahead a trajectory that takes over in motion is planned, s: first, and each time that was
too late."""


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
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`stopped` says whether somebody has stopped its axes since the goal came."""
        self.goal = goal
        self.id = uuid4()
        """Of its motion; another one after each try that was too late: what is refused is over."""
        self.plan: Plan | None = None
        """There is one once it has begun."""
        self.outcome: Outcome | None = None
        self._setting = setting
        self._demands = demands
        self._report = report
        self._stopped = stopped
        self._following: Following | None = None
        self._wake = threading.Event()
        self._canceled = False
        self._taken_over = False
        self.ended = threading.Event()
        """Set when `play` has returned."""

    @property
    def leads(self) -> bool:
        """Whether the axes are on its way."""
        return self._following is not None and self.outcome is None and not self._canceled

    @property
    def canceled(self) -> bool:
        """Whether somebody has asked for its end."""
        return self._canceled

    @property
    def first_cycle(self) -> int:
        """In which the plan began."""
        return self._following.first_cycle if self._following is not None else 0

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
            self._begin(begin).go_on()
            self.outcome = Outcome(ending=Ending.SUCCEEDED)
        except Ended as end:
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
            self._require_not_stopped()
            self._wake.wait(min(LOOK_PERIOD, remaining))

    def _begin(self, begin: Callable[[], list[Execution]]) -> Following:
        """Order the first spline; until then nobody else takes over from what moves the axes."""
        with self._turn():
            others, why = begin(), ""
            leaders: list[tuple[Plan, int]] = []
            for lead in LEADS:
                status = self._setting.motion.status()
                if self.plan is None:  # nobody has given way yet
                    leaders = [(o.plan, o.first_cycle) for o in others if o.leads and o.plan]
                else:
                    require_led(status, leaders, self._setting.cycle_time)
                try:
                    return self._take_over(others, *self._planned(status, leaders, lead))
                except TooLate as late:
                    why = f": {late.__cause__}" if late.__cause__ else ""
                self.id = uuid4()
        ending = Ending.NOT_STARTED if self.plan is None else Ending.OFF_PATH
        raise Ended(ending, f"planned too late to take over, {len(LEADS)} times{why}")

    def _take_over(self, others: list[Execution], beginning: Beginning, planned: Plan) -> Following:
        """Order the first spline of a plan.

        TooLate when the axes have moved on meanwhile; `others` may have given way by then.
        """
        setting = self._setting
        if beginning.moving:
            now = setting.motion.status().cycle
            require_in_time(beginning.cycle, now, setting.cycle_time)
        self._require_not_stopped()
        self.plan = planned  # from here on its axes are brought to rest, whatever happens
        for other in others:
            other.give_way()
        first = beginning.cycle if beginning.moving else setting.motion.status().cycle
        following = Following(
            setting, planned, self._demands, first, self._look, self._wake, self._was_stopped
        )
        following.begin(beginning)
        self._following = following
        return following

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until no other trajectory is about to begin, which may be one that takes over."""
        turn = self._setting.turn
        while not turn.acquire(timeout=LOOK_PERIOD):
            self._require_wanted()
        try:
            self._require_not_stopped()
            yield
        finally:
            turn.release()

    def _planned(
        self, status: MotionStatus, leaders: list[tuple[Plan, int]], lead: float
    ) -> tuple[Beginning, Plan]:
        """What is planned to begin `lead` s from now where `leaders` lead the axes, or now."""
        joints, rules = self._setting.joints(status), self._setting.rules
        columns = joints.columns(named(self.goal, joints))
        if leaders:
            cycle_time = self._setting.cycle_time
            beginning = ahead(status, joints, columns, leaders, cycle_time, lead)
        else:
            beginning = present(status, joints, columns)
        reasons = [*check_start(self.goal, joints, beginning.start, rules)]
        if not reasons:
            planned = plan(self.goal, joints, beginning.start)
            reasons = check_plan(planned, joints, rules)
        if reasons:
            raise Ended(Ending.NOT_STARTED, "; ".join(reasons))
        return beginning, planned

    def _require_wanted(self) -> None:
        """End the execution when that is asked for."""
        if self._taken_over:
            raise Ended(Ending.PREEMPTED, "another trajectory has taken over")
        if self._canceled:
            raise Ended(Ending.CANCELED, "canceled")
        if self._setting.stopping.is_set():
            raise Ended(Ending.NOT_STARTED, "the server lets go of the axes")

    def _was_stopped(self) -> bool:
        """Whether somebody stopped it otherwise than by a cancel."""
        return self._stopped() and not self._canceled

    def _require_not_stopped(self) -> None:
        """End the execution that has not begun when its axes were stopped, or that is asked for."""
        self._require_wanted()
        if self._stopped():
            raise Ended(Ending.NOT_STARTED, "somebody stopped the joints before it began")

    def _look(self) -> MotionStatus:
        """A sample that is reported, unless the end is asked for."""
        self._require_wanted()
        status = self._setting.motion.status()
        if self._following is not None:
            self._report(self, status, self._following.time_in_plan(status))
        return status

    def _end(self, outcome: Outcome) -> None:
        """Bring the axes to rest; who waits for the reason of an abort has it at once."""
        if outcome.ending is not Ending.CANCELED:
            self.outcome = outcome
        if outcome.ending is Ending.PREEMPTED or self.plan is None:
            self.outcome = outcome
            return
        trouble = self._bring_to_rest(self.plan, outcome)
        if self.outcome is None:
            self.outcome = _with(outcome, trouble)

    def _bring_to_rest(self, planned: Plan, outcome: Outcome) -> str:
        """Stop the axes until they rest; a cancel that takes too long is answered meanwhile."""
        setting = self._setting

        def say(trouble: str) -> None:
            setting.say(f"Trajectory ({outcome.text or outcome.ending.name.lower()}): {trouble}")

        def answer(trouble: str) -> None:
            say(trouble)
            if self.outcome is None:
                self.outcome = _with(outcome, trouble)

        with setting.ending():
            return bring_to_rest(
                setting.motion,
                planned.axes,
                setting.cycle_time,
                wanted=lambda: not self._taken_over,
                refused=say,
                late=answer,
            )


def _with(outcome: Outcome, trouble: str) -> Outcome:
    text = f"{outcome.text}; {trouble}" if trouble else outcome.text
    return Outcome(ending=outcome.ending, text=text)
