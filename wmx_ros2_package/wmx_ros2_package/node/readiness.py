"""Whether a node has an engine to ask, and whom it believes in that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..drivers.errors import EngineLost
from .refusals import NotReady

if TYPE_CHECKING:
    from .context import NodeContext


class Readiness(Protocol):
    """Whether there is an engine to ask."""

    def require_ready(self) -> None:
        """Raise NotReady when there is none."""

    def lose_engine(self, error: EngineLost) -> None:
        """The engine is gone; may be called from any thread."""

    def end(self) -> None:
        """The node is deactivated: let go of the engine; in the worker thread."""


class WhileActive:
    """The readiness of a node that needs no engine."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node

    def require_ready(self) -> None:
        """NotReady unless the node is active."""
        if not self._node.active:
            raise NotReady(f"{self._node.name} not initialized: it is not active.")

    def lose_engine(self, error: EngineLost) -> None:
        """There is none to lose."""

    def end(self) -> None:
        """There is nothing to let go of."""
