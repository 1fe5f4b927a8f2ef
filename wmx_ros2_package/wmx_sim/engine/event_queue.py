"""Events of later communication cycles: wires that switch, scripted faults."""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .clock import CYCLES_PER_SECOND

Action = Callable[[], Any]


class EventQueue:
    """Actions by their cycle; those of one cycle in the order in which they were added."""

    def __init__(self, next_due: NDArray[np.float64] | None = None) -> None:
        """`next_due`, shape (), always holds the engine time (s) of the first action, or inf."""
        self.cycle = 0
        """The present cycle."""
        self.next_cycle = inf
        """The cycle of the first action."""
        self._next_due = np.array(inf) if next_due is None else next_due
        self._actions: list[tuple[int, int, Action]] = []
        self._order = count()

    def add(self, after: int, action: Action) -> None:
        """Carry `action` out `after` cycles from now."""
        heappush(self._actions, (self.cycle + after, next(self._order), action))
        self._update_next()

    def carry_out(self) -> None:
        """Carry out what is due at the present cycle."""
        while self.next_cycle <= self.cycle:
            _, _, action = heappop(self._actions)
            self._update_next()
            action()

    def clear(self) -> None:
        """Drop all actions."""
        self._actions.clear()
        self._update_next()

    def _update_next(self) -> None:
        self.next_cycle = self._actions[0][0] if self._actions else inf
        self._next_due[...] = self.next_cycle / CYCLES_PER_SECOND
