"""Goals of an action: how each request of its protocol is answered, whatever comes when."""

from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from held_node import HeldNode
from unique_identifier_msgs.msg import UUID
from wmx_ros2_message.action import MoveActuators

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.messages.times import time_message
from wmx_ros2_package.node_base.actions import RESULT_TIMEOUT, ActionGoal, ActionServer
from wmx_ros2_package.node_base.refusals import NotReady, ReportedRefusal, refusal
from wmx_ros2_package.node_base.waiting import Awaited, Waiting
from wmx_ros2_package.validation import BadRequest

PARTS = MoveActuators.Impl
SEND, CANCEL, RESULT = PARTS.SendGoalService, PARTS.CancelGoalService, PARTS.GetResultService
CANCELS = CancelGoal.Response


def id_of(number: int) -> UUID:
    return UUID(uuid=[number] * 16)


class Action:
    """An action of `node`, whose goals the test judges and ends; the test is its clients, too."""

    def __init__(self, node: Any) -> None:
        self.node, self.ready = node, True
        self.judging: Future[None] | None = None
        self.ends: dict[int, Future[None]] = {}
        """What ends each goal that was begun, by the number in its id."""
        self.statuses: list[int] = []
        """Those of all goals, as they were published last."""
        self._takes: dict[Any, Any] = {}
        node.serve = lambda kind, _name, take: self._takes.update({kind: take})
        node.add_entity = lambda *_: SimpleNamespace(publish=self._publish)
        self.waiting = node.waiting = Waiting(MagicMock(executor=None), node.clock)
        node.require_engine = self._require_engine
        node.refused = partial(refusal, not_ready="no engine")
        node.kind = SimpleNamespace(commands_motion=True)
        ActionServer(node, MoveActuators, "move", judge=self._judge, execute=self._execute)

    def _publish(self, message: Any) -> None:
        self.statuses = [each.status for each in message.status_list]

    def _require_engine(self) -> None:
        if not self.ready:
            raise NotReady("no engine")

    def _judge(self, _: ActionGoal) -> Awaited[None] | None:
        return Awaited(self.judging) if self.judging is not None else None

    async def _execute(self, goal: ActionGoal) -> Any:
        end = self.ends[goal.id[0]] = Future()
        await Awaited(end)
        (goal.canceled if goal.is_cancel_requested else goal.succeed)()
        return MoveActuators.Result(message="done")

    def ask(self, service: Any, **request: Any) -> list[Any]:
        """The answers to a request: those that come later, too."""
        answers: list[Any] = []
        self._takes[service](service.Request(**request), service.Response(), 0, answers.append)
        return answers

    def send(self, number: int) -> list[Any]:
        return self.ask(SEND, goal_id=id_of(number))


@pytest.fixture
def action(node: HeldNode) -> Action:
    return Action(node)


@pytest.mark.parametrize(
    ("error", "published"),
    [
        (None, True),
        (BadRequest(["no"]), True),
        (CommandRefused(ErrorCode.ServoOff), True),
        (ReportedRefusal(["no"]), False),
    ],
)
def test_a_goal_that_is_refused_while_it_is_judged_is_rejected(
    action: Action, error: Exception | None, *, published: bool
) -> None:
    """Without an error the engine is lost in that time."""
    action.judging = Future()
    answers = action.send(1)
    assert answers == []
    if error is not None:
        action.judging.set_exception(error)
    else:
        action.ready = False
        action.judging.set_result(None)
    node = action.node
    assert [(answer.accepted, action.ends) for answer in answers] == [(False, {})]
    assert [list(end.id.bytes) for end in node.ends()] == [[1] * 16] * published
    assert len(node.logged) == 1


def test_an_id_is_of_one_goal(action: Action) -> None:
    """Of the one that came first, also while that is judged; and zero means every goal."""
    action.judging = Future()
    first, second, nobodys = action.send(1), action.send(1), action.send(0)
    action.judging.set_result(None)
    again = action.send(1)
    answers = [answer.accepted for answer in (*first, *second, *nobodys, *again)]
    assert answers == [True, False, False, False]
    assert [*action.ends] == [1]
    action.ends[1].set_result(None)
    assert action.waiting.running == 0
    assert not [end for end in action.node.ends() if list(end.id.bytes) == [1] * 16]


@pytest.mark.parametrize(
    ("number", "until", "canceling", "code"),
    [
        (0, 0.0, [2, 3], CANCELS.ERROR_NONE),
        (3, 0.0, [3], CANCELS.ERROR_NONE),
        (0, 2.1, [2], CANCELS.ERROR_NONE),
        (3, 2.1, [2, 3], CANCELS.ERROR_NONE),
        (9, 0.0, [], CANCELS.ERROR_UNKNOWN_GOAL_ID),
        (1, 0.0, [], CANCELS.ERROR_GOAL_TERMINATED),
        (0, 1.1, [], CANCELS.ERROR_GOAL_TERMINATED),
        (0, 0.1, [], CANCELS.ERROR_REJECTED),
    ],
)
def test_what_is_canceled_by_id_and_time(
    action: Action, number: int, until: float, canceling: list[int], code: int
) -> None:
    """Of three that came each a second after the one before; the first has ended."""
    began = action.node.ros_time.now()
    for each in 1, 2, 3:
        action.node.after(1.0)
        action.send(each)
    action.ends[1].set_result(None)
    stamp = began + int(until * 1e9) if until else 0
    asked = GoalInfo(goal_id=id_of(number), stamp=time_message(stamp))
    [answer] = action.ask(CANCEL, goal_info=asked)
    assert answer.return_code == code
    assert [info.goal_id.uuid[0] for info in answer.goals_canceling] == canceling
    statuses = [GoalStatus.STATUS_SUCCEEDED, *[GoalStatus.STATUS_EXECUTING] * 2]
    for each in canceling:
        statuses[each - 1] = GoalStatus.STATUS_CANCELING
    assert action.statuses == statuses
    for each in canceling:
        action.ends[each].set_result(None)
        [result] = action.ask(RESULT, goal_id=id_of(each))
        assert result.status == GoalStatus.STATUS_CANCELED


def test_a_result_is_waited_for_and_kept_for_a_while(action: Action) -> None:
    action.send(1)
    waiting = action.ask(RESULT, goal_id=id_of(1))
    assert waiting == []
    action.node.after(2.0 * RESULT_TIMEOUT)
    action.ends[1].set_result(None)
    for status, seconds in ((4, 0.9), (4, 0.2), (0, 0.0)):
        [late] = action.ask(RESULT, goal_id=id_of(1))
        assert late.status == status
        action.node.after(seconds * RESULT_TIMEOUT)
        action.send(2)
    assert [(done.status, done.result.message) for done in waiting] == [(4, "done")]
