"""Axes are made safe whatever fails on the way."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle
from math import inf
from typing import Any
from unittest.mock import Mock

import pytest
from axis_files import axis_file
from held_engine import MODEL, PARAMETERS, HeldEngine, position_move, velocity_move
from held_node import HeldNode
from refusing import refuses
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import CommandMode, OperationState, TorqueMove
from wmx_ros2_package.control import disarming
from wmx_ros2_package.control.axis_file.records import ServoHistory
from wmx_ros2_package.control.disarming import (
    OFF_TIMEOUT,
    REST_TIMEOUT,
    disarm,
    safe_output,
    safe_outputs,
    stop_and_switch_off,
)
from wmx_ros2_package.control.gate import StoppedSince
from wmx_ros2_package.control.stopping import SETTLING
from wmx_sim.engine.machine.description import Machine, MasterDescription, SlaveDescription


@pytest.fixture
def held() -> HeldEngine:
    """An engine whose two axes are on, with four bytes of outputs after slaves without any."""
    drive = SlaveDescription(name="drive", axes=1)
    outputs = SlaveDescription(name="io", output_size=4)
    machine = Machine(
        masters=(MasterDescription(slaves=(drive, drive, outputs)),),
        axes=(MODEL,) * 2,
        parameters=None,
    )
    held = HeldEngine(machine=machine)
    held.apply(**PARAMETERS)
    held.servo_on().after(1.0)
    return held


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0.0=0", (0, 0, False)), ("7999.7=1", (7999, 7, True)), ("12.3=1", (12, 3, True))],
)
def test_an_output_is_a_byte_a_bit_and_a_value(text: str, expected: tuple[int, int, bool]) -> None:
    assert safe_output(text) == expected


@pytest.mark.parametrize(
    "text", ["", "0.0", "0.8=0", "8000.0=0", "99999.0=0", "-1.0=0", "0.0=2", "0.0=0 ", " 0.0=0"]
)
def test_what_is_no_output_is_refused_with_the_rule(text: str) -> None:
    with pytest.raises(ValueError, match=r"byte\.bit=value"):
        safe_output(text)


def test_an_output_has_one_value() -> None:
    assert safe_outputs(["2.0=0", "2.1=1", "2.0=0"]) == [(2, 0, False), (2, 1, True)]
    with pytest.raises(ValueError, match=r"output 2\.0 has the values 0 and 1: must have one"):
        safe_outputs(["2.0=0", "2.1=1", "02.0=1"])


def test_every_axis_is_stopped_and_every_servo_is_off_and_outputs_are_safe(
    held: HeldEngine, node: HeldNode
) -> None:
    held.motion.set_command_mode(1, CommandMode.TORQUE)
    held.motion.move_absolute([position_move(0, 10.0)])
    held.motion.move_torque([TorqueMove(axis=1, torque=20.0)])
    held.io.set_output_bit(2, 0, value=True)
    began = held.after(1.0).time
    assert disarm(node.driver, node.gate, [(2, 0, False), (3, 1, True)]) == []
    status = held.after(0.01)
    assert not status.servo_on.any()
    assert not status.busy.size
    longest = 1.5 + SETTLING
    assert status.time - began < longest, "as long as the axes take to slow down and to settle"
    assert (held.io.output_bit(2, 0), held.io.output_bit(3, 1)) == (False, True)
    assert axis_file(node).servo_history(0) is ServoHistory.SWITCHED_OFF


def test_what_waits_for_its_start_does_not_begin_afterwards(
    held: HeldEngine, node: HeldNode
) -> None:
    """Also of axes that rest, and of those that are not switched off."""
    asked_at = node.now()
    held.after(0.1)
    assert stop_and_switch_off(node.gate, None, [], 0.005) == []
    assert held.status().servo_on.all()
    for axis in (0, 1):
        request = node.request(axis, asked_at=asked_at)
        with pytest.raises(StoppedSince):
            node.gate.issue([request], lambda motion: motion.jog([velocity_move()]))


def test_only_the_axes_that_are_named_are_stopped(held: HeldEngine, node: HeldNode) -> None:
    asked_at = node.now()
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    assert stop_and_switch_off(node.gate, [0], [0], 0.005) == []
    status = held.after(0.01)
    assert status.servo_on.tolist() == [False, True]
    assert status.op_state[1] == OperationState.JOG
    assert node.gate.stopped_since([node.request(0, asked_at=asked_at)]) is not None
    assert node.gate.stopped_since([node.request(1, asked_at=asked_at)]) is None


def test_a_servo_that_is_off_already_is_left_alone(held: HeldEngine, node: HeldNode) -> None:
    """What nobody has switched off may be switched on at the next start."""
    held.motion.set_servo(1, on=False)
    held.after(0.1)
    assert disarm(node.driver, node.gate) == []
    assert axis_file(node).servo_history(1) is ServoHistory.UNTOUCHED


@pytest.mark.parametrize(
    ("brake", "load", "left"),
    [
        (False, -4.0, ["motors of axes [0, 1] still turn"]),
        (False, 4.0, ["motors of axes [0, 1] still turn"]),
        (True, -4.0, []),
    ],
)
def test_a_load_that_falls_once_its_servo_is_off_does_not_rest(
    nodes: Callable[..., HeldNode], brake: bool, load: float, left: list[str]
) -> None:
    held = HeldEngine(model=replace(MODEL, load=load, brake=brake))
    held.servo_on().after(1.0)
    node = nodes(held)
    assert disarm(node.driver, node.gate) == left
    assert not held.status().servo_on.any()


@pytest.mark.parametrize("before", [True, False])
def test_a_servo_that_comes_on_still_is_switched_off(
    held: HeldEngine, node: HeldNode, before: bool
) -> None:
    """A drive that was commanded on shows nothing of it until its servo is on."""
    node.gate.set_servo(1, on=before)
    held.motion.set_servo(1, on=False)
    held.after(0.1)
    (node.gate if before else held.motion).set_servo(1, on=True)
    assert not held.status().servo_on[1]
    assert disarm(node.driver, node.gate) == []
    assert not held.after(1.0).servo_on.any()
    assert axis_file(node).servo_history(1) is ServoHistory.SWITCHED_OFF


@pytest.mark.parametrize(
    ("name", "left"), [("wmx disarm", []), ("/mover", ["servos of axes [1] are on"])]
)
def test_a_servo_that_another_program_switches_on(
    held: HeldEngine, nodes: Callable[..., HeldNode], name: str, left: list[str]
) -> None:
    """A disarm leaves it alone where there are nodes, and says so once it is on."""
    node = nodes(held, name)
    held.motion.set_servo(1, on=False)
    held.after(0.1)
    held.motion.set_servo(1, on=True)
    assert not held.status().servo_on[1]
    assert disarm(node.driver, node.gate) == left
    assert held.after(1.0).servo_on.tolist() == [False, bool(left)]
    untouched = axis_file(node).servo_history(1) is ServoHistory.UNTOUCHED
    assert untouched is bool(left)


def test_a_drive_that_is_offline_is_left_alone(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """An engine may refuse to switch what it does not reach."""
    motion = Stubborn(held, "set_servo", refusals=0)
    node = nodes(held, motion=motion)
    node.gate.set_servo(1, on=True)
    held.play("[{after: 0, drop_slave: {slave: 1}}]")
    held.after(0.1)
    motion.taken.clear()
    assert disarm(node.driver, node.gate) == []
    assert motion.taken == [("set_servo", 0)]


def test_where_the_engine_does_not_communicate_nothing_is_done(
    held: HeldEngine, node: HeldNode
) -> None:
    held.engine.stop_communication()
    with refuses(ErrorCode.CommNotStarted):
        disarm(node.driver, node.gate, [(0, 0, True)])


def test_an_engine_that_has_ended_communication_in_the_end_is_no_safe_one(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_last(*_: int, **__: bool) -> None:
        held.engine.stop_communication()

    monkeypatch.setattr(held.io, "set_output_bit", set_last)
    failures = disarm(node.driver, node.gate, [(0, 0, True)])
    assert failures == ["the engine has ended communication"]


def test_axes_that_do_not_come_to_rest_are_switched_off_all_the_same(
    held: HeldEngine, node: HeldNode
) -> None:
    held.motion.move_absolute([position_move(1, 100.0, dec=0.01)])
    began = held.after(1.0).time
    [failure] = disarm(node.driver, node.gate)
    assert failure.startswith(f"axes [1] still move {REST_TIMEOUT:g} s")
    status = held.after(0.01)
    assert not status.servo_on.any()
    assert status.time - began == pytest.approx(REST_TIMEOUT + SETTLING, abs=0.2)


def test_a_stop_that_is_refused_keeps_no_servo_on(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    node = nodes(held, motion=Stubborn(held, "stop", code=ErrorCode.StatusChannelError))
    held.motion.jog([velocity_move(0)])
    held.after(1.0)
    [failure] = disarm(node.driver, node.gate)
    assert "StatusChannelError" in failure
    assert not held.after(0.01).servo_on.any()


def test_where_no_status_is_answered_all_is_made_safe_that_the_engine_has(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, "status", refusals=0, code=ErrorCode.StatusChannelError)
    node = nodes(held, motion=motion)
    held.motion.jog([velocity_move(1)])
    began = held.after(1.0)
    motion.refusals = inf
    failures = disarm(node.driver, node.gate, [(1, 1, True)])
    assert [failure.partition(":")[0] for failure in failures] == [
        "stopping the axes",
        "which servos are on",
        "whether servos are off and motors rest is not known",
    ]
    status = held.after(0.01)
    assert not status.servo_on.any()
    assert status.pos_cmd[1] - began.pos_cmd[1] == pytest.approx(0.4, abs=0.02), "2 u/s at 5 u/s^2"
    assert status.time - began.time == pytest.approx(REST_TIMEOUT + OFF_TIMEOUT, abs=0.1)
    assert held.io.output_bit(1, 1)


def test_an_engine_that_seems_lost_is_made_safe_as_it_may_live(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, "status", refusals=0, error=EngineLost)
    node = nodes(held, motion=motion)
    held.motion.jog([velocity_move(1)])
    began = held.after(1.0)
    motion.refusals = inf
    failures = disarm(node.driver, node.gate, [(1, 1, True)])
    assert [failure.partition(":")[0] for failure in failures] == [
        "stopping the axes",
        "which servos are on",
        "whether servos are off and motors rest is not known",
    ]
    assert held.now() - began.time < 0.1, "a lost engine is not waited for"
    assert not held.after(0.01).servo_on.any()
    assert held.io.output_bit(1, 1)


def test_whatever_fails_the_rest_is_done(held: HeldEngine, nodes: Callable[..., HeldNode]) -> None:
    """The servo of the first axis, and an output."""
    node = nodes(held, motion=Stubborn(held, "set_servo", refusals=1))
    failures = disarm(node.driver, node.gate, [(9000, 0, True), (1, 1, True)])
    assert [failure.partition(":")[0] for failure in failures] == [
        "servo of axis 0",
        "output 9000.0",
        "servos of axes [0] are on",
        "output 9000.0",
    ]
    assert held.after(0.1).servo_on.tolist() == [True, False]
    assert held.io.output_bit(1, 1)


def test_an_output_that_no_slave_has_is_not_safe(held: HeldEngine, node: HeldNode) -> None:
    """What is set there the engine keeps, and it reaches nothing."""
    failures = disarm(node.driver, node.gate, [(7999, 7, True), (3, 1, True), (4, 0, False)])
    assert failures == ["output 7999.7: no slave has it", "output 4.0: no slave has it"]
    assert held.io.output_bit(3, 1)
    assert not held.after(0.01).servo_on.any()


def test_where_no_slave_is_known_any_may_have_an_output(node: HeldNode) -> None:
    ecat: Any = Mock(network_state=Mock(side_effect=CommandRefused(ErrorCode.WaitTimeout)))
    assert disarm(replace(node.driver, ecat=ecat), node.gate, [(7999, 7, True)]) == []


def test_an_output_of_a_master_that_refuses_once_is_there(held: HeldEngine, node: HeldNode) -> None:
    known, refused = held.ecat.network_state(0), CommandRefused(ErrorCode.WaitTimeout)
    first = replace(known, slaves=known.slaves[:1])  # another master, without outputs
    ecat: Any = Mock(network_state=Mock(side_effect=[first, refused, first, known, refused]))
    assert disarm(replace(node.driver, ecat=ecat), node.gate, [(3, 1, True)]) == []


def test_the_number_of_axes_may_change_while_motors_come_to_rest(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the engine is started again."""
    for axis in 0, 1:
        held.motion.set_servo(axis, on=False)
    statuses = cycle([held.after(0.1), HeldEngine(1).status()])
    monkeypatch.setattr(node.gate, "status", lambda: next(statuses))
    assert disarm(node.driver, node.gate) == []


def test_an_error_of_any_kind_keeps_nothing_from_being_made_safe(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disarming, "stop_and_wait", lambda *_, **__: 1 / 0)
    failures = disarm(node.driver, node.gate)
    assert [failure.partition(":")[0] for failure in failures] == ["stopping the axes"]
    assert not held.after(0.1).servo_on.any()


def test_an_engine_that_ends_communication_while_axes_slow_down_has_not_done_nothing(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    class Ends(Stubborn):
        def stop(self, axes: Sequence[int]) -> None:
            held.motion.stop(axes)
            held.engine.stop_communication()

    node = nodes(held, motion=Ends(held, "stop", refusals=0))
    held.motion.jog([velocity_move(0)])
    held.after(1.0)
    [said] = disarm(node.driver, node.gate)
    assert "does not communicate any more" in said
