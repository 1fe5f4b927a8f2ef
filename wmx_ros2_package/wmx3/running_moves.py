"""Moves that run: their velocity is overridden, and jogs are renewed.

The SDK does not report what a move was commanded with. So each device remembers what it commanded
itself, until the status shows something else.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import nan
from threading import Lock
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_override
from wmx_core.values import Ints, MotionStatus, OperationState, VelocityMove

from .sdk import TIMED_OUT, once, twice_at_most
from .session import SdkSession

OVERRIDABLE = OperationState.POS, OperationState.JOG, OperationState.VELOCITY
NOT_PAUSED = "AxisNotPaused"
FORGET_AFTER = 0.1
"""How old a command is, s, that has ended if no status shows it; one does in the next cycle."""
SAME_TARGET = 1e-3
"""Targets this near, u, are taken for one, for an engine may round them."""
LONGEST = 1.0
"""How long a renewed jog lasts, s: as long as the dead man of the nodes waits by default."""


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
    """The velocity of running moves, in percent of what was commanded.

    The SDK overrides a velocity by another one, and what others commanded is not overridden. Not
    noticed is only what another device commanded between two reads of the status and that reads the
    same: the same kind of motion and, after `move_absolute`, the same target.
    """

    def __init__(self) -> None:
        self._commands: dict[int, _Command] = {}
        self._percents: dict[int, float] = {}
        """The override of each axis that has one, in force unless it is paused; else it is 100."""
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
            self._percents.pop(command.axis, None)
            self._paused.discard(command.axis)

    def forget(self, axes: Iterable[int]) -> None:
        """Forget what these axes did: they do something whose velocity is not overridden."""
        for axis in axes:
            self._commands.pop(axis, None)

    def seen(self, time: float, states: Ints) -> None:
        """At `time` the axes were in `states`: what has ended or was replaced is forgotten."""
        for axis, own in [*self._commands.items()]:
            state = states[axis] if axis < len(states) else None
            if state != own.state and time > own.time + FORGET_AFTER:
                self.forget([axis])

    def set(self, session: SdkSession, axis: int, percent: float) -> None:
        """Continue the move of `axis` at `percent`; at 0 a position move is paused.

        What is not answered in time may have been taken. What would be slower than before is given
        once more; what would be faster is taken back.
        """
        require_override(percent)
        status = session.look()  # held, for the status of an axis is a part of it
        axis_status = status.GetAxesStatus(axis)
        state = session.enums.operation_states.ours.get(axis_status.opState)
        if state not in OVERRIDABLE:
            code = ErrorCode.NotPosOrJogOrVelocityState
            raise CommandRefused(code, f"axis {axis} is in no move whose velocity can be changed")
        own = self._commands.get(axis)
        # A paused one may show the place where it waits.
        there = axis in self._paused or (own and own.leads_to(axis_status.profileTargetPos))
        if own is None or own.state != state or not there:
            detail = f"another device commanded the move of axis {axis}: its velocity is not known"
            raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
        before = 0.0 if axis in self._paused else self._percents.get(axis, 100.0)
        try:
            self._give(session, axis, own, percent, once if percent > before else twice_at_most)
        except CommandRefused as refused:
            if refused.name not in TIMED_OUT:
                raise
            if percent > before:
                try:
                    self._give(session, axis, own, before, twice_at_most)
                except CommandRefused as left:
                    rest = f"axis {axis} may be at {percent:g} %, and was not put back: {left}"
                    raise refused.more(rest) from None
                raise refused.more(f"axis {axis} is at {before:g} % again") from None
            if own.state is OperationState.POS and percent == 0.0:
                self._paused.add(axis)  # or may be: one that is not is resumed all the same
            else:
                self._percents[axis] = percent  # or is faster: what is above this is taken back
            raise

    def _give(
        self,
        session: SdkSession,
        axis: int,
        own: _Command,
        percent: float,
        ask: Callable[..., object],
    ) -> None:
        """Have the move `own` of `axis` go on at `percent`, by calls that `ask` makes.

        A paused one takes the new velocity first and is resumed then (API reference, Pause and
        OverrideVel).
        """
        if own.state is OperationState.POS and percent == 0.0:
            ask(session.motion.Pause, axis)
            self._paused.add(axis)
            return
        command = session.sdk.Motion_PosCommand()
        command.axis = axis
        command.profile.velocity = own.velocity * percent / 100.0
        ask(session.motion.OverrideVel, command)
        self._percents[axis] = percent
        if axis in self._paused:
            self._resume(session, axis)

    def _resume(self, session: SdkSession, axis: int) -> None:
        try:
            session.motion.Resume(axis)
        except CommandRefused as refused:
            if refused.name != NOT_PAUSED:  # another device has resumed it
                raise
        self._paused.discard(axis)


@dataclass(frozen=True, slots=True)
class _Jog:
    move: VelocityMove
    began: float
    """When the engine had taken it, s: its call may have taken long."""
    due: float
    """When it has to end, s."""
    ends: float
    """When the engine ends it by itself, s, so far as its time to speed up lets it."""
    latest: float
    """When the engine has ended it by itself in any case, s."""


class Renewals:
    """Jogs with run times that their clients renew: a stick that is held down, at one velocity.

    What a jog does that takes over from a jog the vendor's manual does not define, and the vendor's
    own nodes command it only for another velocity. So a jog that is renewed is commanded once more,
    to last for LONGEST, and from then on only the time moves on by which it has to end: the device
    that renews it stops the axis then, as it reads the status. So it does with a jog that takes
    over from another motion, where its time to speed up is longer than its run time. The engine
    ends the one after LONGEST, the other after that longer time, also where the process is dead or
    hangs, unless the dead man does so before.
    """

    def __init__(self) -> None:
        self.commanding = Lock()
        """Held while jogs are commanded, or stopped because they are due."""
        self._jogs: dict[int, _Jog] = {}
        self._replacing: Counter[int] = Counter()
        """Axes to which other commands are just being given, which may take long."""

    def __contains__(self, axis: int) -> bool:
        return axis in self._jogs

    def renewed(
        self, now: float, moves: Sequence[VelocityMove], states: Mapping[int, int | None]
    ) -> Sequence[VelocityMove] | None:
        """Return `moves` as they have to be commanded; None if it is enough that they last longer.

        `states` are the operation states of the axes.
        """
        jogs = [self._renewed(move, states.get(move.axis)) for move in moves]
        if all(jog and jog.ends >= now + m.run_time for m, jog in zip(moves, jogs, strict=True)):
            for move in moves:
                jog = self._jogs[move.axis]
                self._jogs[move.axis] = replace(jog, due=now + move.run_time)
            return None
        return [
            replace(move, run_time=max(move.run_time, LONGEST)) if jog else move
            for move, jog in zip(moves, jogs, strict=True)
        ]

    def commanded(
        self,
        now: float,
        moves: Iterable[VelocityMove],
        given: Iterable[VelocityMove],
        began: float,
        speeding_up: Mapping[int, float],
    ) -> None:
        """Remember that `moves` were commanded as `given` at `now`, and were taken by `began`.

        `speeding_up` are the times, s, in which the commands of the axes speed up.
        """
        for move, lasting in zip(moves, given, strict=True):
            self._jogs.pop(move.axis, None)
            if move.run_time and move.velocity:
                due, ends = now + move.run_time, now + lasting.run_time
                latest = max(ends, now + speeding_up[move.axis])
                self._jogs[move.axis] = _Jog(move, began, due, ends, latest)

    @contextmanager
    def replaced(self, axes: Collection[int]) -> Iterator[None]:
        """Forget the jogs of `axes` when the command inside, which is not due, has been taken.

        Where it is refused they are as after `changed`, for it may have stopped some of them.
        """
        with self.commanding:  # from now on none of these is due, while jogs of others may be
            self.changed(axes)
            self._replacing.update(axes)
        try:
            yield
            for axis in axes:
                self._jogs.pop(axis, None)
        finally:
            self._replacing.subtract(axes)

    def changed(self, axes: Iterable[int]) -> None:
        """Have the next jog of `axes`, which were commanded otherwise, commanded in any case.

        A jog that goes on all the same, as after a stop that was refused, is due as before.
        """
        for axis in axes:
            if (jog := self._jogs.get(axis)) is not None:
                self._jogs[axis] = replace(jog, move=replace(jog.move, velocity=nan))

    def __bool__(self) -> bool:
        """Whether there is one."""
        return bool(self._jogs)

    def over(self, now: float, newest: MotionStatus) -> list[int]:
        """Return the axes whose jogs are due, though the engine would let them go on.

        A jog that the status does not show any more is forgotten. To be called with `commanding`
        held: else it would be one that has just begun.
        """
        due = []
        for axis, jog in list(self._jogs.items()):
            shown = axis < newest.axes and newest.op_state[axis] == OperationState.JOG
            if not shown and newest.time > jog.began + FORGET_AFTER:
                self._jogs.pop(axis, None)
            elif self._replacing[axis]:
                continue
            elif shown and now >= jog.due and jog.latest > jog.due:
                due.append(axis)
        return due

    def _renewed(self, move: VelocityMove, state: int | None) -> _Jog | None:
        """The jog that `move` renews, if there is one."""
        jog = self._jogs.get(move.axis)
        if jog is None or replace(jog.move, run_time=move.run_time) != move:
            return None
        return jog if state == OperationState.JOG else None
