"""The velocity of running moves, in percent of what was ordered.

The SDK overrides a velocity by another one and says of no motion which it was ordered with. So
each device remembers what it ordered itself, and refuses to override what others did.
"""

from collections.abc import Iterable

from ..errors import CommandRefused, ErrorCode
from ..moves import require_override
from ..values import OperationState, PositionMove, VelocityMove
from .session import Session

NOT_PAUSED = "AxisNotPaused"


class Overrides:
    """What this device ordered of which axis last."""

    def __init__(self) -> None:
        self._velocities: dict[int, float] = {}
        self._paused: set[int] = set()

    def ordered(self, moves: Iterable[PositionMove | VelocityMove]) -> None:
        """These moves run now."""
        for move in moves:
            self._velocities[move.axis] = move.velocity
            self._paused.discard(move.axis)

    def set(self, session: Session, axis: int, percent: float) -> None:
        """Let the move of `axis` go on at `percent`; at 0 a position move is paused.

        A paused one takes the new velocity first and is resumed then (API reference, Pause and
        OverrideVel).
        """
        require_override(percent)
        status = session.look()
        axis_status = status.GetAxesStatus(axis)
        states = session.enums.operation_states.theirs
        positions = axis_status.opState == states[OperationState.POS]
        endless = states[OperationState.JOG], states[OperationState.VELOCITY]
        if not positions and axis_status.opState not in endless:
            code = ErrorCode.NotPosOrJogOrVelocityState
            raise CommandRefused(code, f"axis {axis} is in no move whose velocity can be changed")
        if axis not in self._velocities:
            detail = f"the move of axis {axis} was ordered by another device, which knows how fast"
            raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
        if positions and percent == 0.0:
            session.motion.Pause(axis)
            self._paused.add(axis)
            return
        command = session.sdk.Motion_PosCommand()
        command.axis = axis
        command.profile.velocity = self._velocities[axis] * percent / 100.0
        session.motion.OverrideVel(command)
        if axis in self._paused:
            self._resume(session, axis)

    def _resume(self, session: Session, axis: int) -> None:
        try:
            session.motion.Resume(axis)
        except CommandRefused as refused:
            if refused.name != NOT_PAUSED:  # somebody else has resumed it
                raise
        self._paused.discard(axis)
