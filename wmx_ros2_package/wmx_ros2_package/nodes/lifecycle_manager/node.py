"""Takes other nodes through their lives, in order, for systems without a manager of their own."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from std_msgs.msg import Bool
from wmx_ros2_message.srv import GetNodeStates, SetNodeState

from wmx_core.errors import ErrorCode, WmxError

from ...node_base.attachment import READY_QOS, engine_ready_of
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...node_base.kind import NodeKind
from ...node_base.namesakes import warn_of_namesakes
from ...node_base.parameters import parameter
from ...node_base.refusals import NotReady
from ...node_base.threads import Ended
from ...node_base.traits import EngineRole
from ...validation import BadRequest
from .client import (
    ACTIVE,
    FINALIZED,
    INACTIVE,
    NAMES,
    UNCONFIGURED,
    LifecycleClient,
)


@dataclass(frozen=True, slots=True)
class Transition:
    """The way of nodes from one of the states `starts` to the state `goal`."""

    goal: int
    starts: tuple[int, ...]
    reverse: bool = False
    """The last node first."""


TRANSITIONS = {
    "configure": Transition(INACTIVE, (UNCONFIGURED,)),
    "activate": Transition(ACTIVE, (INACTIVE,)),
    "deactivate": Transition(INACTIVE, (ACTIVE,), reverse=True),
    "cleanup": Transition(UNCONFIGURED, (INACTIVE,), reverse=True),
    "shutdown": Transition(FINALIZED, (UNCONFIGURED, INACTIVE, ACTIVE), reverse=True),
    "bringup": Transition(ACTIVE, (UNCONFIGURED, INACTIVE)),
    "bringdown": Transition(UNCONFIGURED, (INACTIVE, ACTIVE), reverse=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleManagerParameters:
    """The parameters of `wmx_lifecycle_manager_node`."""

    managed_nodes: tuple[str, ...] = parameter(
        ("wmx_engine_node", "wmx_core_motion_node", "wmx_io_node", "wmx_ethercat_node"),
        "the nodes in the order in which they are brought up; they are taken down in reverse",
    )
    engine_node: str = parameter(
        "wmx_engine_node", "the one of them that does not wait until the engine is ready"
    )
    discovery_period: float = parameter(
        1.0, "how often the nodes are asked for their states, s: they may come back", (0.05, 60.0)
    )
    answer_timeout: float = parameter(
        5.0, "how long a node may take to say its state, s", (0.1, 600.0), changeable=True
    )
    transition_timeout: float = parameter(
        60.0, "how long one transition of a node may take, s", (0.1, 3600.0), changeable=True
    )

    def __post_init__(self) -> None:
        names = list(self.managed_nodes)
        if not all(names) or len(set(names)) < len(names):
            raise BadRequest([f"managed_nodes is {names}: must name each node once"])


class LifecycleManager:
    """`wmx_lifecycle_manager_node`.

    Nodes are brought up when the engine is ready, deactivated when it is not, and brought up
    again, and so are those whose process was restarted. What a client has taken down stays down
    until a client takes it up again.
    """

    def __init__(self, node: NodeContext[LifecycleManagerParameters]) -> None:
        self._node = node
        names = node.parameters.managed_nodes
        self._nodes = {name: LifecycleClient(node, name, self._on_client) for name in names}
        self._taken_down: set[str] = set()
        """The nodes that a client took down, by this node's service or by their own."""
        self._engine_ready: bool | None = None
        """None until it is known."""
        self._one_at_a_time = threading.Lock()
        node.subscribe(Bool, "wmx/engine/ready", self._on_engine_ready, READY_QOS)
        node.create_service(
            SetNodeState, "wmx/lifecycle/set_node_state", self.set_node_state, run=AnswerMode.ASIDE
        )
        node.create_service(
            GetNodeStates,
            "wmx/lifecycle/get_node_states",
            self.get_node_states,
            run=AnswerMode.ASIDE,
            quiet=True,
        )
        period = node.parameters.discovery_period
        warn_of_namesakes(node, "lifecycle manager", f"{node.full_name}/transition_event", period)
        node.create_timer(period, self._look_around)

    # Services

    def set_node_state(
        self, request: SetNodeState.Request, response: SetNodeState.Response
    ) -> None:
        """Take one node, or all, through a transition."""
        if request.transition not in TRANSITIONS:
            rule = f"must be one of {', '.join(TRANSITIONS)}"
            raise BadRequest([f"transition is {request.transition!r}: {rule}"])
        if request.node_name and request.node_name not in self._nodes:
            rule = f"must be one of {', '.join(self._nodes)}, or empty for all of them"
            raise BadRequest([f"node_name is {request.node_name!r}: {rule}"])
        names = [request.node_name] if request.node_name else list(self._nodes)
        transition = TRANSITIONS[request.transition]
        if transition.goal == ACTIVE:
            self._taken_down.difference_update(names)
        else:
            self._taken_down.update(names)
        with self._one_at_a_time:
            response.success, response.message = self._carry_out(transition, names)

    def get_node_states(
        self, _request: GetNodeStates.Request, response: GetNodeStates.Response
    ) -> None:
        """The state of every node, `unknown` for one that does not answer."""
        # All at the same time: one that does not answer takes the whole timeout.
        with ThreadPoolExecutor(len(self._nodes) or 1) as pool:
            states = [*pool.map(self._state_of, self._nodes.values())]
        response.node_names, response.states = list(self._nodes), states
        missing = [n for n, state in zip(self._nodes, states, strict=True) if state == "unknown"]
        response.success = not missing
        response.message = f"No answer from {', '.join(missing)}" if missing else "OK"

    def _state_of(self, node: LifecycleClient) -> str:
        try:
            timeout = self._node.parameters.answer_timeout
            return NAMES[node.settled_state(timeout, timeout)]
        except WmxError:
            return "unknown"

    # Following the engine

    def _on_engine_ready(self, message: Bool) -> None:
        own = engine_ready_of(self._node)
        ready = message.data if own is None else own  # another system may have published it
        if ready is not self._engine_ready:
            self._engine_ready = ready
            self._follow_soon()

    def _look_around(self) -> None:
        for node in self._nodes.values():
            node.look(self._node.parameters.answer_timeout, self._follow_soon)

    def _on_client(self, name: str, *, up: bool) -> None:
        """A client has taken a node up or down by the node's own services."""
        if up:
            self._taken_down.discard(name)
        else:
            self._taken_down.add(name)

    def _follow_soon(self) -> None:
        with suppress(Ended):  # the node is closed
            self._node.worker.do(self._follow, bounded=False)

    def _follow(self) -> None:
        """Take the nodes that are there, and not taken down, to where the engine lets them be."""
        with self._one_at_a_time:  # what is known once other transitions are over
            engine, ready = self._node.parameters.engine_node, self._engine_ready
            gone = None, FINALIZED  # from which nothing leads but the end of its process
            here = [name for name, node in self._nodes.items() if node.seen not in gone]
            wanted = [name for name in here if name not in self._taken_down]
            up = [name for name in wanted if ready or name == engine]
            down = [
                name
                for name in wanted
                if ready is False and name != engine and self._nodes[name].seen == ACTIVE
            ]
            with suppress(NotReady):
                for name, names in (("deactivate", down), ("bringup", up)):
                    done, words = self._carry_out(TRANSITIONS[name], names)
                    if not done:
                        self._node.log.error(words)

    # Transitions, in a thread

    def _carry_out(self, transition: Transition, names: Sequence[str]) -> tuple[bool, str]:
        """Whether all could be done, and what became of each node; `_one_at_a_time` is held.

        Nodes that are brought up depend on those before: the first failure ends it. Taking down
        goes on.
        """
        words: list[str] = []
        succeeded = True
        for name in reversed(names) if transition.reverse else names:
            try:
                if self._take(self._nodes[name], transition):
                    words.append(f"{name} is {NAMES[transition.goal]}; ")
                else:
                    succeeded = False
                    words.append(f"{name} is left down, for a client has just taken it down; ")
            except WmxError as error:
                succeeded = False
                words.append(f"Failed to make {name} {NAMES[transition.goal]}. {error}; ")
                if not transition.reverse:
                    break
        return succeeded, "".join(words)

    def _take(self, node: LifecycleClient, transition: Transition) -> bool:
        """Whether the node is at the goal now; false where a client has just taken it down.

        What a request or the engine brings up was not taken down when that began.
        """
        parameters = self._node.parameters
        answer, longest = parameters.answer_timeout, parameters.transition_timeout
        while (state := node.settled_state(answer, longest)) != transition.goal:
            if transition.goal == ACTIVE and node.name in self._taken_down:
                return False
            if state not in transition.starts:
                raise WmxError(ErrorCode.NotIdleState, f"it is {NAMES[state]}")
            node.step(state, transition.goal, longest)
        return True


KIND = NodeKind(
    LifecycleManager,
    LifecycleManagerParameters,
    not_ready="Lifecycle manager not initialized.",
    role=EngineRole.NONE,
)
