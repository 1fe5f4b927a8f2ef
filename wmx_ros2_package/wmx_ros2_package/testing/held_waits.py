"""What threads wait with, and for, by a time that is held."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from queue import Empty
from typing import Any, TypeVar

from rclpy.node import Node

from ..node_base import rclpy_compat
from .held_time import HeldTime
from .threads_at_rest import Sleeper

T = TypeVar("T")


class HeldCondition:
    """A condition whose time-outs are of held time."""

    def __init__(self, time: HeldTime) -> None:
        self._time = time
        self._lock = threading.Lock()
        self._waiting: list[Sleeper] = []

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until another thread notifies; whether one has."""
        sleeper = Sleeper()
        self._waiting.append(sleeper)
        self._lock.release()
        try:
            return self._time.is_released(sleeper, inf if timeout is None else timeout)
        finally:
            self._lock.acquire()
            self._waiting.remove(sleeper)

    def wait_for(self, predicate: Callable[[], T], timeout: float | None = None) -> T:
        """Wait until `predicate` is true; what it returns."""
        end = inf if timeout is None else self._time.now() + timeout
        while not (result := predicate()) and (left := end - self._time.now()) > 0.0:
            self.wait(left)
        return result

    def notify(self, most: int = 1) -> None:
        """Let `most` of those go on that wait."""
        for sleeper in [*self._waiting]:
            if most > 0:
                with suppress(RuntimeError):  # the time has released it
                    sleeper.release()
                    most -= 1

    def notify_all(self) -> None:
        """Let all go on that wait."""
        self.notify(len(self._waiting))


class HeldEvent:
    """An event whose time-outs are of held time."""

    def __init__(self, time: HeldTime) -> None:
        self._changed = HeldCondition(time)
        self._is_set = False

    def is_set(self) -> bool:
        """Whether it has come."""
        return self._is_set

    def set(self) -> None:
        """Let it have come."""
        with self._changed:
            self._is_set = True
            self._changed.notify_all()

    def clear(self) -> None:
        """Let it not have come."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has come; whether it has."""
        with self._changed:
            return self._changed.wait_for(self.is_set, timeout)


class HeldQueue:
    """A queue whose time-outs are of held time."""

    def __init__(self, time: HeldTime) -> None:
        self._changed = HeldCondition(time)
        self._items: deque[Any] = deque()

    def put(self, item: Any) -> None:
        """Put an item at its end."""
        with self._changed:
            self._items.append(item)
            self._changed.notify()

    def get(self, timeout: float | None = None) -> Any:
        """The first item, once there is one; Empty where there is none in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._items), timeout):
                raise Empty
            return self._items.popleft()

    def qsize(self) -> int:
        """How many items there are."""
        return len(self._items)


class HeldTimer:
    """A timer of a node: the thread that spins does its work."""

    def __init__(self, time: HeldTime, node: Node, period: float, act: Callable[[], None]) -> None:
        self._time = time
        self.node = node
        self._period = period
        self._act = act
        self._life = 0
        self.reset()

    def cancel(self) -> None:
        """Stop it, until it is reset."""
        self._life += 1

    def end(self) -> None:
        """Cancel it, and let go of the node, which leaves DDS only when nothing refers to it."""
        self.cancel()
        del self.node, self._act

    def reset(self) -> None:
        """Let its period begin anew."""
        self._life += 1
        self._time.after(self._period, self._due(self._life))

    def _due(self, life: int) -> Callable[[], None]:
        def call() -> None:
            if life == self._life:
                self._act()

        def wake() -> None:
            if life == self._life:
                self._time.after(self._period, wake)
                rclpy_compat.call_soon(self.node.executor, call)

        return wake
