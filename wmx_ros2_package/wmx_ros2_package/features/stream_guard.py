"""Keeps streams from moving axes when what is heard is of the past, or a stop would not be heard.

What has waited while this process was suspended is no command any more, and while the node hears
nothing of the engine node it may be deaf for the end of a stream as well.
"""

import time
from collections.abc import Callable
from typing import Any

from ..node.context import NodeContext
from ..node.refusals import NotReady
from ..streams import LATE

AWAKE_PERIOD = 0.1
"""How often it is noted that this process runs, s."""
SUSPENDED = 0.5
"""A process that did not run for this time was suspended, or the machine is far too busy, s."""


class StreamGuard:
    """That of the streams of `node`.

    `begin_anew` is told why streams have to pause, whatever is heard of them; `end` why those that
    are under way have to end.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        begin_anew: Callable[[str], None],
        end: Callable[[str], None],
        *,
        hold_first: bool = True,
    ) -> None:
        """Unless `hold_first`, streams need not pause when the node attaches for the first time."""
        self._hold = hold_first
        self._begin_anew = begin_anew
        self._end = end
        self._silence = False
        self._awake = time.monotonic()
        self._woken = 0.0
        self._slept = ""
        node.on_attach(self._attach)
        node.every(AWAKE_PERIOD, self.was_suspended)
        node.on_silence(self._hear_of_silence)

    def require_heard(self) -> None:
        """Refuse leases while nothing is heard of the engine node."""
        self.was_suspended()
        if self._silence:
            raise NotReady("nothing is heard of the engine node: leases are refused")

    def require_fresh(self) -> None:
        """Refuse what may have waited while this process was suspended, where nothing pauses."""
        self.was_suspended()
        if self._slept and time.monotonic() - self._woken <= LATE:
            raise NotReady(
                f"{self._slept}: what comes until {LATE:g} s later may have waited, and is refused"
            )

    def was_suspended(self) -> bool:
        """Note that this process runs; whether it was suspended before."""
        now = time.monotonic()
        asleep, self._awake = now - self._awake, now
        if asleep <= SUSPENDED:
            return False
        self._woken, self._slept = now, f"this process was suspended for {asleep:.1f} s"
        self._begin_anew(self._slept)
        return True

    def _attach(self) -> None:
        self._awake, self._slept = time.monotonic(), ""
        if self._hold:
            self._begin_anew("the node has just attached to the engine")
        self._hold = True

    def _hear_of_silence(self, silence: bool) -> None:
        self._silence = silence
        if silence:
            self._end("nothing was heard of the engine node")
        else:
            self._awake = time.monotonic()
            self._begin_anew("the engine node was not heard for a while")
