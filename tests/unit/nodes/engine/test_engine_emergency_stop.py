"""An emergency stop stays in force, whatever becomes of the engine and of its node."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, velocity_move
from lone_engine_node import EngineNode, WatchedMotion, full_worker, renew_engine

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import EmergencyStop, MotionStatus

LEVEL1 = EmergencyStop.LEVEL1


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
