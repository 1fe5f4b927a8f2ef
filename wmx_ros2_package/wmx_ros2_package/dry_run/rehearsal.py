"""Motions on a copy of the engine: the same gate, tracker and trajectories, on a clock of its own.

Nothing of it reaches the engine that was copied. What a node does while its motions last, such as
renewing a lease, is not there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from wmx_core.interface import EngineCopy
from wmx_core.values import Course, MotionStatus, OperationState

from ..control.following.context import ExecutionContext
from ..control.following.executor import TrajectoryExecutor
from ..control.gate import Gate
from ..control.motion_ends import InPosition
from ..control.ownership import Ownership
from ..control.request import MotionKind
from ..control.supervisor import TASK_PERIOD, Sink
from ..control.tracker import MotionTracker

CYCLE_TIME = 1e-3
"""A communication cycle of the copy, s."""
LATENCY = CYCLE_TIME / 2
"""After a command the next cycle shows it, and times of the same cycle count as the same, s."""
MOST_CELLS = 60_000
"""So many cycles times axes are computed at a time."""
UNSEEN_CYCLES = 50
"""After so many at most what the axes did is computed; for each of them alone it costs the most."""


@dataclass(slots=True)
class _Task:
    call: Sink
    period: float
    due: float
    """s of the steady clock."""


class Rehearsal:
    """The path of motions over `copy`; one thread may use it."""

    def __init__(
        self,
        copy: EngineCopy,
        take: Callable[[Course], None],
        in_position: InPosition | None,
    ) -> None:
        """`take` gets what the copied axes do, in order and without gaps."""
        self._copy = copy
        self._take = take
        self._tasks: list[_Task] = []
        self.status: MotionStatus = copy.motion.status()
        """The newest."""
        self._seen = self.status.cycle
        """Up to which cycle `take` knows what the axes did."""
        ownership = Ownership("copy", copy.motion.status, 0.0)  # never opened: it refuses nothing
        self.tracker = MotionTracker(
            "", LATENCY, self._now, in_position=in_position, in_position_widths=self._widths
        )
        self.gate = Gate(copy.motion, ownership, self.tracker)
        self.gate.open()
        context = ExecutionContext(
            gate=self.gate,
            tracker=self.tracker,
            latency=LATENCY,
            plan_in=lambda work: work(),  # no goal waits, repeats or is paused
            log=lambda _: None,
            period=inf,
        )
        self.executor = TrajectoryExecutor(context, self)
        self.executor.attach(CYCLE_TIME)

    def add_task(self, name: str, task: Sink, period: float = TASK_PERIOD) -> None:
        """Call `task` with statuses until it returns false, see `Supervisor.add_task`."""
        self._tasks.append(_Task(task, period, self.status.time))

    def run(self, cycle: int, axes: list[int]) -> bool:
        """Let time go on to `cycle`, or until `axes` rest and no motion is open; whether they do.

        A hold is no longer waited for than its axes take to come to rest.
        """
        while not (rests := self._rests(axes)) and self.status.cycle < cycle:
            idle = self.status.op_state[self._open(axes)] == OperationState.IDLE
            soon = self.tracker.is_settling or (bool(idle.any()) and not self._tasks)
            most = 1 if soon else MOST_CELLS // len(axes)  # the next status may end one
            self._go_on(min(cycle, self.status.cycle + most))
            if not soon or self.status.cycle - self._seen >= UNSEEN_CYCLES:
                self._see()
        self._see()
        return rests

    def advance(self, cycle: int) -> None:
        """Let time go on to `cycle`, or to the first one in which something is to be done."""
        self._go_on(cycle)
        self._see()

    def _see(self) -> None:
        if self.status.cycle > self._seen:
            self._take(self._copy.course())
            self._seen = self.status.cycle

    def _go_on(self, cycle: int) -> None:
        due = min((task.due for task in self._tasks), default=inf)
        left = (due - self.status.time) * self.status.clock_rate / CYCLE_TIME
        if left < cycle - self.status.cycle:
            cycle = max(self.status.cycle + 1, self.status.cycle + round(left))
        self._copy.run(cycle)
        self.status = status = self._copy.motion.status()
        self.tracker.update(status)
        tasks = list(self._tasks)
        for task in tasks:
            again = task.call(status)
            if not again:
                self._tasks.remove(task)
            task.due = again if type(again) is float else status.time + task.period
        if tasks:
            self.tracker.update(status)  # one may have released a motion

    def _rests(self, axes: list[int]) -> bool:
        idle = bool((self.status.op_state[axes] == OperationState.IDLE).all())
        return idle and not self._tasks and not self._open(axes)

    def _open(self, axes: list[int]) -> list[int]:
        """Return those of `axes` that have an open motion other than a hold."""
        held = self.tracker.axes_of(MotionKind.HOLD)
        return [a for a in axes if a not in held and self.tracker.has_motion_on([a])]

    def _now(self) -> float:
        return self.status.time

    def _widths(self, axes: Sequence[int]) -> list[float]:
        known = self._copy.motion.parameters()
        return [known.axis(axis).in_pos_width for axis in axes]
