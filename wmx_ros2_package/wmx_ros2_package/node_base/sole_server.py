"""Finds another node that serves the same name, so that one command would move two machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wmx_core.errors import CommandRefused, ErrorCode

if TYPE_CHECKING:
    from .context import NodeContext

CHECK_PERIOD = 0.5
"""How old what is known of others may be, s."""


class SoleServer:
    """What commands by the name `name` ask first: whether `node` alone carries them out."""

    def __init__(self, node: NodeContext[Any], name: str, others: Callable[[], list[str]]) -> None:
        self._name = name
        self._find = others
        self._others: list[str] = []
        self._found_at = -CHECK_PERIOD
        self._own = node.full_name

    def require(self) -> None:
        """Refuse what another node would carry out, too: CommandRefused (ResourceInUse)."""
        now = time.monotonic()
        if now - self._found_at >= CHECK_PERIOD:
            self._others, self._found_at = self._find(), now
        if self._others:
            detail = (
                f"{self._name} is served by {' and '.join(self._others)}, too, or was within the "
                f"last 20 s: one command would move both. Give {self._own} a name of its own"
            )
            raise CommandRefused(ErrorCode.ResourceInUse, detail)


def sole_action(node: NodeContext[Any], name: str) -> SoleServer:
    """Of an action: each of its servers publishes the states of goals."""
    return SoleServer(node, name, lambda: _without(node, node.publishers(f"{name}/_action/status")))


def sole_topic(node: NodeContext[Any], name: str) -> SoleServer:
    """Of a topic of commands: others that only read it have other names than the node."""

    def others() -> list[str]:
        found = node.subscribers(name)
        return [each for each in _without(node, found) if _last(each) == _last(node.full_name)]

    return SoleServer(node, name, others)


def sole_service(node: NodeContext[Any], name: str) -> SoleServer:
    """Of a service, whose servers are only counted."""
    return SoleServer(node, name, lambda: ["another node"] * (node.count_servers(name) - 1))


def _without(node: NodeContext[Any], found: list[str]) -> list[str]:
    """The nodes `found` without one of the name of `node`."""
    others = sorted(found)
    if node.full_name in others:
        others.remove(node.full_name)
    return others


def _last(full_name: str) -> str:
    return full_name.rpartition("/")[2]
