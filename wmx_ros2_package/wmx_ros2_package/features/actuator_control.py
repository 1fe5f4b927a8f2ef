"""Carries out commands to named actuators: at once, later, or as trajectories."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any
from uuid import UUID, uuid4

from ..actuators.command import Command, is_trajectory
from ..actuators.commands import Plan, plan, trajectory_plan
from ..actuators.description import Actuator
from ..actuators.rules import check
from ..actuators.trajectories import same_start, start_of, trajectory
from ..drivers.errors import CommandRefused
from ..drivers.values import CommandMode, MotionStatus, OperationState
from ..motions.endings import Ending
from ..motions.events import EndReason, MotionKind
from ..motions.ledger import MotionOver
from ..motions.recorded_motion import Description, RecordedMotion
from ..node.context import NodeContext
from ..trajectories.goal import Start
from ..trajectories.plan import Plan as Trajectory
from ..validation import BadRequest
from .actuator_ids import CommandIds
from .actuator_receipts import Receipt, Receipts
from .actuator_runs import ActuatorRuns
from .actuator_starts import STOPPED, LaterStarts
from .actuator_trajectories import PURPOSE, TrajectoryPlayer
from .keeper import Keeper

SOON = 0.001
"""A start that is nearer than this, s, is now: a communication cycle."""


@dataclass(frozen=True, slots=True)
class Started:
    """A command that was taken; `arrival` (s of the steady clock) is None without an end."""

    id: UUID
    arrival: float | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What takes long of a trajectory, done before it is commanded."""

    receipt: Receipt
    start: Start
    made: Trajectory


class ActuatorControl:
    """The actuators of `node`, which `describe` names as the parameters are now.

    What has no duration has to be commanded anew within `timeout()` s, unless that is 0.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        describe: Callable[[], Mapping[str, Actuator]],
        timeout: Callable[[], float],
    ) -> None:
        self._node = node
        self._describe = describe
        motion = node.motion(PURPOSE)
        assert isinstance(motion, RecordedMotion), "the node tells everybody of its motions"
        self.motion = motion
        self._ids = CommandIds(node, describe)
        self._receipts = Receipts(node)
        keeper = Keeper(node)
        self._later = LaterStarts(node, keeper, self._begin_later, self._forget)
        self._runs = ActuatorRuns(node, motion, keeper, timeout)
        self._player = TrajectoryPlayer(node, motion)

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """By their names."""
        return self._describe()

    def judge(self, commands: Sequence[Command]) -> None:
        """BadRequest when the commands break a rule now.

        Whether trajectories can be followed takes long to tell: what `receive` gives does.
        """
        self._ids.require_new(commands)
        if is_trajectory(commands):
            check(commands, self.actuators)
        else:
            plan(commands, self.actuators, self._status(commands), self._runs.times())

    def receive(self, commands: Sequence[Command]) -> Callable[[], Prepared]:
        """What plans the trajectories `commands`, in whatever thread; BadRequest, which is told.

        They count as received now: what comes later and begins before, or a stop meanwhile, is not
        undone by what was planned then.
        """
        known = [self.actuators[c.name].axis for c in commands if c.name in self.actuators]
        receipt = self._receipts.receive(known)

        def prepare() -> Prepared:
            with self.told(commands):
                self._receipts.require_newest(receipt)
                check(commands, self.actuators)
                start = start_of(commands, self.actuators, self._status(commands))
                made = trajectory(commands, self.actuators, start)
            return Prepared(receipt, start, made)

        return prepare

    def start(
        self,
        commands: Sequence[Command],
        after: float = 0.0,
        prepared: Prepared | None = None,
    ) -> list[Started]:
        """Begin what is commanded, all of it in the same cycle or none, `after` so many seconds.

        What is refused raises, and is told as refused; within `NodeContext.commanding` only.
        """
        with self.told(commands):
            self._ids.require_new(commands)
            if after > SOON:  # what runs now is over by then, or is replaced
                new = [c if c.id.int else replace(c, id=uuid4()) for c in commands]
                return self._start_later(new, after, prepared)
            try:
                return self._start_now(self._identified(commands), prepared)
            except MotionOver:  # a lease that is refreshed, and has just expired: it begins anew
                return self._start_now(self._identified(commands), prepared)

    def _identified(self, commands: Sequence[Command]) -> list[Command]:
        """With ids: those given, or of what they go on with, or new ones."""
        same = [self._runs.same(command) for command in commands]
        return [
            replace(c, id=c.id if c.id.int else id or uuid4())
            for c, id in zip(commands, same, strict=True)
        ]

    def told(self, commands: Sequence[Command]) -> AbstractContextManager[None]:
        """A refusal inside is told as the end of `commands`, which never began."""
        return self._ids.told(commands)

    def stop(self, names: Sequence[str], reason: EndReason, message: str) -> None:
        """Slow actuators down, for `reason`."""
        axes = [self.actuators[name].axis for name in names if name in self.actuators]
        with self.motion.described(Description(reason=reason, message=message)):
            self.motion.stop(axes)

    def forget_later(self) -> None:
        """What waits for its start does not begin any more, and is told as refused."""
        self._later.forget(STOPPED)

    # Now

    def _start_now(self, commands: Sequence[Command], prepared: Prepared | None) -> list[Started]:
        status = self._status(commands)
        made = self._planned(commands, status, prepared)
        if made.kind in (MotionKind.STOP, MotionKind.HOLD):
            self._later.forget(STOPPED, made.axes)  # what was stopped does not begin by itself
        self._runs.require_way(commands, made.axes)
        self._switch_modes(made, status)
        self._ids.remember(commands)
        self._receipts.begin(made.axes, None if prepared is None else prepared.receipt)
        started = self._begin(commands, made)
        if prepared is not None and self._receipts.stopped(prepared.receipt):
            self.stop([c.name for c in commands], EndReason.STOPPED, "stopped as it began")
        return started

    def _begin(self, commands: Sequence[Command], made: Plan) -> list[Started]:
        actuators = self.actuators
        description = Description(
            kind=made.kind,
            names=dict(zip(made.axes, [command.name for command in commands], strict=True)),
            ids=dict(zip(made.axes, [command.id for command in commands], strict=True)),
        )
        if made.trajectory is not None:
            lasts = self._player.play(commands, actuators, made.trajectory, description)
            arrival = time.monotonic() + lasts if isfinite(lasts) else None
            return [Started(commands[0].id, arrival)] * len(commands)
        if made.kind in (MotionKind.VELOCITY, MotionKind.EFFORT):
            self._run(commands, actuators, made, description)
            return self._arrivals(commands, made)
        if made.kind is MotionKind.STOP:
            description = replace(description, message=f"stopped by command {commands[0].id}")
        with self.motion.described(description):
            made.start(self.motion)
            if made.kind is MotionKind.HOLD:
                self.motion.begin(MotionKind.HOLD, made.axes)
        return self._arrivals(commands, made)

    def _planned(
        self, commands: Sequence[Command], status: MotionStatus, prepared: Prepared | None
    ) -> Plan:
        """What `commands` mean; what was prepared begins where the axes were then, or not at all.

        Planning takes too long for a moment in which nobody else can command anything.
        """
        if prepared is None:
            return plan(commands, self.actuators, status, self._runs.times())
        self._receipts.require_newest(prepared.receipt)
        start = start_of(commands, self.actuators, status)
        if not same_start(prepared.start, start):
            names = ", ".join(repr(command.name) for command in commands)
            raise BadRequest([f"{names} moved while the trajectory was planned: must rest"])
        return trajectory_plan(prepared.made)

    def _run(
        self,
        commands: Sequence[Command],
        actuators: Mapping[str, Actuator],
        made: Plan,
        description: Description,
    ) -> None:
        marks = self._runs.marks(made.axes)
        description = replace(
            description,
            **self._runs.described(commands, made.axes),
            arrives={a: Ending(EndReason.LIMIT, 0, words) for a, words in made.limits.items()},
        )
        with self.motion.described(description):
            made.start(self.motion)
        chosen = [actuators[command.name] for command in commands]
        self._runs.begun(commands, chosen, marks, to_limit=[*made.limits])

    def _arrivals(self, commands: Sequence[Command], made: Plan) -> list[Started]:
        assert self._node.motions is not None
        if made.kind is not MotionKind.STOP:
            arrival = self._node.motions.ledger.arrival
            return [Started(command.id, arrival(command.id)) for command in commands]
        status = self.motion.status()
        return [
            Started(command.id, status.time + float(status.remaining[axis]))
            for command, axis in zip(commands, made.axes, strict=True)
        ]

    # Later

    def _start_later(
        self, commands: Sequence[Command], after: float, prepared: Prepared | None
    ) -> list[Started]:
        self._later.require_room(after)
        made = self._planned(commands, self._status(commands), prepared)  # wrong now: refused now
        self._ids.remember(commands)
        self._later.add(commands, made.axes, after)
        return [Started(command.id, None) for command in commands]

    def _begin_later(self, commands: Sequence[Command], stopped: Callable[[], str]) -> None:
        """The time has come, in a thread of its own."""
        self._ids.forget(commands)
        try:
            prepared = self.receive(commands)() if is_trajectory(commands) else None
            with self._node.commanding():
                if why := stopped():
                    self._forget(commands, why)
                    return
                self.start(commands, prepared=prepared)
            if why := stopped():  # just as it began
                self.stop([command.name for command in commands], EndReason.STOPPED, why)
        except Exception as error:
            self._node.say_error(
                f"A command that was to start now: {self._node.refused(error).message}"
            )

    def _forget(self, commands: Sequence[Command], why: str) -> None:
        self._ids.forget(commands)
        self._ids.refuse(commands, why)
        self._ids.remember(commands)

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

    def _status(self, commands: Sequence[Command]) -> MotionStatus:
        """BadRequest for an actuator on an axis that the engine has not."""
        status = self.motion.status()
        actuators = [self.actuators[c.name] for c in commands if c.name in self.actuators]
        strangers = [actuator for actuator in actuators if actuator.axis >= status.axes]
        if strangers:
            raise BadRequest(
                [
                    f"axis of actuator {actuator.name!r} is {actuator.axis}: the engine has "
                    f"0 to {status.axes - 1}"
                    for actuator in strangers
                ]
            )
        return status
