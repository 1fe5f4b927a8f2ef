"""The clock of nodes: of their parts and threads, of their timers, and of what is sent to them."""

from collections.abc import Callable
from typing import Any, Protocol

from rclpy.node import Node

from wmx_core.clock import ProcessClock, SteadyClock

from . import rclpy_compat


class Timer(Protocol):
    """A timer of a node."""

    def cancel(self) -> None:
        """Stop it, until it is reset."""

    def reset(self) -> None:
        """Let its period begin anew."""


class NodeClock(ProcessClock, Protocol):
    """The clock of the nodes of a process."""

    def create_timer(self, node: Node, period: float, act: Callable[[], None]) -> Timer:
        """Call `act` every `period` seconds, in the thread that spins."""

    def destroy_timer(self, node: Node, timer: Any) -> None:
        """Take a timer from its node; in the thread that spins."""

    def forget(self, node: Node) -> None:
        """Let go of the timers of a node that is about to be destroyed."""

    def sent_at(self, system: int) -> float:
        """When a message was sent, s, by its `system` time (ns).

        A message without it, or that comes from a clock that is ahead, was sent now.
        """


class RosClock(SteadyClock):
    """The clock of this machine."""

    create_timer = staticmethod(rclpy_compat.create_timer)

    def destroy_timer(self, node: Node, timer: Any) -> None:
        """As every clock of nodes."""
        node.destroy_timer(timer)

    def forget(self, node: Node) -> None:
        """They are destroyed with it."""

    def sent_at(self, system: int) -> float:
        """As every clock of nodes."""
        now = self.now()
        return now - max(0.0, (self.time_ns() - system) * 1e-9) if system else now


ROS = RosClock()
