"""The velocity of running moves, in percent of what was commanded.

The SDK overrides a velocity by another one, and does not report with which one a motion began. So
each device remembers what it commanded itself, until the status shows something else, and refuses
to override what others did. Not noticed is only what another device commanded between two reads of
the status and that reads the same: the same kind of motion and, after `move_absolute`, the same
target.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_override
from wmx_core.values import Ints, OperationState

from .session import SdkSession

OVERRIDABLE = OperationState.POS, OperationState.JOG, OperationState.VELOCITY
NOT_PAUSED = "AxisNotPaused"
STATUS_LATENCY = 0.1
"""By then, s, the status shows a command; it does in the next communication cycle."""
SAME_TARGET = 1e-3
"""Targets this near, u, are taken for one, for an engine may round them."""


@dataclass(frozen=True, slots=True)
class _Command:
    velocity: float
    state: OperationState
    target: float | None
    """Where it leads, if that is known."""
    time: float

    def leads_to(self, target: float) -> bool:
        return self.target is None or abs(self.target - target) <= SAME_TARGET


class Overrides:
    """What this device commanded of which axis last."""

    def __init__(self) -> None:
        self._commands: dict[int, _Command] = {}
        self._paused: set[int] = set()

    def started(
        self,
        session: SdkSession,
        commands: Iterable[Any],
        state: OperationState,
        *,
        targets: bool = False,
    ) -> None:
        """The SDK took these commands now; with `targets` each has the place where it leads."""
        time = session.time.now()
        for command in commands:
            target = command.target if targets else None
            started = _Command(command.profile.velocity, state, target, time)
            self._commands[command.axis] = started
            self._paused.discard(command.axis)

    def forget(self, axes: Iterable[int]) -> None:
        """Forget what these axes did: they do something whose velocity is not overridden."""
        for axis in axes:
            self._commands.pop(axis, None)
            self._paused.discard(axis)

    def seen(self, time: float, states: Ints) -> None:
        """At `time` the axes were in `states`: what has ended or was replaced is forgotten."""
        for axis in [*self._commands]:
            self._seen(time, axis, states[axis] if axis < len(states) else None)

    def set(self, session: SdkSession, axis: int, percent: float) -> None:
        """Continue the move of `axis` at `percent`; at 0 a position move is paused.

        A paused one takes the new velocity first and is resumed then (API reference, Pause and
        OverrideVel).
        """
        require_override(percent)
        time = session.time.now()
        status = session.look()  # held, for the status of an axis is a part of it
        axis_status = status.GetAxesStatus(axis)
        state = session.enums.operation_states.ours.get(axis_status.opState)
        self._seen(time, axis, state)
        if state not in OVERRIDABLE:
            code = ErrorCode.NotPosOrJogOrVelocityState
            raise CommandRefused(code, f"axis {axis} is in no move whose velocity can be changed")
        own = self._commands.get(axis)
        # A paused one may show the place where it waits.
        there = axis in self._paused or (own and own.leads_to(axis_status.profileTargetPos))
        if own is None or own.state != state or not there:
            detail = f"another device commanded the move of axis {axis}: its velocity is not known"
            raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
        if state is OperationState.POS and percent == 0.0:
            session.motion.Pause(axis)
            self._paused.add(axis)
            return
        command = session.sdk.Motion_PosCommand()
        command.axis = axis
        command.profile.velocity = own.velocity * percent / 100.0
        session.motion.OverrideVel(command)
        if axis in self._paused:
            self._resume(session, axis)

    def _seen(self, time: float, axis: int, state: int | None) -> None:
        own = self._commands.get(axis)
        if own is not None and state != own.state and time > own.time + STATUS_LATENCY:
            self.forget([axis])

    def _resume(self, session: SdkSession, axis: int) -> None:
        try:
            session.motion.Resume(axis)
        except CommandRefused as refused:
            if refused.name != NOT_PAUSED:  # another device has resumed it
                raise
        self._paused.discard(axis)
