"""What a page has asked for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .event_log import EventRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a page has asked for, and what came of it."""

    time: datetime
    what: str
    who: str
    """The name of the user and the address of the browser."""
    done: bool
    answer: str
    """Why it was refused; empty when it was done."""
    remedy: str = ""
    """What helps, in the terms of the panel."""
    begun: bool = False
    """Whether a motion has begun, and is open."""
    end: str = ""
    """How the motion that it began has ended, or that this is not known; empty where it is done,
    begun or refused."""

    @property
    def outcome(self) -> str:
        """What came of it, in words."""
        if self.end:
            return f"{self.end}: {self.answer}" if self.answer else self.end
        return f"refused: {self.answer}" if self.answer else "begun" if self.begun else "done"

    @property
    def row(self) -> EventRow:
        """It in the list of what has happened."""
        text = f"{self.what}: {self.outcome}"
        at = self.time.timestamp()
        return EventRow(at=at, kind="order", axes="", source=self.who, text=text)
