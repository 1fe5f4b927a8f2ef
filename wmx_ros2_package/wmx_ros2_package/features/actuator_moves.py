"""The action that moves actuators, with feedback, cancel and how each of them ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from wmx_ros2_message.action import MoveActuators

from ..actuators.command import Command, CommandType, is_trajectory
from ..drivers.errors import CommandRefused
from ..messages import actuators as messages
from ..motions.events import Begin, End, EndReason
from ..node.actions import serve_action
from ..node.context import NodeContext
from ..validation import BadRequest
from .actuator_control import ActuatorControl

if TYPE_CHECKING:
    from rclpy.action.server import ServerGoalHandle

    GoalHandle = ServerGoalHandle[Any, Any, Any]


class ActuatorMoves:
    """`wmx/actuator/move` of `node`."""

    def __init__(
        self, node: NodeContext[Any], control: ActuatorControl, feedback_rate: Callable[[], float]
    ) -> None:
        self._node = node
        self._control = control
        self._feedback_rate = feedback_rate
        self._awaited: set[UUID] = set()
        self._ended: dict[UUID, End] = {}
        assert node.motions is not None, "the node tells everybody of its motions"
        node.motions.listen(self._on_event)
        serve_action(
            node,
            MoveActuators,
            "wmx/actuator/move",
            judge=self._judge,
            execute=self._execute,
            describe=_describe,
        )

    def _judge(self, goal: MoveActuators.Goal) -> None:
        if any(command.type == CommandType.STOP for command in goal.commands):
            raise BadRequest(["STOP is no move: use wmx/actuator/execute or /command"])
        self._control.judge([messages.command(command) for command in goal.commands])

    def _stop(self, names: list[str]) -> bool:
        """Slow down what was canceled; false when the engine refuses: it is asked again."""
        try:
            with self._node.commanding():
                self._control.stop(names, EndReason.CANCELED, "canceled by its client")
        except CommandRefused as error:
            self._node.log.error(f"Canceling a move: {error}", throttle_duration_sec=1.0)
            return False
        return True

    async def _execute(self, handle: GoalHandle) -> MoveActuators.Result:
        commands = [messages.command(command) for command in handle.request.commands]
        commands = [replace(c, id=c.id if c.id.int else uuid4()) for c in commands]
        names = [command.name for command in commands]
        self._awaited.update(command.id for command in commands)
        try:
            prepared = None
            if is_trajectory(commands):
                prepared = await self._node.run_in_thread(self._control.receive(commands))
            with self._node.commanding():
                started = self._control.start(commands, prepared=prepared)
        except Exception:
            self._forget(commands)
            raise
        ids = [each.id for each in started]
        arrivals = [each.arrival for each in started if each.arrival is not None]
        arrival = max(arrivals) if len(arrivals) == len(started) else None
        feedback = partial(self._publish_feedback, handle, names, arrival)
        next_feedback = time.monotonic()
        canceled = False

        def over() -> bool:
            nonlocal next_feedback, canceled
            if handle.is_cancel_requested and not canceled:
                left = [command.name for command in commands if command.id not in self._ended]
                canceled = self._stop(left)
            if time.monotonic() >= next_feedback:
                next_feedback = time.monotonic() + 1.0 / self._feedback_rate()
                feedback()
            return all(id in self._ended for id in ids)

        try:
            await self._node.until(over)
            return self._result(handle, [self._ended[id] for id in ids])
        finally:
            self._forget(commands)

    def _forget(self, commands: list[Command]) -> None:
        for command in commands:
            self._awaited.discard(command.id)
            self._ended.pop(command.id, None)

    def _publish_feedback(
        self, handle: GoalHandle, names: list[str], arrival: float | None
    ) -> None:
        status = self._control.motion.status()
        axes = [self._control.actuators[name].axis for name in names]
        feedback = MoveActuators.Feedback(
            names=names,
            position=status.actual_pos[axes].tolist(),
            velocity=status.actual_velocity[axes].tolist(),
        )
        feedback.header.stamp = messages.time_message(self._node.ros_time.at(status.time))
        if arrival is not None:
            feedback.remaining = messages.duration_message(arrival - time.monotonic())
        handle.publish_feedback(feedback)

    def _result(self, handle: GoalHandle, ends: list[End]) -> MoveActuators.Result:
        result = MoveActuators.Result(
            ends=[messages.end_motion(end, self._node.ros_time.at) for end in ends]
        )
        result.success = all(end.reason is EndReason.ARRIVED for end in ends)
        others = [end for end in ends if end.reason is not EndReason.ARRIVED]
        result.message = "; ".join(
            f"{', '.join(end.names)}: {end.message or end.reason.name}" for end in others
        )
        if result.success:
            result.message = "Arrived"
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return result

    def _on_event(self, event: Begin | End) -> None:
        if isinstance(event, End) and event.id in self._awaited:
            self._ended[event.id] = event


def _describe(result: MoveActuators.Result, message: str) -> None:
    result.success, result.message = False, message
