"""Velocities and efforts of actuators while they last: their leases, limits and ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any
from uuid import UUID

from ..actuators.command import Command, CommandType
from ..actuators.commands import RunTimes, plan
from ..actuators.description import Actuator
from ..actuators.runs import effort_ends, limit_words
from ..drivers.values import MotionStatus, OperationState
from ..motions.endings import Ending
from ..motions.events import Begin, End, EndReason, MotionKind
from ..motions.ledger import TAKEN_UP, MotionLedger, MotionOver
from ..motions.recorded_motion import Description, RecordedMotion
from ..node.context import NodeContext
from ..validation import BadRequest
from .actuator_modes import PositionModes
from .keeper import Keeper
from .stream_guard import SUSPENDED

RUN_TIME = 1.0
"""What runs until it is stopped the engine ends after this time unless the node renews it, s."""
RENEWAL = 0.25
"""How often the node does that, s."""
SILENT = "nothing is heard of the engine node"

_KINDS = {CommandType.VELOCITY: MotionKind.VELOCITY, CommandType.EFFORT: MotionKind.EFFORT}
_STATES = {CommandType.VELOCITY: OperationState.JOG, CommandType.EFFORT: OperationState.TRQ}
_OVER = EndReason.ARRIVED, EndReason.LEASE_EXPIRED, EndReason.REPLACED


@dataclass(slots=True)
class _Run:
    command: Command
    actuator: Actuator
    marks: tuple[bytes, ...]
    """Of stops of its axis, as they were when it was commanded."""
    until: float
    """When the node ends it, s of the steady clock."""
    commanded: float
    """When the engine was last told, likewise."""
    renewed: bool
    """Whether the node renews it until it is stopped."""
    stops: EndReason | None = None
    """Why the node stops it, until it has ended."""


class ActuatorRuns:
    """Those of `node`; what has no duration has to be commanded anew within `timeout()` s.

    At 0 it runs until it is stopped, or until the node is gone: the node renews it.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        motion: RecordedMotion,
        keeper: Keeper,
        timeout: Callable[[], float],
    ) -> None:
        self._node = node
        self._motion = motion
        self._keeper = keeper
        self._timeout = timeout
        self._runs: dict[UUID, _Run] = {}
        self._paused: dict[int, float] = {}
        """Axes whose client has to pause, and when it was heard last, s of the steady clock."""
        self._silent = False
        self._modes = PositionModes(node, motion, keeper)
        assert node.motions is not None, "the node tells everybody of its motions"
        self._ledger: MotionLedger = node.motions.ledger
        node.motions.listen(self._on_event)
        node.on_silence(self._on_silence)
        node.on_detach(self._runs.clear)

    def times(self) -> RunTimes:
        """How long the engine lets run what has no duration."""
        seconds = self._timeout() or RUN_TIME
        timed = self._node.driver.times_torques
        return RunTimes(velocity=seconds, effort=seconds, timed_efforts=timed)

    def same(self, command: Command) -> UUID | None:
        """The id of what a `command` without one goes on with: a lease that is refreshed."""
        if command.id.int or not self._leased(command):
            return None
        for id, run in list(self._runs.items()):
            if (run.command.name, run.command.type) != (command.name, command.type):
                continue
            axis = run.actuator.axis
            if self.marks([axis]) != [run.marks]:  # it may not have come to rest yet
                self._paused[axis] = time.monotonic()
            elif self._leased(run.command) and self._ledger.runs(id):
                return id
        return None

    def require_way(self, commands: Sequence[Command], axes: Sequence[int]) -> None:
        """BadRequest for what has to wait for the engine node, or for its client to pause."""
        endless = [c for c in commands if c.type in _KINDS and not c.duration]
        if endless and self._silent:
            raise BadRequest([f"{SILENT}: what has no duration does not begin"])
        for command, axis in zip(commands, axes, strict=True):
            heard, now = self._paused.get(axis, -inf), time.monotonic()
            if command not in endless or not self._leased(command) or now > heard + self._timeout():
                if command.type not in (CommandType.STOP, CommandType.HOLD):
                    self._paused.pop(axis, None)
                continue
            self._paused[axis] = now
            raise BadRequest(
                [
                    f"{command.name!r} was stopped: its commands have to pause for "
                    f"{self._timeout():g} s first"
                ]
            )

    def described(self, commands: Sequence[Command], axes: Sequence[int]) -> dict[str, Any]:
        """What the ledger has to know of `commands`: fields of a `Description`."""
        own = {} if self._node.driver.times_torques else dict(zip(axes, commands, strict=True))
        return {
            "leased": [a for a, c in zip(axes, commands, strict=True) if not c.duration],
            "durations": {
                axis: self._lasts(c)
                for axis, c in own.items()
                if c.type == CommandType.EFFORT and self._lasts(c) < inf
            },
        }

    def marks(self, axes: Sequence[int]) -> list[tuple[bytes, ...]]:
        """Of stops of each axis."""
        return [self._node.stop_marks([axis]) for axis in axes]

    def begun(
        self,
        commands: Sequence[Command],
        actuators: Sequence[Actuator],
        marks: Sequence[tuple[bytes, ...]],
        *,
        to_limit: Sequence[int],
    ) -> None:
        """See to `commands`, which the engine has taken; `marks` are from before."""
        now = time.monotonic()
        for command, actuator, mark in zip(commands, actuators, marks, strict=True):
            effort = command.type == CommandType.EFFORT
            at_limit = actuator.axis in to_limit and not self._leased(command)
            if not effort and (command.duration or at_limit):
                continue  # the engine ends it
            own_end = effort and not self._node.driver.times_torques
            new = command.id not in self._runs
            self._runs[command.id] = _Run(
                command,
                actuator,
                mark,
                until=now + self._lasts(command) if own_end else inf,
                commanded=now,
                renewed=not command.duration and not self._timeout(),
            )
            if effort:
                self._modes.switched(actuator)
            if new:
                self._keeper.keep(partial(self._look, command.id))

    def _lasts(self, command: Command) -> float:
        return command.duration or self._timeout() or inf

    def _leased(self, command: Command) -> bool:
        """Whether its client has to refresh it."""
        return command.type in _KINDS and not command.duration and self._timeout() > 0.0

    # While it lasts

    def _look(self, id: UUID, status: MotionStatus) -> bool:
        run = self._runs.get(id)
        if run is None:
            return False
        axis = run.actuator.axis
        state = _STATES[CommandType(run.command.type)]
        if run.stops is not None:
            if status.op_state[axis] == state:  # the stop was refused, or is on its way
                self._motion.stop([axis])
            return True
        if not self._ledger.runs(id):
            if not self._ledger.holds([axis]):
                self._runs.pop(id, None)
            return False
        if status.time < run.commanded + TAKEN_UP or status.op_state[axis] != state:
            return True  # the command is on its way, or something else ends it
        if run.command.type == CommandType.EFFORT and self._ends(run, status):
            return True
        if not run.renewed:
            return True
        commands, actuators = [run.command], {run.command.name: run.actuator}
        if run.command.type == CommandType.VELOCITY:
            try:
                made = plan(commands, actuators, status, self.times())
            except BadRequest:  # it stands at its limit
                self._stop(run, EndReason.LIMIT, limit_words(run.actuator, run.command.value))
                return True
            if not made.limits and time.monotonic() < run.commanded + RENEWAL:
                return True
        elif time.monotonic() < run.commanded + RENEWAL or not self.times().timed_efforts:
            return True
        else:
            made = plan(commands, actuators, status, self.times())
        with self._node.commanding():
            if not self._ledger.runs(id) or self.marks([axis]) != [run.marks]:
                return True  # it was stopped: it must not be renewed
            try:
                with self._motion.described(self._description(run, made.limits.get(axis, ""))):
                    made.start(self._motion)
            except MotionOver:  # it has just ended by itself, which the next look shows
                return True
            run.commanded = time.monotonic()
        if self.marks([axis]) != [run.marks] or time.monotonic() > status.time + SUSPENDED:
            self._stop(run, EndReason.STOPPED, "it was stopped while it was renewed")
        if made.limits:
            self._runs.pop(id, None)  # the engine ends it there
            return False
        return True

    def _description(self, run: _Run, limit: str) -> Description:
        axis, command = run.actuator.axis, run.command
        return Description(
            kind=_KINDS[CommandType(command.type)],
            names={axis: command.name},
            ids={axis: command.id},
            leased=[axis],
            arrives={axis: Ending(EndReason.LIMIT, 0, limit)} if limit else {},
        )

    def _ends(self, run: _Run, status: MotionStatus) -> bool:
        """Whether an effort has come to its end, which nobody else tells the engine."""
        axis = run.actuator.axis
        position, velocity = float(status.actual_pos[axis]), float(status.actual_velocity[axis])
        direction = effort_ends(run.actuator, run.command.value, position, velocity)
        if direction:
            self._stop(run, EndReason.LIMIT, limit_words(run.actuator, direction))
        elif time.monotonic() >= run.until:
            ordered = bool(run.command.duration)
            reason = EndReason.ARRIVED if ordered else EndReason.LEASE_EXPIRED
            self._stop(run, reason, "" if ordered else "nobody refreshed it in time")
        else:
            return False
        return True

    def _stop(self, run: _Run, reason: EndReason, message: str) -> None:
        run.stops = reason
        with self._motion.described(Description(reason=reason, message=message)):
            self._motion.stop([run.actuator.axis])

    def _on_event(self, event: Begin | End) -> None:
        if isinstance(event, Begin):
            return
        run = self._runs.pop(event.id, None)
        if run is not None and event.reason not in _OVER:
            self._paused[run.actuator.axis] = time.monotonic()

    def _on_silence(self, silent: bool) -> None:
        self._silent = silent
        for run in list(self._runs.values()) if silent else ():
            if not run.command.duration:
                self._stop(run, EndReason.LEASE_EXPIRED, SILENT)
