"""Axes that are moved by velocities: the topics `wmx/axis/velocity` and `wmx/axis/jog`."""

from collections.abc import Callable, Sequence
from typing import Any

from wmx_ros2_message.msg import AxisVelocity

from ..drivers.interface import Motion
from ..drivers.values import OperationState, VelocityMove
from ..messages import conversion
from ..node.context import NodeContext
from ..streams import VelocityStream
from .stream_guard import StreamGuard


class VelocityTopics:
    """Those of `node`, whose engine has `axes()` axes.

    What has a timeout is a lease, see `streams`. Leases are also refused, and those in force end,
    while the node hears nothing of the engine node. What has waited while this process was
    suspended is no command any more: then streams have to pause, and what has no timeout is
    refused for a moment.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        axes: Callable[[], int],
        *,
        velocity_timeout: float,
        jog_timeout: float,
        jog_run_time: float,
    ) -> None:
        self._node = node
        self._axes = axes
        self._leased_velocity = velocity_timeout > 0.0
        self._velocity_motion = node.motion("velocity")
        self._jog_motion = node.motion("jog")
        self._velocity = VelocityStream(OperationState.VELOCITY, timeout=velocity_timeout)
        self._jog = VelocityStream(OperationState.JOG, timeout=jog_timeout, run_time=jog_run_time)
        self._guard = StreamGuard(node, self._begin_anew, self._end)
        node.listen(AxisVelocity, "wmx/axis/velocity", self.move_velocity)
        node.listen(AxisVelocity, "wmx/axis/jog", self.jog)

    def move_velocity(self, message: AxisVelocity) -> None:
        """Move axes in velocity mode, all starting together."""
        motion = self._velocity_motion
        if self._leased_velocity:
            self._command(message, self._velocity, motion, motion.move_velocity)
        else:
            self._guard.require_fresh()
            moves = conversion.velocity_moves(message, self._axes())
            motion.move_velocity(moves)
            self._end_what_waited(motion, moves)

    def jog(self, message: AxisVelocity) -> None:
        """Move axes in position mode for as long as messages come, all starting together."""
        self._command(message, self._jog, self._jog_motion, self._jog_motion.jog)

    def _command(
        self,
        message: AxisVelocity,
        stream: VelocityStream,
        motion: Motion,
        order: Callable[[Sequence[VelocityMove]], None],
    ) -> None:
        self._guard.require_heard()
        moves = conversion.velocity_moves(message, self._axes())
        stream.command(moves, motion.status(), order)
        self._end_what_waited(motion, moves)

    def _end_what_waited(self, motion: Motion, moves: Sequence[VelocityMove]) -> None:
        """A command in the middle of which this process was suspended has waited, too."""
        if self._guard.was_suspended():
            motion.stop([move.axis for move in moves])

    def stopping(self, axes: Sequence[int]) -> None:
        """`axes` are being stopped: their streams have to pause."""
        for stream in (self._velocity, self._jog):
            stream.pause(axes, "it was stopped by wmx/axis/stop")

    def _begin_anew(self, reason: str) -> None:
        self._velocity.begin_anew(reason)
        self._jog.begin_anew(reason)

    def _end(self, reason: str) -> None:
        """Stop what is leased."""
        streams = [self._jog, self._velocity] if self._leased_velocity else [self._jog]
        axes = sorted({axis for stream in streams for axis in stream.axes()})
        for stream in streams:
            stream.pause(axes, reason)
        if axes:
            self._node.driver.motion.stop(axes)
