"""The kinds of all nodes by the names of their executables, each imported when it is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from ..executables import NODES
from ..node_base.kind import AnyKind


class Kinds(Mapping[str, AnyKind]):
    """A ModuleNotFoundError is raised for one that this machine lacks the messages for."""

    def __getitem__(self, name: str) -> AnyKind:
        kind: AnyKind = import_module(f"..{NODES[name]}", __package__).KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in NODES  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(NODES)

    def __len__(self) -> int:
        return len(NODES)
