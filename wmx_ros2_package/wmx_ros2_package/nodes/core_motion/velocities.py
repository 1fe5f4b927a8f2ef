"""Axes that are moved by velocities: the topics `wmx/axis/velocity` and `wmx/axis/jog`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from wmx_ros2_message.msg import AxisVelocity

from wmx_core.errors import CommandRefused
from wmx_core.interface import Motion
from wmx_core.move_rules import rest_or
from wmx_core.values import VelocityMove

from ...control.leases import Lease
from ...control.request import EndReason, MotionKind, requests_of
from ...messages import conversion
from ...node_base.context import NodeContext

Moves = Sequence[VelocityMove]


class VelocityTopic:
    """The topic `name` of `node`; with a `timeout` (s) each message is a lease, by axis."""

    def __init__(
        self,
        node: NodeContext[Any],
        name: str,
        kind: MotionKind,
        command: Callable[[Motion, Moves], None],
        *,
        timeout: float,
        run_time: float = 0.0,
    ) -> None:
        """A motion lasts `run_time` seconds at most, unless that is 0."""
        self._node = node
        self._kind = kind
        self._command = command
        self._timeout = timeout
        self._run_time = run_time
        self._leases: dict[int, Lease] = {}
        if timeout:  # which ends a motion whose zero waits for long
            node.leases.on_interrupted(self._stop)
            node.on_command(AxisVelocity, name, self.move)
        else:
            stop = self.stop_before_others
            node.on_command(AxisVelocity, name, self.move, stops=self._stops, overtake=stop)

    def move(self, message: AxisVelocity, sent: float) -> None:
        """Move axes, all starting together; what is refused has to pause."""
        moves: Moves = conversion.velocity_moves(message, self._node.engine_axes)
        self._node.parameters.require_within_limits(moves)
        if self._timeout:
            moves = self._leased(moves, sent)
        requests = requests_of(self._kind, moves, sent, self._kind.name.lower())
        try:
            self._node.gate.issue(requests, lambda motion: self._command(motion, moves))
        except CommandRefused as error:
            for move in moves:
                if move.axis in self._leases:
                    self._leases[move.axis].end(str(error))
            raise
        for move in moves:
            if move.velocity == 0.0 and move.axis in self._leases:
                self._leases[move.axis].clear()

    def _stops(self, message: AxisVelocity) -> bool:
        """Whether a message only stops what this topic moves, or there is no place for it."""
        moving = self._node.tracker.axes_of(self._kind)
        is_zero = not any(map(rest_or, message.velocity))
        return is_zero and (self._node.worker.is_full or {*message.index} <= {*moving})

    def stop_before_others(self, message: AxisVelocity, _sent: float) -> None:
        """Stop axes while commands wait, none of which moves them any more; waits for no lock."""
        moves = conversion.velocity_moves(message, self._node.engine_axes)
        axes = [move.axis for move in moves]
        self._node.gate.refuse_earlier(axes)
        moving = {*axes}.intersection(self._node.tracker.axes_of(self._kind))
        self._node.gate.end_until_taken(sorted(moving), "a velocity of 0 was commanded")

    def _leased(self, moves: Moves, sent: float) -> list[VelocityMove]:
        """`moves` with what is left of their leases as run times; MustPause if one has to pause.

        All moves have a run time, or none, so that those at velocity 0 have one, too.
        """
        node = self._node
        node.tracker.update(node.gate.status())  # a motion that has ended ends its lease
        leased = []
        for move in moves:
            run_time = self._timeout
            if move.velocity != 0.0:
                lease = self._lease(move.axis)
                lease.refresh(sent)
                run_time = lease.left(sent)
            leased.append(replace(move, run_time=run_time))
        return leased

    def _lease(self, axis: int) -> Lease:
        if axis not in self._leases:
            self._leases[axis] = self._node.leases.add([axis], self._timeout, self._run_time)
        return self._leases[axis]

    def _stop(self, reason: str) -> None:
        """Stop the axes that leases are moving; what is refused is given again."""
        if axes := self._node.tracker.axes_of(self._kind):
            self._node.gate.end_until_taken(axes, reason, EndReason.LEASE_EXPIRED)
