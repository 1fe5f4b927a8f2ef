"""The machine of the panel: looked for until it is found, and found again when it was lost.

Threads: one connects and asks once a second what is not published; one takes each status. Pages
read what these have left here.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import atan2, dist
from threading import Event as Signal
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from wmx_ros2_message.msg import HardwareError

from ..client import (
    Event,
    Machine,
    MachineError,
    MotionBegin,
    NoSystem,
    NotAnswered,
    Status,
    Stream,
)
from ..client.explanation import Explanation
from .description import (
    ACTUATORS,
    ANSWER_TIMEOUT,
    BASE,
    SERVER,
    ShownAxis,
    axes_of,
    base_topic_of,
    nodes_of,
    server_of,
)
from .history import History

SILENCE = 1.0
"""A status that is older, s, is not shown as that of now."""
LOOK_PERIOD = 1.0
RETRY_PERIOD = 1.0
MOST_EVENTS = 1000
MOST_POSES = 2000
POSE_DISTANCE = 0.02
"""How far a base has gone, m, or turned, rad, when its next pose is kept."""
T = TypeVar("T")
_log = logging.getLogger("wmx_panel")


@dataclass(slots=True)
class Seen:
    """What was published and answered last."""

    explanations: dict[int, Explanation] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)
    """Which node moves an axis, and how."""
    engine: str = "unknown"
    network: str = "unknown"
    estop: bool = False
    diagnostics: dict[str, Any] = field(default_factory=dict)
    """DiagnosticStatus by its name."""


class Plant:
    """One machine in `namespace`; any thread may read."""

    def __init__(self, namespace: str = "") -> None:
        self.machine: Machine | None = None
        self.trouble = "no system is found yet"
        """Why there is no machine, or no status of it."""
        self.actuators: tuple[ShownAxis, ...] = ()
        self.joints: Mapping[str, Any] = {}
        """Parameters of the server of trajectories; empty where there is none."""
        self.robot_description = ""
        """The URDF that is published, where one is."""
        self.base_topic = ""
        """Where a base publishes its odometry; empty where there is none."""
        self.base_pose = (0.0, 0.0, 0.0)
        """x, y (m) and heading (rad) of the base by its newest odometry."""
        self.base_path: deque[tuple[float, float, float]] = deque(maxlen=MOST_POSES)
        """Where it has been, each pose some way from the one before; empty without odometry."""
        self.history = History(1, length=1.0)
        self.seen = Seen()
        self.events: deque[Event | Any] = deque(maxlen=MOST_EVENTS)
        self.events_seen = 0
        """How many events there were, so that a page knows which are new."""
        self.generation = 0
        """Counts what was found: counted last of all, for a page is built anew after it."""
        self._namespace = namespace
        self._status: Status | None = None
        self._status_at = -SILENCE
        self._open_motions: dict[Any, MotionBegin] = {}
        self._look_now = Signal()
        self._nodes: frozenset[str] = frozenset()
        """Those that have described it."""
        self._gone = False
        """Whether the system of `machine` has ended, so that another one is looked for."""
        self._ended = False

    def start(self) -> None:
        """Look for the machine from now on."""
        self._spawn(self._run, "panel-plant")

    def stop(self) -> None:
        """Disconnect; what the panel still moves is brought to rest."""
        self._ended = True
        self._look_now.set()
        if self.machine is not None:
            self.machine.close()

    @property
    def status(self) -> Status | None:
        """The newest status; None where it is not of now."""
        return self._status if monotonic() - self._status_at <= SILENCE else None

    @property
    def connected(self) -> Machine:
        """The machine; NoSystem while there is none."""
        if self.machine is None:
            raise NoSystem(self.trouble, remedy="make run    # starts a system")
        return self.machine

    def remedy_of(self, axis: int, reason: str) -> str:
        """What helps against a reason why an axis does not move, as the machine words it."""
        explanation = self.seen.explanations.get(axis)
        blockers = explanation.blockers if explanation else []
        return next((b.clear for b in blockers if b.reason == reason), "no remedy is known")

    def look_soon(self) -> None:
        """Ask what is not published within a moment, for something was commanded."""
        self._look_now.set()

    # Its threads

    def _spawn(self, run: Callable[[], None], name: str) -> None:
        Thread(target=run, name=name, daemon=True).start()

    def _run(self) -> None:
        while not self._ended:
            try:
                if self.machine is None or self._gone:
                    self._find()
                else:
                    self._look()
            except MachineError as error:  # the next round asks again
                self.trouble = error.text
            self._look_now.wait(LOOK_PERIOD)
            self._look_now.clear()

    def _find(self) -> None:
        machine = Machine(self._namespace, timeout=5.0)
        try:
            machine.open()
            self._describe(machine)
            self.history = History(len(self.actuators))
            self.seen = Seen()
            self._open_motions.clear()
            see = machine.ros.subscribe
            see(DiagnosticArray, "/diagnostics", self._see_diagnostics)
            see(Bool, "wmx/engine/estop_active", self._see_estop, depth=1, keeps=True)
            see(HardwareError, "wmx/hardware_error", self._see_event, depth=100, keeps=True)
            see(String, "robot_description", self._see_robot, depth=1, keeps=True)
            states, events = machine.states(), machine.events(history=True)
        except MachineError:
            machine.close()
            raise
        self.trouble, self._gone = "", False
        old, self.machine = self.machine, machine
        self.generation += 1
        self._spawn(lambda: self._follow(machine, states, self._see_status), "panel-status")
        self._spawn(lambda: self._follow(machine, events, self._see_motion), "panel-events")
        kind = "SIMULATED" if machine.simulated else "REAL"
        _log.info("connected to a %s machine of %d axes", kind, len(self.actuators))
        if old is not None:
            old.close()

    def _describe(self, machine: Machine) -> bool:
        """Read what the machine consists of; whether that differs from what was known.

        A node that runs and has not answered is asked again.
        """
        known = self.actuators, self.joints, self.base_topic
        followed = self.machine, self.base_topic
        named = machine.describe()
        actuators, joints, base_topic = axes_of(machine), server_of(machine), base_topic_of(machine)
        answers = {ACTUATORS: named, SERVER: joints, BASE: base_topic}
        self._nodes = frozenset(node for node, answer in answers.items() if answer)
        self.actuators, self.joints, self.base_topic = actuators, joints, base_topic
        if base_topic and followed != (machine, base_topic):
            self.base_path.clear()
            machine.ros.subscribe(Odometry, base_topic, self._see_base)
        return known != (actuators, joints, base_topic)

    def _follow(self, machine: Machine, stream: Stream[T], see: Callable[[T], None]) -> None:
        """Pass on what `machine` publishes, until another one takes its place."""
        with stream:
            while self.machine is machine and not self._ended:
                try:
                    item = stream.get(timeout=LOOK_PERIOD)
                except NotAnswered:
                    continue
                see(item)

    def _see_status(self, status: Status) -> None:
        self._status, self._status_at = status, monotonic()
        if len(status) == len(self.actuators):
            self.history.add(status)

    def _see_motion(self, event: Event) -> None:
        if isinstance(event, MotionBegin):
            self._open_motions[event.id] = event
        else:
            self._open_motions.pop(event.id, None)
        self._see_event(event)
        self.seen.owners = {
            axis: f"{begin.source} ({begin.kind.name.lower()})"
            for begin in self._open_motions.values()
            for axis in begin.axes
        }

    def _see_event(self, event: Any) -> None:
        self.events.append(event)
        self.events_seen += 1
        self.look_soon()

    def _see_estop(self, message: Any) -> None:
        self.seen.estop = message.data
        self.look_soon()

    def _see_diagnostics(self, message: Any) -> None:
        self.seen.diagnostics.update({status.name: status for status in message.status})

    def _see_robot(self, message: Any) -> None:
        self.robot_description = message.data

    def _see_base(self, message: Any) -> None:
        pose = message.pose.pose
        heading = 2.0 * atan2(pose.orientation.z, pose.orientation.w)
        self.base_pose = (pose.position.x, pose.position.y, heading)
        if not self.base_path or dist(self.base_path[-1], self.base_pose) > POSE_DISTANCE:
            self.base_path.append(self.base_pose)

    def _look(self) -> None:
        """Ask what is not published."""
        machine = self.connected
        alive = machine.ros.publishers("wmx/axis/state") > 0
        if not alive:
            self.trouble = "the system has ended, or its core motion node has"
            self._gone = True
            return
        if nodes_of(machine) - self._nodes:  # it came, or answers, later than the others
            self.generation += self._describe(machine)
        self.trouble = "" if self.status else "no status: the engine does not communicate"
        seen = self.seen
        try:
            answer = machine.ros.call(Trigger, "wmx/engine/get_status", timeout=ANSWER_TIMEOUT)
            seen.engine = answer.message.strip()
        except MachineError as error:
            seen.engine = error.text
        try:
            found = machine.explain(timeout=ANSWER_TIMEOUT)
            seen.explanations = dict(enumerate(found))
        except MachineError as error:
            self.trouble = self.trouble or error.text
        try:
            network = machine.network.state()
            lost = sum(slave.offline or slave.inaccessible for slave in network.slaves)
            seen.network = network.state.name + (f", {lost} offline" if lost else "")
        except MachineError as error:
            seen.network = error.name
