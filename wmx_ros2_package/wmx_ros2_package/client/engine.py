"""The engine and the nodes of a machine: started and stopped, configured and activated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetAvailableTransitions, GetState
from rcl_interfaces.srv import DescribeParameters, ListParameters
from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetEngine

from wmx_core.values import EngineState

from ..diagnosis.typed_commands import wmx_program
from ..executables import NODES
from .description import parameters
from .errors import MachineError, Refused
from .session import Session

START_TIMEOUT = 60.0
"""How long a real engine, or its network, may take to start, s."""
TRANSITIONS = {
    "configure": Transition.TRANSITION_CONFIGURE,
    "activate": Transition.TRANSITION_ACTIVATE,
    "deactivate": Transition.TRANSITION_DEACTIVATE,
    "cleanup": Transition.TRANSITION_CLEANUP,
}
FIND_TIMEOUT = 1.0
"""How long it may take to find the node of a service, and then its state, s."""


class Engine:
    """The engine, which all nodes share.

    What starts or stops it is asked once: the node would carry out a second request after the
    first, which takes seconds, and after what other clients have asked for since.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def state(self) -> EngineState:
        """What it does; nothing but COMMUNICATING lets axes move."""
        answer = self._session.call(Trigger, "wmx/engine/get_status")
        return EngineState[answer.message.upper()]

    def start(self) -> None:
        """Attach the nodes to the engine, which is started if need be, and let it communicate."""
        if self.state in (EngineState.IDLE, EngineState.SHUTDOWN):
            self._session.call_after(
                (DescribeParameters, "wmx_engine_node/describe_parameters"),
                SetEngine,
                "wmx/engine/set_device",
                data=True,
                timeout=START_TIMEOUT,
            )
        if self.state is not EngineState.COMMUNICATING:
            self._communicate(on=True)

    def stop(self) -> None:
        """Stop all axes, and end communication with the drives: their servos go off."""
        self._communicate(on=False)

    def _communicate(self, *, on: bool) -> None:
        self._session.call_after(
            (ListParameters, "wmx_engine_node/list_parameters"),
            SetBool,
            "wmx/engine/set_comm",
            data=on,
            timeout=START_TIMEOUT,
        )


class Nodes:
    """The managed (lifecycle) nodes of a machine, by their names without a namespace."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._link = session.link

    def state(self, node: str) -> str:
        """The state of a node, such as "inactive" or "active"; NoPart where it does not run."""
        answer = self._link.call(GetState, f"{node}/get_state")
        return str(answer.current_state.label)

    def activation(self, service: str) -> str:
        """The command that activates the node of `service`; empty where it is not inactive.

        One that is not configured offers no service.
        """
        namespace, _, name = (node := self._link.server_of(service, FIND_TIMEOUT)).rpartition("/")
        if name not in NODES:
            return ""
        try:
            answer = self._link.call(GetState, f"{node}/get_state", timeout=FIND_TIMEOUT)
        except MachineError:
            return ""
        if answer.current_state.id != State.PRIMARY_STATE_INACTIVE:
            return ""
        where = f" -n {namespace}" if namespace else ""
        return f"{wmx_program()} node activate {name}{where}"

    def change(self, node: str, transition: str) -> str:
        """Let a node configure, activate, deactivate or clean up; its state then.

        Refused where the node is in another state than the transition begins in, or fails.
        """
        if transition not in TRANSITIONS:
            known = ", ".join(TRANSITIONS)
            raise ValueError(f"transition is {transition!r}: must be one of {known}")
        try:
            self._session.call_after(
                (GetAvailableTransitions, f"{node}/get_available_transitions"),
                ChangeState,
                f"{node}/change_state",
                timeout=START_TIMEOUT,
                transition=Transition(id=TRANSITIONS[transition]),
            )
        except Refused:  # without a reason
            where = f"it is {self.state(node)}; its log says why"
            raise Refused(f"{node} does not {transition}: {where}") from None
        return self.state(node)

    def states(self, nodes: Sequence[str]) -> dict[str, str]:
        """The state of each of `nodes` that runs."""
        return {node: self.state(node) for node in self.running(nodes)}

    def running(self, nodes: Sequence[str]) -> list[str]:
        """Those of `nodes` that run, as far as they are discovered."""
        return [node for node in nodes if self._link.offered(GetState, f"{node}/get_state")]

    def parameters(self, node: str, *names: str, timeout: float | None = None) -> list[Any]:
        """The values of parameters of a node; None for one that it does not have."""
        return parameters(self._link, node, *names, timeout=timeout)
