"""What a client sends and receives: services, topics and actions of a system.

Every other file of the client library asks for services, topics and actions here, by their kinds
and names; what rclpy makes, it makes here and in `ros_thread`.

Threads: any thread may call, but not a callback of this link, which runs in its own thread. Each
request waits for its answer in the calling thread, with a time-out.

What is sent reaches every node that offers the service or subscribes to the topic, so each time it
is counted before how many that are. The middleware counts a node no later than it sends to it, for
it learns of the entities of a node in the order in which they were made.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress
from typing import Any, TypeVar

from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import NodeNameNonExistentError
from rclpy.task import Future as RosFuture
from std_msgs.msg import Bool

from ..diagnosis.typed_commands import start_system, wmx_program
from ..messages.checked import checked, made
from ..node_base import rclpy_compat
from ..node_base.qos import SERVICE_QOS, latched
from .errors import Closed, NoPart, NoSystem, NotAnswered, NotReady, SeveralSystems, coded_refusal
from .ros_thread import RosThread
from .search import Search

T = TypeVar("T")

RESEND_PERIOD = 0.5
"""How often a request is sent until the service has answered this client for the first time, s; a
stop also while several offer it: the node that has answered may have been killed. The middleware
loses a response that is sent before it has made the client known to the node."""
SEVERAL_REMEDY = """\
give each its own ROS_DOMAIN_ID, or its own namespace, and each machine its own device path:
ROS_DOMAIN_ID=7 WMX_DEVICE_PATH=second make run    # another system on a simulated engine"""
POLL_PERIOD = 0.005
"""How often it is checked whether a service is discovered, s."""
TIMEOUT = 10.0
"""How long a system, or an answer, is waited for where the program does not say, s."""
SEARCH_PERIOD = 0.25
"""How often it is checked whether a system can be there at all, s."""


class Link:
    """One client of the system in `namespace` and `domain`; `timeout` (s) holds for each request.

    Without a `timeout` a system is looked for only as long as there can be one, see `Search`;
    longer where it is looked for `to_stop` it.

    With `node`, a node of rclpy, the link uses that node's context, and its namespace unless
    another one is given.
    """

    def __init__(
        self,
        namespace: str,
        domain: int | None,
        timeout: float | None,
        node: Any | None = None,
        *,
        to_stop: bool = False,
    ) -> None:
        self.timeout = TIMEOUT if timeout is None else timeout
        self._search = Search() if timeout is None and node is None else None
        self._to_stop = to_stop
        self._clients: dict[str, Any] = {}
        self._calls_to_all: dict[str, Any] = {}
        self._met: set[str] = set()
        """The services that have answered this client."""
        self._actions: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self._making = threading.Lock()
        self._closed = False
        self._group = ReentrantCallbackGroup()
        self._thread = RosThread(namespace, domain, node)
        self._node = self._thread.node
        if self._search is not None:
            self._search.join(self._thread.domain)
        self.domain = self._thread.domain
        """The ROS domain of the client."""
        self.namespace = self._thread.namespace
        """The namespace of the client: "/" or "/cell1"."""

    def close(self) -> None:
        """Leave ROS; whatever is asked for afterwards raises Closed."""
        self._closed = True
        self._thread.close()

    def require_open(self) -> None:
        """Closed where the link is: what a program has kept of it has no system any more."""
        if self._closed:
            raise Closed("the machine is closed", remedy="machine.open()")

    # Services

    def call(
        self,
        kind: Any,
        service: str,
        request: Any | None = None,
        *,
        timeout: float | None = None,
        to_all: bool = False,
        **fields: Any,
    ) -> Any:
        """The response to a request, whose fields may be given by name.

        The request may be sent more than once, so it must be one that does no more then. Raises
        NoSystem where the service is not offered, SeveralSystems where several nodes offer it
        unless it is meant `to_all` of them, NotAnswered where no answer comes in time, Refused
        for an answer that is not a success, and ValueError for a field that there is
        not, or that cannot have such a value.
        """
        request = request or made(kind.Request, **fields)
        answer = self._answer(kind, service, request, timeout, to_all=to_all)
        try:
            return successful(answer)
        except NotReady as error:
            error.service = service
            raise

    def call_once(self, kind: Any, service: str, **fields: Any) -> Any:
        """As `call`, for a request that must not be sent twice; an empty one goes before it."""
        self.meet(kind, service)
        return self.call(kind, service, **fields)

    def meet(self, kind: Any, service: str) -> None:
        """Have the service answer an empty request, unless it has answered this client before.

        Only for services that refuse an empty request: to others, as `wmx/axis/stop`, it is an
        order, see `call_after`.
        """
        if service not in self._met:
            self._answer(kind, service, kind.Request(), None)

    def ask(self, kind: Any, service: str, request: Any) -> Future[Any]:
        """Send a request once; the future gets the response, a refusal as well."""
        answer: Future[Any] = Future()
        self._send(kind, service, request, answer, self.timeout)
        return answer

    def call_after(
        self,
        first: tuple[Any, str],
        kind: Any,
        service: str,
        *,
        timeout: float | None = None,
        **fields: Any,
    ) -> Any:
        """As `call_once`, for a service to which an empty request is an order, too.

        The service `first` (kind and name) of the same node, which nothing else asks, is called
        before. The node learns of what this client made first before it can answer what was made
        later, so the response arrives.
        """
        self.offered(kind, service)
        self.call(*first)
        asked = self.ask(kind, service, made(kind.Request, **fields))
        return successful(self.wait(asked, f"{service} does not answer", timeout))

    def _answer(
        self,
        kind: Any,
        service: str,
        request: Any,
        timeout: float | None,
        *,
        to_all: bool = False,
    ) -> Any:
        seconds = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + seconds
        answer: Future[Any] = Future()
        self._send(kind, service, request, answer, seconds, to_all=to_all)
        while True:
            left = deadline - time.monotonic()
            try:
                return answer.result(min(left, RESEND_PERIOD))
            except NotInTime:
                if time.monotonic() >= deadline:
                    raise NotAnswered(f"{service} does not answer within {seconds:g} s") from None
                # Where there are several, one is new, or the one that was met may have been killed.
                if service not in self._met or (to_all and self.servers(service) > 1):
                    self._send(kind, service, request, answer, seconds, to_all=to_all)

    def _send(
        self,
        kind: Any,
        service: str,
        request: Any,
        answer: Future[Any],
        seconds: float,
        *,
        to_all: bool = False,
    ) -> None:
        checked(request)
        client = self._client(kind, service)
        self._discover(client.service_is_ready, f"the service {service}", seconds)
        if not to_all:
            self._require_one_server(service)

        def see(done: RosFuture[Any]) -> None:
            self._met.add(service)
            _pass_on(done, answer)

        client.call_async(request).add_done_callback(see)

    def send_to_all(
        self,
        kind: Any,
        service: str,
        request: Any,
        take: Callable[[Any], None],
        seconds: float,
    ) -> None:
        """Send a request; `take` gets the response of each node that it reaches.

        It is called in the thread of the link. NoSystem where nothing offers the service within
        `seconds`.
        """
        checked(request)
        client = self._client(kind, service)
        self._discover(client.service_is_ready, f"the service {service}", seconds)

        def see(response: Any) -> None:
            self._met.add(service)
            take(response)

        self._made(self._calls_to_all, service, lambda: rclpy_compat.calls_to_all(client))(
            request, see
        )

    def wait(self, answer: Future[T], complaint: str, timeout: float | None = None) -> T:
        """The result of `answer`; NotAnswered with the complaint where it does not come in time."""
        seconds = self.timeout if timeout is None else timeout
        try:
            return answer.result(seconds)
        except NotInTime:
            raise NotAnswered(f"{complaint} within {seconds:g} s") from None

    def offered(self, kind: Any, service: str) -> bool:
        """Whether the service is discovered."""
        return bool(self._client(kind, service).service_is_ready())

    def server_of(self, service: str, seconds: float) -> str:
        """The full name of a node that offers the service; empty where none is found in time."""
        deadline = time.monotonic() + seconds
        while not (found := self._server_of(service)) and time.monotonic() < deadline:
            time.sleep(POLL_PERIOD)
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

    def _require_one_server(self, service: str) -> None:
        """SeveralSystems where a request would reach more than one node."""
        if (count := self.servers(service)) > 1:
            raise SeveralSystems(
                f"{count} systems offer {service} in namespace {self.namespace} of ROS domain "
                f"{self.domain} (one that was killed is counted for 20 s)",
                remedy=SEVERAL_REMEDY,
            )

    # Topics

    def publisher(self, kind: Any, topic: str) -> Publisher:
        """The publisher of `topic`, which any thread may use; NoSystem if no node subscribes."""
        publisher = self._made(
            self._publishers, topic, lambda: self._node.create_publisher(kind, topic, 10)
        )
        self._discover(publisher.get_subscription_count, f"a subscriber of {topic}", self.timeout)
        return Publisher(publisher)

    def require_one(self, node: str) -> None:
        """SeveralSystems where what is published for `node` would reach more than one.

        A node offers its parameters before it subscribes to anything.
        """
        self._require_one_server(f"{node}/get_parameters")

    def subscribe(
        self,
        kind: Any,
        topic: str,
        act: Callable[[Any], None],
        *,
        depth: int = 10,
        keeps: bool = False,
        raw: bool = False,
    ) -> Callable[[], object]:
        """Call `act` with each message, in the thread of the link; `raw`: with its bytes.

        With `keeps` the last `depth` messages of before come, too. What it returns ends it.
        """
        subscription = self._in_thread(
            lambda: self._node.create_subscription(
                kind,
                topic,
                act,
                latched(depth) if keeps else depth,
                callback_group=self._group,
                raw=raw,
            )
        )
        return lambda: self._end(lambda: self._node.destroy_subscription(subscription))

    def wait_until_true(self, topics: Sequence[str], timeout: float) -> bool:
        """Wait until latched Bool topics are true; whether all are within `timeout` (s)."""
        deadline = time.monotonic() + timeout
        true = {topic: threading.Event() for topic in topics}

        def follow(topic: str) -> Callable[[], object]:
            def see(message: Any) -> None:
                if message.data:
                    true[topic].set()

            return self.subscribe(Bool, topic, see, depth=1, keeps=True)

        ends = [follow(topic) for topic in topics]
        try:
            return all(event.wait(deadline - time.monotonic()) for event in true.values())
        finally:
            for end in ends:
                end()

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

    def create_timer(self, period: float, act: Callable[[], None]) -> Callable[[], object]:
        """Call `act` every `period` seconds, in the thread of the link; the result ends that."""
        timer = self._in_thread(lambda: rclpy_compat.create_timer(self._node, period, act))
        return lambda: self._end(lambda: self._node.destroy_timer(timer))

    # Actions: in another thread an answer may come before rclpy has noted who waits for it

    def send_goal(
        self,
        kind: Any,
        action: str,
        goal: Any,
        *,
        id: Any | None = None,
        feedback: Callable[[Any], None] | None = None,
    ) -> Any:
        """The handle of a goal, accepted or not; `feedback` runs in the thread of the link."""
        checked(goal)
        client = self._made(self._actions, action, lambda: ActionClient(self._node, kind, action))
        self._discover(client.server_is_ready, f"the action {action}", self.timeout)
        self._require_one_server(f"{action}/_action/send_goal")
        sent: Future[Any] = Future()
        self._in_thread(
            lambda: client.send_goal_async(goal, feedback_callback=feedback, goal_uuid=id)
        ).add_done_callback(lambda done: _pass_on(done, sent))
        return self.wait(sent, f"{action} does not answer")

    def result_of(self, handle: Any) -> Future[Any]:
        """What comes of an accepted goal: a message with `status` and `result`."""
        ended: Future[Any] = Future()
        self._in_thread(handle.get_result_async).add_done_callback(
            lambda done: _pass_on(done, ended)
        )
        return ended

    def cancel_goal(self, handle: Any) -> None:
        """Ask the server to end a goal; `result_of` returns how it ends."""
        self._in_thread(handle.cancel_goal_async)

    # How it does it

    def _in_thread(self, work: Callable[[], T]) -> T:
        self.require_open()
        return self._thread.do(work, self.timeout)

    def _end(self, work: Callable[[], object]) -> None:
        """Destroy an entity, unless all of them have been destroyed with the node."""
        if not self._closed:
            self._in_thread(work)

    def _client(self, kind: Any, service: str) -> Any:
        return self._made(
            self._clients,
            service,
            lambda: self._node.create_client(
                kind, service, qos_profile=SERVICE_QOS, callback_group=self._group
            ),
        )

    def _made(self, known: dict[str, Any], name: str, make: Callable[[], Any]) -> Any:
        """The entity `name`, which is made when it is asked for first."""
        self.require_open()
        if name not in known:
            with self._making:
                if name not in known:
                    known[name] = self._in_thread(make)
        return known[name]

    def _discover(self, is_there: Callable[[], object], what: str, seconds: float) -> None:
        begun = time.monotonic()
        due = SEARCH_PERIOD
        while not is_there():
            self.require_open()
            waited = time.monotonic() - begun
            if waited > seconds:
                raise self._missing(f"{what} is not offered within {seconds:g} s")
            if waited > due:
                due += SEARCH_PERIOD
                if why := self._why_hopeless(waited):
                    raise self._missing(why)
            time.sleep(POLL_PERIOD)

    def _why_hopeless(self, seconds: float) -> str:
        """Why no system can be there after `seconds` of looking for one; empty while one may."""
        if self._search is None or self._met:
            return ""
        others = len({*self._node.get_node_names()} - {self._node.get_name()})
        return self._search.hopeless(seconds, others, to_stop=self._to_stop)

    def _missing(self, text: str) -> NoSystem:
        """What is raised for what is not there: of the system that has answered, or all of it."""
        if any(self._clients[service].service_is_ready() for service in [*self._met]):
            where = f"in namespace {self.namespace} of ROS domain {self.domain}"
            return NoPart(
                f"{text}; other nodes of the system {where} run",
                remedy=f"{wmx_program()} node    # which nodes run, and in which state",
            )
        return NoSystem(
            f"no system runs in ROS domain {self.domain} and namespace {self.namespace}: {text}",
            remedy=f"{start_system()}    # starts a system; it needs the same ROS_DOMAIN_ID\n"
            f"{wmx_program()} doctor    # finds out why none is found",
        )


class Publisher:
    """Publishes the messages of one topic."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher

    def publish(self, message: Any) -> None:
        """Publish a message; ValueError for a field that cannot be so."""
        self._publisher.publish(checked(message))


def successful(response: Any) -> Any:
    """The response; Refused with its message where it is one that has no success."""
    if not getattr(response, "success", True):
        raise coded_refusal(getattr(response, "message", ""), getattr(response, "code", 0))
    return response


def _pass_on(done: RosFuture[Any], answer: Future[Any]) -> None:
    """Give the result of a future of rclpy to one that any thread can wait for."""
    if answer.done():
        return
    error = done.exception()
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(done.result())
