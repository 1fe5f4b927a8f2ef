"""Who may move the machine: one page at most, for as long as its browser answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

CONTROL_TIMEOUT = 3.0
"""A page whose browser has not answered for so long, s, has lost control.

Then its moves end as well. A jog ends sooner, for only a hand holds it; a move is not to stop on
its way where a Wi-Fi stalls for a second or two.
"""

ASK_TIMEOUT = 60.0
"""A holder that has done nothing for so long after another page has asked for control, s, is taken
for gone: nothing of it moves, no button is held, and no order has come."""
VIEWER = "this login only looks, and stops"


class ControlRefused(Exception):
    """A page does not have control; the text names the page that has."""


@dataclass(slots=True, eq=False)
class PageSession:
    """One page in one browser, from its opening to its end."""

    id: str
    address: str
    """The IP address of the browser."""
    name: str = ""
    """What its user is called, as given when control is taken."""
    connections: int = 0
    """How many connections for the live status it has. Two, while one that was cut is not noticed
    to have ended; none once the page was closed, or is loaded again."""
    answered_at: float = field(default_factory=monotonic)
    """When its browser last answered a frame that was fresh, by the steady clock, s."""
    too_slow: bool = False
    """Whether it holds a button, and its answers come too late for that."""
    generation: int = 0
    """Of `MachineLink`: which machine it shows, under which names and units."""
    viewer: bool = False
    """Whether it was opened by a login that only looks, and stops."""
    seen: bool = False
    """Whether a browser has shown the page."""
    show: Callable[[Any], object] = lambda _: None
    """Shows an order of this page that has come to its end; any thread may call it."""

    def __str__(self) -> str:
        return f"{self.name or 'viewer'} ({self.address})"

    @property
    def gone(self) -> bool:
        """Whether no browser shows the page, as far as is known."""
        return not self.connections


class Control:
    """The one holder of control, and who asks for it. It belongs to the thread of the network.

    A page that asks gets control when its holder gives it back, or takes it when the holder has
    done nothing for ASK_TIMEOUT since then.
    """

    def __init__(self) -> None:
        self.holder: PageSession | None = None
        self.asker: PageSession | None = None
        """Who has asked the holder for control."""
        self.idle_since = 0.0
        """When the holder has done something last, or was asked."""

    def take(self, session: PageSession, now: float | None = None) -> None:
        """Let `session` have control; ControlRefused while another one has, which is asked."""
        now = monotonic() if now is None else now
        if session.viewer:
            raise ControlRefused(VIEWER)
        holder = self.holder
        if holder is not None and holder is not session and not self._may_take(session, now):
            raise ControlRefused(f"{holder} has control{self._ask(session, now)}")
        session.answered_at = monotonic()
        self.holder, self.asker = session, None

    def require(self, session: PageSession) -> None:
        """ControlRefused unless `session` has control."""
        if session.viewer:
            raise ControlRefused(VIEWER)
        if self.holder is not session:
            who = f"{self.holder} has control" if self.holder else "no page has control"
            raise ControlRefused(f"{who}: take control first")

    def give_back(self, session: PageSession) -> bool:
        """End the control of `session`; whether it had control."""
        if self.asker is session:
            self.asker = None
        if self.holder is not session:
            return False
        self.holder = self.asker = None
        return True

    def expired(self, now: float) -> PageSession | None:
        """The holder whose browser does not answer any more; it has lost control then."""
        if self.asker is not None and now - self.asker.answered_at > CONTROL_TIMEOUT:
            self.asker = None
        holder = self.holder
        if holder is None or now - holder.answered_at <= CONTROL_TIMEOUT:
            return None
        self.holder = self.asker = None
        return holder

    def see(self, session: PageSession, now: float) -> None:
        """Take in that `session` does something: as the holder it is still there."""
        if session is self.holder:
            self.idle_since = now

    def keep(self, session: PageSession) -> PageSession | None:
        """Refuse who asks the holder `session` for control; return it."""
        asker = self.asker if session is self.holder else None
        if asker is not None:
            self.asker = None
        return asker

    def words(self, session: PageSession, now: float) -> str:
        """What `session` should know of who asks for control; empty where that is nothing."""
        if self.asker is None or self.holder is None:
            return ""
        left = max(self.idle_since + ASK_TIMEOUT - now, 0.0)
        if session is self.holder:
            when = f"in {left:.0f} s" if left > 0.0 else "now"
            return (
                f"{self.asker} asks for control: Give back hands it over, Keep refuses. "
                f"If you do nothing it may be taken {when}."
            )
        if session is not self.asker:
            return ""
        if left > 0.0:
            return f"{self.holder} is asked for control. It may be taken in {left:.0f} s."
        return f"{self.holder} does not answer: Take control takes it."

    def _may_take(self, session: PageSession, now: float) -> bool:
        return session is self.asker and now >= self.idle_since + ASK_TIMEOUT

    def _ask(self, session: PageSession, now: float) -> str:
        """Ask the holder for control; what came of that, as the end of a sentence."""
        if self.asker is None:
            self.asker, self.idle_since = session, now
        if self.asker is not session:
            return f", and {self.asker} has asked for it before you"
        return f", and is asked for it. After {ASK_TIMEOUT:g} s without an answer take it"
