"""Velocities and efforts of actuators while they last: their leases, limits and ends.

What has no duration is a lease. With a `timeout` its client has to command it again in time;
without, the node renews it until it is stopped, so that it ends with the node. A velocity ends at a
limit of position by itself, since the engine is commanded to that limit in time; the node stops it
on its way there when its time is over. An effort is stopped there. After an effort the axis is
brought to rest in position mode, and holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from threading import RLock
from uuid import UUID

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, MotionStatus, OperationState

from ...actuators.command import Command, CommandType
from ...actuators.description import Actuator
from ...actuators.engine_calls import EngineCall, RunTimes, engine_call
from ...actuators.limits import effort_ends, limit_words
from ...control.gate import GateClosed
from ...control.leases import Lease
from ...control.request import NO_ID, Begin, End, EndReason, MotionKind, MotionRequest
from ...control.tracker import MotionOver
from ...node_base.context import NodeContext
from ...validation import BadRequest
from .parameters import ActuatorNodeParameters

RUN_TIME = 1.0
"""After this time the engine ends a command without end unless its node renews it, s."""
RENEWAL = 0.25
"""How often the node renews it, s."""
_STATES = {
    CommandType.VELOCITY: (OperationState.JOG, OperationState.POS),  # POS: to its limit
    CommandType.EFFORT: (OperationState.TRQ,),
}


@dataclass(slots=True)
class _Continuous:
    """A velocity or an effort that the node ends."""

    command: Command
    actuator: Actuator
    request: MotionRequest
    until: float
    """When the node ends it, s of the steady clock; inf where the engine does, or nothing."""
    renewed_at: float
    """When the engine was commanded last, s of the steady clock."""
    run_times: RunTimes
    """Those of its newest command, whatever the parameter `timeout` is by now."""


class ContinuousCommands:
    """The velocities and efforts of `node`.

    Without a duration they last for the parameter `timeout`, or at 0 until they are stopped.
    """

    def __init__(self, node: NodeContext[ActuatorNodeParameters]) -> None:
        self._node = node
        self._gate = node.gate
        self._tracker = node.tracker
        self.command_lock = RLock()
        """Held while a client's command begins and is entered, and while the node commands it
        again: so what is commanded again is the newest."""
        self._running: dict[UUID, _Continuous] = {}
        self._leases: dict[int, Lease] = {}
        node.tracker.listen(self._on_event)
        node.leases.on_interrupted(self._interrupt)
        node.on_detach.append(self._running.clear)

    @property
    def _timeout(self) -> float:
        return self._node.parameters.timeout

    def run_times(self) -> RunTimes:
        """How long the engine lets run what has no duration."""
        timeout = self._timeout
        return RunTimes(
            seconds=timeout or RUN_TIME,
            timed_efforts=self._node.driver.times_torques,
            renewed=not timeout,
        )

    # What comes from clients, in the worker

    def admit(self, commands: Sequence[Command], axes: Sequence[int], sent: float) -> None:
        """MustPause for what has to wait for the engine node, or for its client to pause.

        Velocity 0 may come at any time: it is a pause.
        """
        pairs = zip(commands, axes, strict=True)
        endless = [(c, axis) for c, axis in pairs if c.is_continuous and not c.duration]
        if not endless:
            return
        self._node.leases.require_heartbeat()
        if not self._timeout:
            return
        self._tracker.update(self._gate.status())
        for command, axis in endless:
            if not _is_pause(command):
                self._lease(axis).refresh(sent)

    def extended(self, command: Command, axis: int) -> UUID | None:
        """The id of the motion that a `command` without one extends: a lease that is refreshed."""
        if command.id.int or not command.is_continuous or command.duration or not self._timeout:
            return None
        for id, running in list(self._running.items()):
            before = running.command
            same = (before.name, before.type) == (command.name, command.type)
            goes_on = same and not before.duration and self._tracker.runs(id)
            if goes_on and self._gate.stopped_since([running.request]) is None:
                return id
        return None

    def begun(
        self,
        commands: Sequence[Command],
        actuators: Mapping[str, Actuator],
        requests: Sequence[MotionRequest],
        made: EngineCall,
        run_times: RunTimes,
    ) -> None:
        """Remember `commands`, which the engine carries out as `made`, to end them in time.

        `run_times` are those that they were made with.
        """
        now = self._node.clock.now()
        for command, request in zip(commands, requests, strict=True):
            actuator = actuators[command.name]
            effort = command.type == CommandType.EFFORT
            own_end = not run_times.timed_efforts if effort else actuator.axis in made.limits
            if command.duration and not (effort or own_end):
                continue  # the engine ends it
            new = command.id not in self._running
            self._running[command.id] = _Continuous(
                command,
                actuator,
                request,
                until=now + run_times.lasts(command) if own_end else inf,
                renewed_at=now,
                run_times=run_times,
            )
            if new:
                self._watch(command.id)
            if _is_pause(command) and actuator.axis in self._leases:
                self._leases[actuator.axis].clear()
        if self._node.leases.heartbeat_lost:  # since they were admitted
            self._interrupt("the heartbeat of the engine node was missing")

    def refused(self, axes: Sequence[int], reason: str) -> None:
        """Have the streams of `axes` pause: what blocks them now may be over soon."""
        for axis in axes:
            if axis in self._leases:
                self._leases[axis].end(reason)

    def _lease(self, axis: int) -> Lease:
        if axis not in self._leases:
            self._leases[axis] = self._node.leases.add([axis], self._timeout)
        lease = self._leases[axis]
        lease.timeout = self._timeout  # which may be changed
        return lease

    # While they last, in the supervisor

    def _watch(self, id: UUID) -> None:
        self._node.supervisor.add_task(
            "continuous command", lambda status: self._update(id, status)
        )

    def _update(self, id: UUID, status: MotionStatus) -> bool:
        if not self.command_lock.acquire(blocking=False):  # the next sample is soon enough
            return True
        try:
            return self._update_newest(id, status)
        finally:
            self.command_lock.release()

    def _update_newest(self, id: UUID, status: MotionStatus) -> bool:
        running = self._running.get(id)
        if running is None:
            return False
        if not self._tracker.runs(id):
            if not self._tracker.is_open(id):
                self._running.pop(id, None)
            return self._tracker.is_open(id)
        states = _STATES[CommandType(running.command.type)]
        axis = running.actuator.axis
        shown = status.time >= running.renewed_at + self._node.driver.status_latency
        if not shown or status.op_state[axis] not in states:
            return True  # the command is on its way, or something else ends it
        try:
            if running.command.type == CommandType.EFFORT:
                return self._update_effort(running, status)
            return self._update_velocity(running, status)
        except GateClosed:
            return True  # the node lets go of its axes, and stops them

    def _update_velocity(self, running: _Continuous, status: MotionStatus) -> bool:
        command, actuator = running.command, running.actuator
        if self._node.clock.now() >= running.until:
            self._end(running, *_at_its_end(command))
        elif status.op_state[actuator.axis] == OperationState.JOG and self._is_renewed(running):
            try:
                made = engine_call([command], {command.name: actuator}, status, running.run_times)
            except BadRequest:  # it stands at its limit
                self._end(running, EndReason.LIMIT, limit_words(actuator, command.value))
            else:
                self._renew(running, made)
        return True

    def _update_effort(self, running: _Continuous, status: MotionStatus) -> bool:
        command, actuator, axis = running.command, running.actuator, running.actuator.axis
        position, velocity = float(status.actual_pos[axis]), float(status.actual_velocity[axis])
        direction = effort_ends(actuator, command.value, position, velocity, status.clock_rate)
        if direction:
            self._end(running, EndReason.LIMIT, limit_words(actuator, direction))
        elif self._node.clock.now() >= running.until:
            self._end(running, *_at_its_end(command))
        elif self._is_renewed(running) and running.run_times.timed_efforts:
            made = engine_call([command], {command.name: actuator}, status, running.run_times)
            self._renew(running, made)
        return True

    def _is_renewed(self, running: _Continuous) -> bool:
        """Whether the node has to command it again now."""
        endless = running.run_times.renewed and not running.command.duration
        return endless and self._node.clock.now() >= running.renewed_at + RENEWAL

    def _renew(self, running: _Continuous, made: EngineCall) -> None:
        """Command it again; what was stopped since it was asked for the gate refuses."""
        axis = running.actuator.axis
        request = replace(
            running.request,
            targets=made.targets,
            run_time=made.run_times[0],
            limit=made.limits.get(axis, ""),
        )
        try:
            self._gate.issue([request], made.start)
        except MotionOver:  # it has just ended by itself
            return
        except CommandRefused as error:
            self._end(running, EndReason.STOPPED, str(error))
            return
        running.renewed_at = self._node.clock.now()

    # How they end

    def _end(self, running: _Continuous, reason: EndReason, message: str) -> None:
        """Stop it until it rests."""
        states = *_STATES[CommandType(running.command.type)], OperationState.STOP
        self._gate.end_until_rest([running.actuator.axis], message, reason, states=states)

    def _interrupt(self, reason: str) -> None:
        """Stop what has no duration."""
        for running in list(self._running.values()):
            if not running.command.duration:
                self._end(running, EndReason.LEASE_EXPIRED, reason)

    def _on_event(self, event: Begin | End) -> None:
        """Have an axis hold its position after an effort, which ends only then."""
        if isinstance(event, End):
            self._running.pop(event.id, None)
        elif event.kind is MotionKind.EFFORT:
            self.hold_after(event.axes[0], event.id)

    def hold_after(self, axis: int, effort: UUID = NO_ID) -> None:
        """Have `axis` in position mode as soon as it rests, with no open motion but a hold.

        The motion of id `effort` is open until then: who waits for its end can move the axis.
        """
        gate, tracker = self._gate, self._tracker
        shown_from = self._node.clock.now() + self._node.driver.status_latency
        stopped = False

        def update(status: MotionStatus) -> bool:
            nonlocal stopped
            if status.time <= shown_from:
                return True
            if status.command_mode[axis] == CommandMode.POSITION:
                tracker.release(effort)
                return False
            held = axis in tracker.axes_of(MotionKind.HOLD)
            exerted = tracker.is_open(effort)
            if not exerted and axis in tracker.axes_of(MotionKind.EFFORT):
                return False  # a newer effort, which has a task of its own
            if exerted and status.op_state[axis] == OperationState.TRQ:
                return True
            if not (exerted or held) and tracker.has_motion_on([axis]):
                return True
            if status.op_state[axis] == OperationState.IDLE:
                with suppress(CommandRefused):  # its motor still turns
                    gate.restore_position_mode(axis)
                    tracker.release(effort)
                    return False
            if not (held or stopped):  # a torque that has ended leaves the motor coasting
                reason, message = self._why_exerted_no_more(effort, status)
                gate.end_motion([axis], reason=reason, message=message)
                stopped = True
            return True

        self._node.supervisor.add_task("position mode", update)

    def _why_exerted_no_more(self, effort: UUID, status: MotionStatus) -> tuple[EndReason, str]:
        """Why the engine has ended an effort before it was released."""
        running = self._running.get(effort)
        if running is None or status.time < self._over_at(running):
            return EndReason.STOPPED, "it was stopped"
        return _at_its_end(running.command)

    def _over_at(self, running: _Continuous) -> float:
        """When the engine ends an effort by itself, s of the steady clock."""
        run_time = running.request.run_time or inf
        return running.renewed_at + run_time - self._node.driver.status_latency


def _is_pause(command: Command) -> bool:
    """Whether a stream pauses by `command`; an effort of 0 lets go of its axis."""
    return command.type == CommandType.VELOCITY and command.value == 0.0


def _at_its_end(command: Command) -> tuple[EndReason, str]:
    """Why a command that has lasted as long as it may ends, and words."""
    if command.duration:
        return EndReason.ARRIVED, ""
    return EndReason.LEASE_EXPIRED, "it was not refreshed in time"
