"""For the recorder: the shared states of the last seconds, and from when each of them held.

What moves is a function of time, so a state and the moment from which it held are all that is
needed to evaluate any cycle later, to the last bit as a status would have shown it. An engine notes
each state that differs from the one before; a reader fetches the new ones and evaluates them when
it has time. States that ended a minute ago are dropped, whether there is a reader or not: an engine
takes no more memory the longer it runs.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from math import inf
from typing import Any

import numpy as np

from ..clock import CYCLES_PER_SECOND, Instant, cycle_after
from .shared_state import SharedState, states_of
from .status_reading import Evaluation, columns, lasting, named

KEPT = 60.0
"""How late a reader may be, s of engine time: a recorder reads ten times a second."""
MOST_BYTES = 16 * 2**20
"""What the states may take: seconds of the busiest engine of 128 axes."""
STILL_CYCLES = 100
"""While nothing moves, one cycle of so many is evaluated: the others differ in their time alone."""
MOST_CELLS = 20_000
"""So many cycles of so many axes are evaluated at a time: what fits into caches."""

Noted = tuple[float, bytes]
"""From which engine time (s) on a state held, and its memory."""
Newest = tuple[int, int, float, float, tuple[Noted, ...]]
"""The number of the newest state, the present cycle, the steady time (s) of cycle 0 and by how much
it increases in a second of engine time, and states in their order."""


class History:
    """The newest states of one engine; one thread at a time may call."""

    def __init__(self) -> None:
        self.kept = KEPT
        """How long a state that has ended stays, s of engine time."""
        self.number = 0
        """How many states were noted."""
        self._noted: deque[Noted] = deque()
        self._bytes = 0

    def note(self, time: float, body: bytes) -> None:
        """Remember that the state is `body` from engine time `time` (s) on."""
        if self._noted:
            last, before = self._noted[-1]
            if before == body:
                return
            if last == time:  # a state that no status can have shown
                self._drop(self._noted.pop())
                self.number -= 1
        self._noted.append((time, body))
        self._bytes += len(body)
        self.number += 1
        while len(self._noted) > 1 and (
            self._bytes > MOST_BYTES or self._noted[1][0] < time - self.kept
        ):
            self._drop(self._noted.popleft())

    def since(self, number: int, now: Instant, rate: float) -> Newest:
        """Return what a reader needs that has read up to state `number`.

        Its states are those after `number` that are still there, and that one, which may differ: a
        state that was the newest is replaced by what is commanded in the same cycle.
        """
        count = min(len(self._noted), self.number - number + 1)
        noted = tuple(self._noted)[len(self._noted) - count :]
        return self.number, now.cycle, now.steady - rate * now.time, rate, noted

    def _drop(self, noted: Noted) -> None:
        self._bytes -= len(noted[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSpan:
    """What the axes did from cycle `first` to `last`."""

    body: bytes
    first: int
    last: int
    origin: float
    """The steady time of cycle 0, s."""
    rate: float
    """Steady seconds in a second of engine time."""

    def values(self) -> Iterator[dict[str, Any]]:
        """Return every cycle, and while nothing moves the first, the last and some between."""
        state = SharedState(states_of([self.body]).reshape(()))
        states, lasts = columns(state), lasting(state)
        still = max(self.first, cycle_of(min(state.still_from(), self.last / CYCLES_PER_SECOND)))
        between = range(still, self.last, STILL_CYCLES)
        every = chain(range(self.first, still), between, (self.last,))
        while cycles := list(islice(every, max(1, MOST_CELLS // len(state.start)))):
            times = np.array(cycles) / CYCLES_PER_SECOND
            evaluated = Evaluation(states, len(cycles)).at(times)
            steady = self.origin + self.rate * times
            yield {"time": steady, "cycle": cycles, **lasts, **named(*evaluated)}


class HistoryReader:
    """Makes spans of what an engine answers, one answer after the other."""

    def __init__(self) -> None:
        self.number = 0
        """That of the newest state which was read."""
        self._next = 0
        """The first cycle that was not read."""

    def spans(self, newest: Newest) -> Iterator[StatusSpan]:
        """Return what the axes did since the last answer; cycles that are lost are left out."""
        number, cycle, origin, rate, noted = newest
        held = [(cycle_of(time), body) for time, body in noted]
        for i, (first, body) in enumerate(held):
            first = max(first, self._next)
            last = held[i + 1][0] - 1 if i + 1 < len(held) else cycle
            if first <= last:
                yield StatusSpan(body=body, first=first, last=last, origin=origin, rate=rate)
        self.number, self._next = number, max(self._next, cycle + 1)


def cycle_of(time: float) -> int:
    """Return the first cycle at or after engine time `time`."""
    return round(cycle_after(time) * CYCLES_PER_SECOND) if time > -inf else 0
