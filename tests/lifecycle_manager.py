"""The lifecycle manager, asked by its services."""

from typing import Any

from ros import WAIT_TIMEOUT, Client
from wmx_ros2_message.srv import GetNodeStates, SetNodeState

ANSWER = 2.0
"""How long a node may take to answer the manager: longer than a busy machine does, s."""


class Manager:
    """The manager, asked by its services."""

    def __init__(self, client: Client, namespace: str = "") -> None:
        self._client = client
        services = f"{namespace}wmx/lifecycle"
        self._set = client.node.create_client(SetNodeState, f"{services}/set_node_state")
        self._get = client.node.create_client(GetNodeStates, f"{services}/get_node_states")
        client.eventually(lambda: self._states(2.0 * ANSWER), "the manager answers")
        client.eventually(self._refuses_nonsense, "it answers by its other service, too")

    def set(self, transition: str, node_name: str = "", timeout: float = WAIT_TIMEOUT) -> Any:
        request = SetNodeState.Request(node_name=node_name, transition=transition)
        return call(self._client, self._set, request, timeout)

    def states(self) -> dict[str, str]:
        return dict(self._states(WAIT_TIMEOUT))

    def become(self, state: str) -> None:
        """Wait until all nodes are in this state."""
        self._client.eventually(lambda: set(self.states().values()) == {state}, f"all are {state}")

    def _refuses_nonsense(self) -> bool:
        """A first answer may be lost, see `Client.meet`."""
        try:
            return not self.set("nonsense", timeout=1.0).success
        except TimeoutError:
            return False

    def _states(self, timeout: float) -> list[tuple[str, str]]:
        try:
            response = call(self._client, self._get, GetNodeStates.Request(), timeout)
        except TimeoutError:
            return []
        return list(zip(response.node_names, response.states, strict=True))


def call(client: Client, service: Any, request: Any, timeout: float) -> Any:
    assert service.wait_for_service(WAIT_TIMEOUT)
    return client.answer(service.call_async(request)).result(timeout)
