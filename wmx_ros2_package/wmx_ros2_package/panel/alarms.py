"""What is broken now, and what was lost since it was last noted: the line of alarms.

An engine or a system that was lost and is back has other positions than before, and no axis is
homed: that stands in the line until it is noted, for nothing else of the status shows it. What is
broken stays in the line, with who has noted it, until it is whole again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

ENGINE_LOST = "EngineLost"
"""The name of the error that an engine is away."""
RESTARTED = "was away: positions are those that it has now, and axes may not be homed"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is broken."""

    place: tuple[str, ...]
    """What it is, from the outside in: engine, axis."""
    name: str
    text: str
    time: float
    """When it was noticed, s since the epoch."""
    number: int
    """Greater than that of each alarm before it, from 1 on."""
    code: int = 0
    """The drive's code, 0 for none."""
    noted_by: str = ""
    """Who has noted it last; empty for one that was not."""

    @property
    def words(self) -> str:
        """Where, what, since when, and who has noted it."""
        place = " ".join(self.place[1:] or self.place)
        noted = f", noted by {self.noted_by}" if self.noted_by else ""
        return f"{place}: {self.text}, since {since(self.time)}{noted}"


def since(time: float) -> str:
    """A time (s since the epoch), with its date unless that is today's."""
    at = datetime.fromtimestamp(time)
    today = at.date() == datetime.now().date()
    return at.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S")


class Alarms:
    """The alarms of one machine. Any thread may call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._number = 0
        self._open: dict[tuple[tuple[str, ...], str], Alarm] = {}
        self._restarted: Alarm | None = None

    def take(
        self,
        place: Sequence[str],
        name: str,
        text: str,
        time: float,
        *,
        active: bool,
        code: int = 0,
    ) -> None:
        """Record that something broke, or is whole again."""
        with self._lock:
            alarm = self._new(tuple(place), name, text, time, code)
            was = self._open.pop((alarm.place, name), None)
            if active:  # another code is another alarm in its place, which nobody has noted
                self._open[alarm.place, name] = alarm if was is None or was.code != code else was
            elif name == ENGINE_LOST:
                self._restarted = self._new(("engine",), name, f"the engine {RESTARTED}", time)

    def take_restart(self, time: float) -> None:
        """Record that the whole system was lost, and that it or another one was found."""
        with self._lock:
            self._restarted = self._new(("system",), "", f"the system {RESTARTED}", time)

    def clear(self) -> None:
        """Forget all, for another machine is there."""
        with self._lock:
            self._open.clear()
            self._restarted = None

    def acknowledge(self, who: str, number: int) -> None:
        """Let `who` have noted all alarms up to that of `number`, the newest one that was shown.

        What is broken stays; what was lost and is back goes.
        """
        with self._lock:
            for key, alarm in self._open.items():
                if alarm.number <= number:
                    self._open[key] = replace(alarm, noted_by=alarm.noted_by or who)
            if self._restarted is not None and self._restarted.number <= number:
                self._restarted = None

    @property
    def to_acknowledge(self) -> int:
        """The number of the newest alarm that was not noted; 0 without one."""
        return max((each.number for each in self._all() if not each.noted_by), default=0)

    @property
    def restarted(self) -> bool:
        """Whether positions may be other ones than before, which was not noted."""
        return self._restarted is not None

    @property
    def words(self) -> str:
        """How many there are, how many of them are not noted, and the newest of those, or of all.

        Empty without one.
        """
        alarms = self._all()
        if not alarms:
            return ""
        newest = max(alarms, key=lambda alarm: (not alarm.noted_by, alarm.number))
        new = sum(not alarm.noted_by for alarm in alarms)
        count = "1 alarm" if len(alarms) == 1 else f"{len(alarms)} alarms"
        if len(alarms) > new > 0:
            count += f", {new} not noted"
        return f"{count}{', the newest' if len(alarms) > 1 else ''}: {newest.words}"

    def _new(
        self, place: tuple[str, ...], name: str, text: str, time: float, code: int = 0
    ) -> Alarm:
        self._number += 1
        return Alarm(place, name, text, time, self._number, code)

    def _all(self) -> list[Alarm]:
        with self._lock:
            return [*self._open.values(), *filter(None, [self._restarted])]
