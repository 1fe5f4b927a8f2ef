"""The lifecycle manager knows its own transitions of a node from those of other clients."""

from concurrent.futures import Future
from typing import Any

import pytest
from held_node import HeldNode
from lifecycle_msgs.msg import State, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState

from wmx_core.errors import ErrorCode, WmxError
from wmx_ros2_package.nodes.lifecycle_manager.client import ACTIVE, INACTIVE, LifecycleClient

DEACTIVATING = State.TRANSITION_STATE_DEACTIVATING
ACTIVATING = State.TRANSITION_STATE_ACTIVATING
TIMEOUT = 60.0


def done(response: Any) -> "Future[Any]":
    answer: Future[Any] = Future()
    answer.set_result(response)
    return answer


class Service:
    """That of a node which carries transitions out, refuses them, or dies when asked."""

    def __init__(self) -> None:
        self.success = True
        self.alive = True
        self.dies = False

    def service_is_ready(self) -> bool:
        return self.alive

    def call_async(self, _request: Any) -> "Future[Any]":
        if self.dies:
            self.alive = False
            return Future()
        return done(ChangeState.Response(success=self.success))

    def remove_pending_request(self, _answer: Any) -> None: ...


class Managed(LifecycleClient):
    """A node of the manager `node`."""

    def __init__(self, node: HeldNode) -> None:
        self.service = Service()
        self.clients: list[bool] = []
        """Whether each transition of another client is up."""
        made: Any = node
        made.add_entity = lambda *_: self.service
        super().__init__(made, "io", lambda _, up: self.clients.append(up))
        self._hear = node.commands["io/transition_event"]

    def deactivate(self) -> None:
        self.step(ACTIVE, INACTIVE, TIMEOUT)

    def publish(self, goal: int) -> None:
        """What the node does when a transition begins."""
        self._hear(TransitionEvent(goal_state=State(id=goal)))


@pytest.fixture
def managed(node: HeldNode) -> Managed:
    return Managed(node)


@pytest.mark.parametrize(("takes", "clients"), [(TIMEOUT + 4.0, []), (TIMEOUT + 6.0, [False])])
def test_an_event_belongs_to_its_own_transition_until_a_while_after_that(
    managed: Managed, node: HeldNode, takes: float, clients: list[bool]
) -> None:
    managed.deactivate()
    node.held.clock.advance(takes)
    managed.publish(DEACTIVATING)
    assert managed.clients == clients


def test_its_own_transition_is_none_of_a_client(managed: Managed) -> None:
    managed.deactivate()
    managed.publish(DEACTIVATING)
    assert managed.clients == []
    managed.publish(ACTIVATING)
    managed.publish(DEACTIVATING)
    assert managed.clients == [True, False]


def test_a_transition_of_which_a_node_dies_is_not_waited_for(managed: Managed) -> None:
    managed.service.dies = True
    with pytest.raises(WmxError, match="it has gone"):
        managed.deactivate()
    managed.service.alive = True
    managed.publish(DEACTIVATING)
    assert managed.clients == [False]


def test_a_node_that_dies_in_a_transition_is_not_waited_for_until_its_end(managed: Managed) -> None:
    """Its service is known still, and answers no more."""
    configuring = State(id=State.TRANSITION_STATE_CONFIGURING)
    answers = [done(GetState.Response(current_state=configuring)) for _ in range(5)]
    managed.service.call_async = lambda _: answers.pop() if answers else Future()  # type: ignore[method-assign]
    with pytest.raises(WmxError, match="no answer within 2 s") as caught:
        managed.settled_state(2.0, 600.0)
    assert caught.value.code == ErrorCode.WaitTimeout


def test_a_transition_that_was_refused_is_not_waited_for_long(
    managed: Managed, node: HeldNode
) -> None:
    """A node refuses one out of turn without an event: another client was first."""
    managed.service.success = False
    with pytest.raises(WmxError, match="its own log says why"):
        managed.deactivate()
    node.held.clock.advance(6.0)
    managed.publish(DEACTIVATING)
    assert managed.clients == [False]


def test_an_event_that_was_missed_hides_no_other_transition(managed: Managed) -> None:
    """The manager does not hear a node that it has just discovered."""
    managed.step(INACTIVE, ACTIVE, TIMEOUT)
    managed.publish(DEACTIVATING)
    assert managed.clients == [False]


def test_a_look_finds_a_state_that_has_changed_and_a_node_that_is_gone(managed: Managed) -> None:
    states, changes = [INACTIVE, ACTIVE, ACTIVE], list[int | None]()
    answers = [done(GetState.Response(current_state=State(id=state))) for state in states]
    managed.service.call_async = lambda _: answers.pop()  # type: ignore[method-assign]
    while answers:
        managed.look(TIMEOUT, lambda: changes.append(managed.seen))
    assert changes == [ACTIVE, INACTIVE]
    managed.service.alive = False
    managed.look(TIMEOUT, lambda: changes.append(managed.seen))
    assert (managed.seen, changes) == (None, [ACTIVE, INACTIVE])
