"""rclpy for the parts of a node: makes their topics and services; names, log, time, threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode

from ..validation import BadRequest
from . import rclpy_compat
from .domain.graph import Graph
from .hooks import call_all
from .qos import SERVICE_QOS
from .ros_time import RosTime
from .threads import Ended, Threads, Worker
from .waiting import Waiting

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger
    from rclpy.publisher import Publisher

    from .clock import NodeClock
    from .rclpy_compat import Answer

T = TypeVar("T")

LOG_DELAY = 0.001
"""How long after an answer its log line is written, s: a line costs more than most answers, and the
client runs when the thread that answers rests."""
LEFT_OUT = " (others are left out: they came faster than they are written)"


class Host:
    """The ROS side of a node from configure to cleanup, and of the entities that are made by it.

    Entities are made while the behaviour is made.
    """

    def __init__(
        self, node: LifecycleNode, worker: Worker, log_thread: Worker, clock: NodeClock
    ) -> None:
        self._node = node
        self._log_thread = log_thread
        self.clock = clock
        """The clock of all that the node does, but for ROS time."""
        self.name: str = node.get_name()
        self.full_name: str = node.get_fully_qualified_name()
        self.log: RcutilsLogger = node.get_logger()
        self.graph = Graph(node)
        self.ros_time = RosTime(node, clock)
        self.worker = worker
        """Does what changes the node's life or moves axes, one after the other."""
        self.threads = Threads(self.name, clock)
        self.waiting = Waiting(node, clock)
        self.active = False
        self.deactivating = clock.event()
        """Set when the node is asked to be inactive: nothing may keep it waiting for long."""
        self._entities: list[Callable[[], object]] = []
        self._periodic: dict[float, list[Callable[[], object]]] = {}
        """The callbacks of timers, by their period in s."""
        self._reentrant = ReentrantCallbackGroup()
        self._left_out = self._told = 0
        """How many lines of the log were left out, and of how many of those the log knows."""

    def serve(self, kind: Any, name: str, take: Answer) -> None:
        """Offer a service whose requests `take` answers, see `rclpy_compat.serve`."""
        self.add_entity(
            lambda node: rclpy_compat.serve(node, kind, name, SERVICE_QOS, take),
            lambda node, service: node.destroy_service(service),
        )

    def subscribe_raw(
        self, kind: Any, topic: str, take: Callable[[bytes, int], None], qos: Any
    ) -> None:
        """Call `take` with each message, still serialized, see `rclpy_compat.subscribe`."""
        self.add_entity(
            lambda node: rclpy_compat.subscribe(node, kind, topic, qos, take),
            lambda node, subscription: node.destroy_subscription(subscription),
        )

    def subscribe(self, kind: Any, topic: str, act: Callable[[Any], None], qos: Any = 10) -> None:
        """Call `act` with the messages of `topic`, whether there is an engine or not."""
        self.add_entity(
            lambda node: node.create_subscription(
                kind, topic, act, qos, callback_group=self._reentrant
            ),
            lambda node, subscription: node.destroy_subscription(subscription),
        )

    def create_publisher(self, kind: Any, topic: str, qos: Any = 10) -> Publisher[Any]:
        """A publisher that publishes only while the node is active; any thread may use it."""
        return self.add_entity(
            lambda node: node.create_lifecycle_publisher(kind, topic, qos),
            lambda node, publisher: node.destroy_lifecycle_publisher(publisher),
        )

    def create_timer(self, period: float, callback: Callable[[], object]) -> None:
        """Call `callback` every `period` seconds of the steady clock while the node is active.

        What has the same period shares one timer, for each timer wakes a thread.
        """
        if period in self._periodic:
            self._periodic[period].append(callback)
            return
        callbacks = self._periodic[period] = [callback]

        def while_active() -> None:
            if self.active:
                call_all(callbacks)

        self.add_entity(
            lambda node: self.clock.create_timer(node, period, while_active),
            self.clock.destroy_timer,
        )

    def add_entity(
        self, make: Callable[[LifecycleNode], T], destroy: Callable[[LifecycleNode, T], object]
    ) -> T:
        """Have rclpy make anything else; cleanup destroys it."""
        made = make(self._node)
        self._entities.append(lambda: destroy(self._node, made))
        return made

    def destroy_entities(self) -> None:
        """Take everything from the node that was made for it; in the thread that spins."""
        while self._entities:
            self._entities.pop()()
        self.waiting.destroy()

    # After the answer that is being given

    def log_info(self, text: str) -> None:
        """Log `text` after the answer that is being given."""
        self._log_later(lambda more: self.log.info(text + more))

    def log_error(self, text: str) -> None:
        """Log an error after the answer that is being given."""
        self._log_later(lambda more: self.log.error(text + more))

    def _log_later(self, write: Callable[[str], object]) -> None:
        """Have a line written, which ends with what it is told: whether others are left out."""

        def work() -> None:
            self.clock.sleep(LOG_DELAY)
            more, self._told = LEFT_OUT if self._told != self._left_out else "", self._left_out
            write(more)

        try:
            self._log_thread.do(work)
        except BadRequest:  # too many wait: clients ask faster than lines are written
            self._left_out += 1

    def do_later(self, work: Callable[[], object]) -> None:
        """Do `work` in the thread of the log; nothing once the node is destroyed."""
        with suppress(Ended):
            self._log_thread.do(work, bounded=False)
