"""A tracker of a node on an engine whose time the test holds."""

from typing import Any
from uuid import UUID

from held_engine import position_move, velocity_move
from held_node import HeldNode

from wmx_core.values import MotionStatus
from wmx_ros2_package.control.request import End, EndReason, MotionKind

ID = UUID(int=7)


class Tracked:
    """A node whose motions are commanded here, past the gate."""

    def __init__(self, node: HeldNode) -> None:
        self.node, self.held, self.tracker = node, node.held, node.tracker
        self.events = node.events

    def begin(self, *axes: int, **fields: Any) -> UUID:
        """Enter a motion of `axes`, which are commanded already."""
        request = self.node.request(*axes, **fields)
        return self.tracker.begin(request, self.held.status(), self.node.now())

    def move(self, axis: int = 0, target: float = 1.0, **fields: Any) -> UUID:
        self.held.motion.move_absolute([position_move(axis, target)])
        return self.begin(axis, **{"targets": (target,), **fields})

    def jog(
        self, axis: int = 0, run_time: float = 0.0, velocity: float = 2.0, **fields: Any
    ) -> UUID:
        self.held.motion.jog([velocity_move(axis, velocity, run_time=run_time)])
        return self.begin(axis, **{"kind": MotionKind.JOG, "run_time": run_time, **fields})

    def after(self, seconds: float) -> MotionStatus:
        status = self.held.after(seconds)
        self.tracker.update(status)
        return status

    def end(self) -> End:
        """The only end."""
        [end] = self.node.ends()
        return end

    def why(self) -> tuple[EndReason, str]:
        return self.end().reason, self.end().message
