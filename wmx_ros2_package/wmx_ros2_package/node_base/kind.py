"""What one kind of node is made of, and all kinds that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, TypeVar

from ..executables import NODES
from .context import NodeContext
from .parameters import NoParameters
from .traits import NodeTraits

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class NodeKind(NodeTraits, Generic[P]):
    """The description of one kind of node.

    `behaviour` makes what the node does, at configure; `parameters` is a dataclass whose fields
    are made by `parameter`.
    """

    behaviour: Callable[[NodeContext[P]], object]
    parameters: type[P] = NoParameters  # type: ignore[assignment]
    names: tuple[str, ...] = ()
    """Its names here and in other generations of these packages: sections of parameter files under
    each of them configure it."""
    ineffective: Mapping[str, str] = field(default_factory=dict)
    """Parameters of other generations that have no effect here, and why not."""


AnyKind = NodeKind[Any]


class Kinds(Mapping[str, AnyKind]):
    """The kinds of all nodes by the names of their executables, each imported when it is asked for.

    A ModuleNotFoundError is raised for one that this machine lacks the messages for.
    """

    def __getitem__(self, name: str) -> AnyKind:
        kind: AnyKind = import_module(f"..{NODES[name]}", __package__).KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in NODES  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(NODES)

    def __len__(self) -> int:
        return len(NODES)
