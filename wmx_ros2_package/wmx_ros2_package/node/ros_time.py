"""The ROS time at which a sample was true, and simulated time that nobody tells."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rclpy.node import Node

if TYPE_CHECKING:
    from .context import NodeContext

READINGS = 3
TOGETHER = 2e-4
"""Two clocks that are read within this time are read at once, s; it takes a tenth of that."""
CLOCK_PATIENCE = 5.0
"""How long /clock may be silent at the start before the log says so, and between its words, s."""


class RosTime:
    """The ROS time of `node`, which may be simulated."""

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock().handle

    def ago(self, age: float) -> int:
        """ROS time `age` seconds ago, ns; with `use_sim_time` the last that /clock has said.

        Simulated time has a rate of its own and stands still between two messages, so a span of
        real time cannot be taken from it. Else it is that of the system, which Python reads sooner
        than rclpy.
        """
        clock = self._clock
        with clock:
            if clock.get_ros_time_override_is_enabled():
                return int(clock.get_now().nanoseconds)
        return max(0, time.time_ns() - int(age * 1e9))

    def at(self, steady: float) -> int:
        """The ROS time (ns) of a time of the steady clock (s), which may be to come.

        The clocks are read again where the thread was kept from running between the two.
        """
        for _ in range(READINGS):
            before = time.monotonic()
            stamp = self.ago(before - steady)
            if time.monotonic() - before < TOGETHER:
                break
        return stamp

    def simulated_and_silent(self) -> bool:
        """Whether time is simulated and /clock has said nothing yet."""
        clock = self._clock
        with clock:
            simulated: bool = clock.get_ros_time_override_is_enabled()
            return simulated and bool(clock.get_now().nanoseconds == 0)


def complain_without_clock(node: NodeContext[Any]) -> None:
    """Have the log say when messages are stamped 0 because nobody publishes /clock."""

    def look() -> None:
        if node.ros_time.simulated_and_silent():
            node.log.warning(
                "use_sim_time is true but nobody publishes /clock: messages are stamped 0",
                throttle_duration_sec=60.0,
            )

    node.every(CLOCK_PATIENCE, look)
