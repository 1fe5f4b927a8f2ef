"""Action servers, made of the services and topics that the protocol of actions has.

rclpy's own server gives neither the time at which a goal was sent nor the id of a goal that is
being judged, and whether it awaits depends on the executor. What was sent before an axis was
stopped must not begin after it: so each goal comes with its time here. The protocol:
https://design.ros2.org/articles/actions.html
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile

from ..control.request import NO_ID
from ..messages.times import time_message
from ..validation import BadRequest
from .context import NodeContext
from .qos import latched
from .rclpy_compat import Respond
from .refusals import NotReady, ReportedRefusal, published

RESULT_TIMEOUT = 10.0
"""How long a result is kept for a client that has not asked for it yet, s: rclpy's default."""
_TERMINAL = GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED
_NO_ID = bytes(16)


class ActionGoal:
    """One goal of an action server."""

    def __init__(self, server: ActionServer, message: Any, sent: float) -> None:
        self._server = server
        self.request = message.goal
        """The goal message of the client."""
        self.id = bytes(message.goal_id.uuid)
        self.sent = sent
        """When it was sent, s of the steady clock."""
        self.status = GoalStatus.STATUS_EXECUTING
        self.accepted = Time()
        self.judged: Any = None
        """The return value of `judge` for this goal."""
        self.result: Any = None
        """The result message; None until the goal has ended."""
        self.ended_at = 0.0
        self.waiting: list[Respond] = []
        """The clients that wait for the result."""
        self._cancel: Callable[[], None] = lambda: None

    @property
    def is_cancel_requested(self) -> bool:
        """Whether a client has asked for its end, and it has not ended yet."""
        return bool(self.status == GoalStatus.STATUS_CANCELING)

    def on_cancel(self, cancel: Callable[[], None]) -> None:
        """Call `cancel` when a client asks for its end, or now if that has been asked for."""
        self._cancel = cancel
        if self.is_cancel_requested:
            cancel()

    def request_cancel(self) -> None:
        """A client asks for its end."""
        self.status = GoalStatus.STATUS_CANCELING
        self._cancel()

    @property
    def ended(self) -> bool:
        """Whether it has succeeded, was canceled or aborted."""
        return self.status in _TERMINAL

    @property
    def info(self) -> GoalInfo:
        """Its id, and when it was accepted."""
        info = GoalInfo(stamp=self.accepted)
        info.goal_id.uuid = list(self.id)
        return info

    def publish_feedback(self, feedback: Any) -> None:
        """Publish how far it is; any thread may call."""
        message = self._server.kind.Impl.FeedbackMessage(feedback=feedback)
        message.goal_id.uuid = list(self.id)
        self._server.feedback.publish(message)

    def succeed(self) -> None:
        """It has done what was asked."""
        self.status = GoalStatus.STATUS_SUCCEEDED

    def abort(self) -> None:
        """It has failed."""
        self.status = GoalStatus.STATUS_ABORTED

    def canceled(self) -> None:
        """It has ended because a client asked for that."""
        self.status = GoalStatus.STATUS_CANCELED


class ActionServer:
    """An action of `node`. All is done in the thread that spins, but for feedback.

    Where a goal is wrong, `judge` or what it awaits raises, and the goal is rejected. The protocol
    has no word for the reason: the log has it, and the end of a motion with the goal's id. What
    `judge` awaits may return what `execute` needs: it is the goal's `judged`. `execute`
    returns the result of a goal that was accepted, which it has made succeed, abort or be
    canceled; what it raises aborts the goal, and `describe` puts the words into a result.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        kind: Any,
        name: str,
        *,
        judge: Callable[[ActionGoal], Awaitable[Any] | None],
        execute: Callable[[ActionGoal], Awaitable[Any]],
        describe: Callable[[Any, str], None] = lambda *_: None,
    ) -> None:
        self._node = node
        self.kind = kind
        self._name = name
        self._judge = judge
        self._execute = execute
        self._describe = describe
        self._goals: dict[bytes, ActionGoal] = {}
        self._judging: set[bytes] = set()
        """The ids of goals that are being judged, which may take as long as a plan."""
        parts, prefix = kind.Impl, f"{name}/_action"
        for service, part, take in (
            ("send_goal", parts.SendGoalService, self._take_goal),
            ("cancel_goal", parts.CancelGoalService, self._cancel),
            ("get_result", parts.GetResultService, self._get_result),
        ):
            node.serve(part, f"{prefix}/{service}", take)
        # Clients get the states of goals whatever state the node's life is in.
        self.feedback = node.add_entity(
            lambda made_on: made_on.create_publisher(
                parts.FeedbackMessage, f"{prefix}/feedback", QoSProfile(depth=10)
            ),
            lambda made_on, made: made_on.destroy_publisher(made),
        )
        self._statuses = node.add_entity(
            lambda made_on: made_on.create_publisher(
                parts.GoalStatusMessage, f"{prefix}/status", latched()
            ),
            lambda made_on, made: made_on.destroy_publisher(made),
        )

    # Goals

    def _take_goal(self, request: Any, response: Any, system: int, respond: Respond) -> None:
        self._forget_old()
        goal = ActionGoal(self, request, self._node.clock.sent_at(system))
        self._node.waiting.run(self._carry_out_goal(goal, response, respond))

    async def _carry_out_goal(self, goal: ActionGoal, response: Any, respond: Respond) -> None:
        is_new = goal.id not in self._goals and goal.id not in self._judging
        if is_new:
            self._judging.add(goal.id)
        response.accepted = await self._accepts(goal, is_new=is_new)
        if is_new:
            self._judging.remove(goal.id)
        response.stamp = goal.accepted = time_message(self._node.ros_time.now())
        if response.accepted:
            self._goals[goal.id] = goal
        respond(response)
        if not response.accepted:
            return
        self._publish_status()
        goal.result = await self._executed(goal)
        goal.ended_at = self._node.clock.now()
        self._publish_status()
        for waiting in goal.waiting:
            self._respond_with_result(goal, waiting)

    async def _accepts(self, goal: ActionGoal, *, is_new: bool) -> bool:
        node = self._node
        try:
            node.require_engine()
            if node.kind.commands_motion:
                node.leases.require_sent_after_suspension(goal.sent)
            if goal.id == _NO_ID:  # which means every goal where goals are canceled
                raise BadRequest(["goal_id is zero: must be an id that is new"])
            if not is_new:
                raise NotReady(f"goal {goal.id.hex()} is under way already")
            if (judged := self._judge(goal)) is not None:
                goal.judged = await judged
            node.require_engine()
        except Exception as error:
            id = UUID(bytes=goal.id) if is_new else NO_ID
            unless = ReportedRefusal if node.kind.commands_motion else Exception
            refused = published(node, error, unless=unless, id=id)
            node.log_error(f"{self._name}: {refused.bug or refused.message} (goal rejected)")
            return False
        return True

    async def _executed(self, goal: ActionGoal) -> Any:
        try:
            return await self._execute(goal)
        except Exception as error:
            refused = self._node.refused(error)
            self._node.log_error(f"{self._name}: {refused.bug or refused.message}")
            result = self.kind.Result()
            self._describe(result, refused.message)
            if not goal.ended:
                goal.abort()
            return result

    # What clients ask of goals

    def _cancel(self, request: Any, response: Any, _: int, respond: Respond) -> None:
        wanted, stamp = bytes(request.goal_info.goal_id.uuid), request.goal_info.stamp
        before = (stamp.sec, stamp.nanosec)
        everything = wanted == _NO_ID and before == (0, 0)
        chosen = [
            goal
            for goal in self._goals.values()
            if everything
            or goal.id == wanted
            or (before != (0, 0) and (goal.accepted.sec, goal.accepted.nanosec) <= before)
        ]
        going = [goal for goal in chosen if not goal.ended]
        for goal in going:
            goal.request_cancel()
        response.goals_canceling = [goal.info for goal in going]
        response.return_code = CancelGoal.Response.ERROR_NONE
        if not going:
            response.return_code = CancelGoal.Response.ERROR_REJECTED
            if wanted != _NO_ID and wanted not in self._goals:
                response.return_code = CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
            elif chosen:
                response.return_code = CancelGoal.Response.ERROR_GOAL_TERMINATED
        respond(response)
        if going:
            self._publish_status()

    def _get_result(self, request: Any, response: Any, _: int, respond: Respond) -> None:
        goal = self._goals.get(bytes(request.goal_id.uuid))
        if goal is None:
            response.status = GoalStatus.STATUS_UNKNOWN
            respond(response)
        elif goal.result is None:
            goal.waiting.append(respond)
        else:
            self._respond_with_result(goal, respond)

    def _respond_with_result(self, goal: ActionGoal, respond: Respond) -> None:
        response = self.kind.Impl.GetResultService.Response()
        response.status, response.result = goal.status, goal.result
        respond(response)

    def _publish_status(self) -> None:
        message = self.kind.Impl.GoalStatusMessage()
        message.status_list = [
            GoalStatus(goal_info=goal.info, status=goal.status) for goal in self._goals.values()
        ]
        with suppress(Exception):  # the node is being destroyed
            self._statuses.publish(message)

    def _forget_old(self) -> None:
        """Forget results that clients have not asked for in time."""
        oldest = self._node.clock.now() - RESULT_TIMEOUT
        self._goals = {
            id: goal
            for id, goal in self._goals.items()
            if goal.result is None or goal.ended_at > oldest
        }
