"""What a node knows of the other nodes of its domain, as far as they are discovered."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rclpy.node import Node

from ...executables import NODES
from .. import rclpy_compat

if TYPE_CHECKING:
    from rclpy.topic_endpoint_info import TopicEndpointInfo


class Graph:
    """The nodes that `node` has discovered; any thread may call."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.full_name = node.get_fully_qualified_name()
        """The name of the node itself."""

    def publishers(self, topic: str, kind: Any = None) -> list[str]:
        """The fully qualified names of the nodes that publish `topic`.

        With `kind`, a class of messages, those that publish this type.
        """
        wanted = f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}" if kind else ""
        found = self._node.get_publishers_info_by_topic(topic)
        return _names(each for each in found if wanted in ("", each.topic_type))

    def subscribers(self, topic: str) -> list[str]:
        """The fully qualified names of the nodes that subscribe to `topic`."""
        return _names(self._node.get_subscriptions_info_by_topic(topic))

    def count_servers(self, service: str) -> int:
        """How many nodes offer `service`."""
        return rclpy_compat.count_servers(self._node, self._node.resolve_service_name(service))

    def shared_servers(self) -> dict[str, str]:
        """The services that nodes of this namespace offer and others do, too.

        Each has the node of this namespace that offers it.
        """
        found = {}
        namespace = self._node.get_namespace()
        for name, where in self._node.get_node_names_and_namespaces():
            if where != namespace or name not in NODES:
                continue
            with suppress(RuntimeError):  # it has just gone
                for service, _ in self._node.get_service_names_and_types_by_node(name, where):
                    if rclpy_compat.count_servers(self._node, service) > 1:
                        found[service] = f"{where.rstrip('/')}/{name}"
        return found


def _names(found: Iterable[TopicEndpointInfo]) -> list[str]:
    return [f"{each.node_namespace.rstrip('/')}/{each.node_name}" for each in found]
