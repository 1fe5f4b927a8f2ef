"""How a kind of node uses the engine: what `kind` adds parameters and a behaviour to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class EngineRole(Enum):
    """How a node uses the engine."""

    FOLLOWER = auto()
    """The node's device is attached while the node is active and `wmx/engine/ready` is true."""
    OWNER = auto()
    """The node brings the engine up and takes it down."""
    NONE = auto()
    """The node has no device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTraits:
    """How a node uses the engine, and what clients are answered while there is none."""

    not_ready: str = ""
    """The answer of services while the node is not attached to an engine."""
    ready_topic: str = ""
    """The topic on which it publishes whether it is ready; empty for none."""
    role: EngineRole = EngineRole.FOLLOWER
    commands_motion: bool = False
    """Whether it commands motion: each begin and end is published."""
