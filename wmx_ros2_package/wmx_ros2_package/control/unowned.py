"""Motions whose node has died: their end is published; trajectories and efforts are stopped.

The engine node does that, and the engine's dead man stops every axis of the node. A trajectory and
an effort are not left to that alone: no client can cancel them any more, their tolerances are not
watched, and not every engine ends a torque by itself. Nor is an effort that its node lets last too
long.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple
from uuid import UUID

from wmx_core.values import MotionStatus, OperationState

from .axis_file.shared import is_of
from .motion_ends import Ending, end_of
from .request import Begin, End, EndReason, MotionKind, is_in_user_units

GRACE = 1.0
"""How long after the death of its node a motion counts as open, s: its end may be on its way; and
how much longer than it should an effort may last."""
REMEMBERED = 1000
"""Ends whose begin may still come."""
_WITHOUT_BEGIN = EndReason.REFUSED, EndReason.OWNER_LOST
"""Reasons of ends that come without a begin, or that are published here."""
_STOPPED_HERE = OperationState.TRQ, OperationState.INTPL, OperationState.SYNC
"""The operation states of efforts, trajectories and axes that follow others."""

Owners = Callable[[Iterable[int]], dict[int, str]]
"""The names of the members that own axes."""


class MotionToStop(NamedTuple):
    """Axes whose motion has to be stopped, and why in words."""

    axes: list[int]
    why: str


@dataclass(slots=True)
class _Open:
    begin: Begin
    members: frozenset[str]
    """The members of its node that were alive when it began."""
    lost_at: float | None = None


class UnownedMotions:
    """The open motions of every node, as their begins and ends are received, in whatever thread.

    One other thread, always the same, asks what was lost and what is to be stopped.
    """

    def __init__(self, members: Callable[[str], frozenset[str]]) -> None:
        """`members` gives the names of the living members of a node."""
        self._members = members
        self._open: dict[UUID, _Open] = {}
        self._ended: OrderedDict[UUID, None] = OrderedDict()
        """Ends that came before their begin, which travels on another topic."""
        self._lost: list[End] = []
        """Published here, of axes that may still do what their dead node commanded."""

    def see_begin(self, begin: Begin) -> None:
        """A motion has begun."""
        if begin.id in self._ended:
            del self._ended[begin.id]
        else:
            self._open[begin.id] = _Open(begin, self._members(begin.source))

    def on_motion_end(self, id: UUID, reason: EndReason) -> None:
        """A motion has ended."""
        if self._open.pop(id, None) is None and reason not in _WITHOUT_BEGIN:
            self._ended[id] = None
            if len(self._ended) > REMEMBERED:
                self._ended.popitem(last=False)

    def lost(self, now: float, status: MotionStatus | None) -> list[End]:
        """The ends of motions whose node is dead, at `now` (s of the steady clock)."""
        lost = []
        for motion in list(self._open.values()):
            if motion.members & self._members(motion.begin.source):
                motion.lost_at = None
            elif motion.lost_at is None:
                motion.lost_at = now
            elif now > motion.lost_at + GRACE:
                if self._open.pop(motion.begin.id, None) is None:
                    continue  # its end has come since
                why = f"the process of {motion.begin.source} has ended"
                end = end_of(motion.begin, Ending(EndReason.OWNER_LOST, 0, why), now, status)
                if not is_in_user_units(end.source):  # its units were known to it alone
                    end = replace(end, final=(nan,) * len(end.axes))
                lost.append(end)
        self._lost += lost
        return lost

    def motions_to_stop(
        self, now: float, owners: Owners, status: MotionStatus
    ) -> list[MotionToStop]:
        """Return the motions to stop; a caller stops them until they are not returned any more."""
        overdue = [
            MotionToStop(
                _running(begin.axes, status, owners, begin.source),
                f"{begin.source} does not end its effort",
            )
            for begin in self._overdue(now)
        ]
        lost = [(end, _running(end.axes, status, owners)) for end in self._lost]
        self._lost = [end for end, axes in lost if axes]
        left = [MotionToStop(axes, end.message) for end, axes in lost]
        return [motion for motion in (*overdue, *left) if motion.axes]

    def _overdue(self, now: float) -> list[Begin]:
        return [
            motion.begin
            for motion in list(self._open.values())
            if motion.begin.kind is MotionKind.EFFORT
            and motion.begin.arrival is not None
            and now > motion.begin.arrival + GRACE
        ]


def _running(
    axes: Iterable[int], status: MotionStatus, owners: Owners, source: str = ""
) -> list[int]:
    """Return those of `axes` that exert a torque or follow a path, owned by `source` or no node."""
    names = owners(axes)
    return [
        axis
        for axis in axes
        if axis < status.axes
        and status.op_state[axis] in _STOPPED_HERE
        and (axis not in names or is_of(names[axis], source))
    ]
