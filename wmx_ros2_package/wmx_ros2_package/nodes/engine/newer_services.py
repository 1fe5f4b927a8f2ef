"""The services of the newest C++ packages whose types are standard ones, by their names there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from std_srvs.srv import SetBool, Trigger

from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode

if TYPE_CHECKING:
    from .life import EngineLife


class NewerServices:
    """`set_engine`, `set_communication` and `get_engine_status` of `wmx/engine`."""

    def __init__(
        self,
        node: NodeContext[Any],
        life: EngineLife,
        device_name: str,
        set_communication: Callable[..., str],
        get_status: Callable[..., str],
    ) -> None:
        self._node = node
        self._life = life
        self._device_name = device_name
        node.create_service(
            SetBool,
            "wmx/engine/set_engine",
            self.set_engine,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} engine.",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            SetBool,
            "wmx/engine/set_communication",
            set_communication,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} communication.",
            run=AnswerMode.ASIDE,
        )
        node.create_service(Trigger, "wmx/engine/get_engine_status", get_status, quiet=True)

    def set_engine(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Create the device of this system and start the communication, or close the device."""
        if not request.data:
            self._life.take_down()
            return "Engine stopped"
        self._life.ensure_device(self._node.common.device_path, self._device_name)
        self._life.start_communication()
        return "Communication started"
