"""How the engine node starts and stops the communication, and what keeps axes from moving then."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, Motion, velocity_move
from held_node import HeldNode, close_all
from std_srvs.srv import SetBool
from waits import WAIT_TIMEOUT
from wmx_ros2_message.srv import SetEngine

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import EmergencyStop, EngineState, MotionStatus
from wmx_ros2_package.node_base.refusals import NotReady
from wmx_ros2_package.nodes.engine import node as engine_node
from wmx_ros2_package.nodes.engine.life import NOWHERE, EngineLife
from wmx_ros2_package.nodes.engine.node import EngineParameters
from wmx_sim.engine.proxies import EngineProxy
from wmx_sim.server.starting import require_files

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


@pytest.fixture
def motion(held: HeldEngine) -> WatchedMotion:
    return WatchedMotion(held)


@pytest.fixture
def make(
    held: HeldEngine, motion: WatchedMotion, private: Path, tmp_path: Path
) -> Iterator[Callable[..., EngineNode]]:
    """Makes engine nodes with a parameter file that changes these of axis 0."""
    made: list[EngineNode] = []

    def make(**changes: float) -> EngineNode:
        file = tmp_path / "parameters.xml"
        file.write_text(held.motion.parameters().with_axis(0, **changes).to_xml())
        made.append(EngineNode(held, motion, file))
        return made[-1]

    yield make
    close_all(made)


@pytest.fixture
def node(make: Callable[..., EngineNode]) -> EngineNode:
    """One that is ready, with a parameter file."""
    return make()


@pytest.fixture
def ended(node: EngineNode, monkeypatch: pytest.MonkeyPatch) -> list[MotionStatus]:
    """Each status in which the communication is ended."""
    held, seen = node.held, list[MotionStatus]()
    stop = held.engine.stop_communication

    def note_and_stop() -> None:
        seen.append(held.status())
        stop()

    monkeypatch.setattr(held.engine, "stop_communication", note_and_stop)
    return seen


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


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_is_in_force_while_parameters_are_loaded(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, level: EmergencyStop
) -> None:
    node.parameters = replace(node.parameters, estop_level=int(level))
    node.ask("estop", data=True)
    renew_engine(held, node)
    seen: list[MotionStatus] = []

    def spin() -> None:
        if not held.status().communicating:
            raise CommandRefused(ErrorCode.CommNotStarted, "as an engine may answer")
        node.spin()
        seen.append(held.status())

    motion.while_loading = spin
    node.ask("set_comm", data=True)
    node.spin()
    assert [status.emergency_stop for status in [*seen, held.status()]] == [level, level]
    assert seen[0].communicating
    assert node.latest("wmx/engine/estop_active")
    assert axis_file(node).emergency_stop is level


def test_parameters_are_in_force_before_communication(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    renew_engine(held, node)
    communicating: list[bool] = []
    motion.while_loading = lambda: communicating.append(held.status().communicating)
    node.ask("set_comm", data=True)
    assert communicating == [False]
    assert held.motion.parameters().axis(0).quick_stop_dec == 20.0


def test_an_engine_whose_parameter_file_is_refused_never_communicates(
    held: HeldEngine, motion: WatchedMotion, make: Callable[..., EngineNode]
) -> None:
    held.engine.stop_communication()
    started: list[bool] = []
    motion.refused = ("load",)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Device, "start_communication", lambda _: started.append(True))
        node = make(quick_stop_dec=33.0)
        with pytest.raises(CommandRefused, match="for the test"):
            node.ask("set_comm", data=True)
    assert not started
    assert not node.latest("wmx/engine/ready")
    motion.refused = ()
    node.ask("set_comm", data=True)
    assert held.status().communicating
    assert held.motion.parameters().axis(0).quick_stop_dec == 33.0


def test_an_engine_that_takes_parameters_only_in_communication_gets_them_then(
    held: HeldEngine, motion: WatchedMotion, make: Callable[..., EngineNode]
) -> None:
    held.engine.stop_communication()

    def refuse() -> None:
        if not held.status().communicating:
            raise CommandRefused(ErrorCode.CommNotStarted, "as an engine may answer")

    motion.while_loading = refuse
    node = make(quick_stop_dec=33.0)
    node.ask("set_comm", data=True)
    assert held.motion.parameters().axis(0).quick_stop_dec == 33.0
    assert node.latest("wmx/engine/ready")


@pytest.mark.parametrize("before", [None, LEVEL1])
def test_an_emergency_stop_is_active_though_what_follows_it_is_refused(
    held: HeldEngine,
    node: EngineNode,
    motion: WatchedMotion,
    monkeypatch: pytest.MonkeyPatch,
    before: EmergencyStop | None,
) -> None:
    """An axis in torque mode has to be held then, which the engine may refuse."""
    if before is not None:
        node.ask("estop", data=True)
    node.parameters = replace(node.parameters, estop_level=int(EmergencyStop.FINAL))

    def take(level: EmergencyStop) -> None:
        held.motion.emergency_stop(level)
        raise CommandRefused(ErrorCode.NotIdleState, "axis 1 is not held")

    monkeypatch.setattr(motion, "emergency_stop", take)
    answer = node.ask("estop", data=True)
    assert "(final) active" in answer
    assert "axis 1 is not held" in answer
    assert node.latest("wmx/engine/estop_active")
    assert axis_file(node).emergency_stop is EmergencyStop.FINAL


def test_an_emergency_stop_of_an_engine_that_is_lost_is_in_force_before_axes_are_ready(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, monkeypatch: pytest.MonkeyPatch
) -> None:
    recoveries: list[Callable[[], None]] = []
    node.worker = full_worker(recoveries)
    lost = Mock(side_effect=EngineLost(ErrorCode.SystemIsNoRunning))
    monkeypatch.setattr(motion, "emergency_stop", lost)
    answer = node.ask("estop", data=True)
    assert "(level1) active" in answer
    assert "is lost, has it before anything moves again: Error=" in answer
    monkeypatch.undo()
    held.engine.stop_communication()
    recoveries[0]()
    assert node.latest("wmx/engine/ready")
    assert held.status().emergency_stop is LEVEL1


def test_an_emergency_stop_is_restored_where_another_device_starts_communication(
    held: HeldEngine, node: EngineNode
) -> None:
    node.ask("estop", data=True)
    renew_engine(held, node)
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
        assert axis_file(node).emergency_stop is (LEVEL1 if stopped else None)


def test_a_status_from_before_a_change_of_the_emergency_stop_does_not_undo_it(
    held: HeldEngine, node: EngineNode
) -> None:
    for stopped in True, False:
        before = held.status()
        node.ask("estop", data=stopped)
        node.supervisor.read(before)
        assert node.latest("wmx/engine/estop_active") is stopped
        assert axis_file(node).emergency_stop is (LEVEL1 if stopped else None)
        held.after(1.0)


def test_a_status_from_before_an_emergency_stop_is_restored_does_not_undo_it(
    held: HeldEngine, node: EngineNode
) -> None:
    node.ask("estop", data=True)
    renew_engine(held, node)
    node.ask("set_comm", data=True)
    node.supervisor.read(replace(held.status(), emergency_stop=None))
    assert node.latest("wmx/engine/estop_active")
    assert axis_file(node).emergency_stop is LEVEL1


def test_communication_that_cannot_have_what_keeps_axes_from_moving_ends(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    node.ask("estop", data=True)
    renew_engine(held, node)
    motion.refused = ("emergency stop LEVEL1",)
    with pytest.raises(CommandRefused):
        node.ask("set_comm", data=True)
    assert held.engine.state() is EngineState.RUNNING
    assert not node.latest("wmx/engine/ready")


@pytest.mark.parametrize("led", [True, False], ids=["of another system", "left by its node"])
def test_communication_goes_on_when_a_parameter_file_is_refused(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    motion: WatchedMotion,
    make: Callable[..., EngineNode],
    led: bool,
) -> None:
    """Its axes may move, and the end of the communication would take their servos off.

    Where its own node has left it, the nodes that go on bring them to rest: they are not ready.
    """
    file = axis_file(nodes(held, "/mover"))
    leave_ready(nodes(held, "/engine"))
    if led:
        assert file.lead()
    motion.while_loading = lambda: held.motion.jog([velocity_move()])
    node = make(polarity=-1.0)
    logged = len(node.logged)
    node.spin()
    with pytest.raises(WmxError):
        node.ask("set_comm", data=True)
    node.spin()
    assert not node.latest("wmx/engine/ready")
    assert file.engine_ready is led
    assert held.after(0.1).busy.tolist() == [0]
    assert held.status().communicating
    assert len(node.logged) == logged, "no other device has started it"


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
        (("stop",), ["quick stop"]),
        (("stop", "quick stop"), ["emergency stop LEVEL1", "release"]),
    ],
)
def test_axes_that_no_stop_brings_to_rest_are_stopped_harder_before_communication_ends(
    held: HeldEngine,
    node: EngineNode,
    motion: WatchedMotion,
    ended: list[MotionStatus],
    refused: tuple[str, ...],
    taken: list[str],
) -> None:
    held.motion.jog([velocity_move()])
    held.after(0.5)
    motion.taken.clear()
    motion.refused = refused
    node.ask("set_comm", data=False)
    node.spin()
    assert motion.taken == taken
    assert [status.busy.tolist() for status in ended] == [[]]
    assert ended[0].pos_cmd[0] > 0.0
    held.after(1.0)
    node.ask("set_comm", data=True)
    node.spin()
    assert held.status().emergency_stop is None
    assert not node.latest("wmx/engine/estop_active")


@pytest.mark.parametrize(
    ("states", "statuses", "taken"),
    [
        (1, 0, ["stop"]),
        (0, 2, ["stop"]),
        (0, inf, ["stop", "quick stop", "emergency stop LEVEL1", "release"]),
    ],
)
def test_what_is_refused_as_the_engine_node_ends_keeps_no_axis_from_being_stopped(
    held: HeldEngine,
    node: EngineNode,
    motion: WatchedMotion,
    ended: list[MotionStatus],
    monkeypatch: pytest.MonkeyPatch,
    states: int,
    statuses: float,
    taken: list[str],
) -> None:
    held.motion.jog([velocity_move()])
    began = held.after(0.5)
    motion.taken.clear()
    motion.statuses_refused = statuses
    state, refusals = held.engine.state, [CommandRefused(ErrorCode.WaitTimeout)] * states

    def refuse_at_first() -> EngineState:
        if refusals:
            raise refusals.pop()
        return state()

    monkeypatch.setattr(held.engine, "state", refuse_at_first)
    node.readiness.end()
    assert motion.taken == taken
    assert ended[0].velocity_cmd[0] == 0.0
    assert ended[0].pos_cmd[0] - began.pos_cmd[0] == pytest.approx(0.4, abs=0.02), "by its stop"
    assert not held.status().communicating


def test_an_emergency_stop_that_the_engine_makes_as_communication_is_to_end_stays(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a stop input of kind 2 while axes slow down."""
    held.motion.jog([velocity_move()])
    held.after(0.5)
    monkeypatch.setattr(motion, "stop", lambda _: held.motion.emergency_stop(LEVEL1))
    node.ask("set_comm", data=False)
    assert held.status().emergency_stop is LEVEL1
    assert node.latest("wmx/engine/estop_active")
    held.after(1.0)
    renew_engine(held, node)
    node.ask("set_comm", data=True)
    assert held.status().emergency_stop is LEVEL1
    assert axis_file(node).emergency_stop is LEVEL1


def test_a_new_engine_without_the_emergency_stop_does_not_release_it_as_it_ends(
    held: HeldEngine, node: EngineNode
) -> None:
    node.ask("estop", data=True)
    renew_engine(held, node)
    held.engine.start_communication()
    held.after(1.0)
    node.ask("set_comm", data=False)
    assert axis_file(node).emergency_stop is LEVEL1


def test_what_clients_have_set_is_in_force_before_the_engine_is_ready(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    node.gate.set_polarity(0, -1)
    renew_engine(held, node)
    held.apply(polarity=1)
    assert not node.latest("wmx/engine/ready")
    ready: list[bool] = []
    motion.while_loading = lambda: ready.append(node.latest("wmx/engine/ready"))
    node.ask("set_comm", data=True)
    assert ready == [False]
    assert node.latest("wmx/engine/ready")
    assert held.motion.parameters().axis(0).polarity == -1
    assert held.motion.parameters().axis(0).quick_stop_dec == 20.0


def test_the_file_of_the_engine_node_is_loaded_once(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion
) -> None:
    node.gate.set_polarity(0, -1)
    for _ in range(2):
        node.ask("set_comm", data=False)
        node.spin()
        node.ask("set_comm", data=True)
    assert held.motion.parameters().axis(0).polarity == -1
    assert "load" not in motion.taken


def test_axes_that_lost_their_reference_are_logged_and_looked_after(
    held: HeldEngine, node: EngineNode
) -> None:
    node.gate.set_position(0, 1.0)
    held.engine.stop_communication()
    held.engine.start_communication()  # a new engine: home is not done
    node.life.set_ready(False)
    node.life.restore_settings(new=True)
    node.life.set_ready(True)
    assert any("Axis 0 must not move: its reference was lost" in each for each in node.logged)
    held.motion.set_position(0, 2.0)
    node.spin()
    assert not node.settings.store.document().lost(range(2))


def test_a_reference_is_lost_where_the_first_attempt_to_communicate_has_failed_late(
    held: HeldEngine, node: EngineNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.gate.set_position(0, 1.0)
    held.engine.stop_communication()  # a new engine: home is not done
    node.life.set_ready(False)
    start = held.engine.start_communication

    def late() -> None:
        start()
        raise CommandRefused(ErrorCode.CommNotStartedInSpecifiedTime, "for the test")

    monkeypatch.setattr(held.engine, "start_communication", late)
    with pytest.raises(CommandRefused):
        node.ask("set_comm", data=True)
    monkeypatch.undo()
    node.ask("set_comm", data=True)
    assert node.latest("wmx/engine/ready")
    assert list(node.settings.store.document().lost(range(2))) == [0]


def test_what_an_attempt_has_begun_late_ends_where_the_next_one_is_refused_its_parameters(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    motion: WatchedMotion,
    make: Callable[..., EngineNode],
) -> None:
    """Nor may other nodes command axes between the two, as their file may allow yet."""
    file = axis_file(nodes(held, "/mover"))
    leave_ready(nodes(held, "/engine"))
    held.engine.stop_communication()
    ready: list[bool] = []

    def start_late() -> None:
        EngineProxy.start_communication(held.engine)
        ready.append(file.engine_ready)
        if len(ready) == 1:
            raise CommandRefused(ErrorCode.CommNotStartedInSpecifiedTime, "for the test")

    def refuse() -> None:
        if held.status().communicating:
            raise CommandRefused(ErrorCode.ParamOutOfRange, "for the test")
        raise CommandRefused(ErrorCode.CommNotStarted, "as an engine may answer")

    motion.while_loading = refuse
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Device, "start_communication", lambda _: start_late())
        node = make(quick_stop_dec=33.0)
    assert ready == [False] * node.parameters.retry_count
    assert not held.status().communicating


def test_what_another_device_begins_after_a_file_was_refused_goes_on(
    held: HeldEngine, motion: WatchedMotion, make: Callable[..., EngineNode]
) -> None:
    """This node has not asked for it, though its attempts did fail."""
    held.engine.stop_communication()
    attempts: list[bool] = []

    def refuse() -> None:
        attempts.append(held.status().communicating)
        if attempts == [False]:
            held.engine.start_communication()
            held.servo_on().after(0.1)
            held.motion.jog([velocity_move()])
        raise CommandRefused(ErrorCode.ParamOutOfRange, "for the test")

    motion.while_loading = refuse
    node = make(quick_stop_dec=33.0)
    assert attempts[:2] == [False, True]
    assert held.after(0.1).busy.tolist() == [0]
    assert held.status().communicating
    assert not node.latest("wmx/engine/ready")


def test_a_system_ends_with_its_engine_node(held: HeldEngine, node: EngineNode) -> None:
    node.gate.set_polarity(0, -1)
    path = axis_file(node).settings_path
    node.ask_device_to_close()
    assert path.exists(), "a client has closed the device: the nodes live on"
    node.ownership.open("", "/engine")
    node.readiness.end()
    assert not path.exists()


@pytest.mark.parametrize("wrong", ["parameters", "machine"])
def test_a_file_that_is_wrong_is_refused_before_anything_begins(
    held: HeldEngine, motion: WatchedMotion, private: Path, tmp_path: Path, wrong: str
) -> None:
    file = tmp_path / "wrong.xml"
    file.write_text("<Parameters><AxisParameters Axis='0'/>" if wrong == "parameters" else "")
    if wrong == "machine":
        file.write_text(held.motion.parameters().to_xml())
    machine = tmp_path / "machine.yaml"
    machine.write_text("masters: [{slaves: [{name: drive, axis: 1}]}]")
    with pytest.raises(WmxError, match="wrong.xml" if wrong == "parameters" else "machine.yaml"):
        EngineNode(held, motion, file, machine if wrong == "machine" else None)
    assert motion.taken == []


def test_axes_that_another_device_lets_communicate_are_ready_with_the_file_only(
    held: HeldEngine, motion: WatchedMotion, make: Callable[..., EngineNode]
) -> None:
    held.engine.stop_communication()
    motion.refused = ("load",)
    node = make(quick_stop_dec=33.0)
    with pytest.raises(CommandRefused):
        node.ask("set_comm", data=True)
    held.engine.start_communication()
    logged = len(node.logged)
    for _ in range(3):
        node.spin()
    assert not node.latest("wmx/engine/ready")
    assert len(node.logged) == logged + 2, "said once: who started it, and why axes are not ready"
    with pytest.raises(CommandRefused):
        node.ask("set_comm", data=True)
    assert held.status().communicating, "it is not this node's"
    motion.refused = ()
    node.ask("set_comm", data=True)
    assert node.latest("wmx/engine/ready")
    assert held.motion.parameters().axis(0).quick_stop_dec == 33.0
    file = Path(node.parameters.parameter_file)
    content = file.read_text()
    file.unlink()
    held.engine.stop_communication()
    node.spin()
    held.engine.start_communication()
    logged = len(node.logged)
    for _ in range(3):
        node.spin()
    assert not node.latest("wmx/engine/ready"), "the file is gone"
    assert len(node.logged) == logged + 2
    file.write_text(content)
    held.engine.stop_communication()
    node.spin()
    held.apply(quick_stop_dec=21.0)
    held.engine.start_communication()
    node.spin()
    assert node.latest("wmx/engine/ready")
    assert held.motion.parameters().axis(0).quick_stop_dec == 33.0


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


@pytest.mark.parametrize(
    "end",
    [
        lambda node: node.readiness.end(),
        lambda node: node.ask_device_to_close(),
        lambda node: node.ask("set_comm", data=False),
    ],
    ids=["deactivated", "closed", "communication stopped"],
)
def test_what_has_ended_meanwhile_does_not_become_ready(
    held: HeldEngine, node: EngineNode, end: Callable[[EngineNode], None]
) -> None:
    queued = watch_another_device_communicate(held, node)
    end(node)
    queued.pop()()
    assert not node.life.ready


def test_an_engine_that_is_lost_as_it_becomes_ready_is_recovered_once(
    held: HeldEngine, node: EngineNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued = watch_another_device_communicate(held, node)
    lost = EngineLost(ErrorCode.SystemIsNoRunning)
    monkeypatch.setattr(node.life, "load_parameters", Mock(side_effect=lost))
    queued.pop()()
    assert len(queued) == 1
    node.readiness.lose_engine(lost)
    assert len(queued) == 1


@pytest.mark.parametrize("state", ["deactivating", "inactive"])
@pytest.mark.parametrize("service", ["set_engine", "set_device", "set_comm"])
def test_an_engine_node_that_is_to_be_inactive_brings_no_engine_up(
    held: HeldEngine, node: EngineNode, service: str, state: str
) -> None:
    node.readiness.end()
    node.active = state == "deactivating"
    node.deactivating = SimpleNamespace(is_set=lambda: True)
    with pytest.raises(NotReady, match="not active"):
        node.ask(service, data=True)
    assert node.life.device == NOWHERE
    assert not held.status().communicating


def test_an_engine_that_is_lost_as_a_client_creates_the_device_is_refused(
    node: EngineNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.ask_device_to_close()
    lost = EngineLost(ErrorCode.SystemIsNoRunning, "for the test")
    monkeypatch.setattr(node.held.engine, "create_device", Mock(side_effect=lost))
    with pytest.raises(CommandRefused, match="for the test"):
        node.ask("set_engine", data=True)


def test_a_device_whose_path_is_empty_is_created_where_there_is_none(node: EngineNode) -> None:
    node.ask_device_to_close()
    assert node.life.ensure_device("", "wmx") == "Created device with name: wmx"
    assert node.life.ensure_device("", "wmx") == "Device was created already with name: wmx"


@pytest.mark.parametrize("dies", [False, True])
def test_a_device_that_the_engine_refused_to_close_is_closed_before_the_next_one(
    held: HeldEngine, node: EngineNode, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    """Also where its engine has died since then."""
    devices, refusals = ["wmx"], [CommandRefused(ErrorCode.WaitTimeout)]
    state = held.engine.state

    def require_alive() -> EngineState:
        if devices == ["wmx"] and dies:
            raise EngineLost(ErrorCode.SystemIsNoRunning)
        return state()

    def close() -> None:
        if refusals:
            raise refusals.pop()
        devices.clear()

    def create(_path: str, name: str) -> None:
        if devices:
            raise CommandRefused(ErrorCode.ResourceInUse)
        devices.append(name)

    monkeypatch.setattr(held.engine, "close_device", close)
    monkeypatch.setattr(held.engine, "create_device", create)
    node.ask_device_to_close()
    with pytest.raises(CommandRefused, match="no device is attached"):
        node.ask("set_comm", data=True)
    assert not held.status().communicating
    monkeypatch.setattr(held.engine, "state", require_alive)
    node.ask("set_engine", data=True)
    assert node.latest("wmx/engine/ready")


def test_an_emergency_stop_without_a_device_outlives_its_node(
    held: HeldEngine, make: Callable[..., EngineNode]
) -> None:
    first = make()
    first.ask_device_to_close()
    kept: list[Callable[[], None]] = []
    first.worker = full_worker(kept)
    first.ask("estop", data=True)
    kept.pop()()  # not in the thread that answers: opening a file may wait
    second = make()
    assert second.latest("wmx/engine/estop_active")
    assert held.status().emergency_stop is LEVEL1
    second.ask_device_to_close()
    second.ask("estop", data=False)
    held.motion.release_emergency_stop()
    assert not make().latest("wmx/engine/estop_active")


@pytest.mark.parametrize("stopped", [False, True], ids=["released", "stopped"])
@pytest.mark.parametrize("kept_after", ["set_device", "set_comm"])
def test_an_emergency_stop_is_as_it_was_answered_while_the_engine_came_up(
    held: HeldEngine, node: EngineNode, kept_after: str, stopped: bool
) -> None:
    level = LEVEL1 if stopped else None
    node.ask("estop", data=not stopped)
    renew_engine(held, node)
    node.ask_device_to_close()
    kept: list[Callable[[], None]] = []
    node.worker = full_worker(kept)
    node.ask("estop", data=stopped)
    for service in "set_device", "set_comm":
        node.ask(service, data=True)
        if service == kept_after:
            kept.pop()()
            assert axis_file(node).emergency_stop is level
    assert held.status().emergency_stop is level
    assert axis_file(node).emergency_stop is level
    assert node.latest("wmx/engine/estop_active") is stopped


def test_a_stop_while_a_release_is_being_kept_is_in_the_file(
    node: EngineNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device is opened, and the stop given, before the file has the release."""
    node.ask("estop", data=True)
    node.ask_device_to_close()
    kept: list[Callable[[], None]] = []
    node.worker = full_worker(kept)
    node.ask("estop", data=False)
    keep = node.ownership.keep_emergency_stop

    def late(*given: Any) -> None:
        for service in "set_device", "set_comm":
            node.ask(service, data=True)
        node.ask("estop", data=True)
        monkeypatch.undo()
        keep(*given)

    monkeypatch.setattr(node.ownership, "keep_emergency_stop", late)
    kept.pop()()
    assert axis_file(node).emergency_stop is LEVEL1


def test_the_communication_of_an_engine_that_seems_lost_is_stopped(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may live: what moves is stopped before."""
    held.motion.jog([velocity_move()])
    held.after(0.5)
    motion.taken.clear()
    lost = Mock(side_effect=EngineLost(ErrorCode.SystemIsNoRunning))
    monkeypatch.setattr(node.gate, "status", lost)
    node.life.stop_communication()
    assert motion.taken == ["stop", "quick stop", "emergency stop LEVEL1", "release"]
    assert not held.status().communicating


def test_axes_of_an_engine_that_seems_lost_are_stopped_before_its_device_is_closed(
    held: HeldEngine, node: EngineNode, motion: WatchedMotion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may live, and the end of its last device ends its communication."""
    held.motion.jog([velocity_move()])
    held.after(0.5)
    lost, closed = EngineLost(ErrorCode.SystemIsNoRunning), list[list[str]]()
    motion.taken.clear()
    monkeypatch.setattr(motion, "status", Mock(side_effect=lost))
    monkeypatch.setattr(held.engine, "close_device", lambda: closed.append([*motion.taken]))
    node.readiness.lose_engine(lost)
    assert closed[0] == ["stop"]
    assert held.after(1.0).velocity_cmd[0] == 0.0


def test_what_ends_with_the_device_that_a_client_closes_brings_none_up(node: EngineNode) -> None:
    node.ask_device_to_close()
    node.readiness.lose_engine(EngineLost(ErrorCode.SystemIsNoRunning))
    assert node.life.device == NOWHERE


def test_two_threads_that_meet_a_lost_engine_recover_it_once(node: EngineNode) -> None:
    recoveries: list[Callable[[], None]] = []
    node.worker = full_worker(recoveries)
    both = threading.Barrier(2)

    class Racing(engine_node.EngineNode):
        """Lets another thread look, too, before either goes on."""

        _starts = False

        @property
        def starting(self) -> bool:
            starts = self._starts
            with suppress(threading.BrokenBarrierError):
                both.wait(0.05)
            return starts

        @starting.setter
        def starting(self, starts: bool) -> None:
            self._starts = starts

    node.readiness.__class__ = Racing
    lost = EngineLost(ErrorCode.SystemIsNoRunning)
    threads = [threading.Thread(target=node.readiness.lose_engine, args=[lost]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recoveries) == 1
