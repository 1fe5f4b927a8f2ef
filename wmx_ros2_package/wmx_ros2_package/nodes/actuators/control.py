"""Carries out commands to named actuators: at once, later, or as trajectories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from math import inf, isfinite
from uuid import UUID, uuid4

from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.errors import CommandRefused, RefusalCode
from wmx_core.values import CommandMode, MotionStatus

from ...actuators.command import Command, CommandType
from ...actuators.engine_calls import (
    EngineCall,
    RunTimes,
    by_deceleration,
    engine_call,
    motion_requests,
)
from ...actuators.rules import check, require_axes
from ...actuators.trajectories import goal_of
from ...control.gate import StoppedSince
from ...control.request import MotionKind, MotionRequest
from ...control.tracker import MotionOver
from ...messages import actuators as messages
from ...messages.motions import uuid
from ...messages.times import seconds
from ...node_base.context import NodeContext
from ...node_base.refusals import ReportedRefusal, published
from ...node_base.waiting import Awaited
from ...validation import BadRequest
from .continuous import ContinuousCommands
from .delayed import FURTHEST, DelayedStarts, Due
from .ids import CommandIds
from .parameters import ActuatorNodeParameters
from .started import Started
from .trajectories import PURPOSE, Trajectories

SOON = 0.001
"""A start that is nearer than this, s, is now: a communication cycle."""
WITHDRAWN = "canceled by its client"

Commands = Sequence[Command]


class ActuatorControl:
    """The actuators of `node`."""

    def __init__(self, node: NodeContext[ActuatorNodeParameters]) -> None:
        self._node = node
        self.actuators = node.parameters.actuators()
        """The actuators by their names, as the parameters are now."""
        node.on_change.append(self._change)
        self._gate = node.gate
        self._ids = CommandIds(node.tracker, lambda: self.actuators)
        self._continuous = ContinuousCommands(node)
        self._delayed = DelayedStarts(node, self._start_delayed, self._forget)
        self.trajectories = Trajectories(node, self._ids, lambda: self.actuators)

    def _change(self, parameters: ActuatorNodeParameters) -> None:
        self.actuators = parameters.actuators()

    # Commands, in the worker; trajectories in the thread that plans them

    def judge(self, commands: Commands, asked: Sequence[ActuatorCommand]) -> None:
        """BadRequest when `commands`, which are `asked` for, break a rule now.

        That is published as their ends.
        """
        with self._ids.reported(commands):
            self._ids.require_new(commands)
            if self.delay(asked):
                self._delayed.require_room()
            if is_trajectory(commands):
                check(commands, self.actuators)
                goal_of(commands, self.actuators)
            else:
                run_times = self._continuous.run_times()
                engine_call(commands, self.actuators, self._status(commands), run_times)

    def require_possible(self, commands: Commands) -> None:
        """Refuse what would be refused whatever the axes do: BadRequest or CommandRefused.

        An id that was used, an axis that is not there or has another owner, a trajectory that fits
        none that runs. Nothing is owned or remembered by that.
        """
        self._ids.require_new(commands)
        self._status(commands)
        axes = [self.actuators[command.name].axis for command in commands]
        if not any(command.type == CommandType.STOP for command in commands):
            self._node.ownership.require_free(axes, PURPOSE)
        if commands[0].type not in (CommandType.STOP, CommandType.HOLD):
            effort = commands[0].type == CommandType.EFFORT
            mode = CommandMode.TORQUE if effort else CommandMode.POSITION
            self._node.settings.require_kept(axes)
            self._node.stop_inputs.require_off(axes, mode, follows=False)
        if is_trajectory(commands):
            self.trajectories.executor.require_free(axes)

    def delay(self, commands: Sequence[ActuatorCommand]) -> float:
        """How long until the commands of one message are to start, s; 0 for now.

        They start together. Stops whose starts differ, or are too far ahead, begin now.
        """
        now = self._node.ros_time.now() / 1e9
        ahead = {seconds(command.header.stamp) - now for command in commands}
        starts = {start if start > SOON else 0.0 for start in ahead}
        last = max(starts, default=0.0)
        if is_stop(commands) and (len(starts) > 1 or last > FURTHEST):
            return 0.0
        if len(starts) > 1:
            raise BadRequest(["header.stamp differs: commands of one message start together"])
        if last > FURTHEST:
            rule = f"must be {FURTHEST:g} s at most"
            raise BadRequest([f"header.stamp is {last:.3f} s in the future: {rule}"])
        return last

    def judge_system(self, commands: Sequence[ActuatorCommand]) -> str:
        """Return why commands are for another system; empty where they are not.

        A stop is obeyed whatever system it is for.
        """
        own = self._node.ownership.system_id
        for command in commands:
            wanted = uuid(command.system_id)
            if wanted.int and wanted != own and command.type != ActuatorCommand.STOP:
                return f"{command.name!r} of system {wanted} is commanded: this is system {own}"
        return ""

    def require_own(self, asked: Sequence[ActuatorCommand]) -> list[Command]:
        """The commands that are `asked` for; refused where they are for another system.

        Their ids are those of motions of that system, so the refusals are published under new ones.
        """
        commands = [messages.command(each) for each in asked]
        if error := self.judge_system(asked):
            self._ids.refuse_foreign(commands, error)
            raise ReportedRefusal([error], code=RefusalCode.OTHER_SYSTEM)
        return commands

    def accept(self, asked: Sequence[ActuatorCommand]) -> tuple[list[Command], Due | None]:
        """The commands that are `asked` for together, and when they are to start; None for now.

        The leases begin of those whose clients renew them, by their ids, which must be new. Refused
        as in `require_own` and `delay`.
        """
        commands = self.require_own(asked)
        with self._ids.reported(commands):
            delay = self.delay(asked)
            due = self._node.ros_time.when_in(delay) if delay else None
            if leased := leased_ids(asked):
                self._ids.require_new(commands)  # else it would lease the motion of that id
            for id in leased:
                self._node.motion_leases.renew(id)
        return commands, due

    def begin(
        self,
        commands: Commands,
        sent: float,
        due: Due | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Awaited[list[Started]]:
        """Plan and `start` trajectories in the thread for that, anything else in the worker.

        CommandRefused for what has waited in a process that was suspended.
        """

        def require_prompt() -> None:
            with self._ids.before_gate(commands):
                self._node.require_prompt(sent)

        def start() -> list[Started]:
            require_prompt()  # perhaps it has waited in the worker
            return self.start(commands, sent, due, wanted)

        require_prompt()
        if is_trajectory(commands):
            return Awaited(self.plan_and_start(commands, sent, due, wanted))
        with self._ids.reported(commands):  # too much may wait
            return Awaited(self._node.worker.submit(start))

    def plan_and_start(
        self,
        commands: Commands,
        sent: float,
        due: Due | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Future[list[Started]]:
        """Plan trajectories one after the other, and `start` them; any thread may call."""
        with self._ids.reported(commands):  # too many may wait
            return self._node.threads.planner.submit(
                lambda: self.start(commands, sent, due, wanted)
            )

    def start(
        self,
        commands: Commands,
        sent: float,
        due: Due | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> list[Started]:
        """Begin what was `sent` then, all of it in the same cycle or none, now or once it is due.

        What is refused raises, and is published as refused; a stop that cannot wait begins now.
        What is not `wanted` any more, as it has waited for its turn, ends as withdrawn.
        """
        with self._ids.reported(commands):
            if is_stop(commands):
                commands = self._ids.renewed(commands)
                if due is None:
                    return self._stop(commands)
                try:
                    return self._start_later(commands, sent, due)
                except StoppedSince:
                    if len(commands) > 1:  # the others were not stopped
                        return self._stop(commands)
                    with self._ids.before_gate(commands):
                        raise
                except (BadRequest, CommandRefused):  # what cannot wait begins now
                    return self._stop(commands)
            self._ids.require_new(commands)
            if not wanted():
                self._forget(commands, WITHDRAWN)
                return [Started(command.id, None) for command in commands]
            if due is not None:  # what runs now is over by then, or is replaced
                with self._ids.before_gate(commands):
                    return self._start_later(commands, sent, due)
            if is_trajectory(commands):
                return self.trajectories.start(commands, sent, wanted)
            try:
                return self._start_now(commands, sent)
            except MotionOver:  # a lease that is refreshed, and has just expired: it begins again
                return self._start_now(commands, sent)

    def _start_now(self, commands: Commands, sent: float) -> list[Started]:
        run_times = self._continuous.run_times()
        with self._ids.before_gate(commands):
            status = self._status(commands)
        made = engine_call(commands, self.actuators, status, run_times)
        try:
            self._continuous.admit(commands, made.axes, sent)
        except CommandRefused as error:
            raise BadRequest([error.detail], code=error.code) from None
        commands = self._identified(commands, made.axes)
        own = partial(self._own_run_time, run_times)
        requests = motion_requests(commands, made, sent, PURPOSE, own)
        with self._continuous.command_lock:
            self._issue(commands, requests, made)
            if commands[0].is_continuous:
                self._continuous.begun(commands, self.actuators, requests, made, run_times)
        self._ids.remember(commands)
        if made.kind is MotionKind.HOLD:
            self._gate.refuse_earlier(made.axes)  # what was held does not begin by itself
            for axis in made.axes:
                self._continuous.hold_after(axis)
        arrival = self._node.tracker.arrival
        return [Started(command.id, arrival(command.id)) for command in commands]

    def _issue(
        self, commands: Commands, requests: Sequence[MotionRequest], made: EngineCall
    ) -> None:
        try:
            self._gate.issue(requests, made.start, made.mode)
        except MotionOver:  # it is commanded again at once
            raise
        except CommandRefused as error:
            if commands[0].is_continuous:
                self._continuous.refused(made.axes, str(error))
            raise

    def _stop(self, commands: Commands) -> list[Started]:
        """Stop axes, also those of other nodes.

        It passes no check: one that is wrong, or that the engine refuses, is refused after the
        others were stopped.
        """
        engine_axes = self._node.engine_axes
        named = {self.actuators[c.name].axis: c for c in commands if c.name in self.actuators}
        stops = {axis: command for axis, command in named.items() if axis < engine_axes}
        refused: CommandRefused | None = None
        for axes, quick in by_deceleration(list(stops.values()), list(stops)):
            try:
                self._gate.stop(axes, quick=quick, message=f"stopped by command {commands[0].id}")
            except CommandRefused as error:
                refused = refused or error
        check(commands, self.actuators)
        require_axes(commands, self.actuators, engine_axes)
        if refused is not None:
            raise refused
        self._ids.remember(commands)
        try:
            status = self._gate.status()
        except CommandRefused:  # they stop: until when is not known
            return [Started(command.id, None) for command in stops.values()]
        ends = [(c.id, status.time_in(float(status.remaining[axis]))) for axis, c in stops.items()]
        return [Started(id, at if isfinite(at) else None) for id, at in ends]

    def _identified(self, commands: Commands, axes: Sequence[int]) -> list[Command]:
        """Return them with ids: those given, or of the motions that they extend, or new ones."""
        extended = self._continuous.extended
        return [
            replace(c, id=c.id if c.id.int else extended(c, axis) or uuid4())
            for c, axis in zip(commands, axes, strict=True)
        ]

    def _own_run_time(self, run_times: RunTimes, command: Command) -> float:
        """After how long the node ends what the engine does not end by itself, s; 0 for never."""
        lasts = run_times.lasts(command) if command.is_continuous else inf
        return lasts if lasts < inf else 0.0

    # Commands whose start is still to come

    def _start_later(self, commands: Commands, sent: float, due: Due) -> list[Started]:
        self._delayed.require_room()
        commands = [c if c.id.int else replace(c, id=uuid4()) for c in commands]
        if as_one := is_trajectory(commands):
            kind, axes = MotionKind.TRAJECTORY, self.trajectories.prepare(commands).plan.axes
        else:  # wrong now: refused now
            status, run_times = self._status(commands), self._continuous.run_times()
            made = engine_call(commands, self.actuators, status, run_times)
            kind, axes = made.kind, made.axes
        request = MotionRequest(kind=kind, axes=axes, asked_at=sent)
        self._gate.require_not_stopped([request])
        self._delayed.add(commands, request, due)
        self._ids.remember(commands)
        return [Started(commands[0].id if as_one else each.id, None) for each in commands]

    def withdraw(self, ids: Collection[UUID]) -> None:
        """Forget commands that wait for their start, or for their axes to rest."""
        self._delayed.forget(ids, WITHDRAWN)
        self.trajectories.executor.withdraw(ids)

    def _start_delayed(self, commands: Commands, sent: float) -> None:
        """Begin what is due; a trajectory is planned before."""

        def begin(start: Callable[[Commands, float], object]) -> None:
            try:
                self._ids.forget(commands)
                start(commands, sent)
            except Exception as error:
                reported = ReportedRefusal, CommandRefused, BadRequest
                for command in commands:
                    refused = published(self._node, error, unless=reported, id=command.id)
                self._node.log_error(f"A command that was to start now: {refused.message}")

        if is_trajectory(commands):
            follow = partial(self.trajectories.start, delayed=True)
            self._node.threads.planner.do(lambda: begin(follow), bounded=False)
        else:
            begin(self.start)

    def _forget(self, commands: Commands, why: str) -> None:
        self._ids.forget(commands)
        self._ids.refuse(commands, why)
        self._ids.remember(commands)

    # Rules

    def _status(self, commands: Commands) -> MotionStatus:
        """BadRequest for an actuator on an axis that the engine has not."""
        status = self._gate.status()
        require_axes(commands, self.actuators, status.axes)
        return status


def leased_ids(commands: Sequence[ActuatorCommand]) -> list[UUID]:
    """The ids of the commands whose clients renew their leases; BadRequest for one without."""
    leased = [command for command in commands if command.leased]
    ids = [uuid(c.command_id) for c in leased if c.type != CommandType.STOP]
    if not all(id.int for id in ids):
        raise BadRequest(["command_id is zero: a leased command must have one"])
    return ids


def is_stop(commands: Sequence[Command | ActuatorCommand]) -> bool:
    """Whether `commands` are stops, which wait for nothing."""
    return all(command.type == CommandType.STOP for command in commands)


def is_trajectory(commands: Commands) -> bool:
    """Whether `commands` are trajectories, whose planning takes long."""
    return any(command.type == CommandType.TRAJECTORY for command in commands)
