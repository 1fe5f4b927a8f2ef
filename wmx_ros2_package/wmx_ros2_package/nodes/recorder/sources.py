"""The sources of the black box: topics, the status at every cycle, changed I/O, parameters.

The callbacks of topics run in the thread that spins and only keep bytes; the engine is read in the
supervisor's thread, a few times a second where it keeps every cycle by itself.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from math import inf
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String
from wmx_ros2_message.msg import BeginMotion, EndMotion, IoChange

from wmx_core.errors import WmxError
from wmx_core.interface import History
from wmx_core.options import MACHINE_FILES
from wmx_core.values import IO_BYTES, MotionStatus

from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.qos import MOST_UNREAD
from ...recordings.ring import Item, Ring
from ...validation import BadRequest
from .parameters import RecorderParameters
from .triggers import StatusTriggers, Trigger, trigger_of

STATUS, IO, PARAMETERS = "wmx/engine/status", "wmx/io/changes", "wmx/engine/parameters"
COMMANDS, BEGINS, ENDS = "wmx/engine/command", "wmx/motion/begin", "wmx/motion/end"
TOPICS = {
    COMMANDS: "wmx_ros2_message/msg/EngineCommand",
    BEGINS: "wmx_ros2_message/msg/BeginMotion",
    ENDS: "wmx_ros2_message/msg/EndMotion",
    "wmx/hardware_error": "wmx_ros2_message/msg/HardwareError",
    "wmx/engine/ready": "std_msgs/msg/Bool",
    "wmx/engine/estop_active": "std_msgs/msg/Bool",
    "wmx/engine/speed": "wmx_ros2_message/msg/SystemSpeed",
    "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray",
    "/rosout": "rcl_interfaces/msg/Log",
}
OWN_TOPICS = {
    STATUS: "wmx_ros2_message/msg/EngineStatus",
    IO: "wmx_ros2_message/msg/IoChange",
    PARAMETERS: "std_msgs/msg/String",
}
HISTORY_RATE = 10.0
"""How often an engine that keeps every cycle is read, Hz."""
REFUSED_PERIOD = 1.0
"""How long after a refusal the parameters are asked for again, s: hardware writes them all into a
file each time, which at HISTORY_RATE would go on for as long as it refuses them; and a recording
that begins until then is without them."""
SETTINGS = (
    *(b"set_gear_ratio", b"set_polarity", b"set_command_mode", b"load_parameters"),
    b"stop",  # of whatever kind: it ends torque mode
)
"""Methods after which the parameters may be others."""


class Sources:
    """Fills `ring` with what happens around `node`."""

    def __init__(
        self,
        node: NodeContext[RecorderParameters],
        ring: Ring,
        wall: Callable[[float], int],
        trigger: Callable[[Trigger], None],
    ) -> None:
        """`wall` gives the time (ns) that files have for one of the steady clock (s)."""
        self._node = node
        self._ring = ring
        self._wall = wall
        self._trigger = trigger
        self._history: History | None = None
        self._names: dict[int, str] = {}
        """The names of axes that motions had: the newest of each."""
        self._found = StatusTriggers(self._names)
        self._images: dict[bool, bytes] = {}
        """The inputs (False) and outputs (True) that were seen last."""
        self._io_sizes = {False: 0, True: 0}
        self._parameters_due = -inf
        """From when on parameters have to be read, s of the steady clock; inf for not at all."""
        self.parameters: list[tuple[float, str]] = []
        """The parameters as XML, and from when on they were in force, the newest last."""
        self.machine = ""
        """The machine file of the simulated engine, if it has one of its own."""
        self.axes = 0
        """How many axes the engine has; 0 until its first status."""
        self.kinds = dict(OWN_TOPICS)
        """The types of the topics."""
        extra = dict(each.split() for each in node.parameters.topics)
        for topic, kind in (TOPICS | extra).items():
            self._record(topic, kind)
        rate = HISTORY_RATE if node.driver.history else node.parameters.status_rate
        node.supervisor.add_sink(self._take_status, rate, name=STATUS)
        node.supervisor.add_sink(self._look, HISTORY_RATE, name=IO)
        node.on_attach.append(self._attach)
        node.on_detach.append(self._detach)

    def _record(self, topic: str, kind: str) -> None:
        package, _, name = kind.split("/")
        try:
            message = getattr(import_module(f"{package}.msg"), name)
        except (ImportError, AttributeError):
            raise BadRequest([f"topics: there is no message type {kind!r}"]) from None
        self.kinds[topic] = kind
        takers = {BEGINS: self._take_begin, ENDS: self._take_end}
        take = takers.get(topic, partial(self._take, topic))
        self._node.subscribe_raw(message, topic, take, MOST_UNREAD)

    # Topics, in the thread that spins

    def _take(self, topic: str, data: bytes, _sent: int) -> None:
        self._ring.add(Item(self._node.clock.now(), topic, bytes(data)))
        if topic == COMMANDS and any(name in data for name in SETTINGS):
            self._parameters_due = -inf

    def _take_begin(self, data: bytes, sent: int) -> None:
        self._take(BEGINS, data, sent)
        begin = deserialize_message(data, BeginMotion)
        self._names |= zip(begin.axes, begin.names, strict=False)

    def _take_end(self, data: bytes, sent: int) -> None:
        self._take(ENDS, data, sent)
        end = deserialize_message(data, EndMotion)
        self._names |= zip(end.axes, end.names, strict=False)
        if found := trigger_of(end.reason, end.axes, end.message, self._names):
            self._trigger(found)

    # The engine, in the supervisor's thread but for attaching

    def _attach(self) -> None:
        driver, path = self._node.driver, self._node.common.device_path
        self._history = driver.history() if driver.history else None
        if self._history is not None:
            self._history.read()  # what was before, of which the commands are not known
        self._found = StatusTriggers(self._names)
        self._images = {}
        self._parameters_due = -inf
        statistics = [network.statistics for network in driver.networks()]
        self._io_sizes = {
            False: min(sum(each.total_input_size for each in statistics), IO_BYTES),
            True: min(sum(each.total_output_size for each in statistics), IO_BYTES),
        }
        self.axes, self.machine = 0, ""
        if driver.simulated and path.lower().endswith(MACHINE_FILES):
            with suppress(OSError), open(path) as file:
                self.machine = file.read()

    def _detach(self) -> None:
        with suppress(WmxError):
            self._read_history()
        self._history = None

    def _take_status(self, status: MotionStatus) -> None:
        self.axes = status.axes
        if self._history is None:
            self._ring.add(Item(status.time, STATUS, status))
        else:
            self._read_history()
        for found in self._found.find(status):
            self._trigger(found)

    def _read_history(self) -> None:
        for span in self._history.read() if self._history else ():
            self._ring.add(Item(self._node.clock.now(), STATUS, span))

    def _look(self, status: MotionStatus) -> None:
        io = self._node.driver.io
        for output, read in ((False, io.input_bytes), (True, io.output_bytes)):
            if size := self._io_sizes[output]:
                self._compare(output, read(0, size), status.time)
        if status.time >= self._parameters_due:
            self._parameters_due = inf
            self._node.threads.aside(partial(self._read_parameters, self._node.clock.now()))

    def _compare(self, output: bool, now: bytes, at: float) -> None:
        before = self._images.get(output)
        self._images[output] = now
        if now == before:
            return
        first, last = 0, len(now)
        if before is not None:
            changed = [i for i, (a, b) in enumerate(zip(before, now, strict=True)) if a != b]
            first, last = changed[0], changed[-1] + 1
        change = IoChange(output=output, address=first, data=now[first:last])
        change.header.stamp = time_message(self._wall(at))
        self._add(IO, change, at)

    def _read_parameters(self, at: float) -> None:
        try:
            xml = self._node.driver.motion.parameters().to_xml()
        except WmxError:  # it has gone, or does not answer in time
            if self._parameters_due == inf:  # else they may have changed meanwhile
                self._parameters_due = at + REFUSED_PERIOD
            return
        if not self.parameters or self.parameters[-1][1] != xml:
            self.parameters = [*self.parameters[-9:], (at, xml)]
            self._add(PARAMETERS, String(data=xml), at)

    def _add(self, topic: str, message: Any, at: float) -> None:
        self._ring.add(Item(at, topic, serialize_message(message)))
