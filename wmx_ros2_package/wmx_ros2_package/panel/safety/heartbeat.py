"""The heartbeat of the panel: by it every order and every held button proves that it is of now.

The panel sends a number to each browser ten times a second. What a browser sends carries the
newest number that it had: so its age is known by one clock, whatever delayed it on its way, in the
browser, or in a panel that was busy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

ORDER_VALIDITY = 1.0
"""An order that is older, s, is refused."""
MOST_KEPT = 64
"""Heartbeats whose time is known: those of six seconds."""


class Heartbeat:
    """Counts, and keeps when it counted last, by the steady clock. Any thread may read."""

    def __init__(self) -> None:
        self.number = 0
        self._beats: dict[int, float] = {}

    def beat(self, now: float) -> None:
        """Count one on."""
        self._beats[self.number + 1] = now
        self._beats.pop(self.number + 1 - MOST_KEPT, None)
        self.number += 1

    def age(self, number: int, now: float) -> float:
        """How long ago a heartbeat was, s; infinite where it is not known."""
        return now - self._beats.get(number, -inf)


@dataclass(frozen=True, slots=True)
class Click:
    """When a browser was clicked."""

    heartbeat: int = 0
    """The newest that it had when it sent the click."""
    delay: float = 0.0
    """How long the browser took from the click until it sent it, s."""
    shown: str = ""
    """What the button showed that it would do, where it says that."""

    @classmethod
    def read(cls, sent: Any) -> Click:
        """What `click` in panel.js has sent; a click of unknown age where it is of another form."""
        try:
            shown = str(sent.get("shown", ""))
            return cls(int(sent["heartbeat"]), max(float(sent["delay"]), 0.0), shown)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            return UNKNOWN

    def age(self, heartbeat: Heartbeat, now: float) -> float:
        """At most how long ago it was, s."""
        return heartbeat.age(self.heartbeat, now) + self.delay


UNKNOWN = Click()
"""A click of unknown age, which is too old."""
