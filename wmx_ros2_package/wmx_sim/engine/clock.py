"""The clock of an engine, real, scaled or held: asked at each read which cycle is the newest."""

from math import ceil, inf, isfinite
from typing import NamedTuple, Protocol

from wmx_core import clock

CYCLES_PER_SECOND = 1000
"""Communication cycles of the simulated engine: what an EtherCAT master usually runs at."""
CYCLE = 1 / CYCLES_PER_SECOND
"""s."""
_NANOSECONDS_PER_CYCLE = 1_000_000_000 // CYCLES_PER_SECOND
ROUNDING = 1e-9
"""Times this close are equal, s: sums of durations do not come out exact."""


class Clock(clock.Clock, Protocol):
    """Engine time, since the engine started."""

    rate: float
    """How many times as fast as steady time it runs."""

    def now_ns(self) -> int:
        """Engine time now, ns."""

    def steady(self, time: float) -> float:
        """Return the steady clock (time.monotonic, s) at engine time `time` (s)."""

    @property
    def held(self) -> bool:
        """Whether it stands still."""

    def hold(self, time: float) -> None:
        """Stand still at engine time `time` (s), which it has reached."""

    def run(self) -> None:
        """Go on."""


class Instant(NamedTuple):
    """A communication cycle: its number, its engine time (s) and its steady time (s)."""

    cycle: int
    time: float
    steady: float
    rate: float = 1.0
    """How many times as fast as steady time engine time runs."""


def newest_cycle(clock: Clock) -> Instant:
    """Return the communication cycle that began last."""
    return cycle_at(clock, clock.now_ns() // _NANOSECONDS_PER_CYCLE)


def cycle_at(clock: Clock, number: int) -> Instant:
    """Return the communication cycle of that number."""
    seconds = number / CYCLES_PER_SECOND
    return Instant(number, seconds, clock.steady(seconds), clock.rate)


def cycle_after(time: float) -> float:
    """Return the beginning (s) of the first cycle at or after engine time `time`, inf for inf.

    A nanosecond, the clock's own step, does not make it a cycle later.
    """
    cycles = (time - ROUNDING) * CYCLES_PER_SECOND
    return ceil(cycles) / CYCLES_PER_SECOND if isfinite(cycles) else time


class RunningClock:
    """Runs by itself, `rate` times as fast as real time, unless it is held."""

    def __init__(
        self,
        rate: float = 1.0,
        start_ns: int | None = None,
        real: clock.ProcessClock = clock.STEADY,
    ) -> None:
        """Started now, or when `real`, on which it runs, showed `start_ns`."""
        self._real = real
        self.start_ns = real.now_ns() if start_ns is None else start_ns
        """When it was started, or would have been, had it never been held."""
        self.held_at = inf
        """The engine time (s) at which it stands, inf while it runs."""
        self.rate = rate

    @property
    def held(self) -> bool:
        return self.held_at < inf

    def now_ns(self) -> int:
        if self.held_at < inf:  # not `held`: a call of a function, thousands of times a second
            return round(self.held_at * 1e9)
        return int((self._real.now_ns() - self.start_ns) * self.rate)

    def now(self) -> float:
        return self.now_ns() / 1e9

    def steady(self, time: float) -> float:
        """As every clock; of the time at which it stands, the steady clock now."""
        if time >= self.held_at:
            return self._real.now()
        return self.start_ns / 1e9 + time / self.rate

    def hold(self, time: float) -> None:
        self.held_at = time

    def run(self) -> None:
        if self.held:
            passed = ceil(self.held_at * 1e9 / self.rate) + 1  # rounding must not go back a cycle
            self.start_ns, self.held_at = self._real.now_ns() - passed, inf

    def sleep(self, seconds: float) -> None:
        self._real.sleep(seconds / self.rate)


class HeldClock:
    """Stands still until `advance` or `sleep`; what sleeps on it makes it run on.

    Its steady time begins with its engine time, and goes on at a `rate`-th of it.
    """

    held = True

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = rate
        self._now_ns = 0

    def now_ns(self) -> int:
        return self._now_ns

    def now(self) -> float:
        return self._now_ns / 1e9

    def steady(self, time: float) -> float:
        return time / self.rate

    def sleep(self, seconds: float) -> None:
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        if seconds < 0.0:
            raise ValueError(f"time cannot go back by {-seconds} s")
        self._now_ns += round(seconds * 1e9)

    def hold(self, time: float) -> None:
        """It is held already."""

    def run(self) -> None:
        """It stays held: it is in other hands."""
