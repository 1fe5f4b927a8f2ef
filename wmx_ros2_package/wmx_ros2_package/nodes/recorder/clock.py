"""The time of recordings: of the steady clock, so that a system clock that jumps tears none."""

from collections.abc import Callable

from wmx_core.clock import ProcessClock

JUMP = 0.1
"""The system clock has jumped when it differs by more from what it should show, s."""


class WallClock:
    """Gives the time since the epoch of a time of the steady clock."""

    def __init__(self, clock: ProcessClock) -> None:
        self._clock = clock
        self._offset = self._newest()

    def __call__(self, steady: float) -> int:
        """The time (ns) of `steady` (s), as the system clock was when this was made or `set`."""
        return max(0, int(steady * 1e9) + self._offset)

    def check(self, report: Callable[[float], None]) -> None:
        """Call `report` with the seconds by which the system clock has jumped, once for each."""
        jump = (self._newest() - self._offset) * 1e-9
        if abs(jump) > JUMP:
            self._offset = self._newest()
            report(jump)

    def _newest(self) -> int:
        return self._clock.time_ns() - int(self._clock.now() * 1e9)
