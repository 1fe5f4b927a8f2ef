"""Action servers that refuse in the same words as services and topics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from .qos import SERVICE_QOS

if TYPE_CHECKING:
    from rclpy.action.server import ServerGoalHandle

    from .context import NodeContext

    GoalHandle = ServerGoalHandle[Any, Any, Any]


def serve_action(
    node: NodeContext[Any],
    kind: Any,
    name: str,
    *,
    judge: Callable[[Any], Awaitable[None] | None],
    execute: Callable[[GoalHandle], Awaitable[Any]],
    describe: Callable[[Any, str], None],
    cancel: Callable[[GoalHandle], bool] = lambda _: True,
) -> None:
    """Offer an action.

    `judge` raises what is wrong with a goal, or waits for what does: it is rejected, and the log
    says why, for ROS has no word for the client. `execute` returns the result of a goal that was
    accepted, which it has made succeed, abort or be canceled; what it raises aborts the goal, and
    `describe` puts the words into a result. `cancel` says whether a goal may be canceled.
    """

    async def on_goal(goal: Any) -> GoalResponse:
        with node.threads.answering():
            try:
                node.require_ready()
                if (judged := judge(goal)) is not None:
                    await judged
            except Exception as error:
                refusal = node.refused(error)
                node.say_error(f"{name}: {refusal.bug or refusal.message} (goal rejected)")
                return GoalResponse.REJECT
            return GoalResponse.ACCEPT

    def on_cancel(goal_handle: GoalHandle) -> CancelResponse:
        return CancelResponse.ACCEPT if cancel(goal_handle) else CancelResponse.REJECT

    async def on_accepted(goal_handle: GoalHandle) -> Any:
        with node.threads.answering():
            try:
                node.require_ready()
                return await execute(goal_handle)
            except Exception as error:
                refusal = node.refused(error)
                node.say_error(f"{name}: {refusal.bug or refusal.message}")
                result = kind.Result()
                describe(result, refusal.message)
                if goal_handle.is_active:
                    goal_handle.abort()
                return result

    node.entity(
        lambda made_on: ActionServer(
            made_on,
            kind,
            name,
            on_accepted,
            goal_callback=cast(Any, on_goal),  # it is awaited
            cancel_callback=on_cancel,
            callback_group=ReentrantCallbackGroup(),
            goal_service_qos_profile=SERVICE_QOS,
            result_service_qos_profile=SERVICE_QOS,
            cancel_service_qos_profile=SERVICE_QOS,
        ),
        lambda _, server: server.destroy(),
    )
