"""The action that moves actuators, with feedback, cancel and how each of them ended."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from uuid import UUID, uuid4

from wmx_ros2_message.action import MoveActuators

from wmx_core.errors import CommandRefused
from wmx_core.values import MotionStatus

from ...actuators.command import Command, CommandType
from ...control.request import Begin, End, EndReason
from ...messages.motions import end_motion
from ...messages.times import duration_message, time_message
from ...node_base.actions import ActionGoal, ActionServer
from ...node_base.context import NodeContext
from ...node_base.waiting import Awaited
from ...validation import BadRequest
from .control import WITHDRAWN, ActuatorControl, leased_ids
from .parameters import ActuatorNodeParameters
from .started import Started, last_arrival


class ActuatorMoves:
    """`wmx/actuator/move` of `node`."""

    def __init__(self, node: NodeContext[ActuatorNodeParameters], control: ActuatorControl) -> None:
        self._node = node
        self._control = control
        self._ends: dict[UUID, Future[End]] = {}
        """The ends that goals await, by the ids of their commands."""
        node.tracker.listen(self._on_event)
        ActionServer(
            node,
            MoveActuators,
            "wmx/actuator/move",
            judge=self.judge,
            execute=self.execute,
            describe=_describe,
        )

    def judge(self, goal: ActionGoal) -> None:
        """Refuse a goal that is wrong: BadRequest or CommandRefused."""
        if any(command.type == CommandType.STOP for command in goal.request.commands):
            raise BadRequest(["STOP is no move: use wmx/actuator/execute or /command"])
        commands = self._control.require_own(goal.request.commands)
        leased_ids(goal.request.commands)
        if awaited := [command.id for command in commands if command.id in self._ends]:
            raise BadRequest([f"command_id {awaited[0]} is that of another goal: must be new"])
        self._control.judge(commands, goal.request.commands)

    async def execute(self, goal: ActionGoal) -> MoveActuators.Result:
        """Carry out a goal; what was canceled before its turn moves nothing."""
        commands, due = self._control.accept(goal.request.commands)
        commands = [replace(c, id=c.id if c.id.int else uuid4()) for c in commands]
        ends: dict[UUID, Future[End]] = {command.id: Future() for command in commands}
        self._ends |= ends
        try:
            started = await self._control.begin(
                commands, goal.sent, due, lambda: not goal.is_cancel_requested
            )
            self._follow(goal, commands, started, ends)
            ids = dict.fromkeys(each.id for each in started)
            ended = [await Awaited(ends[id]) for id in ids]
        finally:
            for id in ends:
                self._ends.pop(id, None)
        return self._result(goal, ended)

    def _follow(
        self,
        goal: ActionGoal,
        commands: Sequence[Command],
        started: Sequence[Started],
        ends: dict[UUID, Future[End]],
    ) -> None:
        """Publish feedback until all have ended, and stop what is left when that is asked for."""
        arrival = last_arrival(started)
        canceled = False
        due = 0.0

        def update(status: MotionStatus) -> bool:
            nonlocal canceled, due
            ids = {each.id for each in started}
            if all(ends[id].done() for id in ids):
                return False
            if goal.is_cancel_requested and not canceled:
                if all(ends[id].done() or self._node.tracker.has_begun(id) for id in ids):
                    left = [c.name for c in commands if c.id not in ids or not ends[c.id].done()]
                    canceled = self._stop(left)
                else:  # what is about to begin is stopped when it has
                    self._control.withdraw([c.id for c in commands])
            if self._node.clock.now() >= due:
                due = self._node.clock.now() + 1.0 / self._node.parameters.feedback_rate
                self._publish_feedback(goal, commands, arrival, status)
            return True

        self._node.supervisor.add_task("actuator move", update)

    def _stop(self, names: Sequence[str]) -> bool:
        """Slow down what was canceled; false when the engine refuses: it is asked again."""
        axes = [self._control.actuators[name].axis for name in names]
        try:
            self._node.gate.end_motion(axes, reason=EndReason.CANCELED, message=WITHDRAWN)
        except CommandRefused as error:
            self._node.log.error(f"Canceling a move: {error}", throttle_duration_sec=1.0)
            return False
        return True

    def _publish_feedback(
        self,
        goal: ActionGoal,
        commands: Sequence[Command],
        arrival: float | None,
        status: MotionStatus,
    ) -> None:
        names = [command.name for command in commands]
        axes = [self._control.actuators[name].axis for name in names]
        feedback = MoveActuators.Feedback(
            names=names,
            position=status.actual_pos[axes].tolist(),
            velocity=status.actual_velocity[axes].tolist(),
        )
        feedback.header.stamp = time_message(self._node.ros_time.at(status.time))
        if arrival is not None:
            feedback.remaining = duration_message(arrival - self._node.clock.now())
        goal.publish_feedback(feedback)

    def _result(self, goal: ActionGoal, ends: Sequence[End]) -> MoveActuators.Result:
        result = MoveActuators.Result(
            ends=[end_motion(end, self._node.ros_time.at) for end in ends]
        )
        result.success = all(end.reason is EndReason.ARRIVED for end in ends)
        others = [end for end in ends if end.reason is not EndReason.ARRIVED]
        result.message = "; ".join(
            f"{', '.join(end.names)}: {end.message or end.reason.name}" for end in others
        )
        if result.success:
            result.message = "Arrived"
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return result

    def _on_event(self, event: Begin | End) -> None:
        if isinstance(event, End) and event.id in self._ends:
            future = self._ends[event.id]
            if not future.done():
                future.set_result(event)


def _describe(result: MoveActuators.Result, message: str) -> None:
    result.success, result.message = False, message
