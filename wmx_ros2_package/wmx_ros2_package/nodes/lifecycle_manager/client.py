"""The life of another node, seen and changed by its standard services."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState

from wmx_core.errors import ErrorCode, WmxError

from ...node_base.context import NodeContext
from ...node_base.refusals import NotReady

UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = (
    State.PRIMARY_STATE_UNCONFIGURED,
    State.PRIMARY_STATE_INACTIVE,
    State.PRIMARY_STATE_ACTIVE,
    State.PRIMARY_STATE_FINALIZED,
)
NAMES = {
    UNCONFIGURED: "unconfigured",
    INACTIVE: "inactive",
    ACTIVE: "active",
    FINALIZED: "finalized",
}
"""The states in which a node stays; in others it is in a transition."""
STEPS = {
    (UNCONFIGURED, INACTIVE): Transition.TRANSITION_CONFIGURE,
    (UNCONFIGURED, ACTIVE): Transition.TRANSITION_CONFIGURE,
    (INACTIVE, ACTIVE): Transition.TRANSITION_ACTIVATE,
    (ACTIVE, INACTIVE): Transition.TRANSITION_DEACTIVATE,
    (ACTIVE, UNCONFIGURED): Transition.TRANSITION_DEACTIVATE,
    (INACTIVE, UNCONFIGURED): Transition.TRANSITION_CLEANUP,
    (UNCONFIGURED, FINALIZED): Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
    (INACTIVE, FINALIZED): Transition.TRANSITION_INACTIVE_SHUTDOWN,
    (ACTIVE, FINALIZED): Transition.TRANSITION_ACTIVE_SHUTDOWN,
}
"""The transition that leads from a state towards another."""
_PASSES = {
    Transition.TRANSITION_CONFIGURE: State.TRANSITION_STATE_CONFIGURING,
    Transition.TRANSITION_CLEANUP: State.TRANSITION_STATE_CLEANINGUP,
    Transition.TRANSITION_ACTIVATE: State.TRANSITION_STATE_ACTIVATING,
    Transition.TRANSITION_DEACTIVATE: State.TRANSITION_STATE_DEACTIVATING,
}
"""The state in which a node is during a transition, which its event names."""
_GOES_DOWN = State.TRANSITION_STATE_DEACTIVATING, State.TRANSITION_STATE_CLEANINGUP
_GOES_UP = State.TRANSITION_STATE_ACTIVATING, State.TRANSITION_STATE_CONFIGURING
OWN_EVENT_TIMEOUT = 5.0
"""How long after a transition that was asked for here its event may come, s."""
SETTLE_PERIOD = 0.05
"""How often a node in a transition is asked whether it is over, s."""


class LifecycleClient:
    """The node `name`, which may come and go, for the managed node `node`."""

    def __init__(self, node: NodeContext[Any], name: str, on_client: Callable[..., None]) -> None:
        """`on_client` is called with `name` and `up` when another client changes its state."""
        self.name = name
        self._on_client = on_client
        self._own_events: list[tuple[int, float]] = []
        """The events of transitions that were asked for here: the state, and until when it may
        come."""
        self.seen: int | None = None
        """The state in its last answer to `look`, None once it does not answer."""
        self._node = node
        self._get_state = self._client(GetState, "get_state")
        self._change_state = self._client(ChangeState, "change_state")
        self._glance: tuple[float, Any] | None = None
        """When the node was asked for its state in passing, and the answer to come."""
        node.subscribe(TransitionEvent, f"{name}/transition_event", self._on_event)

    def look(self, timeout: float, changed: Callable[[], None]) -> None:
        """Ask for the state in passing; `changed` is called when it is another than before.

        A node that does not answer for `timeout` seconds is gone.
        """
        if self._glance is not None:
            asked_at, answer = self._glance
            if answer.done() or self._node.clock.now() < asked_at + timeout:
                return
            self._get_state.remove_pending_request(answer)
            self._glance, self.seen = None, None
        if not self._get_state.service_is_ready():
            self.seen = None
            return

        def on_answer(answer: Any) -> None:
            self._glance = None
            before, self.seen = self.seen, int(answer.result().current_state.id)
            if self.seen != before:
                changed()

        future = self._get_state.call_async(GetState.Request())
        self._glance = self._node.clock.now(), future
        future.add_done_callback(on_answer)

    def _on_event(self, event: TransitionEvent) -> None:
        """Find out whether another client has the node go up or down."""
        going = event.goal_state.id
        if going not in (*_GOES_DOWN, *_GOES_UP):
            return
        now = self._node.clock.now()
        for own in list(self._own_events):
            state, until = own
            if state == going or until < now:
                self._forget_own(own)
            if state == going and until >= now:
                return
        self._on_client(self.name, up=going in _GOES_UP)

    # In a thread

    def state(self, timeout: float) -> int:
        """Where the node is now, maybe in a transition; WmxError if it does not answer."""
        answer = self._ask(self._get_state, GetState.Request(), timeout)
        return int(answer.current_state.id)

    def settled_state(self, answer_timeout: float, transition_timeout: float) -> int:
        """Where the node stays, once it is in no transition, such as that of its own start.

        It has `answer_timeout` seconds for each answer, so that one that dies in between keeps
        no other one waiting for `transition_timeout`.
        """
        deadline = self._node.clock.now() + transition_timeout
        while (state := self.state(answer_timeout)) not in NAMES:
            self._pause(SETTLE_PERIOD)
            if self._node.clock.now() > deadline:
                raise WmxError(ErrorCode.WaitTimeout, "its transition does not end")
        return state

    def step(self, state: int, goal: int, timeout: float) -> None:
        """Go from `state` towards `goal` by one transition; WmxError if the node refuses."""
        request = ChangeState.Request()
        request.transition.id = STEPS[state, goal]
        until = self._node.clock.now() + timeout + OWN_EVENT_TIMEOUT
        own = _PASSES.get(request.transition.id, 0), until
        self._own_events.append(own)
        try:
            if not self._ask(self._change_state, request, timeout).success:
                raise WmxError(ErrorCode.StartProcessFailed, "its own log says why")
        except WmxError as error:
            if error.code != ErrorCode.WaitTimeout or not self._change_state.service_is_ready():
                self._forget_own(own)  # it has refused, or gone: no event comes of it
            raise

    def _forget_own(self, own: tuple[int, float]) -> None:
        with suppress(ValueError):  # another thread was quicker
            self._own_events.remove(own)

    def _ask(self, client: Any, request: Any, timeout: float) -> Any:
        deadline = self._node.clock.now() + timeout
        future: Any = None
        while self._node.clock.now() < deadline:
            if future is None and client.service_is_ready():
                future = client.call_async(request)
            elif future is not None and future.done():
                return future.result()
            elif future is not None and not client.service_is_ready():
                why = "it has gone, and its answer with it"
                break
            self._pause(0.005)
        else:
            why = f"no answer within {timeout:g} s"
        if future is not None:
            client.remove_pending_request(future)
        raise WmxError(ErrorCode.WaitTimeout, why)

    def _pause(self, seconds: float) -> None:
        if self._node.deactivating.wait(seconds):
            raise NotReady(f"{self._node.name} is being stopped")

    def _client(self, kind: Any, service: str) -> Any:
        return self._node.add_entity(
            lambda made_on: made_on.create_client(kind, f"{self.name}/{service}"),
            lambda made_on, client: made_on.destroy_client(client),
        )
