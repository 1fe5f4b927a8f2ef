"""Finds another node that serves the same name, so that one command would move two machines."""

from __future__ import annotations

from collections.abc import Callable

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, ErrorCode

from .graph import Graph

CHECK_PERIOD = 0.5
"""How old what is known of others may be, s."""


class SoleServer:
    """Checks whether its node alone carries out what is commanded by `name`."""

    def __init__(
        self, graph: Graph, name: str, others: Callable[[], list[str]], clock: Clock
    ) -> None:
        self._clock = clock
        self._name = name
        self._find = others
        self._others: list[str] = []
        self._found_at = -CHECK_PERIOD
        self._own = graph.full_name

    def require(self) -> None:
        """Refuse what another node would carry out, too: CommandRefused (ResourceInUse)."""
        now = self._clock.now()
        if now - self._found_at >= CHECK_PERIOD:
            self._others, self._found_at = self._find(), now
        if self._others:
            detail = (
                f"{self._name} is served by {' and '.join(self._others)}, too, or was within the "
                f"last 20 s: one command would move both. Give {self._own} a name of its own"
            )
            raise CommandRefused(ErrorCode.ResourceInUse, detail)


def sole_action(graph: Graph, name: str, clock: Clock) -> SoleServer:
    """Of an action: each of its servers publishes the states of goals."""
    return SoleServer(
        graph, name, lambda: _without(graph, graph.publishers(f"{name}/_action/status")), clock
    )


def sole_topic(graph: Graph, name: str, clock: Clock) -> SoleServer:
    """Of a topic of commands: others that only read it have other names than the node."""

    def others() -> list[str]:
        found = graph.subscribers(name)
        return [each for each in _without(graph, found) if _last(each) == _last(graph.full_name)]

    return SoleServer(graph, name, others, clock)


def sole_service(graph: Graph, name: str, clock: Clock) -> SoleServer:
    """Of a service, whose servers are only counted."""

    def others() -> list[str]:
        return ["another node"] * (graph.count_servers(name) - 1)

    return SoleServer(graph, name, others, clock)


def _without(graph: Graph, found: list[str]) -> list[str]:
    """The nodes `found` without one of the name of the own node."""
    others = sorted(found)
    if graph.full_name in others:
        others.remove(graph.full_name)
    return others


def _last(full_name: str) -> str:
    return full_name.rpartition("/")[2]
