"""Control across panels: each publishes whose page has it, so that one page of all has.

A panel whose claim has not come for CLAIM_TIMEOUT has ended, or is out of reach. Where two claim
control, since both took it before they received each other's claim, the earlier one keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from threading import Lock
from time import monotonic, time
from uuid import uuid4

CLAIM_PERIOD = 1.0
"""How often a panel repeats its claim, s."""
CLAIM_TIMEOUT = 3.5
"""A claim counts for so long, s."""
MOST_CHARACTERS = 200
MOST_PANELS = 50
Claim = tuple[float, str]
"""When control was taken, s since the epoch, and by which panel: the least one keeps it."""


class OtherPanels:
    """What other panels on the same machine claim, and what this one does. Any thread may call."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.id = uuid4().hex
        self.publish: Callable[[str], object] = lambda _: None
        """Sends a text to all panels."""
        self._clock = clock
        self._lock = Lock()
        self._claims: dict[str, tuple[Claim, str, float]] = {}
        """By panel: its claim, the holder in words, and when that came."""
        self._own: tuple[float, str] | None = None

    def claim(self, holder: str) -> None:
        """Publish that `holder`, a page of this panel, has taken control; empty for none."""
        self._own = (time(), holder) if holder else None
        self.repeat()

    def repeat(self) -> None:
        """Publish what this panel claims."""
        since, holder = self._own or (0.0, "")
        self.publish(json.dumps({"panel": self.id, "since": since, "holder": holder}))

    def take(self, text: str) -> None:
        """Take what a panel has published; whatever else it is, is left out."""
        try:
            sent = json.loads(text[: 10 * MOST_CHARACTERS])
            panel, since = str(sent["panel"]), float(sent["since"])
            holder = str(sent["holder"])[:MOST_CHARACTERS]
        except (KeyError, OverflowError, RecursionError, TypeError, ValueError):
            return
        if panel == self.id or not isfinite(since):
            return
        with self._lock:
            self._forget_ended()
            self._claims.pop(panel, None)
            if holder and len(self._claims) < MOST_PANELS:
                self._claims[panel] = (since, panel), holder, self._clock()

    @property
    def holder(self) -> str:
        """Who has control by a page of another panel; empty where nobody has."""
        claims = self._current()
        return min(claims)[1] if claims else ""

    @property
    def outranked(self) -> bool:
        """Whether another panel has taken control before this one has."""
        own, claims = self._own, self._current()
        return own is not None and bool(claims) and min(claims)[0] < (own[0], self.id)

    def _current(self) -> list[tuple[Claim, str]]:
        with self._lock:
            self._forget_ended()
            return [(claim, holder) for claim, holder, _ in self._claims.values()]

    def _forget_ended(self) -> None:
        oldest = self._clock() - CLAIM_TIMEOUT
        self._claims = {by: each for by, each in self._claims.items() if each[2] >= oldest}
