"""Makes ROS time of the steady clock: the stamps of states and events."""

from collections.abc import Callable

from rclpy.node import Node

from wmx_core.clock import ProcessClock

from .rclpy_compat import simulated_time

READINGS = 3
TOGETHER = 2e-4
"""Two clocks that are read within this time are read at once, s; it takes a tenth of that."""


class RosTime:
    """The ROS time of `node`, which may be simulated."""

    def __init__(self, node: Node, clock: ProcessClock) -> None:
        self._node = node
        self._clock = clock
        self.is_simulated: bool = node.get_parameter("use_sim_time").value is True
        """Whether /clock gives the time."""

    def now(self) -> int:
        """ROS time, ns; with `use_sim_time` the last that /clock has published."""
        if self.is_simulated:
            return simulated_time(self._node) or 0
        return self._clock.time_ns()

    def at(self, steady: float) -> int:
        """The ROS time (ns) of a time of the steady clock (s), which may be to come.

        Simulated time has a rate of its own and stands still between two messages, so a span of
        real time cannot be added to it: with `use_sim_time` it is that of now.
        """
        if self.is_simulated:
            return self.now()
        for _ in range(READINGS):  # again where the thread was kept from running in between
            before = self._clock.now()
            stamp = self._clock.time_ns() - int((before - steady) * 1e9)
            if self._clock.now() - before < TOGETHER:
                break
        return max(0, stamp)

    def when_in(self, seconds: float) -> Callable[[], bool]:
        """Whether ROS time has come to `seconds` from now; that may stand still, and jump.

        Without simulated time the steady clock decides, which does not.
        """
        if self.is_simulated:
            due = self.now() + int(seconds * 1e9)
            return lambda: self.now() >= due
        steady = self._clock.now() + seconds
        return lambda: self._clock.now() >= steady
