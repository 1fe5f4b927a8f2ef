"""How the engine node starts the communication, and what is in force before axes may move."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from lone_engine_node import (
    Device,
    EngineNode,
    WatchedMotion,
    leave_ready,
    renew_engine,
    watch_another_device_communicate,
)

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.values import EmergencyStop, EngineState
from wmx_ros2_package.node_base.refusals import NotReady
from wmx_sim.engine.proxies import EngineProxy

LEVEL1 = EmergencyStop.LEVEL1


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
    assert not node.life.device
    assert not held.status().communicating
