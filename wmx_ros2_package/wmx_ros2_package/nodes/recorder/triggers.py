"""The triggers of a recording: faults that a status shows, and ends of motions."""

from collections.abc import Iterator, Mapping, Sequence

from wmx_core.values import MotionStatus

from ...control.conditions import AMP_ALARM, FOLLOWING_ERROR, LIMITS, OFFLINE, changes, differs
from ...control.request import EndReason
from ...recordings.words import called

ALARM, EMERGENCY_STOP, LIMIT = "alarm", "emergency_stop", "limit"
FOLLOWING, DRIVE, ENGINE, NODE = "following_error", "drive_offline", "engine_lost", "node_lost"
NOT_ARRIVED = "not_arrived"
TRIGGERS = (ALARM, EMERGENCY_STOP, LIMIT, FOLLOWING, DRIVE, ENGINE, NODE, NOT_ARRIVED)
_OF_CONDITION = {
    AMP_ALARM.name: ALARM,
    FOLLOWING_ERROR.name: FOLLOWING,
    OFFLINE.name: DRIVE,
} | {condition.name: LIMIT for condition in LIMITS}
_OF_END = {
    EndReason.ALARM: ALARM,
    EndReason.LIMIT: LIMIT,
    EndReason.EMERGENCY_STOP: EMERGENCY_STOP,
    EndReason.OWNER_LOST: NODE,
    EndReason.ENGINE_LOST: ENGINE,
    EndReason.NOT_ARRIVED: NOT_ARRIVED,
}

Trigger = tuple[str, str]
"""Its name, and what happened, in words."""


class StatusTriggers:
    """Finds triggers in one status after the other."""

    def __init__(self, names: Mapping[int, str]) -> None:
        """`names` are those of the axes, as far as they are known by then."""
        self._names = names
        self._before: MotionStatus | None = None

    def find(self, now: MotionStatus) -> Iterator[Trigger]:
        """Return the triggers that are new since the last status; none for the first one."""
        before, self._before = self._before, now
        if before is None or not differs(before, now):
            return
        if now.emergency_stop is not None and before.emergency_stop is None:
            yield EMERGENCY_STOP, f"emergency stop ({now.emergency_stop.name.lower()})"
        for condition, axis, came in changes(before, now):
            if came and (name := _OF_CONDITION.get(condition.name)):
                yield name, f"axis {called([axis], self._names)}: {condition.describe(now, axis)}"


def trigger_of(
    reason: int, axes: Sequence[int], message: str, names: Mapping[int, str]
) -> Trigger | None:
    """The trigger that the end of a motion is, if it is one."""
    try:
        name = _OF_END.get(EndReason(reason))
    except ValueError:
        return None
    return (name, f"axes {called(axes, names)}: {message}") if name else None
