"""Motions whose source has died: somebody else has to tell of their end."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from ..drivers.values import MotionStatus, OperationState
from .events import Begin, End, EndReason, MotionKind

GRACE = 1.0
"""How long axes may move that nobody owns before their motion counts as orphaned, s."""
TOLD_LATE = 5.0
"""Likewise where they rest, or are somebody else's, s: the end may be on its way from a node that
the machine keeps from running."""
REMEMBERED = 1000
"""Ends whose begin may still come."""
_WITHOUT_BEGIN = EndReason.REFUSED, EndReason.OWNER_LOST
"""What comes without a begin, or was told here."""
_RUNAWAY = OperationState.TRQ, OperationState.INTPL
"""What an effort and a trajectory do: their node watches them, and not every engine ends them."""
Owners = Callable[[Sequence[int]], Mapping[int, str]]
"""Tells who owns which of some axes."""


class Runaway(NamedTuple):
    """Axes whose motion has to be stopped, for who ordered it does not."""

    axes: list[int]
    why: str


@dataclass(slots=True)
class _Open:
    begin: Begin
    orphaned_since: float | None = None


class Orphans:
    """Keeps the motions of every node that are open, by their begin and end."""

    def __init__(self) -> None:
        self._open: dict[UUID, _Open] = {}
        self._ended: OrderedDict[UUID, None] = OrderedDict()
        """Ends that came before their begin, which travels on another topic."""
        self._lost: list[End] = []
        """Told here, of axes that may still do what their dead node ordered."""

    def see_begin(self, begin: Begin) -> None:
        """A motion has begun."""
        if begin.id in self._ended:
            del self._ended[begin.id]
        else:
            self._open[begin.id] = _Open(begin)

    def see_end(self, id: UUID, reason: EndReason) -> None:
        """A motion has ended."""
        if self._open.pop(id, None) is None and reason not in _WITHOUT_BEGIN:
            self._ended[id] = None
            if len(self._ended) > REMEMBERED:
                self._ended.popitem(last=False)

    def runaways(self, now: float, owners: Owners, status: MotionStatus) -> list[Runaway]:
        """What has to be stopped at `now` (s of the steady clock).

        That are efforts that should have ended by themselves a while ago, and efforts and
        trajectories of dead nodes: again and again, until the axes do something else.
        """
        overdue = [
            Runaway(
                _running(begin.axes, status, owners, begin.source),
                f"{begin.source} does not end its effort",
            )
            for begin in self._overdue(now)
        ]
        lost = [(end, _running(end.axes, status, owners)) for end in self._lost]
        self._lost = [end for end, axes in lost if axes]
        orphaned = [Runaway(axes, end.message) for end, axes in lost]
        return [runaway for runaway in (*overdue, *orphaned) if runaway.axes]

    def _overdue(self, now: float) -> list[Begin]:
        return [
            motion.begin
            for motion in self._open.values()
            if motion.begin.kind is MotionKind.EFFORT
            and motion.begin.arrival is not None
            and now > motion.begin.arrival + GRACE
        ]

    def find(
        self,
        now: float,
        owners: Owners,
        alive: Callable[[Begin], bool],
        status: MotionStatus | None,
    ) -> list[End]:
        """The ends of motions whose source is dead, at `now` (s of the steady clock).

        `alive` says whether the node that told of a motion is there. A node that is killed owns
        nothing at once; one that holds a position owns nothing either, so its being there is what
        counts.
        """
        lost = []
        for motion in list(self._open.values()):
            begin = motion.begin
            names = owners(begin.axes)
            owned = any(is_owner(name, begin.source) for name in names.values())
            if owned or (begin.kind is MotionKind.HOLD and alive(begin)):
                motion.orphaned_since = None
            elif motion.orphaned_since is None:
                motion.orphaned_since = now
            elif now > motion.orphaned_since + (
                GRACE if not names and _moves(begin, status) else TOLD_LATE
            ):
                del self._open[begin.id]
                lost.append(_lost(begin, now, status))
        self._lost += lost
        return lost


def is_owner(name: str, source: str) -> bool:
    """Whether the owner `name`, such as "/mover (jog), process 7", is the node `source`."""
    return name.split(" ")[0].rstrip(",") == source


def _running(
    axes: Sequence[int], status: MotionStatus, owners: Owners, source: str = ""
) -> list[int]:
    """Those of `axes` that run away, and are owned by nobody or by `source`."""
    names = owners(axes)
    return [
        axis
        for axis in axes
        if axis < status.axes
        and status.op_state[axis] in _RUNAWAY
        and (axis not in names or is_owner(names[axis], source))
    ]


def _moves(begin: Begin, status: MotionStatus | None) -> bool:
    return status is not None and any(
        axis < status.axes and status.op_state[axis] != OperationState.IDLE for axis in begin.axes
    )


def _lost(begin: Begin, now: float, status: MotionStatus | None) -> End:
    final = begin.initial
    if status is not None and all(axis < status.axes for axis in begin.axes):
        final = tuple(float(status.pos_cmd[axis]) for axis in begin.axes)
    return End(
        id=begin.id,
        source=begin.source,
        axes=begin.axes,
        names=begin.names,
        time=now,
        final=final,
        reason=EndReason.OWNER_LOST,
        message=f"{begin.source} ended without a word",
    )
