"""Jogs that their clients renew: a stick that is held down, with the same velocity again and again.

What a jog does that takes over from a jog the vendor's manual does not define, and the vendor's own
nodes command it only for another velocity. So a jog that is renewed is commanded once more, to last
for LONGEST, and from then on only the time moves on by which it has to end: the device that renews
it stops the axis then, as it reads the status. The engine ends it after LONGEST, also where the
process is dead or hangs, unless the dead man does so before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from threading import Lock

from wmx_core.values import MotionStatus, OperationState, VelocityMove

LONGEST = 1.0
"""s; as long as the dead man of the nodes waits by default."""
STATUS_LATENCY = 0.1
"""By then, s, the status shows a command; it does in the next communication cycle."""


@dataclass(frozen=True, slots=True)
class _Jog:
    move: VelocityMove
    began: float
    due: float
    """When it has to end, s."""
    ends: float
    """When the engine ends it by itself, s."""


class Renewals:
    """The jogs with run times that this device commanded last."""

    def __init__(self) -> None:
        self.commanding = Lock()
        """Held while jogs are commanded, or stopped because they are due."""
        self._jogs: dict[int, _Jog] = {}

    def __contains__(self, axis: int) -> bool:
        return axis in self._jogs

    def renewed(
        self, now: float, moves: Sequence[VelocityMove], states: Mapping[int, int | None]
    ) -> Sequence[VelocityMove] | None:
        """Return `moves` as they have to be commanded; None if it is enough that they last longer.

        `states` are the operation states of the axes.
        """
        jogs = [self._renewed(move, states.get(move.axis)) for move in moves]
        if all(jog and jog.ends >= now + m.run_time for m, jog in zip(moves, jogs, strict=True)):
            for move in moves:
                jog = self._jogs[move.axis]
                self._jogs[move.axis] = replace(jog, due=now + move.run_time)
            return None
        return [
            replace(move, run_time=max(move.run_time, LONGEST)) if jog else move
            for move, jog in zip(moves, jogs, strict=True)
        ]

    def commanded(
        self, now: float, moves: Iterable[VelocityMove], given: Iterable[VelocityMove]
    ) -> None:
        """Remember that `moves` were commanded as `given`."""
        for move, lasting in zip(moves, given, strict=True):
            self._jogs.pop(move.axis, None)
            if move.run_time and move.velocity:
                due, ends = now + move.run_time, now + lasting.run_time
                self._jogs[move.axis] = _Jog(move, now, due, ends)

    def changed(self, axes: Iterable[int]) -> None:
        """Have the next jog of `axes`, which were commanded otherwise, commanded in any case.

        A jog that goes on all the same, as after a stop that was refused, is due as before.
        """
        for axis in axes:
            if (jog := self._jogs.get(axis)) is not None:
                self._jogs[axis] = replace(jog, move=replace(jog.move, velocity=nan))

    def __bool__(self) -> bool:
        """Whether there is one."""
        return bool(self._jogs)

    def over(self, now: float, newest: MotionStatus) -> list[int]:
        """Return the axes whose jogs are due, though the engine would let them go on.

        A jog that the status does not show any more is forgotten. To be called with `commanding`
        held: else it would be one that has just begun.
        """
        due = []
        for axis, jog in list(self._jogs.items()):
            shown = axis < newest.axes and newest.op_state[axis] == OperationState.JOG
            if not shown and newest.time > jog.began + STATUS_LATENCY:
                self._jogs.pop(axis, None)
            elif shown and now >= jog.due and jog.ends > jog.due:
                due.append(axis)
        return due

    def _renewed(self, move: VelocityMove, state: int | None) -> _Jog | None:
        """The jog that `move` renews, if there is one."""
        jog = self._jogs.get(move.axis)
        if jog is None or replace(jog.move, run_time=move.run_time) != move:
            return None
        return jog if state == OperationState.JOG else None
