"""What distinguishes one kind of node from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .parameters import NoParameters

if TYPE_CHECKING:
    from .context import NodeContext

P = TypeVar("P")


class EngineRole(Enum):
    """How a node uses the engine."""

    FOLLOWER = auto()
    """The node's device is attached while the node is active and `wmx/engine/ready` is true."""
    OWNER = auto()
    """The node brings the engine up and takes it down."""
    NONE = auto()
    """The node has no device."""


@dataclass(frozen=True, slots=True)
class NodeKind(Generic[P]):
    """The description of one kind of node.

    `behaviour` makes what the node does, at configure; `parameters` is a dataclass whose fields
    are made by `parameter`.
    """

    behaviour: Callable[[NodeContext[P]], object]
    parameters: type[P] = NoParameters  # type: ignore[assignment]
    not_ready: str = ""
    """The answer of services while the node is not attached to an engine."""
    ready_topic: str = ""
    """The topic on which it publishes whether it is ready; empty for none."""
    role: EngineRole = EngineRole.FOLLOWER
    commands_motion: bool = False
    """Whether it commands motion: each begin and end is published."""
    names: tuple[str, ...] = ()
    """What it is called here and in other generations of these packages: sections of files of
    parameters under each of these names configure it."""
    ineffective: Mapping[str, str] = field(default_factory=dict)
    """Parameters of other generations that have no effect here, and why not."""


AnyKind = NodeKind[Any]
