"""Carries out commands to named actuators: at once, later, or as trajectories."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any
from uuid import UUID, uuid4

from ..actuators.command import Command
from ..actuators.commands import Plan, plan
from ..actuators.description import Actuator
from ..drivers.errors import CommandRefused
from ..drivers.values import CommandMode, MotionStatus, OperationState
from ..motions.events import EndReason, MotionKind
from ..motions.recorded_motion import Description, RecordedMotion
from ..node.context import NodeContext
from ..node.motion_events import ToldRefusal
from ..validation import BadRequest
from .actuator_trajectories import PURPOSE, TrajectoryPlayer

REMEMBERED = 10_000
"""Ids of commands that are not taken a second time."""
FURTHEST = 60.0
"""How far ahead a start may be, s."""
MOST_WAITING = 100
"""Messages whose start is still to come."""
SOON = 0.001
"""A start that is nearer than this, s, is now: a communication cycle."""


@dataclass(frozen=True, slots=True)
class Started:
    """A command that was taken; `arrival` (s of the steady clock) is None without an end."""

    id: UUID
    arrival: float | None


class ActuatorControl:
    """The actuators of `node`, which `describe` names as the parameters are now."""

    def __init__(
        self, node: NodeContext[Any], describe: Callable[[], Mapping[str, Actuator]]
    ) -> None:
        self._node = node
        self._describe = describe
        motion = node.motion(PURPOSE)
        assert isinstance(motion, RecordedMotion), "the node tells everybody of its motions"
        self.motion = motion
        self._ids: OrderedDict[UUID, None] = OrderedDict()
        self._later: dict[threading.Timer, Sequence[Command]] = {}
        self._player = TrajectoryPlayer(node, motion)
        node.on_detach(self.forget_later)

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """By their names."""
        return self._describe()

    def judge(self, commands: Sequence[Command]) -> None:
        """BadRequest when the commands break a rule now."""
        self._require_new([command.id for command in commands])
        plan(commands, self.actuators, self.motion.status())

    def start(self, commands: Sequence[Command], after: float = 0.0) -> list[Started]:
        """Begin what is commanded, all of it in the same cycle or none, `after` so many seconds.

        What is refused raises, and is told as refused; within `NodeContext.commanding` only.
        """
        commands = [replace(c, id=c.id if c.id.int else uuid4()) for c in commands]
        try:
            self._require_new([command.id for command in commands])
            if after > SOON:
                return self._start_later(commands, after)
            return self._start_now(commands)
        except BadRequest as error:
            self._refused(commands, str(error))
            raise ToldRefusal([str(error)]) from None

    def stop(self, names: Sequence[str], reason: EndReason, message: str) -> None:
        """Slow actuators down, for `reason`."""
        axes = [self.actuators[name].axis for name in names if name in self.actuators]
        with self.motion.described(Description(reason=reason, message=message)):
            self.motion.stop(axes)

    def _start_now(self, commands: Sequence[Command]) -> list[Started]:
        actuators, status = self.actuators, self.motion.status()
        made = plan(commands, actuators, status)
        if made.kind in (MotionKind.STOP, MotionKind.HOLD):
            self.forget_later()  # what was stopped does not begin by itself
        self._switch_modes(made, status)
        self._remember(commands)
        description = Description(
            kind=made.kind,
            names=dict(zip(made.axes, [command.name for command in commands], strict=True)),
            ids=dict(zip(made.axes, [command.id for command in commands], strict=True)),
        )
        if made.trajectory is not None:
            lasts = self._player.play(commands, actuators, made.trajectory, description)
            arrival = time.monotonic() + lasts if isfinite(lasts) else None
            return [Started(commands[0].id, arrival)] * len(commands)
        if made.kind is MotionKind.STOP:
            description = replace(description, message=f"stopped by command {commands[0].id}")
        with self.motion.described(description):
            made.start(self.motion)
            if made.kind is MotionKind.HOLD:
                self.motion.begin(MotionKind.HOLD, made.axes)
        return self._arrivals(commands, made)

    def _arrivals(self, commands: Sequence[Command], made: Plan) -> list[Started]:
        status = self.motion.status()
        remaining = [
            inf if made.kind is MotionKind.HOLD else float(status.remaining[axis])
            for axis in made.axes
        ]
        return [
            Started(command.id, status.time + left if isfinite(left) else None)
            for command, left in zip(commands, remaining, strict=True)
        ]

    # Later

    def _start_later(self, commands: Sequence[Command], after: float) -> list[Started]:
        if after > FURTHEST:
            raise BadRequest(
                [f"header.stamp is {after:.3f} s in the future: must be {FURTHEST:g} s at most"]
            )
        if len(self._later) >= MOST_WAITING:
            raise BadRequest([f"{MOST_WAITING} messages wait for their start already"])
        plan(commands, self.actuators, self.motion.status())  # what is wrong now is refused now
        self._remember(commands)
        timer = threading.Timer(after, lambda: self._due(timer, commands))
        timer.daemon = True
        self._later[timer] = commands
        timer.start()
        return [Started(command.id, None) for command in commands]

    def _due(self, timer: threading.Timer, commands: Sequence[Command]) -> None:
        if self._later.pop(timer, None) is None:
            return  # it was forgotten meanwhile
        try:
            with self._node.commanding():
                for command in commands:
                    self._ids.pop(command.id, None)
                self.start(commands)
        except Exception as error:
            self._node.say_error(
                f"A command that was to start now: {self._node.refused(error).message}"
            )

    def forget_later(self) -> None:
        """What waits for its start does not begin any more, and is told as refused."""
        waiting, self._later = self._later, {}
        for timer, commands in waiting.items():
            timer.cancel()
            for command in commands:
                self._ids.pop(command.id, None)
            self._refused(commands, "it was stopped before its start")
            self._remember(commands)

    # Rules

    def _switch_modes(self, made: Plan, status: MotionStatus) -> None:
        """Let the axes be commanded as the plan needs; they have to rest for that."""
        if made.mode is None:
            return
        others = [axis for axis in made.axes if status.command_mode[axis] != made.mode]
        moving = [axis for axis in others if status.op_state[axis] != OperationState.IDLE]
        if moving:
            modes = {axis: CommandMode(status.command_mode[axis]).name for axis in moving}
            raise BadRequest(
                [
                    f"axis {axis} moves in {mode} mode: must be at rest to be switched to "
                    f"{made.mode.name} mode"
                    for axis, mode in modes.items()
                ]
            )
        for axis in others:
            try:
                self.motion.set_command_mode(axis, made.mode)
            except CommandRefused as error:
                raise BadRequest([f"axis {axis} cannot be switched: {error}"]) from None
            self._node.say(f"Set axis {axis} in {made.mode.name.title()} mode")

    def _require_new(self, ids: Sequence[UUID]) -> None:
        given = [id for id in ids if id.int]
        again = [id for id in given if id in self._ids or given.count(id) > 1]
        if again:
            raise BadRequest([f"command_id {again[0]} was used before: must be new, or zero"])

    def _remember(self, commands: Sequence[Command]) -> None:
        for command in commands:
            self._ids[command.id] = None
        while len(self._ids) > REMEMBERED:
            self._ids.popitem(last=False)

    def _refused(self, commands: Sequence[Command], message: str) -> None:
        """A client that uses an id again gets a new one for the refusal: ids are unique."""
        events = self._node.motions
        assert events is not None
        for command in commands:
            actuator = self.actuators.get(command.name)
            events.ledger.refuse(
                [actuator.axis] if actuator else [],
                message,
                names=[command.name] if actuator else [],
                id=uuid4() if command.id in self._ids else command.id,
            )
