"""`wmx_engine_node`: brings the engine up and takes it down, and serves what concerns all of it."""

import os
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetEngine

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.options import MACHINE_FILES
from wmx_core.parameters.parameter_set import read_parameters
from wmx_core.values import MotionStatus

from ...control.stopping import with_every_axis
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...node_base.kind import NodeKind
from ...node_base.namesakes import warn_of_namesakes
from ...node_base.parameters import parameter
from ...node_base.refusals import NotReady
from ...node_base.threads import Ended
from ...node_base.traits import EngineRole
from .emergency_stop import EmergencyStops
from .licence import NO_LICENCE, LicenceWarnings
from .life import EngineLife
from .simulation import Simulation
from .speed import SpeedServices
from .stop_inputs import StopInputServices
from .unowned_motions import UnownedMotionEnds

WATCH_RATE = 10.0
"""How often the engine is watched, Hz: so soon clients learn that it is dead."""
TEND_RATE = 1.0
"""How often the document of settings is looked after, Hz."""
NAMESAKE_PERIOD = 1.0
"""How often other engine nodes are looked for, s."""
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


class EngineNode:
    """Owns the engine: device, communication, emergency stop and simulation."""

    def __init__(self, node: NodeContext[EngineParameters]) -> None:
        self._node = node
        self._driver = node.driver
        self._device_name = node.parameters.device_name or node.name
        self.starting = True
        self._losing = Lock()
        self._require_files()
        self._licence = LicenceWarnings(node)
        node.readiness = self
        node.on_activate.append(self._begin)
        warn_of_namesakes(node, "engine node", "wmx/engine/ready", NAMESAKE_PERIOD)
        node.supervisor.add_sink(self._watch, WATCH_RATE, name="engine state", offline=True)
        node.supervisor.add_sink(self._tend, TEND_RATE, name="settings")
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
            failed=self._no_communication,
            run=AnswerMode.ASIDE,
        )
        node.create_service(Trigger, "wmx/engine/get_status", self.get_status, quiet=True)
        # The same by the names of the newest C++ packages
        node.create_service(
            SetBool,
            "wmx/engine/set_communication",
            self.set_communication,
            failed=self._no_communication,
            run=AnswerMode.ASIDE,
        )
        node.create_service(Trigger, "wmx/engine/get_engine_status", self.get_status, quiet=True)
        node.create_service(
            SetBool,
            "wmx/engine/set_engine",
            self.set_engine,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} engine.",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            Trigger,
            "wmx/engine/scan_network",
            self.scan_network,
            failed=lambda _: "Failed to scan network.",
            run=AnswerMode.ASIDE,
        )
        self._emergency_stops = EmergencyStops(node)
        self.life = EngineLife(node, self._emergency_stops)
        StopInputServices(node)
        SpeedServices(node, self._emergency_stops)
        UnownedMotionEnds(node)
        if self._driver.faults is not None:
            Simulation(node, self._driver.faults)
        kind = "SIMULATED engine, no hardware moves" if self._driver.simulated else "REAL hardware"
        made_of = f", by {self._driver.made_of}" if self._driver.made_of else ""
        node.log.warning(f"driver {self._driver.name!r}: {kind}{made_of}")

    def _require_files(self) -> None:
        """Raise what is wrong with the files: no attempt to start the engine would cure that."""
        if self._driver.require_files is not None:
            self._driver.require_files(self._node.common.device_path)
        if path := self._node.parameters.parameter_file:
            read_parameters(path)

    # Services

    def set_device(self, request: SetEngine.Request, _: SetEngine.Response) -> str:
        """Create the device, or close it; the communication is not started."""
        if request.data:
            self._require_own(request.path)
            return self.life.ensure_device(request.name or self._device_name)
        self.life.take_down()
        return "Device closed"

    def set_engine(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Create the device of this system and start the communication, or close the device."""
        if not request.data:
            self.life.take_down()
            return "Engine stopped"
        self.life.ensure_device(self._device_name)
        self.life.start_communication()
        return "Communication started"

    def set_communication(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Start or stop the communication; axes that move are stopped before."""
        if request.data:
            self.life.start_communication()
            return "Communication started"
        self.life.stop_communication()
        return "Communication stopped"

    @staticmethod
    def _no_communication(request: SetBool.Request) -> str:
        return f"Failed to {'start' if request.data else 'stop'} communication."

    def get_status(self, _request: Trigger.Request, _: Trigger.Response) -> str:
        """The engine's state by name."""
        return self._driver.engine.state().name.title()

    def scan_network(self, _request: Trigger.Request, _: Trigger.Response) -> str:
        """Scan the first network."""
        self._driver.ecat.scan_network(0)
        return "Scan network operation done!"

    def _require_own(self, path: str) -> None:
        """Refuse a `path` that clients name, unless it is that of this system's engine.

        Else the other nodes would be on another engine. Where the engine is simulated, the folder
        in which the vendor's SDK would stand names it, too.
        """
        own = self._node.common.device_path
        folder = os.path.isabs(path) and not path.lower().endswith(MACHINE_FILES)
        if (
            not path
            or (self._driver.simulated and folder)
            or os.path.realpath(path) == os.path.realpath(own)
        ):
            return
        detail = f"path is {path[:200]!r}: must be {own!r}, the device_path of this system"
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)

    # Readiness

    def require_engine(self) -> None:
        """NotReady while the node is not active, or brings up an engine that is not ready yet."""
        if not self._node.active:
            raise NotReady(f"Engine not initialized. {self._node.name} is not active.")
        if self.starting and not self.life.ready:
            raise NotReady(self._node.kind.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        """Bring the engine up again, as far as that is to be; any thread may call."""
        with self._losing:  # several threads may meet it at once
            closed = not self.life.device  # by a client: calls that were under way end so
            if not self._node.active or self.starting or closed:
                return
            self.starting = True
        self.life.set_ready(False)
        self._node.log.error(f"Engine lost: {error.detail}")
        with suppress(Ended):  # the node is closed
            self._node.worker.do(self._recover, bounded=False)

    def end(self) -> None:
        """Take the engine down."""
        had_device = self.life.device
        self.life.take_down(end_system=True)
        if had_device:
            self._node.log.info("Device closed")

    # Bringing the engine up, and watching it

    def _begin(self) -> None:
        self.starting = True
        self._node.worker.do(lambda: self._bring_up(RECOVER[0]), bounded=False)

    def _recover(self) -> None:
        how = self._node.parameters.recover
        self._bring_up(how)
        if how != RECOVER[0]:
            self._node.log.warning(
                f"recover is {how}: call wmx/engine/set_device and wmx/engine/set_comm to go on"
            )

    def _bring_up(self, how: str) -> None:
        """Attach, and start the communication where `how` asks for it; services answer then."""
        try:
            # An engine that is taken for dead may live, and closing the last device of one that
            # lives ends its communication: whatever moves is stopped before.
            with suppress(WmxError):
                self._stop_all()
            self.life.close_device()
            if how != RECOVER[2] and not self._node.deactivating.is_set():
                self.try_to_start(communicate=how == RECOVER[0])
        finally:
            self.starting = False

    def _stop_all(self) -> None:
        """Stop every axis once, also where no status shows how many there are."""
        gate = self._node.gate
        try:
            gate.end_motion(range(gate.status().axes))
        except WmxError:
            with_every_axis(lambda axis: gate.end_motion([axis]))

    def try_to_start(self, *, communicate: bool) -> None:
        """A few attempts, unless the node is to be inactive."""
        log, parameters = self._node.log, self._node.parameters
        log.info("Starting engine...")
        reason = ""
        for attempt in range(1, parameters.retry_count + 1):
            if attempt > 1 and self._node.deactivating.wait(parameters.retry_delay):
                return
            try:
                if not self.life.device:
                    self.life.create_device(self._device_name)
                    simulated = ", of a simulated engine" if self._node.driver.simulated else ""
                    path = self._node.common.device_path
                    log.info(f"Device created (attempt {attempt}): {path}{simulated}")
                if communicate:
                    self.life.start_communication()
                    log.info("Communication started")
                return
            except NotReady:  # the node is to be inactive
                return
            except WmxError as error:
                if isinstance(error, EngineLost):
                    self.life.close_device()
                reason = str(error)
                log.warning(
                    f"Attempt {attempt}/{parameters.retry_count} to start the engine: {reason}"
                )
        log.error(
            f"Failed to start the engine after {parameters.retry_count} attempts: {reason}; "
            "call wmx/engine/set_device and wmx/engine/set_comm to try again"
        )

    def _tend(self, status: MotionStatus) -> None:
        """Look after what clients have set; in the supervisor."""
        if self.life.ready and not self.starting:
            self.life.settings.tend(status)

    def _watch(self, status: MotionStatus) -> None:
        """Notice that another device changed the communication; in the supervisor."""
        if (
            self.starting
            or self._node.deactivating.is_set()
            or not self.life.changing.acquire(blocking=False)
        ):
            return
        try:
            self._licence.check(status)
            if self.life.ready:
                self._emergency_stops.follow(status)
            communicating = status.communicating
            self.life.unfit = self.life.unfit and communicating
            if communicating is not bool(self.life.ready) and not self.life.unfit:
                source = f"the engine ({NO_LICENCE})" if self._licence.missing else "another device"
                self._node.log.warning(
                    "Communication was started by another device"
                    if communicating
                    else f"Communication was stopped by {source}; "
                    "call wmx/engine/set_comm {data: true} to start it again"
                )
                if communicating:
                    self.life.restore_stops()
                    self.life.restore_settings(new=True)
                    self.starting = True
                    with suppress(Ended):  # the node is closed
                        self._node.worker.do(self._make_ready, bounded=False)
                else:
                    self.life.forget_ended()
                    self.life.set_ready(False)
        finally:
            self.life.changing.release()

    def _make_ready(self) -> None:
        """Have axes ready, which communicate for another device, once their file is in force."""
        lost: EngineLost | None = None
        try:
            self.life.make_ready()
        except EngineLost as error:
            lost = error
        except WmxError as refused:
            self.life.unfit = True
            self._node.log.error(
                f"Axes do not become ready: {refused}; call wmx/engine/set_comm {{data: true}}"
            )
        finally:
            self.starting = False
        if lost is not None:
            self.lose_engine(lost)


KIND = NodeKind(
    EngineNode,
    EngineParameters,
    not_ready="Engine startup in progress",
    role=EngineRole.OWNER,
)
