"""A clock that goes on only while the thread of the test waits.

Whoever was handed it waits by it: nodes and their timers, the simulated engine, clients. Where the
test waits, the time goes to the next instant for which somebody waits, once every other thread is
at rest. So a test takes as long as its work takes, and its outcome does not depend on how busy the
machine is.

What comes from other processes does not wait for the held time: nodes and clients are in this
process, and in one DDS participant, where a message is delivered before `publish` returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress
from typing import Any, TypeVar, cast

from rclpy.node import Node

from .held_loop import HeldLoop
from .held_time import HeldTime
from .held_waits import HeldCondition, HeldEvent, HeldQueue, HeldTimer

T = TypeVar("T")


class HeldClock(HeldTime):
    """The clock of this process, which the thread that makes this lets go on; a `NodeClock`."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[HeldTimer] = []

    def queue(self) -> Any:
        """As every clock of a process."""
        return HeldQueue(self)

    def event(self) -> threading.Event:
        """As every clock of a process."""
        return cast(threading.Event, HeldEvent(self))

    def condition(self) -> threading.Condition:
        """As every clock of a process."""
        return cast(threading.Condition, HeldCondition(self))

    def result(self, future: Future[T], timeout: float | None) -> T:
        """As every clock of a process."""
        if not future.done():
            came = self.event()
            future.add_done_callback(lambda _: came.set())
            if not came.wait(timeout):
                raise NotInTime
        return future.result()

    def run_async(self, program: Coroutine[Any, Any, T]) -> T:
        """What `asyncio.run(program)` does, where time goes on while the loop waits."""
        return HeldLoop(self).run(program)

    def create_timer(self, node: Node, period: float, act: Callable[[], None]) -> HeldTimer:
        """As every clock of nodes."""
        self.timers.append(HeldTimer(self, node, period, act))
        return self.timers[-1]

    def destroy_timer(self, node: Node, timer: Any) -> None:
        """As every clock of nodes."""
        timer.cancel()
        with suppress(ValueError):  # all were ended
            self.timers.remove(timer)

    def forget(self, node: Node) -> None:
        """As every clock of nodes."""
        for timer in [each for each in self.timers if each.node is node]:
            self.timers.remove(timer)
            timer.end()

    def sent_at(self, system: int) -> float:
        """As every clock of nodes: now, for DDS stamps messages with the time of the machine."""
        return self.now()

    def end_timers(self) -> None:
        """End those of all nodes, before these are destroyed."""
        while self.timers:
            self.timers.pop().end()
