"""Plays trajectories of actuators: one spline of the engine after the other, until the last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any
from uuid import UUID

from ..actuators.command import REPEAT_FOREVER, Command
from ..actuators.description import Actuator
from ..actuators.trajectories import Cycle, begun_late, run_at, start_at, trajectory
from ..drivers.values import OperationState, SplineMove
from ..motions.events import EndReason
from ..motions.recorded_motion import Description, RecordedMotion
from ..node.context import NodeContext
from ..trajectories.coming_to_rest import bring_to_rest
from ..trajectories.plan import Plan
from ..trajectories.runs import Run
from ..validation import BadRequest

PURPOSE = "actuators"
"""For which the node owns the axes."""
STOPPED = "its axes were stopped"
PLANNING = 0.2
"""How long before it is due a part of an endless trajectory is planned, s."""


@dataclass(frozen=True, slots=True)
class _Playing:
    """A trajectory that is played."""

    id: UUID
    axes: tuple[int, ...]
    description: Description
    marks: tuple[bytes, ...]
    """Of stops of its axes, as they were when it began."""


class TrajectoryPlayer:
    """Those of `node`, commanded through `motion`."""

    def __init__(self, node: NodeContext[Any], motion: RecordedMotion) -> None:
        self._node = node
        self._motion = motion

    def play(
        self,
        commands: Sequence[Command],
        actuators: Mapping[str, Actuator],
        made: Plan,
        description: Description,
    ) -> float:
        """Begin `made`, which `commands` mean, and see to the rest of it; how long it takes, s."""
        endless = commands[0].repeat == REPEAT_FOREVER
        lasts = inf if endless else made.duration
        description = replace(
            description,
            targets=dict.fromkeys(made.axes, float("nan"))
            if endless
            else dict(zip(made.axes, made.target.tolist(), strict=True)),
            lasts=lasts,
        )
        playing = _Playing(
            description.ids[made.axes[0]], made.axes, description, self._node.stop_marks(made.axes)
        )
        begun = time.monotonic()
        first, rest = made.runs[:1], made.runs[1:]
        if first and first[0].begin == 0.0:
            self._command(made, first[0], description)
        else:
            rest = made.runs
        if endless:
            cycle = Cycle(commands)
            work = partial(self._repeat, playing, cycle, actuators, made, begun)
        else:
            work = partial(self._follow, playing, rest, made, begun)
        threading.Thread(
            target=self._see_to, args=[playing, work], name="trajectory", daemon=True
        ).start()
        return lasts

    def _see_to(self, playing: _Playing, work: Callable[[], None]) -> None:
        """Do the `work`; what somebody stopped is told to have ended when its axes are free."""
        work()
        motions = self._node.motions
        if motions is None or not self._runs(playing.id):
            return
        if self._node.stop_marks(playing.axes) != playing.marks:
            motions.ledger.mark(playing.axes, EndReason.STOPPED, STOPPED)
            self._motion.finish(playing.id)

    def _command(self, made: Plan, run: Run, description: Description) -> None:
        with self._motion.described(description):
            self._motion.move_spline(
                SplineMove(axes=made.axes, times=run.times, positions=run.positions)
            )

    def _follow(self, playing: _Playing, runs: Sequence[Run], made: Plan, begun: float) -> None:
        """Command each of `runs` when it is due; the axes stay owned while they stand."""
        owners = self._node.driver.owners
        with nullcontext() if owners is None else owners.owner(PURPOSE).claim(made.axes):
            self._follow_owned(playing, runs, made, begun)

    def _follow_owned(
        self, playing: _Playing, runs: Sequence[Run], made: Plan, begun: float
    ) -> None:
        for run in runs:
            if not self._wait(begun + run.begin, playing):
                return
            if not self._next(playing, partial(self._command, made, run, playing.description)):
                return
        if self._wait(begun + made.duration, playing):
            self._motion.finish(playing.id)

    def _repeat(
        self,
        playing: _Playing,
        cycle: Cycle,
        actuators: Mapping[str, Actuator],
        made: Plan,
        begun: float,
    ) -> None:
        """Let part after part take over, until something else does.

        A part is planned before it is due, from where the axes will be then: nobody who commands
        anything waits for that.
        """
        span = cycle.takes_over * cycle.period
        part = made
        while True:
            for run in part.runs:
                if part is made and run.begin == 0.0:
                    continue  # it was commanded with the begin
                if run.begin >= span or (run is part.runs[0] and run.begin == 0.0):
                    continue  # the next part has taken over by then, or it took over itself
                command = partial(self._command, part, run, playing.description)
                if not self._wait(begun + run.begin, playing):
                    return
                if not self._next(playing, command):
                    return
            due = begun + span
            if not self._wait(due - PLANNING, playing):
                return
            try:
                following = trajectory(cycle.part(0.0), actuators, start_at(part, span))
            except BadRequest as error:
                self._give_up(playing.id, error)
                return
            take_over = partial(self._take_over, part, following, due, span, playing.description)
            if not self._wait(due, playing) or not self._next(playing, take_over):
                return
            part, begun = following, due

    def _take_over(
        self, before: Plan, part: Plan, due: float, span: float, description: Description
    ) -> None:
        """Begin `part`, which is due, while the axes follow the one `before` it."""
        if not part.runs or part.runs[0].begin > 0.0:
            return  # it begins with a stand
        status = self._motion.status()
        axes = list(part.axes)
        if run_at(before, span) and (status.op_state[axes] != OperationState.INTPL).any():
            raise BadRequest(["the axes were stopped"])
        late = max(0.0, time.monotonic() - due)
        with self._motion.described(description):
            self._motion.move_spline(begun_late(part, late, status.pos_cmd[axes]))

    def _wait(self, until: float, playing: _Playing) -> bool:
        """Until that time of the steady clock; false when the motion is over before."""
        while (left := until - time.monotonic()) > 0.0:
            if self._node.stopping.wait(min(left, 0.05)) or not self._goes_on(playing):
                return False
        return self._goes_on(playing)

    def _goes_on(self, playing: _Playing) -> bool:
        """Whether nobody has ended the motion, nor stopped its axes, which may stand.

        A stop that axes have had while they stood shows in nothing but its mark. Only what is on a
        path is stopped then: whoever stopped the axes may have done so harder, or move them again.
        """
        if not self._runs(playing.id):
            return False
        if self._node.stop_marks(playing.axes) == playing.marks:
            return True
        motions = self._node.motions
        if trouble := bring_to_rest(
            self._motion,
            playing.axes,
            self._node.driver.ecat.network_state(0).statistics.comm_period * 1e-6,
            wanted=lambda: motions is not None and motions.ledger.is_open(playing.id),
            refused=self._node.say_error,
            late=self._node.say_error,
        ):
            self._node.say_error(f"Stopping axes {list(playing.axes)}: {trouble}")
        return False

    def _next(self, playing: _Playing, command: Callable[[], None]) -> bool:
        """Command the next spline, unless the motion was ended; false then.

        Whoever stops the axes leaves a mark and then stops them: who sees none after the command is
        stopped after it.
        """
        if not self._goes_on(playing):
            return False
        try:
            with self._node.commanding():
                if not self._runs(playing.id):
                    return False
                command()
        except Exception as error:
            self._give_up(playing.id, error)
            return False
        return self._goes_on(playing)

    def _give_up(self, id: UUID, error: Exception) -> None:
        refusal = self._node.refused(error)
        self._node.say_error(f"A trajectory ends: {refusal.bug or refusal.message}")
        self._motion.finish(id)

    def _runs(self, id: UUID) -> bool:
        motions = self._node.motions
        return motions is not None and motions.ledger.runs(id)
