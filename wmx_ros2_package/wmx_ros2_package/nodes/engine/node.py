"""`wmx_engine_node`: brings the engine up and takes it down, and serves what concerns all of it."""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetEngine

from ...control.stopping import stop_and_wait
from ...drivers.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from ...drivers.options import MACHINE_FILES
from ...drivers.values import EmergencyStop, EngineState, MotionStatus
from ...node.attachment import ReadyTopic, bring_to_rest, close_device, open_device
from ...node.context import NodeContext
from ...node.doors import AnswerMode, NotReady
from ...node.kind import EngineRole, NodeKind
from ...node.parameters import parameter
from ...node.threads import Ended
from .emergency_stop import EmergencyStops
from .simulation import Simulation
from .stop_inputs import StopInputServices
from .unowned_motions import UnownedMotionEnds

NOWHERE = "", ""
LICENCE_WARNINGS = 60.0, 600.0
"""Before an engine without a licence ends communication, s; increasing."""
NO_LICENCE = "the engine has no valid licence"
WATCH_PERIOD = 0.1
"""How often the engine is looked after, s; clients learn of a dead engine within this time."""
HARDER_STOP_TIMEOUT = 5.0
"""How long axes that do not come to rest may take with each harder stop, s."""
RECOVER = "communicate", "attach", "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParameters:
    """The parameters of `wmx_engine_node`."""

    device_name: str = parameter("", "name of the device, empty for the node's name")
    retry_count: int = parameter(5, "attempts to bring the engine up", (1, 1_000_000))
    retry_delay: float = parameter(2.0, "time between two attempts, s", (0.0, 3600.0))
    recover: str = parameter(
        "communicate",
        "what is done when the engine was lost: communicate (servos stay off), attach (the "
        "communication stays off as well) or none",
        words=RECOVER,
        changeable=True,
    )
    estop_level: int = parameter(
        1,
        "emergency stop: 0 servos off at once, 1 slow down with the emergency deceleration",
        (0, 1),
        changeable=True,
    )
    parameter_file: str = parameter(
        "",
        "WMX parameter file to load before other nodes attach; empty: none",
        aliases={"wmx_param_file_path": 1.0},
    )
    publish_clock: bool = parameter(False, "publish the simulated engine's time on /clock")


class Engine:
    """Owns the engine: device, communication, emergency stop and simulation."""

    def __init__(self, node: NodeContext[EngineParameters]) -> None:
        self._node = node
        self._driver = node.driver
        self._device_name = node.parameters.device_name or node.name
        self._attached = NOWHERE
        """The path and the name of the device, which the engine may hold while it is idle, too."""
        self._starting = True
        self._unlicensed = False
        self._licence_warned = inf
        """Which of LICENCE_WARNINGS was logged last."""
        self._others = 0
        """Other engine nodes in the same domain and namespace."""
        self._life = threading.RLock()
        """One change of the engine's life at a time; the watch stands back then."""
        self._ready = ReadyTopic(node, "wmx/engine/ready")
        node.readiness = self
        node.on_activate(self._begin)
        node.create_timer(WATCH_PERIOD, self._watch)
        node.create_service(
            SetEngine,
            "wmx/engine/set_device",
            self.set_device,
            failed=lambda r: f"Failed to {'create' if r.data else 'close'} device.",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            SetBool,
            "wmx/engine/set_comm",
            self.set_communication,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} communication.",
            run=AnswerMode.ASIDE,
        )
        node.create_service(Trigger, "wmx/engine/get_status", self.get_status, quiet=True)
        node.create_service(
            Trigger,
            "wmx/engine/scan_network",
            self.scan_network,
            failed=lambda _: "Failed to scan network.",
            run=AnswerMode.ASIDE,
        )
        self._emergency_stops = EmergencyStops(node)
        self._stop_inputs = StopInputServices(node)
        UnownedMotionEnds(node)
        if self._driver.faults is not None:
            publish_clock = node.parameters.publish_clock
            Simulation(node, self._driver.faults, publish_clock=publish_clock)
        kind = "SIMULATED engine, no hardware moves" if self._driver.simulated else "REAL hardware"
        node.log.warning(f"driver {self._driver.name!r}: {kind}")

    # Services

    def set_device(self, request: SetEngine.Request, _: SetEngine.Response) -> str:
        """Create the device at a path, or close it; the communication is not started."""
        if request.data:
            path = self._path(request.path)
            return self._ensure_device(path, request.name or self._device_name)
        self._take_down()
        return "Device closed"

    def set_communication(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Start or stop the communication; axes that move are stopped before."""
        if request.data:
            self._start_communication()
            return "Communication started"
        self._stop_communication()
        return "Communication stopped"

    def get_status(self, _request: Trigger.Request, _: Trigger.Response) -> str:
        """The engine's state by name."""
        return self._driver.engine.state().name.title()

    def scan_network(self, _request: Trigger.Request, _: Trigger.Response) -> str:
        """Scan the first network."""
        self._driver.ecat.scan_network(0)
        return "Scan network operation done!"

    def _path(self, given: str) -> str:
        """The path of this system's engine, which is the only one that clients may name.

        Else the other nodes would be on another engine. Where the engine is simulated, the folder
        in which the vendor's SDK would stand names it, too.
        """
        mine = self._node.common.device_path
        folder = os.path.isabs(given) and not given.lower().endswith(MACHINE_FILES)
        if (
            not given
            or (self._driver.simulated and folder)
            or os.path.realpath(given) == os.path.realpath(mine)
        ):
            return mine
        detail = f"path is {given[:200]!r}: must be {mine!r}, the device_path of this system"
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)

    # Readiness

    def require_engine(self) -> None:
        """NotReady while the node is not active, or brings the engine up."""
        if not self._node.active:
            raise NotReady(f"Engine not initialized. {self._node.name} is not active.")
        if self._starting:
            raise NotReady(self._node.kind.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        """Bring the engine up again, as far as that is to be; any thread may call."""
        if not self._node.active or self._starting:
            return
        self._starting = True
        self._set_ready(False)
        self._node.log.error(f"Engine lost: {error.detail}")
        with suppress(Ended):  # the node is closed
            self._node.worker.do(self._recover, bounded=False)

    def end(self) -> None:
        """Take the engine down."""
        had_device = self._attached != NOWHERE
        try:
            self._take_down()
        except WmxError as error:
            self._node.log.error(f"Closing the device: {error}")
        if had_device:
            self._node.log.info("Device closed")

    # The life of the engine

    def _begin(self) -> None:
        self._starting = True
        self._node.worker.do(lambda: self._bring_up(RECOVER[0]), bounded=False)

    def _recover(self) -> None:
        how = self._node.parameters.recover
        self._bring_up(how)
        if how != RECOVER[0]:
            self._node.log.warning(
                f"recover is {how}: call wmx/engine/set_device and wmx/engine/set_comm to go on"
            )

    def _bring_up(self, how: str) -> None:
        """Attach, and start the communication if `how` says so; services answer from then on."""
        try:
            # An engine that is taken for dead may live, and closing the last device of one that
            # lives ends its communication: whatever moves is stopped before.
            with suppress(WmxError):
                self._node.gate.stop(range(self._node.gate.status().axes), recorded=False)
            self._close_device()
            if how != RECOVER[2] and not self._node.deactivating.is_set():
                self._try_to_start(communicate=how == RECOVER[0])
        finally:
            self._starting = False

    def _try_to_start(self, *, communicate: bool) -> None:
        """A few attempts, unless the node is to be inactive."""
        log, parameters = self._node.log, self._node.parameters
        path = self._node.common.device_path
        log.info("Starting engine...")
        reason = ""
        for attempt in range(1, parameters.retry_count + 1):
            if attempt > 1 and self._node.deactivating.wait(parameters.retry_delay):
                return
            try:
                if self._attached == NOWHERE:
                    self._create_device(path, self._device_name)
                    log.info(f"Device created (attempt {attempt}): {path}")
                if communicate:
                    self._start_communication()
                    log.info("Communication started")
                return
            except WmxError as error:
                if isinstance(error, EngineLost):
                    self._close_device()
                reason = str(error)
                log.warning(
                    f"Attempt {attempt}/{parameters.retry_count} to start the engine: {reason}"
                )
        log.error(
            f"Failed to start the engine after {parameters.retry_count} attempts: {reason}; "
            "call wmx/engine/set_device and wmx/engine/set_comm to try again"
        )

    def _watch(self) -> None:
        """Notice that the engine is gone, or that another device changed the communication."""
        self._warn_of_others()
        if (
            self._starting
            or self._node.deactivating.is_set()
            or not self._life.acquire(blocking=False)
        ):
            return
        try:
            state = self._driver.engine.state()
            if state is not EngineState.IDLE:
                self._check_licence(self._node.gate.status())
            communicating = state is EngineState.COMMUNICATING
            if communicating is not bool(self._ready):
                self._node.log.warning(
                    "Communication was started by another device"
                    if communicating
                    else f"Communication was stopped by {self._source_of_stop()}; "
                    "call wmx/engine/set_comm {data: true} to start it again"
                )
                if communicating:
                    self._restore_stops()
                self._set_ready(communicating)
        except EngineLost as error:
            self.lose_engine(error)
        except WmxError as error:
            self._node.log.error(f"Engine state: {error}", throttle_duration_sec=1.0)
        finally:
            self._life.release()

    def _warn_of_others(self) -> None:
        """Warn of another engine node in this domain, whose system would share all names."""
        others = len(self._node.publishers("wmx/engine/ready")) - 1
        if others > self._others:
            self._node.log.warning(
                "Another engine node runs in this ROS domain and namespace: its topics and "
                "services have the same names. Give one system another namespace or ROS_DOMAIN_ID"
            )
        self._others = others

    def _check_licence(self, status: MotionStatus) -> None:
        """Log that the licence is missing, once, and again when the engine soon stops because."""
        unlicensed, self._unlicensed = self._unlicensed, status.invalid_licence
        if not status.invalid_licence:
            return
        left = status.licence_left
        due = next((when for when in LICENCE_WARNINGS if left <= when), inf)
        if not unlicensed or due < self._licence_warned:
            end = "does not start communication, or ends it"
            if status.communicating and left < inf:
                end = f"ends communication by itself in {left / 60.0:.0f} min"
            self._node.log.error(f"{NO_LICENCE}: it {end}")
        self._licence_warned = due

    def _source_of_stop(self) -> str:
        return f"the engine ({NO_LICENCE})" if self._unlicensed else "another device"

    def _ensure_device(self, path: str, name: str) -> str:
        """Create the device unless it is there, and say which of both."""
        with self._life:
            attached_path, attached_name = self._attached
            self._driver.engine.state()  # which says whether it lives
            if path == attached_path:
                return f"Device was created already with name: {attached_name}"
            self._create_device(path, name)
            return f"Created device with name: {name}"

    def _create_device(self, path: str, name: str) -> None:
        with self._life:
            open_device(self._node, path, name)
            self._attached = path, name
            if leader := self._leader():
                self._node.log.warning(
                    f"The engine of {path} is led by {leader}: what is done to it here is done to "
                    "that system. Another machine needs another device_path"
                )

    def _start_communication(self) -> None:
        with self._life:
            self._driver.engine.start_communication()
            self._load_parameters()
            self._restore_stops()
            self._set_ready(True)

    def _restore_stops(self) -> None:
        """Have what keeps axes from moving in force before any may move."""
        self._emergency_stops.restore()
        self._stop_inputs.restore()

    def _load_parameters(self) -> None:
        """Put the parameter file in force: axes with other units must not become ready."""
        path = self._node.parameters.parameter_file
        if not path:
            return
        try:
            self._node.gate.load_parameters(path)
        except WmxError:
            self._driver.engine.stop_communication()
            raise
        self._node.log.info(f"Loaded WMX parameters from {path}")

    def _stop_communication(self) -> None:
        with self._life:
            # First, so that no client commands the axes that are being stopped.
            self._set_ready(False)
            if self._driver.engine.state() is EngineState.COMMUNICATING:
                bring_to_rest(self._node, None)
                if self._node.gate.status().busy.size:
                    self._stop_harder()
                self._driver.engine.stop_communication()
                if not self._emergency_stops.active:  # what stopped harder is over
                    self._driver.motion.release_emergency_stop()

    def _stop_harder(self) -> None:
        """Stop what still moves with all that the engine has, before its network ends."""
        gate, latency = self._node.gate, self._driver.status_latency

        def quick(axes: Sequence[int]) -> None:
            gate.stop(axes, quick=True)

        def emergency(_: Sequence[int]) -> None:
            self._driver.motion.emergency_stop(EmergencyStop.LEVEL1)

        for stop in (quick, emergency):
            left = stop_and_wait(gate.status, stop, None, latency, HARDER_STOP_TIMEOUT)
            if left is None:
                return
            self._node.log.error(f"Axes {left.busy} still move after a harder stop")

    def _set_ready(self, ready: bool) -> None:
        file = self._node.ownership.file
        if file is not None and not file.leader():
            file.engine_ready = ready
        self._ready.set(ready)

    def _close_device(self) -> None:
        """Give the device up, whatever the engine says."""
        self._attached = NOWHERE
        close_device(self._node)

    def _leader(self) -> str:
        """The engine node that was on the engine before this one, if there is one."""
        file = self._node.ownership.file
        if file is None or file.lead():
            return ""
        return file.leader() or "an engine node that is just leaving it"

    def _take_down(self) -> None:
        """Close the device; the axes and the communication are stopped unless another node leads.

        They belong to its system.
        """
        with self._life:
            try:
                if not self._leader():
                    self._stop_communication()
                self._ready.set(False)
            except WmxError as error:
                self._node.log.error(f"Taking the engine down: {error}")
            finally:
                self._attached = NOWHERE
                try:
                    self._driver.engine.close_device()
                finally:
                    self._node.ownership.close()


KIND = NodeKind(
    Engine,
    EngineParameters,
    not_ready="Engine startup in progress",
    role=EngineRole.OWNER,
)
