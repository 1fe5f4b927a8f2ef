"""Where a move of joints ends: those that were set go, all others stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from ..client import Motion, Status
from ..trajectories.point_files import Trajectory, smooth_move
from .description import ShownAxis


class JointsNotReady(ValueError):
    """The joints cannot be moved now; the text has the reason."""


class OneAtATime:
    """Lets one motion of a page begin at a time, and none while the one before is open.

    Any thread may call. Nothing waits for its turn: the two clicks of a double one may come
    together, and the second one would move the axes long after it.
    """

    def __init__(self, refusal: str) -> None:
        self._refusal = refusal
        self._beginning = Lock()
        self._newest: Motion | None = None

    def begin(self, begin: Callable[[], Motion]) -> Motion:
        """The motion that `begin` begins; JointsNotReady where another one begins or is open."""
        if not self._beginning.acquire(blocking=False):
            raise JointsNotReady(self._refusal)
        try:
            if self._newest is not None and not self._newest.done:
                raise JointsNotReady(self._refusal)
            self._newest = begin()
            return self._newest
        finally:
            self._beginning.release()


def joints_in(
    actuators: Sequence[ShownAxis], status: Status | None
) -> tuple[dict[str, float], list[str]]:
    """Where axes are commanded to be in a status, rad or m, by their names, and which of them move.

    Both are empty without one. An axis whose unit is not known to be an angle or a length has no
    place.
    """
    if status is None:
        return {}, []
    places = {
        actuator.name: float(position) * actuator.si
        for actuator, position in zip(actuators, status.command, strict=False)
        if actuator.si is not None
    }
    rests = zip(actuators, status.at_rest, strict=False)
    return places, [actuator.name for actuator, at_rest in rests if not at_rest]


def require_ready(names: Sequence[str], now: Mapping[str, float], moving: Sequence[str]) -> None:
    """JointsNotReady where one of the joints has no place `now`, or is one of `moving`."""
    if unknown := [name for name in names if name not in now]:
        raise JointsNotReady(f"it is not known where {', '.join(unknown)} is")
    if busy := [name for name in names if name in moving]:
        raise JointsNotReady(f"{', '.join(busy)} moves: stop it, or wait until it rests")


def move_of_joints(
    names: Sequence[str],
    targets: Mapping[str, float],
    now: Mapping[str, float],
    moving: Sequence[str],
    velocities: Sequence[float],
) -> Trajectory:
    """Move the joints in `targets` to there (rad or m) from `now`, at most at `velocities`.

    All others of `names` are commanded to stay exactly where they are commanded to be now.
    JointsNotReady where nothing is set, a place is not known, or a joint of `moving` moves: it
    would be held where it was.
    """
    if not targets:
        raise JointsNotReady("no joint is set: give a joint a target first")
    require_ready(names, now, moving)
    start = [now[name] for name in names]
    goal = [targets.get(name, now[name]) for name in names]
    return smooth_move(names, start, goal, velocities)
