"""What is broken now, and what was lost since it was last acknowledged: the line of alarms.

An engine that was lost and is back has other positions than before, and no axis is homed: that
stands in the line until it is acknowledged, for nothing else of the status shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

ENGINE_LOST = "EngineLost"
"""The name of the error that an engine is away."""
RESTARTED = "the engine was away: positions are those that it has now, and axes may not be homed"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is broken."""

    place: tuple[str, ...]
    """What it is, from the outside in: engine, axis."""
    name: str
    text: str
    time: float
    """When it was noticed, s since the epoch."""

    @property
    def words(self) -> str:
        """Where, what, and since when."""
        place = " ".join(self.place[1:] or self.place)
        return f"{place}: {self.text}, since {datetime.fromtimestamp(self.time):%H:%M:%S}"


class Alarms:
    """The alarms of one machine. Any thread may call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[tuple[str, ...], str], Alarm] = {}
        self._restarted: Alarm | None = None

    def take(
        self, place: Sequence[str], name: str, text: str, time: float, *, active: bool
    ) -> None:
        """Record that something broke, or is whole again."""
        alarm = Alarm(tuple(place), name, text, time)
        with self._lock:
            was = self._open.pop((alarm.place, name), None)
            if active:
                self._open[alarm.place, name] = was or alarm
            elif name == ENGINE_LOST:
                self._restarted = Alarm(alarm.place, name, RESTARTED, time)

    def clear(self) -> None:
        """Forget all, for another machine is there."""
        with self._lock:
            self._open.clear()
            self._restarted = None

    def acknowledge(self) -> None:
        """Take note of what was lost; what is broken now stays."""
        with self._lock:
            self._restarted = None

    @property
    def to_acknowledge(self) -> bool:
        """Whether something was lost since it was last acknowledged."""
        return self._restarted is not None

    @property
    def words(self) -> str:
        """How many there are, and the newest; empty without one."""
        with self._lock:
            alarms = [*self._open.values(), *filter(None, [self._restarted])]
        if not alarms:
            return ""
        newest = max(alarms, key=lambda alarm: alarm.time)
        number = "1 alarm" if len(alarms) == 1 else f"{len(alarms)} alarms, the newest"
        return f"{number}: {newest.words}"
