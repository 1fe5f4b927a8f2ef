"""Warns of a second node of a kind of which a system has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import NodeContext


class NamesakeWarning:
    """Logs when another `what` runs in the domain and namespace of `node`."""

    def __init__(self, node: NodeContext[Any], what: str, topic: str, period: float) -> None:
        """Each of them publishes `topic`, whose publishers are counted every `period` seconds."""
        self._node = node
        self._what = what
        self._topic = topic
        self._others = 0
        node.create_timer(period, self._check)

    def _check(self) -> None:
        others = len(self._node.publishers(self._topic)) - 1
        if others > self._others:
            self._node.log.warning(
                f"Another {self._what} runs in this ROS domain and namespace: its topics and "
                "services have the same names. Give one system another namespace or ROS_DOMAIN_ID"
            )
        self._others = others
