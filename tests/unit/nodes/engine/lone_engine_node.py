"""An engine node by itself, on a simulated engine whose clock the test holds in its hand."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from axis_files import axis_file
from held_engine import HeldEngine, Motion
from held_node import HeldNode
from std_srvs.srv import SetBool
from waits import WAIT_TIMEOUT
from wmx_ros2_message.srv import SetEngine

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import EmergencyStop, MotionStatus
from wmx_ros2_package.nodes.engine import node as engine_node
from wmx_ros2_package.nodes.engine.life import EngineLife
from wmx_ros2_package.nodes.engine.node import EngineParameters
from wmx_sim.engine.proxies import EngineProxy
from wmx_sim.server.starting import require_files


class Device(EngineProxy):
    """An engine on which a device is created and closed, without more."""

    def create_device(self, _path: str, _name: str) -> None: ...

    def close_device(self) -> None: ...


class WatchedMotion(Motion):
    """Refuses what is in `refused`, and logs what has stopped axes."""

    def __init__(self, held: HeldEngine) -> None:
        super().__init__(held.fake)
        self.refused: tuple[str, ...] = ()
        self.taken: list[str] = []
        self.while_loading: Callable[[], None] = lambda: None
        self.statuses_refused = 0.0
        """How many of the next statuses are refused."""

    def status(self) -> MotionStatus:
        if self.statuses_refused > 0:
            self.statuses_refused -= 1
            raise CommandRefused(ErrorCode.WaitTimeout, "the engine lives")
        return super().status()

    def stop(self, axes: Sequence[int]) -> None:
        with self._noted("stop"):
            super().stop(axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        with self._noted("quick stop"):
            super().quick_stop(axes)

    def emergency_stop(self, level: EmergencyStop) -> None:
        with self._noted(f"emergency stop {level.name}"):
            super().emergency_stop(level)

    def release_emergency_stop(self) -> None:
        with self._noted("release"):
            super().release_emergency_stop()

    def load_parameters(self, path: str) -> None:
        self.while_loading()
        with self._noted("load"):
            super().load_parameters(path)

    @contextmanager
    def _noted(self, name: str) -> Iterator[None]:
        if name in self.refused:
            raise CommandRefused(ErrorCode.ParamOutOfRange, "for the test")
        yield
        if self.taken[-1:] != [name]:
            self.taken.append(name)


def full_worker(kept: list[Callable[[], None]]) -> SimpleNamespace:
    """A worker that takes no messages, and leaves its other work to the test, in `kept`."""
    return SimpleNamespace(do=lambda work, bounded=True: kept.extend([] if bounded else [work]))


class EngineNode(HeldNode):
    """`wmx_engine_node`, whose callbacks the test calls."""

    def __init__(
        self,
        held: HeldEngine,
        motion: WatchedMotion,
        parameter_file: Path,
        machine: Path | None = None,
    ) -> None:
        held.engine = Device(held.fake.call)
        self._timers: list[Callable[[], object]] = []
        self._services: dict[str, Callable[..., str]] = {}
        parameters = EngineParameters(parameter_file=str(parameter_file))
        super().__init__(held, "/engine", parameters=parameters, motion=motion)
        self.active = True
        self.readiness: Any = None
        self.common = SimpleNamespace(device_path=str(machine or ""), device_watchdog=0)
        self.driver = replace(self.driver, require_files=require_files)
        self.deactivating = SimpleNamespace(wait=self._wait, is_set=lambda: False)
        self.graph.publishers = lambda _: ["/engine"]
        behaviour = engine_node.EngineNode(self)  # type: ignore[arg-type]
        self.life: EngineLife = behaviour.life
        for hook in self.on_activate:
            hook()

    def create_service(
        self, _kind: Any, name: str, act: Callable[..., str], *, dated: bool = False, **_: Any
    ) -> None:
        sent = (self.now(),) if dated else ()
        self._services[name] = lambda *given: act(*given, *sent)

    def create_timer(self, _period: float, act: Callable[[], object]) -> None:
        self._timers.append(act)

    def lose_engine(self, error: EngineLost) -> None:
        self.readiness.lose_engine(error)

    def spin(self) -> None:
        """Call each timer and what gets a status once, in a thread of its own, as a node does."""
        failed: list[Exception] = []

        def run() -> None:
            try:
                for each in self._timers:
                    each()
                self.supervisor.read(self.held.status())
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join(WAIT_TIMEOUT)
        assert not thread.is_alive()
        assert not failed

    def ask(self, service: str, *, data: bool) -> str:
        """Call wmx/engine/`service`; return its answer."""
        kind: Any = SetEngine if service == "set_device" else SetBool
        return self._services[f"wmx/engine/{service}"](kind.Request(data=data), kind.Response())

    def ask_device_to_close(self) -> None:
        """Call wmx/engine/set_device."""
        self.ask("set_device", data=False)

    def latest(self, topic: str) -> bool:
        return bool(self.published[topic][-1].data)


def leave_ready(engine: HeldNode) -> None:
    """The engine node `engine` is killed, whose engine was ready."""
    file = axis_file(engine)
    assert file.lead()
    file.engine_ready = True
    file.close()


def renew_engine(held: HeldEngine, node: EngineNode) -> None:
    """The engine ends: another one does not communicate, and has parameters of its own."""
    held.engine.stop_communication()
    held.motion.release_emergency_stop()
    held.apply(quick_stop_dec=21.0)
    node.spin()


def watch_another_device_communicate(
    held: HeldEngine, node: EngineNode
) -> list[Callable[[], None]]:
    """Another device has the communication start anew; what the node queues for that."""
    queued: list[Callable[[], None]] = []
    node.worker = full_worker(queued)
    held.engine.stop_communication()
    node.spin()
    held.engine.start_communication()
    node.spin()
    return queued
