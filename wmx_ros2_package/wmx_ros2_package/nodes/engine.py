"""The engine: brought up at start, watched, and taken down at the end."""

import threading
from typing import Any

from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetEngine

from ..drivers.errors import EngineLost, WmxError
from ..drivers.values import EngineState
from ..features.simulation import Simulation
from ..node.base import NotReady, WmxNode
from ..node.ready import Ready
from ..node.runner import run

WATCH_PERIOD = 0.2
"""How often the engine is looked after, s; clients learn of a dead engine within this time."""


class EngineNode(WmxNode):
    """`wmx_engine_node`."""

    not_ready = "Engine startup in progress"

    def __init__(self, **options: Any) -> None:
        super().__init__("wmx_engine_node", **options)
        self._device_name = self.setting("device_name", self.get_name(), "name of the device")
        self._retry_count = self.setting(
            "retry_count", 5, "attempts to bring the engine up", (1, 1_000_000)
        )
        self._retry_delay = self.setting(
            "retry_delay", 2.0, "time between two attempts, s", (0.0, 3600.0)
        )
        self._starting = True
        self._closing = threading.Event()
        self._life = threading.RLock()
        """One change of the engine's life at a time; the watch stands back meanwhile."""
        self._ready = Ready(self, "wmx/engine/ready")
        self.serve(
            SetEngine,
            "wmx/engine/set_device",
            self.set_device,
            failed=lambda r: f"Failed to {'create' if r.data else 'close'} device.",
        )
        self.serve(
            SetBool,
            "wmx/engine/set_comm",
            self.set_communication,
            failed=lambda r: f"Failed to {'start' if r.data else 'stop'} communication.",
        )
        self.serve(Trigger, "wmx/engine/get_status", self.get_status, quiet=True)
        self.serve(
            Trigger,
            "wmx/engine/scan_network",
            self.scan_network,
            failed=lambda _: "Failed to scan network.",
        )
        if self.driver.faults is not None:
            Simulation(self, self.driver.faults)
        kind = "SIMULATED engine, no hardware moves" if self.driver.simulated else "REAL hardware"
        self.get_logger().warning(f"driver {self.driver.name!r}: {kind}")

    # Services

    async def set_device(self, request: SetEngine.Request, response: SetEngine.Response) -> None:
        """Create the device at a path, or close it; the communication is not started."""
        if request.data:
            path, name = request.path or self.device_path, request.name or self._device_name
            await self.run_in_thread(lambda: self._create_device(path, name))
            response.message = f"Created device with name: {name}"
        else:
            await self.run_in_thread(self._take_down)
            response.message = "Device closed"
        response.success = True

    async def set_communication(self, request: SetBool.Request, response: SetBool.Response) -> None:
        """Start or stop the communication; axes that move are stopped before."""
        if request.data:
            await self.run_in_thread(self._start_communication)
            response.message = "Communication started"
        else:
            await self.run_in_thread(self._stop_communication)
            response.message = "Communication stopped"
        response.success = True

    def get_status(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """The engine's state by name."""
        response.success, response.message = True, self.driver.engine.state().name.title()

    async def scan_network(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """Scan the first network."""
        await self.run_in_thread(lambda: self.driver.ecat.scan_network(0))
        response.success, response.message = True, "Scan network operation done!"

    # The life of the engine

    def open(self) -> None:
        self.run_serially(self._bring_up)
        self.every(WATCH_PERIOD, self._watch)

    def close(self) -> None:
        self._closing.set()
        super().close()
        try:
            self._take_down()
        except WmxError as error:
            self.get_logger().error(f"Closing the device: {error}")
        self.get_logger().info("Device closed")

    def require_ready(self) -> None:
        if self._starting:
            raise NotReady(self.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        if not self._starting:
            self._starting = True
            self._ready.set(False)
            self.get_logger().error(f"Engine lost: {error.detail}")
            self.run_serially(self._bring_up)

    def _bring_up(self) -> None:
        """Attach and start the communication; however that ends, services answer then."""
        try:
            self._try_to_start()
        finally:
            self._starting = False

    def _try_to_start(self) -> None:
        """A few attempts, unless the node closes."""
        log = self.get_logger()
        log.info("Starting engine...")
        reason = ""
        for attempt in range(1, self._retry_count + 1):
            if attempt > 1 and self._closing.wait(self._retry_delay):
                return
            try:
                self.close_device()
                self._create_device(self.device_path, self._device_name)
                log.info(f"Device created (attempt {attempt}): {self.device_path}")
                self._start_communication()
                log.info("Communication started")
                return
            except WmxError as error:
                reason = str(error)
                log.warning(f"Attempt {attempt}/{self._retry_count} to start the engine: {reason}")
        log.error(
            f"Failed to start the engine after {self._retry_count} attempts: {reason}; "
            "call wmx/engine/set_device and wmx/engine/set_comm to try again"
        )

    def _watch(self) -> None:
        """Notice that the engine is gone, or that someone else changed the communication."""
        if self._starting or self._closing.is_set() or not self._life.acquire(blocking=False):
            return
        try:
            communicating = self.driver.engine.state() is EngineState.COMMUNICATING
            if communicating is not bool(self._ready):
                self.get_logger().warning(
                    "Communication was started by another device"
                    if communicating
                    else "Communication was stopped by another device; "
                    "call wmx/engine/set_comm {data: true} to start it again"
                )
                self._ready.set(communicating)
        except EngineLost as error:
            self.lose_engine(error)
        except WmxError as error:
            self.get_logger().error(f"Engine state: {error}", throttle_duration_sec=1.0)
        finally:
            self._life.release()

    def _create_device(self, path: str, name: str) -> None:
        with self._life:
            self.driver.engine.create_device(path, name)

    def _start_communication(self) -> None:
        with self._life:
            self.driver.engine.start_communication()
            self._ready.set(True)

    def _stop_communication(self) -> None:
        with self._life:
            # First, so that nobody commands the axes that are being stopped.
            self._ready.set(False)
            if self.driver.engine.state() is EngineState.COMMUNICATING:
                self.bring_to_rest()
                self.driver.engine.stop_communication()

    def _take_down(self) -> None:
        """Stop the axes and the communication, and close the device."""
        with self._life:
            try:
                self._stop_communication()
            except WmxError as error:
                self.get_logger().error(f"Taking the engine down: {error}")
            finally:
                self.driver.engine.close_device()


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(lambda: [EngineNode()])
