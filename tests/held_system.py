"""The nodes of `bringup` in the process of the test, on a clock that it holds.

Other programs, signals and the start of processes are tested with `system` instead.
"""

import gc
import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stderr
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import rclpy
from rcl_interfaces.msg import Log
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros import Client, eventually
from system import Place, System

from wmx_ros2_package.cli import bringup
from wmx_ros2_package.client import Machine
from wmx_ros2_package.client.link import Link
from wmx_ros2_package.client.machine import TIMEOUT
from wmx_ros2_package.node_base.kind import AnyKind, Kinds
from wmx_ros2_package.node_base.managed_node import Watch, unwatched
from wmx_ros2_package.node_base.runner import NodeGroup
from wmx_ros2_package.testing import HeldClock

LEVELS = {10: "DEBUG", 20: "INFO", 30: "WARN", 40: "ERROR", 50: "FATAL"}
ROSOUT_QOS = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)

KEPT = 0.1
"""Within what time DDS brings what a topic keeps, s: most often at once, else after 70 ms."""


class Printed(io.StringIO):
    """What the nodes print as an error."""

    def fileno(self) -> int:
        """For faulthandler, which prints from C."""
        return 2


@dataclass
class HeldSystem(System):
    """Nodes of this process and a client that talks to them."""

    time: HeldClock
    printed: Printed

    @property
    def output(self) -> str:
        lines = [f"[{LEVELS[m.level]}] [{m.name}]: {m.msg}\n" for m in self._log.since(0.0)]
        return "".join(lines) + self.printed.getvalue()

    def __post_init__(self) -> None:
        self._log = self.client.listen("/rosout", Log, ROSOUT_QOS)


@contextmanager
def held_system(
    place: Place,
    *parameters: str,
    executables: Sequence[str] = ("bringup",),
    namespace: str = "",
    ros: Sequence[str] = (),
    options: Sequence[str] = (),
    watch: Watch = unwatched,
    clock: HeldClock | None = None,
) -> Iterator[HeldSystem]:
    """What `system` starts as programs, as nodes of this process; in the end all must end well.

    They are on `clock`, or on one of their own, which ends with them.
    """
    assert not rclpy.ok(), "another held system runs still: a test with its own needs another file"
    printed = Printed()
    gc.collect()  # a node of a test before that is destroyed only now ends the log of its name
    with _environment(place), redirect_stderr(printed), closing(clock or HeldClock()) as time:
        group = NodeGroup()
        try:
            arguments = _arguments(parameters, options, ros, namespace)
            kinds, given = _chosen(executables, arguments)
            words = ["bringup", *given]
            reason = time.run(
                lambda: group.make(
                    words, kinds, hosts_engine=True, others=Kinds(), watch=watch, clock=time
                )
            )
            assert not reason, reason
            client = Client(place.domain, namespace, shared=True, clock=time)
            try:
                system = HeldSystem(place, client, None, time, printed)
                group.start()
                time.settle()
                with machines_on(time, client.node):
                    yield system
                assert time.run(group.close), printed.getvalue()
            finally:
                time.run(group.close)
                time.run(client.close)
                time.run(group.end_spinning)
        finally:
            time.end_timers()
            time.run(group.leave)
        assert printed.getvalue() == "", printed.getvalue()
        eventually(place.is_empty, "nothing of the engine is left")


def refusal(place: Place, executable: str, *parameters: str, ros: Sequence[str] = ()) -> str:
    """Why an executable would not start, or "" if it would."""
    group = NodeGroup()
    with _environment(place):
        kinds, given = _chosen([executable], _arguments(parameters, (), ros, ""))
        try:
            return group.make([executable, *given], kinds, hosts_engine=False, others=Kinds())
        finally:
            group.leave()


def _environment(place: Place) -> Any:
    """That of this process, as of programs which are started in `place`."""
    names = "ROS_DOMAIN_ID", "XDG_RUNTIME_DIR", "ROS_LOG_DIR"
    return patch.dict(os.environ, {name: place.environment[name] for name in names})


def _chosen(
    executables: Sequence[str], arguments: Sequence[str]
) -> tuple[dict[str, AnyKind], list[str]]:
    """The nodes of the executables, and their arguments of ROS."""
    kinds, given = bringup.choose(*bringup.parse(arguments))
    if "bringup" not in executables:
        kinds = {}
    return kinds | {name: Kinds()[name] for name in executables if name != "bringup"}, given


@contextmanager
def machines_on(clock: HeldClock, client: Node | None = None) -> Iterator[None]:
    """Have each `Machine` that commands and programs make in this process on `clock`.

    One of the domain of the node `client` shares its DDS participant. DDS brings what a topic keeps
    a moment after somebody subscribes, of real time. A machine that waits for that would see the
    next second of the held time before.
    """
    make, subscribe = Machine.__init__, Link.subscribe

    def make_one(
        machine: Machine,
        namespace: str = "",
        domain: int | None = None,
        timeout: float | None = TIMEOUT,
    ) -> None:
        node = None
        if client is not None and domain in (None, client.context.get_domain_id()):
            namespace, node = namespace or "/", client
        make(machine, namespace, domain, timeout, node=node, clock=clock)

    def subscribe_and_get(
        link: Link, kind: Any, topic: str, act: Callable[[Any], None], **options: Any
    ) -> Any:
        came = threading.Event()

        def see(message: Any) -> None:
            came.set()
            act(message)

        end = subscribe(link, kind, topic, see, **options)
        if options.get("depth") == 1:
            came.wait(KEPT)
        return end

    with (
        patch.object(Machine, "__init__", make_one),
        patch.object(Link, "subscribe", subscribe_and_get),
    ):
        yield


def _arguments(
    parameters: Sequence[str], options: Sequence[str], ros: Sequence[str], namespace: str
) -> list[str]:
    remap = ("-r", f"__ns:={namespace}") if namespace else ()
    given = [word for parameter in parameters for word in ("-p", parameter)]
    return [*options, "--ros-args", *given, *remap, *ros]
