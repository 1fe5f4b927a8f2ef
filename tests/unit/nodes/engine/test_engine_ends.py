"""What the engine node does as it ends, and when its engine is lost."""

import threading
from collections.abc import Callable
from contextlib import suppress
from math import inf
from unittest.mock import Mock

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, velocity_move
from lone_engine_node import (
    EngineNode,
    WatchedMotion,
    full_worker,
    watch_another_device_communicate,
)

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import EmergencyStop, EngineState, MotionStatus
from wmx_ros2_package.nodes.engine import node as engine_node

LEVEL1 = EmergencyStop.LEVEL1


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


def test_a_system_ends_with_its_engine_node(held: HeldEngine, node: EngineNode) -> None:
    node.gate.set_polarity(0, -1)
    path = axis_file(node).settings_path
    node.ask_device_to_close()
    assert path.exists(), "a client has closed the device: the nodes live on"
    node.ownership.open("", "/engine")
    node.readiness.end()
    assert not path.exists()


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
    assert node.life.ensure_device("wmx") == "Created device with name: wmx"
    assert node.life.ensure_device("wmx") == "Device was created already with name: wmx"


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
    assert not node.life.device


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
