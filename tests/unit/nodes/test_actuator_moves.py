"""Goals of `wmx/actuator/move` that are canceled while they wait for their turn."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from held_node import HeldNode
from test_actuator_control import Control
from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.action import MoveActuators
from wmx_ros2_message.msg import ActuatorCommand

from wmx_ros2_package.actuators.command import Command
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.messages.times import duration_message
from wmx_ros2_package.node_base.actions import ActionGoal
from wmx_ros2_package.node_base.threads import settle
from wmx_ros2_package.nodes.actuators.moves import ActuatorMoves
from wmx_ros2_package.trajectories.plan import Prepared

FAR = JointTrajectoryPoint(positions=[4.0], time_from_start=duration_message(10.0))


class Moves:
    """The action of `node`, whose goals are carried out when they are told to."""

    def __init__(self, node: HeldNode) -> None:
        self.node: Any = node
        self.waiting: list[Callable[[], None]] = []
        """What the worker and the planner have to do, in order."""
        node.leases.require_sent_after_suspension = lambda _: None  # type: ignore[method-assign]
        self.control = Control(node)
        self.node.serve = lambda *_: None
        self.node.add_entity = lambda *_: None
        self.node.threads.planner.submit = self._submit
        self.node.worker.submit = self._submit
        self.node.require_prompt = lambda _: None
        self._moves = ActuatorMoves(node, self.control)  # type: ignore[arg-type]

    def _submit(self, work: Callable[[], Any]) -> "Future[Any]":
        future: Future[Any] = Future()
        self.waiting.append(partial(settle, future, work))
        return future

    def ask(self, **fields: Any) -> tuple[ActionGoal, Any]:
        """A goal that waits for its turn, and what carries it out."""
        command = ActuatorCommand(name="a", **fields)
        server: Any = SimpleNamespace(
            kind=MoveActuators, feedback=SimpleNamespace(publish=lambda _: None)
        )
        asked = SimpleNamespace(
            goal=MoveActuators.Goal(commands=[command]), goal_id=SimpleNamespace(uuid=[1] * 16)
        )
        goal = ActionGoal(server, asked, self.node.now())
        self._moves.judge(goal)
        running = self._moves.execute(goal)
        running.send(None)
        return goal, running

    def work(self) -> None:
        """The worker, or the planner, takes what is next."""
        self.waiting.pop(0)()

    def result(self, running: Any) -> MoveActuators.Result:
        """What a goal has come to, within a second."""
        for _ in range(10):
            try:
                awaited = running.send(None)
            except StopIteration as end:
                return end.value
            self.node.after(1.0, until=awaited.done)
            assert awaited.done()
        raise AssertionError("it goes on")


TRAJECTORY = {"type": ActuatorCommand.TRAJECTORY, "points": [FAR]}
POSITION = {"type": ActuatorCommand.POSITION, "value": 4.0}


@pytest.mark.parametrize(
    ("fields", "when"), [(TRAJECTORY, "waits"), (TRAJECTORY, "is planned"), (POSITION, "waits")]
)
def test_a_goal_that_is_canceled_before_its_turn_leaves_what_runs_as_it_is(
    node: HeldNode, fields: dict[str, Any], when: str
) -> None:
    """Others are carried out before it."""
    moves = Moves(node)
    first, running = moves.ask(**fields)
    moves.work()
    running.send(None)
    node.after(2.0)
    speed = node.held.status().velocity_cmd[0]
    assert speed > 0.0

    goal, running = moves.ask(**fields)
    if when == "waits":
        goal.request_cancel()
    else:
        prepare = moves.control.trajectories.prepare

        def prepare_as_it_is_canceled(commands: Sequence[Command]) -> Prepared:
            goal.request_cancel()
            return prepare(commands)

        moves.control.trajectories.prepare = prepare_as_it_is_canceled  # type: ignore[method-assign]
    moves.work()
    [end] = moves.result(running).ends
    assert goal.status == GoalStatus.STATUS_CANCELED
    assert end.reason == EndReason.REFUSED
    assert not first.ended
    assert len(node.begins()) == 1
    assert node.held.status().velocity_cmd[0] >= speed
