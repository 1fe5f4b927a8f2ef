"""The machine of the panel: looked for until it is found, and found again when it was lost.

Threads: one connects and asks once a second what is not published; one takes each status. Pages
read what these have left here.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import dist, inf
from threading import Event as Signal
from threading import Thread
from time import monotonic, sleep, time
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from wmx_ros2_message.msg import HardwareError, SystemSpeed

from ..client import (
    Event,
    Machine,
    MachineError,
    MotionBegin,
    NoSystem,
    Status,
    Stream,
    SystemLost,
)
from ..client.base import heading_of
from ..client.explanation import Explanation
from ..client.states import STATUS_TIMEOUT
from ..control.axis_file.records import Speed
from ..diagnosis.blockers import Blocker
from ..messages.times import seconds
from .alarms import Alarms
from .description import (
    ACTUATORS,
    ANSWER_TIMEOUT,
    BASE,
    SERVER,
    ShownAxis,
    base_topic_of,
    parts_running,
    read_axes,
    server_of,
)
from .event_log import EventRow
from .event_rows import row_of
from .history import History
from .joint_targets import joints_in
from .open_motions import OpenMotions
from .safety.emergency_stop import EmergencyStopRecord
from .safety.other_panels import CLAIM_PERIOD, OtherPanels
from .safety.pause import PauseRecord

STATUS_PAUSE = 0.04
"""How long statuses that come wait until they are taken, s: pages show ten frames a second."""
DIAGNOSTICS_TIMEOUT = 5.0
"""Diagnostics that are older, s, are not shown as those of now: they come once a second."""
ANSWERS_TIMEOUT = 5.0
"""What the system answered longer ago, s, is not shown as that of now: it is asked each second."""
NO_STATUS = "no status: the engine does not communicate, or the system was killed"
CONTROL_TOPIC = "wmx/panel/control"
POLL_PERIOD = 1.0
DESCRIBE_PERIOD = 2.0
"""How often what the machine consists of is read again, s: a node may be configured again, or be
started again so quickly that it was never seen to be away."""
END_TIMEOUT = 1.0
"""How long the end waits until what is being opened is closed, s."""
MOST_TOLD = 200
"""Errors; more than their topic keeps."""
MOST_EVENTS = 5000
MOST_POSES = 2000
POSE_DISTANCE = 0.02
"""How far a base has gone, m, or turned, rad, when its next pose is kept."""
T = TypeVar("T")
_log = logging.getLogger("wmx_panel")


@dataclass(slots=True)
class Published:
    """What was published and answered last."""

    explanations: dict[int, Explanation] = field(default_factory=dict)
    """Why each axis does not move; empty where that is not known."""
    owners: dict[int, str] = field(default_factory=dict)
    """Which node moves an axis, and how."""
    open_motions: tuple[MotionBegin, ...] = ()
    """Those that have begun and not ended."""
    engine: str = "unknown"
    network: str = "unknown"
    estop: bool = False
    diagnostics: dict[str, tuple[Any, float]] = field(default_factory=dict)
    """DiagnosticStatus by its name, and when it came, by the steady clock, s."""
    asked_at: float = -inf
    """When the system was asked last, and has answered or not, by the steady clock, s."""


class MachineLink:
    """One machine in `namespace`; any thread may read."""

    def __init__(self, namespace: str = "") -> None:
        self.machine: Machine | None = None
        self.simulation = False
        """Whether the machine that was found runs on the simulated engine."""
        self.trouble = "no system is found yet"
        """Why there is no machine, or why it does not answer."""
        self.actuators: tuple[ShownAxis, ...] = ()
        self.joints: Mapping[str, Any] = {}
        """Parameters of the server of trajectories; empty where there is none."""
        self.robot_description = ""
        """The URDF that is published, where one is."""
        self.base_topic = ""
        """Where a base publishes its odometry; empty where there is none."""
        self.base_pose = (0.0, 0.0, 0.0)
        """x, y (m) and heading (rad) of the base by its newest odometry."""
        self._base_at = -STATUS_TIMEOUT
        self.base_path: deque[tuple[float, float, float]] = deque(maxlen=MOST_POSES)
        """Where it has been, each pose some way from the one before; empty without odometry."""
        self.history = History(1, length=1.0)
        self.published = Published()
        self.emergency_stop = EmergencyStopRecord()
        self.pause = PauseRecord()
        self.alarms = Alarms()
        self.panels = OtherPanels()
        self.events: deque[EventRow] = deque(maxlen=MOST_EVENTS)
        self.events_count = 0
        """How many events there were: a page finds by it which are new."""
        self.generation = 0
        """Counts what was found: counted last of all, for a page is loaded again after it."""
        self.namespace = namespace
        self._status: Status | None = None
        self._status_at = -STATUS_TIMEOUT
        self._open_motions = OpenMotions()
        self._poll_now = Signal()
        self._described_at = -inf
        """By the steady clock, s."""
        self._shares = False
        """Whether other panels learn who has control here."""
        self._gone = False
        """Whether the system of `machine` has ended, so that another one is looked for."""
        self._hear_nothing_kept: Callable[[], object] = lambda: None
        """Ends the subscriptions to what comes again to each new one."""
        self._told: deque[tuple[object, ...]] = deque(maxlen=MOST_TOLD)
        """The errors that were heard: all come again after a doubt."""
        self._listed: frozenset[EventRow] = frozenset()
        """The events of before a machine was found: those that its nodes keep come again."""
        self._doubted = False
        """Whether another system published beside that of `machine` when it was asked last."""
        self._ended = False
        self._found: Machine | None = None
        """That which is opened, or was last."""
        self._thread: Thread | None = None

    def start(self) -> None:
        """Look for the machine from now on."""
        self._thread = self._spawn(self._run, "panel-link")

    def stop(self) -> None:
        """Disconnect; what the panel still moves is brought to rest."""
        self._ended = True
        self._poll_now.set()
        for machine in (self._found, self.machine):  # that which is being opened, too
            if machine is not None:
                machine.close()
        if self._thread is not None:
            self._thread.join(END_TIMEOUT)

    @property
    def status(self) -> Status | None:
        """The newest status; None where it is not of now, or not of the machine alone."""
        fresh = monotonic() - self._status_at <= STATUS_TIMEOUT
        return self._status if fresh and not self.lost else None

    @property
    def lost(self) -> str:
        """Why what is published now is not of the machine alone that was found; empty where it is.

        A system that was killed and started again, or another one beside it, publishes at once
        under the same names, and is commanded nothing.
        """
        error = self._why_lost()
        return error.text if error is not None else self.trouble if self._gone else ""

    @property
    def gone(self) -> bool:
        """Whether the system of `machine` is lost, so that nothing says how its motions end.

        One that has another one beside it still says so.
        """
        return self._gone or isinstance(self._why_lost(), SystemLost)

    def _why_lost(self) -> MachineError | None:
        try:
            if self.machine is not None and not self._gone:
                self.machine.require_own_system()
        except MachineError as error:
            return error
        return None

    @property
    def simulated(self) -> bool | None:
        """Whether it runs on the simulated engine; None while there is no machine."""
        return self.simulation if self.machine is not None and not self.lost else None

    @property
    def current(self) -> Published:
        """What was published and answered last, but for answers that are too old.

        Nothing but the stop where what is published is not of the machine alone.
        """
        published = self.published
        known = Published(estop=published.estop)
        if self.lost:
            return known
        if monotonic() - published.asked_at <= ANSWERS_TIMEOUT:
            return published
        known.owners, known.open_motions = published.owners, published.open_motions
        return known

    @property
    def problem(self) -> str:
        """Why there is no machine, or no status of it; empty where both are there."""
        silent = self.machine is not None and self.status is None
        return self.lost or (NO_STATUS if silent else self.trouble)

    @property
    def base_is_live(self) -> bool:
        """Whether the pose of the base is that of now."""
        return monotonic() - self._base_at <= STATUS_TIMEOUT

    @property
    def joint_positions(self) -> dict[str, float]:
        """Where each axis is commanded to be now, rad or m, by its name; empty without a status.

        An axis whose unit is not known to be an angle or a length is left out.
        """
        return joints_in(self.actuators, self.status)[0]

    @property
    def units(self) -> dict[int, str]:
        """The unit of each axis."""
        return {axis: actuator.unit for axis, actuator in enumerate(self.actuators)}

    @property
    def axis_labels(self) -> dict[int, str]:
        """The number and the name of each axis, as people read them."""
        return {axis: f"{axis} · {actuator.name}" for axis, actuator in enumerate(self.actuators)}

    @property
    def connected(self) -> Machine:
        """The machine; NoSystem while there is none."""
        if self.machine is None:
            raise NoSystem(self.problem, remedy="make run    # starts a system")
        return self.machine

    def blockers(self, axis: int) -> tuple[Blocker, ...]:
        """What blocks an axis; nothing where that is not known."""
        explanation = self.published.explanations.get(axis)
        return explanation.blockers if explanation else ()

    def blocker(self, axis: int, key: str) -> Blocker | None:
        """What blocks an axis and has this key; None where it does not any more."""
        return next((blocker for blocker in self.blockers(axis) if blocker.key == key), None)

    def poll_soon(self) -> None:
        """Ask what is not published within a moment, for something was commanded."""
        self._poll_now.set()

    # Its threads

    def _spawn(self, run: Callable[[], None], name: str) -> Thread:
        thread = Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        while not self._ended:
            try:
                if self.machine is None or self._gone:
                    self._find()
                else:
                    self._poll()
            except MachineError as error:  # the next round asks again
                self.trouble = error.text
            except Exception as error:  # of a node of this name that is another program
                self.trouble = f"the system cannot be read: {error!r}"
                _log.exception("the system cannot be read")
            self._poll_now.wait(POLL_PERIOD)
            self._poll_now.clear()

    def _find(self) -> None:
        machine = self._found = Machine(self.namespace, timeout=5.0)
        try:
            machine.open()
            self._describe(machine)
            self.history, self._status = History(len(self.actuators)), None
            self.published = Published()
            self._open_motions = OpenMotions()
            self.alarms.clear()
            self._told.clear()
            self.robot_description = ""
            if self.machine is not None:  # pages have shown what was before
                self.alarms.take_restart(time())
            subscribe = machine.ros.subscribe
            subscribe(DiagnosticArray, "/diagnostics", self.take_diagnostics)
            subscribe(Bool, "wmx/engine/estop_active", self.take_estop, depth=1, keeps=True)
            self.pause.publish(None)
            subscribe(SystemSpeed, "wmx/engine/speed", self.take_speed, depth=1, keeps=True)
            take_claim = self.panels.take
            subscribe(String, CONTROL_TOPIC, lambda message: take_claim(message.data))
            self._shares = self._share_control(machine)
            states, events = machine.states(), machine.events(history=True)
            self._listed = frozenset(self.events.copy())  # late: the one before is followed still
            self._hear_what_is_kept(machine)
        except BaseException:
            machine.close()
            raise
        self.trouble, self._gone = "", False
        self.simulation = machine.simulated
        self.generation += 1  # before: a page of the old machine orders nothing of the new one
        old, self.machine = self.machine, machine
        follow = self.follow
        self._spawn(
            lambda: follow(machine, states, self.take_statuses, STATUS_PAUSE), "panel-status"
        )
        self._spawn(lambda: self.follow(machine, events, self.take_motions), "panel-events")
        kind = "SIMULATED" if self.simulation else "REAL"
        _log.info("connected to a %s machine of %d axes", kind, len(self.actuators))
        if old is not None:
            old.close()

    def _hear_what_is_kept(self, machine: Machine) -> None:
        """Hear of errors, of those of before first, and of the robot of `machine`."""
        take_robot, subscribe = partial(self._take_robot, machine), machine.ros.subscribe
        ends = (
            subscribe(HardwareError, "wmx/hardware_error", self.take_error, depth=100, keeps=True),
            subscribe(String, "robot_description", take_robot, depth=1, keeps=True),
        )
        self._hear_nothing_kept = lambda: [end() for end in ends]

    def _describe(self, machine: Machine) -> bool:
        """Read what the machine consists of; whether that differs from what was known.

        Of a machine that is new no node may be discovered yet, and all are waited for. What a node
        has said of one that is known stays while it does not answer.
        """
        known = self.actuators, self.joints, self.base_topic
        followed = self.machine, self.base_topic
        new = machine is not self.machine
        actuators, joints, base_topic = ((), {}, "") if new else known
        asked = {ACTUATORS, SERVER, BASE} if new else parts_running(machine.nodes)
        if ACTUATORS in asked:
            actuators = read_axes(machine, actuators)
        if SERVER in asked and (found := server_of(machine)) is not None:
            joints = found
        if BASE in asked and (topic := base_topic_of(machine)) is not None:
            base_topic = topic
        self._described_at = monotonic()
        self.actuators, self.joints, self.base_topic = actuators, joints, base_topic
        if base_topic and followed != (machine, base_topic):
            self.base_path.clear()
            machine.ros.subscribe(Odometry, base_topic, self._take_base)
        return known != (actuators, joints, base_topic)

    def follow(
        self,
        machine: Machine,
        stream: Stream[T],
        take: Callable[[Sequence[T]], None],
        pause: float = 0.0,
    ) -> None:
        """Pass on what `machine` publishes, until another one takes its place.

        All that has come is taken at once, and then nothing for `pause` (s): a thread that is woken
        for each item costs more than what it does.
        """
        said = ""
        with stream:
            while self.machine is machine and not self._ended:
                try:
                    take([stream.get(timeout=POLL_PERIOD), *stream.waiting()])
                except MachineError:
                    pass  # why nothing comes is found by what polls
                except Exception as error:  # of a message of another program
                    if repr(error) != said:  # which may come a hundred times a second
                        _log.exception("what is published cannot be read")
                    said = repr(error)
                sleep(pause)

    def take_statuses(self, statuses: Sequence[Status]) -> None:
        if self.lost:
            return
        self._status, self._status_at = statuses[-1], monotonic()
        for status in statuses:
            if len(status) == len(self.actuators):
                self.history.add(status)

    def take_motions(self, events: Sequence[Event]) -> None:
        for event in events:
            self._take_event(event)
            if isinstance(event, MotionBegin) and self.lost:
                continue  # perhaps of another system, which will not say how it ends here
            self.published.open_motions = self._open_motions.take(event)
        self.published.owners = {
            axis: f"{begin.source} ({begin.kind.name.lower()})"
            for begin in self.published.open_motions
            for axis in begin.axes
        }

    def _take_event(self, event: Any) -> None:
        if (row := row_of(event)) not in self._listed:
            self.events.append(row)
            self.events_count += 1
        self.poll_soon()

    def take_error(self, message: Any) -> None:
        if self.lost:  # perhaps of another system: what is of this machine comes again after it
            self._doubted = True
            return
        stamp = message.header.stamp
        told = *message.path, message.name, message.active, stamp.sec, stamp.nanosec
        if told in self._told:
            return
        self._told.append(told)
        self.alarms.take(
            message.path,
            message.name,
            message.message,
            seconds(stamp),
            active=message.active,
            code=message.code,
        )
        self._take_event(message)

    def _share_control(self, machine: Machine) -> bool:
        """Publish who has control from now on; whether that may be published."""
        panels = self.panels
        try:
            publisher = machine.ros.publisher(String, CONTROL_TOPIC)
        except Exception as error:  # of a viewer, who may publish nothing
            panels.publish = lambda _: None
            if machine is not self.machine:  # else it has been said
                _log.warning("other panels do not learn who has control here: %s", error)
            return False

        def publish(text: str) -> None:
            with suppress(Exception):  # the machine is closed, and another one looked for
                publisher.publish(String(data=text))

        panels.publish = publish
        machine.ros.create_timer(CLAIM_PERIOD, panels.repeat)
        return True

    def take_estop(self, message: Any) -> None:
        if self.lost and not message.data:  # of another system: it ends no stop of this one
            return
        self.published.estop = message.data
        self.emergency_stop.publish(message.data)
        self.poll_soon()

    def take_speed(self, message: Any) -> None:
        self.pause.publish(Speed(message.percent, message.paused))
        self.pause.count(message.pauses)
        self.emergency_stop.count(message.emergency_stops)
        self.poll_soon()

    def take_diagnostics(self, message: Any) -> None:
        if self.lost:
            return
        now = monotonic()
        self.published.diagnostics.update({each.name: (each, now) for each in message.status})

    def _take_robot(self, machine: Machine, message: Any) -> None:
        try:
            machine.require_own_system()
        except MachineError:  # perhaps of another system, as errors
            self._doubted = True
            return
        self.robot_description = message.data

    def _take_base(self, message: Any) -> None:
        if self.lost:
            return
        pose = message.pose.pose
        heading = heading_of(pose.orientation)
        self.base_pose = (pose.position.x, pose.position.y, heading)
        self._base_at = monotonic()
        if not self.base_path or dist(self.base_path[-1], self.base_pose) > POSE_DISTANCE:
            self.base_path.append(self.base_pose)

    def _poll(self) -> None:
        """Ask what is not published."""
        machine = self.connected
        alive = machine.ros.publishers("wmx/axis/state") > 0
        if not alive:
            self.trouble = "the system has ended, or its core motion node has"
            self._gone = True
            return
        if (status := self.status) is not None and len(status) != len(self.actuators):
            self.trouble = "the system has another number of axes than before"
            self._gone = True
            return
        doubted, self._doubted = self._doubted, bool(self.lost)
        if doubted and not self._doubted:  # what was left out may have been of this machine
            self._hear_nothing_kept()
            self._hear_what_is_kept(machine)
        published = self.published
        try:
            answer = machine.ros.call(Trigger, "wmx/engine/get_status", timeout=ANSWER_TIMEOUT)
            published.engine = answer.message.strip()
        except MachineError as error:
            published.engine = error.text
        try:
            found = machine.explain(timeout=ANSWER_TIMEOUT)
            published.explanations = dict(enumerate(found))
            self.trouble = ""  # only now: asking may take seconds, in which that of before stands
        except SystemLost as error:  # another one is there in its place
            self.trouble = error.text
            self._gone = True
            return
        except MachineError as error:
            published.explanations = {}
            self.trouble = error.text
        published.asked_at = monotonic()
        try:
            network = machine.network.state(timeout=ANSWER_TIMEOUT)
            lost = sum(slave.offline or slave.inaccessible for slave in network.slaves)
            published.network = network.state.name + (f", {lost} offline" if lost else "")
        except MachineError as error:
            published.network = error.name
        self._shares = self._shares or self._share_control(machine)
        if not self.lost and monotonic() >= self._described_at + DESCRIBE_PERIOD:
            self.generation += self._describe(machine)
