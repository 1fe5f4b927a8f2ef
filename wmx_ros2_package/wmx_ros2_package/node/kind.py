"""What tells one node from another: what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .parameters import NoParameters

if TYPE_CHECKING:
    from .context import NodeContext

P = TypeVar("P")


class EngineRole(Enum):
    """What the engine is to a node."""

    FOLLOWER = auto()
    """The node's device is attached while the node is active and `wmx/engine/ready` is true."""
    OWNER = auto()
    """The node brings the engine up and takes it down."""
    STRANGER = auto()
    """The node has no device."""


@dataclass(frozen=True, slots=True)
class NodeKind(Generic[P]):
    """A node is this much, and what every node shares.

    `behaviour` makes what the node does, at configure; `parameters` is a dataclass whose fields
    are made by `parameter`.
    """

    name: str
    behaviour: Callable[[NodeContext[P]], object]
    parameters: type[P] = NoParameters  # type: ignore[assignment]
    not_ready: str = ""
    """What services answer while there is no engine to ask."""
    ready_topic: str = ""
    """Where it says that it can be asked, if anywhere."""
    role: EngineRole = EngineRole.FOLLOWER
    moves: bool = False
    """It commands motion: everybody is told of each begin and end."""


AnyKind = NodeKind[Any]
