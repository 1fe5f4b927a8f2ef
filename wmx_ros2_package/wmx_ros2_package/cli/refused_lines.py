"""How many lines of refused commands are printed: a client may send a thousand of them a second."""

from collections.abc import Callable

MOST_LINES = 5
"""Printed in a `PERIOD`; the others are counted."""
PERIOD = 1.0
"""s."""


class RefusedLines:
    """Lets a few lines through in each period, and counts the others; one thread at a time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = -PERIOD
        self._printed = 0
        self.left_out = 0
        """In the period that began last."""

    def admits(self) -> bool:
        """Whether the line of a command that is refused now is printed, or counted."""
        if self._over and not self.left_out:
            self._began, self._printed = self._now(), 0
        if self._printed < MOST_LINES:
            self._printed += 1
            return True
        self.left_out += 1
        return False

    def summary(self) -> str:
        """Return how many were left out once their period is over; empty before, and for none."""
        if not self.left_out or not self._over:
            return ""
        text = f"... and {self.left_out} more commands were refused"
        self.left_out = 0
        return text

    @property
    def _over(self) -> bool:
        return self._now() - self._began >= PERIOD
