"""A command that two nodes would carry out is refused by both."""

from types import SimpleNamespace
from typing import Any

import pytest
from refusing import refuses

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.node_base.domain.graph import Graph as DomainGraph
from wmx_ros2_package.node_base.domain.sole_server import sole_action, sole_service, sole_topic
from wmx_sim.engine.clock import HeldClock

OWN = "/left/arm"


class Graph:
    """What a node knows of the others."""

    def __init__(self) -> None:
        self.full_name = OWN
        self.publishing: dict[str, list[str]] = {}
        self.subscribed: list[str] = [OWN]
        self.servers = 1
        self.clock = HeldClock()

    def publishers(self, topic: str) -> list[str]:
        return self.publishing.get(topic, [])

    def subscribers(self, _topic: str) -> list[str]:
        return self.subscribed

    def count_servers(self, _service: str) -> int:
        return self.servers


@pytest.fixture
def graph() -> Any:
    return Graph()


def test_an_action_with_another_server_is_refused(graph: Any) -> None:
    sole = sole_action(graph, "/arm/follow", graph.clock)
    graph.publishing["/arm/follow/_action/status"] = [OWN]
    sole.require()
    graph.publishing["/arm/follow/_action/status"] = ["/right/arm", OWN]
    graph.clock.advance(0.5)
    with refuses(ErrorCode.ResourceInUse, match="/arm/follow is served by /right/arm, too"):
        sole.require()
    graph.publishing["/arm/follow/_action/status"] = [OWN]
    graph.clock.advance(0.5)
    sole.require()


def test_two_of_one_name_are_two(graph: Any) -> None:
    graph.publishing["/arm/follow/_action/status"] = [OWN, OWN]
    with pytest.raises(CommandRefused, match="is served by /left/arm, too"):
        sole_action(graph, "/arm/follow", graph.clock).require()


def test_a_topic_may_be_recorded(graph: Any) -> None:
    graph.subscribed = ["/rosbag2", OWN, "/right/plotter"]
    sole_topic(graph, "/stream", graph.clock).require()
    graph.subscribed.append("/right/arm")
    with pytest.raises(CommandRefused, match="/stream is served by /right/arm, too"):
        sole_topic(graph, "/stream", graph.clock).require()


def test_a_second_server_of_a_service_is_counted(graph: Any) -> None:
    sole_service(graph, "/wmx/set_gripper", graph.clock).require()
    graph.servers = 2
    with pytest.raises(CommandRefused, match="is served by another node, too"):
        sole_service(graph, "/wmx/set_gripper", graph.clock).require()


def test_shared_services_are_those_of_our_nodes_in_the_namespace() -> None:
    names = [(name, where) for where in ("/left", "/right") for name in ("wmx_io_node", "rviz")]
    node: Any = SimpleNamespace(
        get_fully_qualified_name=lambda: OWN,
        get_namespace=lambda: "/left",
        get_node_names_and_namespaces=lambda: names,
        get_service_names_and_types_by_node=lambda name, where: [
            (f"{where}/{name}/{service}", []) for service in ("own", "shared")
        ],
        count_services=lambda service: 2 if service.endswith("shared") else 1,
    )
    assert DomainGraph(node).shared_servers() == {"/left/wmx_io_node/shared": "/left/wmx_io_node"}
