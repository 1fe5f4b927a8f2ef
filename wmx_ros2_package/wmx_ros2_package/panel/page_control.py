"""Who may move the machine: one page at most, for as long as its browser answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

CONTROL_TIMEOUT = 3.0
"""A page whose browser has not answered for so long, s, has lost control."""


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
    answered_at: float = field(default_factory=monotonic)
    """When its browser last answered a frame that was fresh, by the steady clock, s."""
    answered: int = 0
    """The number of the frame that it answered last."""
    too_slow: bool = False
    """Whether it holds a button, and its answers come too late for that."""
    seen: bool = False
    """Whether a browser has shown the page."""
    show: Callable[[Any], object] = lambda _: None
    """Shows an order of this page that has come to its end; any thread may call it."""

    def __str__(self) -> str:
        return f"{self.name or 'viewer'} ({self.address})"


class Control:
    """The one holder of control. It belongs to the thread of the network."""

    def __init__(self) -> None:
        self.holder: PageSession | None = None

    def take(self, session: PageSession) -> None:
        """Let `session` have control; ControlRefused while another one has."""
        if self.holder not in (None, session):
            raise ControlRefused(f"{self.holder} has control, and has to give it back first")
        session.answered_at = monotonic()
        self.holder = session

    def require(self, session: PageSession) -> None:
        """ControlRefused unless `session` has control."""
        if self.holder is not session:
            who = f"{self.holder} has control" if self.holder else "no page has control"
            raise ControlRefused(f"{who}: take control first")

    def give_back(self, session: PageSession) -> bool:
        """End the control of `session`; whether it had control."""
        if self.holder is not session:
            return False
        self.holder = None
        return True

    def expired(self, now: float) -> PageSession | None:
        """The holder whose browser does not answer any more; it has lost control then."""
        holder = self.holder
        if holder is None or now - holder.answered_at <= CONTROL_TIMEOUT:
            return None
        self.holder = None
        return holder
