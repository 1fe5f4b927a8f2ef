"""Whether the engine lives.

Its status is read from memory that outlives it: after a crash that may show for ever that the
engine communicates. What a dead engine does not do any more is count its cycles.
"""

from wmx_core.clock import Clock
from wmx_core.errors import EngineLost, ErrorCode

STANDSTILL = 1.0
"""An engine that communicates and has counted no cycle for so long is lost, s: a thousand cycles
of the usual length, far more than a busy machine may hold up the reader between two readings."""


class CycleWatch:
    """The cycle counter, and since when it shows the same."""

    def __init__(self, time: Clock) -> None:
        self._time = time
        self._beat: tuple[int, float] | None = None

    def seen(self, cycle: int) -> None:
        """Note that the engine reports to communicate, at `cycle`; EngineLost if that stays.

        Between two readings any time may pass, for the reader may be held up: an engine is
        lost that shows the same cycle in readings that are STANDSTILL apart.
        """
        now, beat = self._time.now(), self._beat
        if beat is None or beat[0] != cycle:
            self._beat = cycle, now
        elif now - beat[1] >= STANDSTILL:
            raise EngineLost(
                ErrorCode.StatusChannelError,
                f"the engine reports that it communicates, but its cycle counter stands at {cycle} "
                f"since {now - beat[1]:.1f} s",
            )

    def forget(self) -> None:
        """The engine does not communicate, so it counts no cycles."""
        self._beat = None
