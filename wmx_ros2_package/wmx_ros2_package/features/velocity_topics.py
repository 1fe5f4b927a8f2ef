"""Axes that are moved by velocities: the topics `wmx/axis/velocity` and `wmx/axis/jog`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from wmx_ros2_message.msg import AxisVelocity

from .. import conversion
from ..drivers.interface import Motion
from ..drivers.values import OperationState, VelocityMove
from ..node.context import NodeContext
from ..node.refusals import NotReady
from ..streams import VelocityStream

AWAKE_PERIOD = 0.05
"""How often it is noted that this process runs, s."""
SUSPENDED = 0.5
"""A process that did not run for this time was suspended, or the machine is far too busy, s."""


class VelocityTopics:
    """Those of `node`, whose engine has `axes()` axes.

    What has a timeout is a lease, see `streams`. Leases are also refused, and those in force end,
    while the node hears nothing of the engine node. What has waited while this process was
    suspended is no command any more: then streams have to pause, too.
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
        self._silence = False
        self._awake = time.monotonic()
        node.listen(AxisVelocity, "wmx/axis/velocity", self.move_velocity)
        node.listen(AxisVelocity, "wmx/axis/jog", self.jog)
        node.on_attach(lambda: self._begin_anew("the node has just attached to the engine"))
        node.every(AWAKE_PERIOD, self._tick)
        node.on_silence(self._hear_of_silence)

    def move_velocity(self, message: AxisVelocity) -> None:
        """Move axes in velocity mode, all starting together."""
        motion = self._velocity_motion
        if self._leased_velocity:
            self._command(message, self._velocity, motion, motion.move_velocity)
        else:
            motion.move_velocity(conversion.velocity_moves(message, self._axes()))

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
        self._stay_awake()
        if self._silence:
            raise NotReady("nothing is heard of the engine node: leases are refused")
        moves = conversion.velocity_moves(message, self._axes())
        stream.command(moves, motion.status(), order)
        if self._stay_awake():  # in the middle of it: the command has waited, too
            motion.stop([move.axis for move in moves])

    def stopping(self, axes: Sequence[int]) -> None:
        """`axes` are being stopped: their streams have to pause."""
        for stream in (self._velocity, self._jog):
            stream.pause(axes, "it was stopped by wmx/axis/stop")

    def _begin_anew(self, reason: str) -> None:
        self._awake = time.monotonic()
        self._velocity.begin_anew(reason)
        self._jog.begin_anew(reason)

    def _tick(self) -> None:
        self._stay_awake()

    def _stay_awake(self) -> bool:
        """Note that this process runs; whether it was suspended before."""
        asleep, self._awake = time.monotonic() - self._awake, time.monotonic()
        if asleep > SUSPENDED:
            self._begin_anew(f"this process was suspended for {asleep:.1f} s")
        return asleep > SUSPENDED

    def _hear_of_silence(self, silence: bool) -> None:
        self._silence = silence
        if not silence:
            self._begin_anew("the engine node was not heard for a while")
            return
        streams = [self._jog, self._velocity] if self._leased_velocity else [self._jog]
        axes = sorted({axis for stream in streams for axis in stream.axes()})
        for stream in streams:
            stream.pause(axes, "nothing was heard of the engine node")
        if axes:
            self._node.driver.motion.stop(axes)
