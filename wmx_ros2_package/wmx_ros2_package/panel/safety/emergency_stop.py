"""Who stopped the machine, since when, and what it takes to release that.

A release is a button of its own that is held for RELEASE_HOLD. For RELEASE_DELAY after each press
of the emergency stop, here or by whatever program, it is dead: a press of it that begins by then
releases nothing, however long it lasts. So whoever clicks the emergency stop again and again never
releases it, nor does another one who was holding the button just then.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import inf
from threading import Lock
from time import monotonic

RELEASE_DELAY = 2.0
"""How long after the newest press of the emergency stop nothing releases it, s."""
RELEASE_HOLD = 1.0
"""How long the button that releases it is held, s."""
PRESS_LATENCY = 7.0
"""An emergency stop that is published later after a press on the panel, s, is of another one. A
panel that was just started has to find the system before."""
HOLD_GAP = 0.35
"""A browser that proves for so long, s, that it holds nothing has let go."""
DEAD = (
    f"Nothing is released within {RELEASE_DELAY:g} s after an emergency stop: let go, wait, and "
    "hold the button again."
)
INTERRUPTED = (
    f"This browser did not show for {HOLD_GAP:g} s that the button is held, and nothing is "
    "released: let go, and hold it again."
)


class StoppedSince(Exception):
    """What was agreed to is not done, for an emergency stop came after; the text says so."""


@dataclass(slots=True)
class _Press:
    """One press of the button that releases it."""

    id: str
    begun: float
    seen: float
    stops: int
    """How many stops there were when it began."""
    refusal: str
    """Why it releases nothing; empty as long as it may."""
    released: bool = False
    """Whether it has released the stop, which it does once."""


class EmergencyStopRecord:
    """The emergency stop as the panel knows it. Any thread may call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._active = False
        self._followed = False
        """Whether anything was published since the panel was started."""
        self._stops = 0
        """Counts what stops: presses on the panel, and the begin of every other one."""
        self._stopped_at = -RELEASE_DELAY
        self._who = ""
        """Who has pressed it on the panel; empty where another one has."""
        self._pressed_at = -inf
        self._since: datetime | None = None
        self._press: _Press | None = None
        self._counted: int | None = None
        """How many stops the engine node has counted."""

    @property
    def stops(self) -> int:
        """Changes with each stop."""
        return self._stops

    def press(self, who: str) -> None:
        """Record that the emergency stop was pressed on the panel."""
        with self._lock:
            self._stop()
            if not self._active:
                self._who, self._pressed_at = who, self._stopped_at
                self._since = datetime.now()

    def publish(self, active: bool) -> None:
        """Record whether the engine has it, as it publishes."""
        with self._lock:
            if active and not self._active:
                self._stop()
                if self._stopped_at - self._pressed_at > PRESS_LATENCY:
                    self._who = ""
                    self._since = datetime.now() if self._followed else None
            elif not active and self._active:
                self._pressed_at = -inf
            self._active, self._followed = active, True

    def count(self, stops: int) -> None:
        """Record how many stops of all programs the engine node has counted, as it publishes."""
        with self._lock:
            if self._counted not in (None, stops):
                self._stop()
            self._counted = stops

    @property
    def words(self) -> str:
        """By whom and since when; empty without an emergency stop."""
        with self._lock:
            if not self._active:
                return ""
            if self._since is None:
                return "since before this panel was started"
            who = self._who or "another program, or a page of another panel"
            return f"by {who}, since {self._since:%H:%M:%S}"

    def hold(self, press: str) -> bool:
        """Follow what is held: `press` names one press of the button, and is empty without one.

        Return once for each press whether it has been held long enough to release the stop.
        """
        now = monotonic()
        with self._lock:
            held = self._press
            if not press:
                self._press = None
                return False
            if held is None or held.id != press:
                dead = now - self._stopped_at < RELEASE_DELAY
                self._press = _Press(press, now, now, self._stops, DEAD if dead else "")
                return False
            if held.released:
                return False
            if held.stops != self._stops:
                held.refusal = DEAD
            elif now - held.seen > HOLD_GAP:
                held.refusal = INTERRUPTED
            held.seen = now
            held.released = not held.refusal and now - held.begun >= RELEASE_HOLD
            return held.released

    @property
    def complaint(self) -> str:
        """Why the button that is held releases nothing; empty where it does, or is not held."""
        with self._lock:
            return self._press.refusal if self._press is not None else ""

    def require_unchanged(self, stops: int) -> None:
        """StoppedSince if anything has stopped the machine since `stops` was read."""
        if stops != self._stops:
            raise StoppedSince("the emergency stop was pressed meanwhile. Nothing was done")

    @property
    def releasable(self) -> bool:
        """Whether a press of the button that releases it would count now."""
        return self._active and monotonic() - self._stopped_at >= RELEASE_DELAY

    def _stop(self) -> None:
        self._stops += 1
        self._stopped_at = monotonic()
