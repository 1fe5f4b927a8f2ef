"""The motions that are open, by their begins and ends."""

from __future__ import annotations

from collections import deque
from uuid import UUID

from ..client import Event, MotionBegin

MOST_ENDED = 1000
"""Of ends, whose begins may come later: the two have topics of their own."""


class OpenMotions:
    """Those that have begun and not ended. It belongs to the thread that takes the events."""

    def __init__(self) -> None:
        self._open: dict[UUID, MotionBegin] = {}
        self._ended: deque[UUID] = deque(maxlen=MOST_ENDED)

    def take(self, event: Event) -> tuple[MotionBegin, ...]:
        """Take a begin or an end, in whatever order they come; those that are open then.

        What begins on an axis ends what has moved it before, whether that end comes or not: of the
        ends of before each node keeps only the last hundred.
        """
        if not isinstance(event, MotionBegin):
            self._open.pop(event.id, None)
            self._ended.append(event.id)
        elif event.id not in self._ended:
            same = [each for each in self._open.values() if {*each.axes} & {*event.axes}]
            for other in same:
                if other.time < event.time:
                    del self._open[other.id]
            if all(other.time <= event.time for other in same):
                self._open[event.id] = event
        return tuple(self._open.values())
