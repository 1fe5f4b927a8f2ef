"""The engine: brought up at start, watched, and taken down at the end."""

import threading
from contextlib import suppress
from dataclasses import dataclass

from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetEngine

from ..drivers.errors import EngineLost, WmxError
from ..drivers.values import EngineState, MotionStatus
from ..features.emergency_stop import EmergencyStopVerbs
from ..features.orphaned_motions import OrphanedMotions
from ..features.simulation import Simulation
from ..node.context import NodeContext
from ..node.kind import EngineRole, NodeKind
from ..node.parameters import parameter
from ..node.ready import Ready
from ..node.refusals import NotReady
from ..node.runner import run

NOWHERE = "", ""
NO_LICENCE = "the engine has no valid licence"
WATCH_PERIOD = 0.1
"""How often the engine is looked after, s; clients learn of a dead engine within this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParameters:
    """Of `wmx_engine_node`."""

    device_name: str = parameter("", "name of the device, empty for the node's name")
    retry_count: int = parameter(5, "attempts to bring the engine up", (1, 1_000_000))
    retry_delay: float = parameter(2.0, "time between two attempts, s", (0.0, 3600.0))
    estop_level: int = parameter(
        1,
        "emergency stop: 0 servos off at once, 1 slow down with the emergency deceleration",
        (0, 1),
        changeable=True,
    )
    publish_clock: bool = parameter(False, "publish the simulated engine's time on /clock")


class Engine:
    """`wmx_engine_node`."""

    def __init__(self, node: NodeContext[EngineParameters]) -> None:
        self._node = node
        self._driver = node.driver
        self._device_name = node.parameters.device_name or node.name
        self._attached = NOWHERE
        """The path and the name of the device, which the engine may hold while it is idle, too."""
        self._starting = True
        self._unlicensed = False
        self._axes = 0
        """How many the engine had when it was looked at last."""
        self._life = threading.RLock()
        """One change of the engine's life at a time; the watch stands back meanwhile."""
        self._ready = Ready(node, "wmx/engine/ready")
        node.readiness = self
        node.on_activate(self._begin)
        node.every(WATCH_PERIOD, self._watch)
        node.serve(
            SetEngine,
            "wmx/engine/set_device",
            self.set_device,
            failed=lambda r: f"Failed to {'create' if r.data else 'close'} device.",
        )
        node.serve(
            SetBool,
            "wmx/engine/set_comm",
            self.set_communication,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} communication.",
        )
        node.serve(Trigger, "wmx/engine/get_status", self.get_status, quiet=True)
        node.serve(
            Trigger,
            "wmx/engine/scan_network",
            self.scan_network,
            failed=lambda _: "Failed to scan network.",
        )
        EmergencyStopVerbs(node)
        OrphanedMotions(node)
        if self._driver.faults is not None:
            publish_clock = node.parameters.publish_clock
            Simulation(node, self._driver.faults, publish_clock=publish_clock)
        kind = "SIMULATED engine, no hardware moves" if self._driver.simulated else "REAL hardware"
        node.log.warning(f"driver {self._driver.name!r}: {kind}")

    # Services

    async def set_device(self, request: SetEngine.Request, response: SetEngine.Response) -> None:
        """Create the device at a path, or close it; the communication is not started."""
        if request.data:
            path = request.path or self._node.common.device_path
            name = request.name or self._device_name
            response.message = await self._node.run_in_thread(lambda: self._have_device(path, name))
        else:
            await self._node.run_in_thread(self._take_down)
            response.message = "Device closed"
        response.success = True

    async def set_communication(self, request: SetBool.Request, response: SetBool.Response) -> None:
        """Start or stop the communication; axes that move are stopped before."""
        if request.data:
            await self._node.run_in_thread(self._start_communication)
            response.message = "Communication started"
        else:
            await self._node.run_in_thread(self._stop_communication)
            response.message = "Communication stopped"
        response.success = True

    def get_status(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """The engine's state by name."""
        response.success, response.message = True, self._driver.engine.state().name.title()

    async def scan_network(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """Scan the first network."""
        await self._node.run_in_thread(lambda: self._driver.ecat.scan_network(0))
        response.success, response.message = True, "Scan network operation done!"

    # Readiness

    def require_ready(self) -> None:
        """NotReady while the node is not active, or brings the engine up."""
        if not self._node.active:
            raise NotReady(f"Engine not initialized. {self._node.name} is not active.")
        if self._starting:
            raise NotReady(self._node.kind.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        """Bring the engine up again; may be called from any thread."""
        if self._node.active and not self._starting:
            self._starting = True
            self._ready.set(False)
            self._node.log.error(f"Engine lost: {error.detail}")
            self._node.run_serially(self._bring_up)

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
        self._node.run_serially(self._bring_up)

    def _bring_up(self) -> None:
        """Attach and start the communication; however that ends, services answer then."""
        try:
            if not self._node.stopping.is_set():
                self._try_to_start()
        finally:
            self._starting = False

    def _try_to_start(self) -> None:
        """A few attempts, unless the node is to be inactive."""
        log, parameters = self._node.log, self._node.parameters
        path = self._node.common.device_path
        log.info("Starting engine...")
        # An engine that is taken for dead may live, and closing the last device of one that lives
        # ends its communication: whatever moves is told to stop before.
        with suppress(WmxError):
            self._driver.motion.stop(range(self._axes))
        self._let_go()
        reason = ""
        for attempt in range(1, parameters.retry_count + 1):
            if attempt > 1 and self._node.stopping.wait(parameters.retry_delay):
                return
            try:
                if self._attached == NOWHERE:
                    self._create_device(path, self._device_name)
                    log.info(f"Device created (attempt {attempt}): {path}")
                self._start_communication()
                log.info("Communication started")
                return
            except WmxError as error:
                if isinstance(error, EngineLost):
                    self._let_go()
                reason = str(error)
                log.warning(
                    f"Attempt {attempt}/{parameters.retry_count} to start the engine: {reason}"
                )
        log.error(
            f"Failed to start the engine after {parameters.retry_count} attempts: {reason}; "
            "call wmx/engine/set_device and wmx/engine/set_comm to try again"
        )

    def _watch(self) -> None:
        """Notice that the engine is gone, or that someone else changed the communication."""
        if self._starting or self._node.stopping.is_set() or not self._life.acquire(blocking=False):
            return
        try:
            state = self._driver.engine.state()
            if state is not EngineState.IDLE:
                self._see(self._driver.motion.status())
            communicating = state is EngineState.COMMUNICATING
            if communicating is not bool(self._ready):
                self._node.log.warning(
                    "Communication was started by another device"
                    if communicating
                    else f"Communication was stopped by {self._who_stops()}; "
                    "call wmx/engine/set_comm {data: true} to start it again"
                )
                self._ready.set(communicating)
        except EngineLost as error:
            self.lose_engine(error)
        except WmxError as error:
            self._node.log.error(f"Engine state: {error}", throttle_duration_sec=1.0)
        finally:
            self._life.release()

    def _see(self, status: MotionStatus) -> None:
        """Say that the licence is missing, once, whether the engine communicates or not."""
        if status.invalid_licence and not self._unlicensed:
            self._node.log.error(f"{NO_LICENCE}: it does not start communication, or ends it")
        self._unlicensed, self._axes = status.invalid_licence, status.axes

    def _who_stops(self) -> str:
        return f"the engine ({NO_LICENCE})" if self._unlicensed else "another device"

    def _have_device(self, path: str, name: str) -> str:
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
            self._node.create_device(path, name)
            self._attached = path, name
            if leader := self._leader():
                self._node.log.warning(
                    f"The engine of {path} is led by {leader}: what is done to it here is done to "
                    "that system. Another machine needs another device_path"
                )

    def _start_communication(self) -> None:
        with self._life:
            self._driver.engine.start_communication()
            self._ready.set(True)

    def _stop_communication(self) -> None:
        with self._life:
            # First, so that nobody commands the axes that are being stopped.
            self._ready.set(False)
            if self._driver.engine.state() is EngineState.COMMUNICATING:
                self._node.bring_to_rest(every_axis=True)
                self._driver.engine.stop_communication()

    def _let_go(self) -> None:
        """Give the device up, whatever the engine says."""
        self._attached = NOWHERE
        self._node.close_device()

    def _leader(self) -> str | None:
        """The engine node that was on the engine before this one, if there is one."""
        owners = self._driver.owners
        return owners.lead() if owners is not None else None

    def _take_down(self) -> None:
        """Close the device; the axes and the communication are stopped unless somebody else leads.

        It is their leader's system that they belong to.
        """
        with self._life:
            try:
                if self._leader() is None:
                    self._stop_communication()
                self._ready.set(False)
            except WmxError as error:
                self._node.log.error(f"Taking the engine down: {error}")
            finally:
                self._attached = NOWHERE
                self._driver.engine.close_device()


ENGINE = NodeKind(
    "wmx_engine_node",
    Engine,
    EngineParameters,
    not_ready="Engine startup in progress",
    role=EngineRole.OWNER,
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(ENGINE)
