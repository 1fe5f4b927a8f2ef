"""What a client sends and receives: services, topics and actions of a system.

Every other file of the client library asks for services, topics and actions here, by their kinds
and names; what rclpy makes, it makes here and in `ros_thread`.

Threads: any thread may call. Each request waits for its answer in the calling thread, with a
time-out. A callback of this link runs in its own thread, and can wait for no answer: there a
request raises MachineError before anything is sent, but for those to all systems, stops and
switching off, and for the cancel of a goal, which are sent and not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import Any, TypeVar

from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future as RosFuture
from std_msgs.msg import Bool

from ..node_base import rclpy_compat
from ..node_base.clock import ROS, NodeClock
from ..node_base.qos import SERVICE_QOS, latched
from .checked import checked, made, time_out
from .discovery import Discovery
from .errors import NotAnswered, NotReady, coded_refusal

T = TypeVar("T")

RESEND_PERIOD = 0.5
"""How often a request is sent until the service has answered this client for the first time, s; one
to all also while several offer it: the node that has answered may have been killed. The middleware
loses a response that is sent before it has made the client known to the node."""
STOPS = "wmx/engine/estop", "wmx/axis/stop"
"""What is answered at once, and is sent again after STOP_RESEND, then more and more seldom."""
STOP_RESEND = 0.1
"""s. What the middleware has lost on the way it sends again by itself, after up to 3 s, or as soon
as something follows."""
DISARM = "wmx/actuator/disarm"
"""What is answered once motors rest, so it is sent again after DISARM_RESEND only: a second one,
carried out after the answer to the first, would undo what its client commands then."""
DISARM_RESEND = 3.0
"""s."""
CHECK_PERIOD = 0.05
"""How often it is checked whether an answer is wanted still, s."""


def nothing() -> None:
    """What is called before a request that nothing forbids."""


class Link(Discovery):
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
        clock: NodeClock = ROS,
    ) -> None:
        super().__init__(namespace, domain, timeout, node, to_stop=to_stop, clock=clock)
        self._clients: dict[str, Any] = {}
        self._calls_to_all: dict[str, Any] = {}
        self._actions: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self._group = ReentrantCallbackGroup()

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
        """The response to a request, or to one whose fields are given by name.

        The request may be sent more than once, so it must be one that does no more then. Raises
        NoSystem where the service is not offered, SeveralSystems where several nodes offer it
        unless it is meant `to_all` of them, NotAnswered where no answer comes in time, Refused
        for an answer that is not a success, and ValueError for a field that there is not, that
        cannot have such a value, or that is given beside a request. In a callback of the link see
        above: None is the response to what is sent `to_all`.
        """
        if request is None:
            request = made(kind.Request, **fields)
        elif fields:
            raise ValueError(f"{', '.join(fields)} is given beside a request: must be in it")
        return successful(self._answer(kind, service, request, timeout, to_all=to_all), service)

    def call_once(
        self, kind: Any, service: str, *, before: Callable[[], object] = nothing, **fields: Any
    ) -> Any:
        """As `call`, for a request that must not be sent twice; an empty one goes before it.

        `before` is called between the two: what it raises is raised, and nothing else is sent.
        """
        self.meet(kind, service)
        before()
        return self.call(kind, service, **fields)

    def meet(self, kind: Any, service: str) -> None:
        """Have the service answer an empty request, unless it has answered this client before.

        Only for services that refuse an empty request: to others, as `wmx/axis/stop`, it is an
        order, see `call_after`.
        """
        if service not in self._met:
            self._answer(kind, service, kind.Request(), None)

    def ask(
        self,
        kind: Any,
        service: str,
        request: Any,
        *,
        before: Callable[[], object] = nothing,
    ) -> Future[Any]:
        """Send a request once; the future gets the response, a refusal as well.

        `before` is called once nothing is waited for any more: what it raises is raised, and
        nothing is sent.
        """
        answer: Future[Any] = Future()
        self._send(kind, service, request, answer, self.timeout, before=before)
        return answer

    def call_after(
        self,
        first: tuple[Any, str],
        kind: Any,
        service: str,
        *,
        timeout: float = 0.0,
        before: Callable[[], object] = nothing,
        **fields: Any,
    ) -> Any:
        """As `call_once`, for a service to which an empty request is an order, too.

        What it does may take `timeout`, s, where that is longer than any answer may take.

        The service `first` (kind and name) of the same node, which nothing else asks, is called
        before. The node learns of what this client made first before it can answer what was made
        later, so the response arrives.
        """
        self.require_other_thread()
        is_there = self._client(kind, service).service_is_ready
        self._discover(is_there, f"the service {service}", self.timeout)
        self.call(*first)
        asked = self.ask(kind, service, made(kind.Request, **fields), before=before)
        seconds = max(timeout, self.timeout)
        return successful(self.wait(asked, f"{service} does not answer", seconds), service)

    def _answer(
        self,
        kind: Any,
        service: str,
        request: Any,
        timeout: float | None,
        *,
        to_all: bool = False,
    ) -> Any:
        seconds = self.timeout if timeout is None else time_out(timeout)
        deadline = self.clock.now() + seconds
        answer: Future[Any] = Future()
        self._send(kind, service, request, answer, seconds, to_all=to_all)
        if self.in_own_thread:
            return None
        is_stop = to_all and service in STOPS
        longest = DISARM_RESEND if service == DISARM else RESEND_PERIOD
        pause = STOP_RESEND if is_stop else longest
        while True:
            left = deadline - self.clock.now()
            try:
                return self.clock.result(answer, min(left, pause))
            except NotInTime:
                if self.clock.now() >= deadline:
                    raise NotAnswered(f"{service} does not answer within {seconds:g} s") from None
                pause = min(2.0 * pause, longest)
                # Where there are several, one is new, or the one that was met may have been killed.
                new = service not in self._met or (to_all and self.servers(service) > 1)
                if is_stop or new:
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
        before: Callable[[], object] = nothing,
    ) -> None:
        if not to_all:
            self.require_other_thread()
        checked(request)
        client = self._client(kind, service)
        self._discover(client.service_is_ready, f"the service {service}", seconds)
        if not to_all:
            self.require_one_server(service)

        def see(done: RosFuture[Any]) -> None:
            self._met[service] = client
            _pass_on(done, answer)

        before()
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
            self._met[service] = client
            take(response)

        self._made(self._calls_to_all, service, lambda: rclpy_compat.calls_to_all(client))(
            request, see
        )

    def wait(
        self,
        answer: Future[T],
        complaint: str,
        timeout: float | None = None,
        *,
        check: Callable[[], object] = nothing,
    ) -> T:
        """The result of `answer`; NotAnswered with the complaint where it does not come in time.

        `check` is called again and again meanwhile: what it raises is raised.
        """
        self.require_other_thread()
        seconds = self.timeout if timeout is None else time_out(timeout)
        deadline = self.clock.now() + seconds
        period = seconds if check is nothing else CHECK_PERIOD
        while True:
            left = deadline - self.clock.now()
            try:
                return self.clock.result(answer, min(left, period))
            except NotInTime:
                if answer.done():  # it may be the answer itself
                    return answer.result()
                if self.clock.now() >= deadline:
                    raise NotAnswered(f"{complaint} within {seconds:g} s") from None
                check()

    def offered(self, kind: Any, service: str) -> bool:
        """Whether the service is discovered."""
        return bool(self._client(kind, service).service_is_ready())

    def discovered(self, kind: Any, services: Sequence[str]) -> list[str]:
        """Those of `services` that are discovered once one is; NoSystem where none is in time."""
        self.require_other_thread()

        def found() -> list[str]:
            return [service for service in services if self.offered(kind, service)]

        self._discover(found, f"the service {' or '.join(services)}", self.timeout)
        return found()

    # Topics

    def publisher(self, kind: Any, topic: str) -> Publisher:
        """The publisher of `topic`, which any thread may use; NoSystem if no node subscribes."""
        publisher = self._made(
            self._publishers, topic, lambda: self._node.create_publisher(kind, topic, 10)
        )
        self._discover(publisher.get_subscription_count, f"a subscriber of {topic}", self.timeout)
        return Publisher(publisher, self.require_unforked)

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
        self.require_other_thread()
        deadline = self.clock.now() + timeout
        true = {topic: self.clock.event() for topic in topics}

        def follow(topic: str) -> Callable[[], object]:
            def see(message: Any) -> None:
                if message.data:
                    true[topic].set()

            return self.subscribe(Bool, topic, see, depth=1, keeps=True)

        ends = [follow(topic) for topic in topics]
        try:
            return all(event.wait(deadline - self.clock.now()) for event in true.values())
        finally:
            for end in ends:
                end()

    def create_timer(self, period: float, act: Callable[[], None]) -> Callable[[], object]:
        """Call `act` every `period` seconds, in the thread of the link; the result ends that."""
        timer = self._in_thread(lambda: self.clock.create_timer(self._node, period, act))
        return lambda: self._end(lambda: self.clock.destroy_timer(self._node, timer))

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
        sent = self.ask_goal(kind, action, goal, id=id, feedback=feedback)
        return self.wait(sent, f"{action} does not answer")

    def ask_goal(
        self,
        kind: Any,
        action: str,
        goal: Any,
        *,
        id: Any | None = None,
        feedback: Callable[[Any], None] | None = None,
        before: Callable[[], object] = nothing,
    ) -> Future[Any]:
        """Send a goal; the future gets its handle, as `send_goal`. `before` is that of `ask`."""
        self.require_other_thread()
        checked(goal)
        client = self._made(self._actions, action, lambda: ActionClient(self._node, kind, action))
        self._discover(client.server_is_ready, f"the action {action}", self.timeout)
        self.require_one_server(f"{action}/_action/send_goal")
        sent: Future[Any] = Future()
        before()
        self._in_thread(
            lambda: client.send_goal_async(goal, feedback_callback=feedback, goal_uuid=id)
        ).add_done_callback(lambda done: _pass_on(done, sent))
        return sent

    def result_of(self, handle: Any) -> Future[Any]:
        """What comes of an accepted goal: a message with `status` and `result`."""
        ended: Future[Any] = Future()
        self._in_thread(handle.get_result_async).add_done_callback(
            lambda done: _pass_on(done, ended)
        )
        return ended

    def cancel_goal(self, handle: Any) -> None:
        """Have the server end a goal; `result_of` returns how it ends.

        NotAnswered where the server does not answer in time. In a callback of the link see above.
        """
        answer: Future[Any] = Future()
        self._in_thread(handle.cancel_goal_async).add_done_callback(
            lambda done: _pass_on(done, answer)
        )
        if not self.in_own_thread:
            self.wait(answer, "the server does not answer that its goal shall end")

    # How it does it

    def _end(self, work: Callable[[], object]) -> None:
        """Destroy an entity, unless all of them have been destroyed with the node.

        In a fork they are the parent's.
        """
        if not (self._closed or self.is_forked):
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

        def make_once() -> None:
            if name not in known:  # another thread may have asked for it before
                known[name] = make()

        if name not in known:
            # One thread makes all of them. A lock that is held until it has would stop that thread
            # where a callback needs another entity, such as that of a stop.
            self._in_thread(make_once)
        return known[name]


class Publisher:
    """Publishes the messages of one topic."""

    def __init__(self, publisher: Any, require_unforked: Callable[[], None]) -> None:
        self._publisher = publisher
        self._require_unforked = require_unforked

    def publish(self, message: Any) -> None:
        """Publish a message; ValueError for a field that cannot be so, and Closed in a fork."""
        self._require_unforked()
        self._publisher.publish(checked(message))


def successful(response: Any, service: str) -> Any:
    """The response of `service`; Refused with its message where it is one that has no success."""
    if not getattr(response, "success", True):
        error = coded_refusal(getattr(response, "message", ""), getattr(response, "code", 0))
        if isinstance(error, NotReady):
            error.service = service
        raise error
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
