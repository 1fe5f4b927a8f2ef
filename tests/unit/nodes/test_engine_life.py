"""How the engine node starts and stops the communication, and what keeps axes from moving then."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, Motion, velocity_move
from held_node import HeldNode, close_all
from std_srvs.srv import SetBool
from waits import WAIT_TIMEOUT

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import EmergencyStop, EngineState, MotionStatus
from wmx_ros2_package.nodes.engine import node as engine_node
from wmx_ros2_package.nodes.engine.node import EngineParameters
from wmx_sim.engine.proxies import EngineProxy

LEVEL1 = EmergencyStop.LEVEL1


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

    def stop(self, axes: Sequence[int]) -> None:
        self._note("stop")
        super().stop(axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        self._note("quick stop")
        super().quick_stop(axes)

    def emergency_stop(self, level: EmergencyStop) -> None:
        self._note(f"emergency stop {level.name}")
        super().emergency_stop(level)

    def release_emergency_stop(self) -> None:
        self._note("release")
        super().release_emergency_stop()

    def load_parameters(self, path: str) -> None:
        self.while_loading()
        self._note("load")
        super().load_parameters(path)

    def _note(self, name: str) -> None:
        if name in self.refused:
            raise CommandRefused(ErrorCode.ParamOutOfRange, "for the test")
        if self.taken[-1:] != [name]:
            self.taken.append(name)


class EngineNode(HeldNode):
    """`wmx_engine_node`, whose callbacks the test calls."""

    def __init__(self, held: HeldEngine, motion: WatchedMotion, parameter_file: Path) -> None:
        held.engine = Device(held.fake.call)
        self._timers: list[Callable[[], object]] = []
        self._services: dict[str, Callable[..., str]] = {}
        parameters = EngineParameters(parameter_file=str(parameter_file))
        super().__init__(held, "/engine", parameters=parameters, motion=motion)
        self.active = True
        self.readiness: Any = None
        self.common = SimpleNamespace(device_path="", device_watchdog=0)
        self.deactivating = SimpleNamespace(wait=self._wait, is_set=lambda: False)
        self.publishers = lambda _: ["/engine"]
        engine_node.EngineNode(self)  # type: ignore[arg-type]
        for hook in self.on_activate:
            hook()

    def create_service(self, _kind: Any, name: str, act: Callable[..., str], **_: Any) -> None:
        self._services[name] = act

    def create_timer(self, _period: float, act: Callable[[], object]) -> None:
        self._timers.append(act)

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

    def ask(self, service: str, *, data: bool) -> None:
        """Call wmx/engine/`service`."""
        self._services[f"wmx/engine/{service}"](SetBool.Request(data=data), SetBool.Response())

    def latest(self, topic: str) -> bool:
        return bool(self.published[topic][-1].data)


@pytest.fixture
def motion(held: HeldEngine) -> WatchedMotion:
    return WatchedMotion(held)


@pytest.fixture
def node(
    held: HeldEngine, motion: WatchedMotion, private: Path, tmp_path: Path
) -> Iterator[EngineNode]:
    """An engine node that is ready, with a parameter file."""
    file = tmp_path / "parameters.xml"
    file.write_text(held.motion.parameters().to_xml())
    node = EngineNode(held, motion, file)
    yield node
    close_all([node])


def forget(held: HeldEngine) -> None:
    """The engine ends: another one neither communicates nor has an emergency stop."""
    held.engine.stop_communication()
    held.motion.release_emergency_stop()


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_is_in_force_while_parameters_are_loaded(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, level: EmergencyStop
) -> None:
    node.parameters = replace(node.parameters, estop_level=int(level))
    node.ask("estop", data=True)
    forget(held)
    node.spin()
    seen: list[MotionStatus] = []

    def spin() -> None:
        node.spin()
        seen.append(held.status())

    motion.while_loading = spin
    node.ask("set_comm", data=True)
    node.spin()
    assert [status.emergency_stop for status in [*seen, held.status()]] == [level, level]
    assert seen[0].communicating
    assert node.latest("wmx/engine/estop_active")
    assert node.ownership.file is not None
    assert node.ownership.file.emergency_stop is level


def test_an_emergency_stop_is_restored_where_another_device_starts_communication(
    held: HeldEngine, node: EngineNode
) -> None:
    node.ask("estop", data=True)
    forget(held)
    node.spin()
    held.engine.start_communication()
    node.spin()
    assert node.latest("wmx/engine/ready")
    assert held.status().emergency_stop is LEVEL1
    assert node.latest("wmx/engine/estop_active")


def test_what_other_devices_do_to_the_emergency_stop_is_followed(
    held: HeldEngine, node: EngineNode
) -> None:
    for stopped in True, False:
        if stopped:
            held.motion.emergency_stop(LEVEL1)
        else:
            held.motion.release_emergency_stop()
        node.spin()
        assert node.latest("wmx/engine/estop_active") is stopped
        assert node.ownership.file is not None
        assert node.ownership.file.emergency_stop is (LEVEL1 if stopped else None)


def test_a_status_from_before_a_change_of_the_emergency_stop_does_not_undo_it(
    held: HeldEngine, node: EngineNode
) -> None:
    for stopped in True, False:
        before = held.status()
        node.ask("estop", data=stopped)
        node.supervisor.read(before)
        assert node.latest("wmx/engine/estop_active") is stopped
        assert node.ownership.file is not None
        assert node.ownership.file.emergency_stop is (LEVEL1 if stopped else None)
        held.after(1.0)


def test_a_status_from_before_an_emergency_stop_is_restored_does_not_undo_it(
    held: HeldEngine, node: EngineNode
) -> None:
    node.ask("estop", data=True)
    forget(held)
    node.spin()
    node.ask("set_comm", data=True)
    node.supervisor.read(replace(held.status(), emergency_stop=None))
    assert node.latest("wmx/engine/estop_active")
    assert node.ownership.file is not None
    assert node.ownership.file.emergency_stop is LEVEL1


def test_communication_that_cannot_have_what_keeps_axes_from_moving_ends(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    node.ask("estop", data=True)
    forget(held)
    node.spin()
    motion.refused = ("emergency stop LEVEL1",)
    with pytest.raises(CommandRefused):
        node.ask("set_comm", data=True)
    assert held.engine.state() is EngineState.RUNNING
    assert not node.latest("wmx/engine/ready")


def test_communication_of_another_system_goes_on_when_a_parameter_file_is_refused(
    held: HeldEngine, nodes: Callable[..., HeldNode], motion: WatchedMotion, tmp_path: Path
) -> None:
    first = nodes(held)
    assert first.ownership.file is not None
    assert first.ownership.file.lead()
    motion.while_loading = lambda: held.motion.jog([velocity_move()])
    second = EngineNode(held, motion, tmp_path / "no_such.xml")
    assert not second.latest("wmx/engine/ready")
    assert held.after(0.1).busy.tolist() == [0]
    close_all([second])


def test_communication_that_runs_is_not_started_again(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    held.motion.jog([velocity_move()])
    held.after(0.5)
    motion.taken.clear()
    node.ask("set_comm", data=True)
    assert motion.taken == []
    assert held.status().busy.tolist() == [0]


@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        (("stop",), "quick stop"),
        (("stop", "quick stop"), "emergency stop LEVEL1"),
    ],
)
def test_axes_that_no_stop_brings_to_rest_are_stopped_harder_before_communication_ends(
    held: HeldEngine,
    node: EngineNode,
    motion: WatchedMotion,
    monkeypatch: pytest.MonkeyPatch,
    refused: tuple[str, ...],
    taken: str,
) -> None:
    held.motion.jog([velocity_move()])
    held.after(0.5)
    motion.taken.clear()
    motion.refused = refused
    ended: list[MotionStatus] = []
    stop = held.engine.stop_communication

    def note_and_stop() -> None:
        ended.append(held.status())
        stop()

    monkeypatch.setattr(held.engine, "stop_communication", note_and_stop)
    node.ask("set_comm", data=False)
    node.spin()
    assert motion.taken == [taken, "release"]
    assert [status.busy.tolist() for status in ended] == [[]]
    assert ended[0].pos_cmd[0] > 0.0
    held.after(1.0)
    node.ask("set_comm", data=True)
    node.spin()
    assert held.status().emergency_stop is None
    assert not node.latest("wmx/engine/estop_active")
