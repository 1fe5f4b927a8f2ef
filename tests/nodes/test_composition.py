"""What a node is composed of: entities and actions, on every executor."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from ros import READY_QOS, WAIT_TIMEOUT, Client
from std_msgs.msg import Bool, Int32
from wmx_ros2_message.action import MoveActuators
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import DEFAULT_DEVICE_PATH, MotionStatus
from wmx_ros2_package.node_base.actions import ActionGoal, ActionServer
from wmx_ros2_package.node_base.context import NodeContext
from wmx_ros2_package.node_base.kind import NodeKind
from wmx_ros2_package.node_base.managed_node import ManagedNode
from wmx_ros2_package.node_base.rclpy_compat import make_executor
from wmx_ros2_package.testing import HeldClock
from wmx_ros2_package.validation import BadRequest


class Sample:
    """A node with one of everything."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self.node = node
        self.ticks = 0
        self.publisher = node.create_publisher(Int32, "sample/count")
        node.create_timer(0.01, self.tick)
        node.supervisor.add_sink(self.fail, 100.0, name="the sink that fails")
        ActionServer(
            node,
            MoveActuators,
            "sample/move",
            judge=self.judge,
            execute=self.execute,
            describe=lambda result, text: setattr(result, "message", text),
        )

    def tick(self) -> None:
        self.ticks += 1
        self.publisher.publish(Int32(data=self.ticks))

    def fail(self, _status: MotionStatus) -> None:
        raise ValueError("a bug of a sink")

    def judge(self, goal: ActionGoal) -> None:
        if not goal.request.commands:
            raise BadRequest(["commands is empty"])

    async def execute(self, goal: ActionGoal) -> Any:
        name = goal.request.commands[0].name
        if name == "bad":
            raise BadRequest(["name is 'bad': must be good"])
        if await self.node.until(lambda: goal.is_cancel_requested, 0.1):
            goal.canceled()
        elif name == "long":
            await self.node.until(lambda: goal.is_cancel_requested)
            goal.canceled()
        else:
            goal.succeed()
        return MoveActuators.Result(success=True, message=f"moved {name}")


class Spun(NamedTuple):
    """An executor that a thread spins, and the clock of its nodes."""

    executor: Executor
    clock: HeldClock


@pytest.fixture(params=[make_executor, SingleThreadedExecutor], ids=["chosen", "single"])
def executor(request: pytest.FixtureRequest, monkeypatch: Any, runtime: Path) -> Iterator[Spun]:
    monkeypatch.setenv("ROS_LOG_DIR", str(runtime / "log"))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    make: Callable[[], Executor] = request.param
    executor = make()
    finished: Future[None] = Future()

    def spin() -> None:
        executor.spin_until_future_complete(finished, timeout_sec=3600.0)

    with closing(HeldClock()) as held:
        spinner = threading.Thread(target=spin)
        spinner.start()
        yield Spun(executor, held)
        executor.create_task(finished.set_result, None)
        spinner.join()
    executor.shutdown()
    rclpy.shutdown()


@contextmanager
def sample(spun: Spun) -> Iterator[tuple[ManagedNode, list[Sample]]]:
    """A node, and the behaviours that it had so far."""
    made: list[Sample] = []

    def behave(node: NodeContext[Any]) -> None:
        made.append(Sample(node))

    kind = NodeKind(behave, not_ready="Sample not initialized.")
    node = ManagedNode("sample_node", kind, hosts_engine=True, clock=spun.clock)
    executor = spun.executor
    executor.add_node(node)
    try:
        spun.clock.run(node.configure)
        yield node, made
    finally:
        spun.clock.run(node.close)
        destroyed = spun.clock.event()

        def destroy() -> None:
            executor.remove_node(node)
            node.destroy_node()
            destroyed.set()

        executor.create_task(destroy)  # an executor may fall over what another thread destroys
        assert destroyed.wait(WAIT_TIMEOUT)


@pytest.fixture
def client(executor: Spun) -> Iterator[Client]:
    """A client in the process and the participant of the node."""
    client = Client(int(os.environ["ROS_DOMAIN_ID"]), shared=True, clock=executor.clock)
    yield client
    client.close()


@pytest.fixture
def engine(executor: Spun, runtime: Path) -> Iterator[None]:
    """An engine in this process that communicates, as an engine node has it."""
    device = open_driver("fake", DriverOptions(hosts_engine=True, clock=executor.clock)).engine
    device.create_device(DEFAULT_DEVICE_PATH, "engine")
    device.start_communication()
    yield
    device.close_device()


def attach(node: ManagedNode, made: list[Sample], client: Client) -> Sample:
    """The engine is said to be ready."""
    behaviour = made[-1]
    node.activate()
    client.node.create_publisher(Bool, "wmx/engine/ready", READY_QOS).publish(Bool(data=True))
    attachment: Any = behaviour.node.readiness
    client.eventually(lambda: attachment.attached, "the node attaches")
    return behaviour


def test_what_a_node_begins_as_it_is_activated_ends_soon_where_it_is_closed_meanwhile(
    executor: Spun, client: Client
) -> None:
    begun, closed_meanwhile = executor.clock.event(), executor.clock.event()
    told: list[bool] = []
    with sample(executor) as (node, made):
        context = made[0].node

        def begin() -> None:
            context.worker.do(lambda: told.append(context.deactivating.wait(1.0)))
            begun.set()
            closed_meanwhile.wait()

        context.on_activate.append(begin)
        node.activate()
        client.eventually(begun.is_set, "it is being activated")
        closing = threading.Thread(target=node.close)
        closing.start()
        executor.clock.sleep(0.1)  # until it waits
        closed_meanwhile.set()
        client.eventually(lambda: not closing.is_alive(), "it is closed")
    assert told == [True]


def test_a_node_in_which_something_is_refused_as_it_lets_go_is_inactive(
    executor: Spun, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = [CommandRefused(ErrorCode.WaitTimeout, "for the test")]

    def refuse() -> None:
        if refused:
            raise refused.pop()

    with sample(executor) as (node, made):
        made[0].node.on_deactivate.append(refuse)
        assert node.activate().result()
        done = node.worker.submit(node.trigger_deactivate).result()
        assert (done, node.state) == (TransitionCallbackReturn.SUCCESS, "inactive")
        assert node.activate().result()
    assert "Deactivating: Error=65616 (WaitTimeout): for the test" in capfd.readouterr().err


def test_timers_and_topics_rest_while_the_node_does(executor: Spun, client: Client) -> None:
    counts = client.listen("sample/count", Int32, 100)
    with sample(executor) as (node, made):
        client.clock.sleep(0.1)
        assert made[0].ticks == 0
        made[0].publisher.publish(Int32(data=-1))
        node.activate()
        counts.next()
        assert node.worker.submit(node.trigger_deactivate).result()
        made[0].publisher.publish(Int32(data=-1))
        node.activate()
        counts.next()
        assert not [m for m in counts.since(0.0) if m.data == -1]


@pytest.mark.usefixtures("engine")
def test_an_action_words_its_refusals(
    executor: Spun, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    with sample(executor) as (node, made):
        actions = client.action(MoveActuators, "sample/move")
        assert actions.wait_for_server(WAIT_TIMEOUT)
        behaviour = attach(node, made, client)

        def goal(*names: str) -> Any:
            request = MoveActuators.Goal()
            for name in names:
                request.commands.append(ActuatorCommand(name=name))
            return _result(client, client.in_thread(lambda: actions.send_goal_async(request)))

        def result(handle: Any) -> tuple[bool, str]:
            done = _result(client, client.in_thread(handle.get_result_async)).result
            return done.success, done.message

        assert not goal().accepted
        assert result(goal("good")) == (True, "moved good")
        assert result(goal("bad")) == (False, "name is 'bad': must be good")
        long = goal("long")
        _result(client, client.in_thread(long.cancel_goal_async))
        assert result(long) == (True, "moved long")
        lasting = goal("long")
        executor.clock.run(node.close)
        assert result(lasting) == (False, "Sample not initialized.")
        assert not behaviour.node.active
    said = capfd.readouterr().err
    assert "sample/move: commands is empty (goal rejected)" in said
    assert "the sink that fails: ValueError('a bug of a sink')" in said


def _result(client: Client, future: Any) -> Any:
    return client.answer(future).result()


def test_rounds_of_making_and_destroying_while_clients_call(executor: Spun, client: Client) -> None:
    """Entities come and go beside callbacks that are under way."""
    counts = client.listen("sample/count", Int32, 100)
    with sample(executor) as (node, made):
        for _ in range(15):
            assert node.activate().result()
            counts.next()
            for trigger in node.trigger_deactivate, node.trigger_cleanup:
                assert node.worker.submit(trigger).result() == TransitionCallbackReturn.SUCCESS
            node.configure()
        assert len(made) == 16
