"""Managed nodes, asked by their standard services."""

from typing import Any

from lifecycle_msgs.msg import Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros import WAIT_TIMEOUT, Answer, Client

CONFIGURE = Transition.TRANSITION_CONFIGURE
CLEANUP = Transition.TRANSITION_CLEANUP
ACTIVATE = Transition.TRANSITION_ACTIVATE
DEACTIVATE = Transition.TRANSITION_DEACTIVATE
SHUTDOWN = Transition.TRANSITION_ACTIVE_SHUTDOWN
KINDS = {
    "change_state": ChangeState,
    "get_state": GetState,
    "set_parameters": SetParameters,
}


class Managed:
    """One managed node of the system that `client` talks to."""

    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client = client
        self._services = {
            service: client.node.create_client(kind, f"{name}/{service}")
            for service, kind in KINDS.items()
        }
        self.events = client.listen(f"{name}/transition_event", TransitionEvent, 100)
        client.eventually(lambda: self._meets("get_state", GetState.Request()), f"{name} answers")
        for service in ("change_state", "set_parameters"):
            client.eventually(
                lambda s=service: self._meets(s, KINDS[s].Request()), f"{name}/{service}"
            )

    def _meets(self, service: str, request: Any) -> bool:
        """The first answers may be lost, see `Client.meet`; an empty request is refused."""
        return self._ask(service, request).comes()

    def _ask(self, service: str, request: Any) -> Answer:
        client = self._services[service]
        assert client.wait_for_service(WAIT_TIMEOUT), f"{self.name}/{service} is not offered"
        return self._client.answer(client.call_async(request))

    def ask(self, service: str, **fields: Any) -> Answer:
        """Send a request to one of the node's own services."""
        return self._ask(service, KINDS[service].Request(**fields))

    def state(self) -> str:
        return str(self.ask("get_state").result().current_state.label)

    def begin(self, transition: int | str) -> Answer:
        """Ask for a transition by its number or by its label."""
        request = ChangeState.Request()
        if isinstance(transition, str):
            request.transition.label = transition
        else:
            request.transition.id = transition
        return self._ask("change_state", request)

    def change(self, transition: int | str) -> bool:
        """Whether the transition succeeded."""
        return bool(self.begin(transition).result().success)

    def set(self, **values: Any) -> str:
        """Set parameters one by one; the reason why one was refused, or nothing."""
        parameters = [Parameter(n, value=v).to_parameter_msg() for n, v in values.items()]
        results = self.ask("set_parameters", parameters=parameters).result().results
        return "; ".join(result.reason for result in results if not result.successful)
