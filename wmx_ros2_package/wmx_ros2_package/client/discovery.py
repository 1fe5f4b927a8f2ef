"""What a client finds of a system: its nodes, and who offers services and topics.

What is sent reaches every node that offers the service or subscribes to the topic, so each time it
is counted before how many that are. The middleware counts a node no later than it sends to it, for
it learns of the entities of a node in the order in which they were made.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from rclpy.node import NodeNameNonExistentError

from ..diagnosis.typed_commands import start_system, wmx_program
from ..node_base import rclpy_compat
from ..node_base.clock import NodeClock
from .errors import Closed, MachineError, NoPart, NoSystem, SeveralSystems
from .ros_thread import RosThread
from .search import Search

T = TypeVar("T")

SEVERAL_REMEDY = """\
give each its own ROS_DOMAIN_ID, or its own namespace, and each machine its own device path:
ROS_DOMAIN_ID=7 WMX_DEVICE_PATH=second make run    # another system on a simulated engine"""
POLL_PERIOD = 0.005
"""How often it is checked whether a service is discovered, s."""
TIMEOUT = 10.0
"""How long a system, or an answer, is waited for where the program does not say, s."""
SEARCH_PERIOD = 0.25
"""How often it is checked whether a system can be there at all, s."""


class Discovery:
    """What a client in `namespace` and `domain` has discovered; any thread may ask."""

    def __init__(
        self,
        namespace: str,
        domain: int | None,
        timeout: float | None,
        node: Any | None,
        *,
        to_stop: bool,
        clock: NodeClock,
    ) -> None:
        """Join ROS; the arguments are those of `Link`."""
        self.clock = clock
        self.timeout = TIMEOUT if timeout is None else timeout
        self._search = Search() if timeout is None and node is None else None
        self._to_stop = to_stop
        self._met: dict[str, Any] = {}
        """The clients of the services that have answered, by their names."""
        self._closed = False
        self._process = os.getpid()
        self._thread = RosThread(namespace, domain, node, clock)
        self._node = self._thread.node
        if self._search is not None:
            self._search.join(self._thread.domain)
        self.domain = self._thread.domain
        """The ROS domain of the client."""
        self.namespace = self._thread.namespace
        """The namespace of the client: "/" or "/cell1"."""

    @property
    def at(self) -> str:
        """The option with which a command is for this namespace, such as " -n /cell1"."""
        return "" if self.namespace == "/" else f" -n {self.namespace}"

    def close(self) -> None:
        """Leave ROS; whatever is asked for afterwards raises Closed."""
        self._closed = True
        self._thread.close()

    @property
    def is_forked(self) -> bool:
        """Whether this process is a fork of the one that has opened the link."""
        return os.getpid() != self._process

    def require_open(self) -> None:
        """Closed where the link is: what a program has kept of it has no system any more.

        In a fork, too, see `require_unforked`.
        """
        self.require_unforked()
        if self._closed:
            raise Closed("the machine is closed", remedy="machine.open()")

    def require_unforked(self) -> None:
        """Closed in a fork: it has no thread that answers could reach, and its parent goes on."""
        if self.is_forked:
            raise Closed(
                "the machine was opened by the process of which this one is a fork",
                remedy="open a Machine in a process that is started anew, such as by subprocess",
            )

    def server_of(self, service: str, seconds: float) -> str:
        """The full name of a node that offers the service; empty where none is found in time."""
        self.require_other_thread()
        deadline = self.clock.now() + seconds
        while not (found := self._server_of(service)) and self.clock.now() < deadline:
            self.clock.sleep(POLL_PERIOD)
        return found

    def _server_of(self, service: str) -> str:
        name = self._node.resolve_service_name(service)
        for node, namespace in self._node.get_node_names_and_namespaces():
            with suppress(NodeNameNonExistentError):  # it has just left
                offered = self._node.get_service_names_and_types_by_node(node, namespace)
                if any(each == name for each, _ in offered):
                    return f"{namespace.rstrip('/')}/{node}"
        return ""

    def servers(self, service: str) -> int:
        """How many nodes offer the service, as far as they are discovered."""
        self.require_open()
        return rclpy_compat.count_servers(self._node, service)

    def require_one_server(self, service: str) -> None:
        """SeveralSystems where a request would reach more than one node."""
        if (count := self.servers(service)) > 1:
            raise SeveralSystems(
                f"{count} systems offer {service} in namespace {self.namespace} of ROS domain "
                f"{self.domain} (one that was killed is counted for 20 s)",
                remedy=SEVERAL_REMEDY,
            )

    def require_one(self, node: str) -> None:
        """SeveralSystems where what is published for `node` would reach more than one.

        A node offers its parameters before it subscribes to anything.
        """
        self.require_one_server(f"{node}/get_parameters")

    def publishers(self, topic: str) -> int:
        """How many publishers of `topic` are discovered."""
        self.require_open()
        return int(self._node.count_publishers(topic))

    def other_namespaces(self, topic: str) -> list[str]:
        """The other namespaces in which `topic` is published, as far as they are discovered."""
        self.require_open()
        end = f"/{topic}"
        found = {
            name[: -len(end)] or "/"
            for name, _ in self._node.get_topic_names_and_types()
            if name.endswith(end) and self._node.count_publishers(name)
        }
        return sorted(found - {self.namespace})

    @property
    def in_own_thread(self) -> bool:
        """Whether the caller is a callback of the link, so that no answer can come meanwhile."""
        return self._thread.is_current

    def require_other_thread(self) -> None:
        """MachineError in a callback of the link: what it would wait for could not come."""
        if self.in_own_thread:
            raise MachineError(
                "this is a callback of the library: it runs in the thread that takes all answers, "
                "so it can wait for none",
                remedy="have another thread ask, such as one that waits for a queue.Queue",
            )

    def _discover(self, is_there: Callable[[], object], what: str, seconds: float) -> None:
        begun = self.clock.now()
        due = SEARCH_PERIOD
        while not is_there():
            self.require_open()
            if self.in_own_thread:  # it renews the leases of motions, so it waits for nothing
                raise self._missing(f"{what} is not offered")
            waited = self.clock.now() - begun
            if waited > seconds:
                raise self._missing(f"{what} is not offered within {seconds:g} s")
            if waited > due:
                due += SEARCH_PERIOD
                if why := self._why_hopeless(waited):
                    raise self._missing(why)
            self.clock.sleep(POLL_PERIOD)

    def _why_hopeless(self, seconds: float) -> str:
        """Why no system can be there after `seconds` of looking for one; empty while one may."""
        if self._search is None or self._met:
            return ""
        others = len({*self._node.get_node_names()} - {self._node.get_name()})
        return self._search.hopeless(seconds, others, to_stop=self._to_stop)

    def _missing(self, text: str) -> NoSystem:
        """What is raised for what is not there: of the system that has answered, or all of it."""
        if any(client.service_is_ready() for client in [*self._met.values()]):
            where = f"in namespace {self.namespace} of ROS domain {self.domain}"
            return NoPart(
                f"{text}; other nodes of the system {where} run",
                remedy=f"{wmx_program()} node{self.at}    # which nodes run, and in which state",
            )
        return NoSystem(
            f"no system runs in ROS domain {self.domain} and namespace {self.namespace}: {text}",
            remedy=f"{start_system()}    # starts a system; it needs the same ROS_DOMAIN_ID\n"
            f"{wmx_program()} doctor    # finds out why none is found",
        )

    def _in_thread(self, work: Callable[[], T]) -> T:
        self.require_open()
        return self._thread.do(work, self.timeout)
