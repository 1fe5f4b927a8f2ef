"""What makes the axes of a robot ready: parameters, units, servos."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from stubborn import Stubborn, Unanswered

from wmx_core.errors import ErrorCode, ParameterFileError, WmxError
from wmx_core.values import EmergencyStop
from wmx_ros2_package.control.axis_file.records import ServoHistory
from wmx_ros2_package.node_base.servo_start import ServoStart

TIMEOUT = 2.0


@pytest.fixture
def file(held: HeldEngine, tmp_path: Path) -> str:
    """Other parameters than those in force."""
    path = tmp_path / "wmx.xml"
    path.write_text(held.motion.parameters().with_axis(0, in_pos_width=0.5).to_xml())
    return str(path)


def start(node: HeldNode, *, axes: Sequence[int] = (0, 1), file: str = "") -> None:
    ServoStart(node, axes, file, switch_on=True, timeout=TIMEOUT)  # type: ignore[arg-type]
    node.on_attached[-1]()


def off(held: HeldEngine) -> HeldEngine:
    for axis in 0, 1:
        held.motion.set_servo(axis, on=False)
    held.after(0.5)
    return held


def test_servos_that_nobody_has_switched_come_on(held: HeldEngine, node: HeldNode) -> None:
    off(held).raise_alarm(0)
    start(node)
    assert held.status().servo_on.all()
    assert "Servos of axes [0, 1] are on" in node.logged


def test_servos_that_another_node_switches_on_just_now_or_meanwhile_are_waited_for(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    off(held)
    one, other = nodes(held, "/one"), nodes(held, "/other")
    one.gate.set_servo(0, on=True)
    assert not held.status().servo_on.any(), "that takes 50 ms"
    wait, axes = other.deactivating.wait, [1]

    def wait_and_switch(seconds: float) -> bool:
        while axes:
            one.gate.set_servo(axes.pop(), on=True)
        return bool(wait(seconds))

    monkeypatch.setattr(other.deactivating, "wait", wait_and_switch)
    start(other)
    assert not [line for line in other.logged if "left as they are" in line]
    assert held.status().servo_on.all()


@pytest.mark.parametrize("history", [ServoHistory.SWITCHED_ON, ServoHistory.SWITCHED_OFF])
def test_a_servo_that_went_off_stays_off(
    held: HeldEngine, node: HeldNode, history: ServoHistory
) -> None:
    off(held)
    axis_file(node).set_servo_history(0, history)
    start(node)
    assert held.status().servo_on.tolist() == [False, True]
    assert [line for line in node.logged if "The servos of axes [0] are left as they are" in line]


@pytest.mark.parametrize("tried", ["set_servo", "load_parameters"])
@pytest.mark.parametrize("stop", ["servo off", "stop", "emergency stop", "emergency stop before"])
def test_a_servo_that_a_client_stops_while_it_is_tried_stays_off(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    stop: str,
    tried: str,
) -> None:
    """It is refused at first; an emergency stop is released in that time.

    A load is recorded as a stop of all axes for a cause of its own, after theirs.
    """
    off(held)
    motion = Stubborn(held, tried)
    node, other = nodes(held, motion=motion), nodes(held, "/other")
    if stop == "emergency stop before":
        other.gate.emergency_stop(EmergencyStop.LEVEL1)
    wait, waits = node.deactivating.wait, count()

    def wait_and_stop(seconds: float) -> bool:
        match stop, next(waits):
            case "servo off", 0:
                other.gate.set_servo(0, on=False)
            case "stop", 0:
                other.gate.stop([0])
            case "emergency stop", 0:
                other.gate.emergency_stop(EmergencyStop.LEVEL1)
            case _, 2:
                other.gate.release_emergency_stop()
            case _, 4:
                motion.refusals = 0
        return bool(wait(seconds))

    monkeypatch.setattr(node.deactivating, "wait", wait_and_stop)
    start(node, file=file)
    everywhere = "emergency" in stop
    assert held.after(0.5).servo_on.tolist() == [False, not everywhere]
    axes = [0, 1] if everywhere else [0]
    assert [line for line in node.logged if f"The servos of axes {axes} are left as" in line]


@pytest.mark.parametrize("tried", ["clear_alarm", "set_servo"])
@pytest.mark.parametrize("during", [0, 1])
@pytest.mark.parametrize("refusals", [0, 1])
def test_a_servo_that_a_client_switches_off_while_others_come_on_stays_off(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    monkeypatch: pytest.MonkeyPatch,
    during: int,
    tried: str,
    refusals: int,
) -> None:
    """Also where that reaches the engine first, and where the engine refuses at first."""
    off(held)
    motion = Stubborn(held, "set_servo", refusals=0)
    node, other = nodes(held, motion=motion), nodes(held, "/other")
    act, left = getattr(motion, tried), [1]

    def act_later(axis: int, **on: bool) -> None:
        meets = axis == during and bool(left)
        if meets:
            other.gate.set_servo(left.pop(), on=False)
        act(axis, **on)
        if meets:
            motion.refusals = refusals

    monkeypatch.setattr(motion, tried, act_later, raising=False)
    start(node)
    assert held.after(0.5).servo_on.tolist() == [True, False]
    assert [line for line in node.logged if "The servos of axes [1] are left as" in line]


@pytest.mark.parametrize("tried", ["clear_alarm", "set_servo"])
def test_a_servo_that_a_client_switches_on_again_and_moves_stays_on(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    monkeypatch: pytest.MonkeyPatch,
    tried: str,
) -> None:
    """The call of the node takes so long."""
    off(held)
    motion = Stubborn(held)
    node, other = nodes(held, motion=motion), nodes(held, "/other")
    act, left = getattr(motion, tried), [1]

    def act_later(axis: int, **on: bool) -> None:
        if axis in left:
            left.remove(axis)
            other.gate.set_servo(axis, on=False)
            other.gate.set_servo(axis, on=True)
            held.after(0.5)
            moves = [velocity_move(axis)]
            other.gate.issue([other.request(axis)], lambda motion: motion.jog(moves))
            held.after(1.0)
        act(axis, **on)

    monkeypatch.setattr(motion, tried, act_later, raising=False)
    start(node)
    status = held.after(0.5)
    assert status.servo_on.all()
    assert status.velocity_cmd.tolist() == [0.0, 2.0]


def test_a_servo_that_came_on_without_an_answer_after_a_client_switched_it_off_goes_off(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    off(held)
    motion = Unanswered(held, "set_servo", refusals=0, code=ErrorCode.WaitTimeout)
    node, other = nodes(held, motion=motion), nodes(held, "/other")
    act, left = motion.set_servo, [1]

    def act_later(axis: int, **on: bool) -> None:
        if axis in left:
            left.remove(axis)
            other.gate.set_servo(axis, on=False)
            motion.refusals = 1
        act(axis, **on)

    monkeypatch.setattr(motion, "set_servo", act_later, raising=False)
    start(node)
    assert held.after(0.5).servo_on.tolist() == [True, False]


@pytest.mark.parametrize("emergency", [False, True])
def test_a_stop_between_two_attempts_to_attach_leaves_a_servo_off(
    held: HeldEngine, node: HeldNode, nodes: Callable[..., HeldNode], *, emergency: bool
) -> None:
    """The first attempt ends as the axes have no unit yet."""
    other, known = nodes(held, "/other"), held.motion.parameters()
    held.apply_set(known.with_axis(1, gear_ratio_numerator=1.0))
    off(held)
    with pytest.raises(WmxError, match="gear ratio 1"):
        start(node)
    if emergency:
        other.gate.emergency_stop(EmergencyStop.LEVEL1)
        other.gate.release_emergency_stop()
    else:
        other.gate.stop([1])
    held.after(1.0)
    held.apply_set(known)
    node.on_attached[-1]()
    assert held.after(0.5).servo_on.tolist() == [not emergency, False]


def test_a_servo_that_another_node_switches_on_while_it_is_tried_is_no_reason_to_warn(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    off(held)
    motion = Stubborn(held, "set_servo")
    node, other = nodes(held, motion=motion), nodes(held, "/other")
    wait = node.deactivating.wait

    def wait_and_switch(seconds: float) -> bool:
        if motion.refusals:
            other.gate.set_servo(0, on=True)
            motion.refusals = 0
        return bool(wait(seconds))

    monkeypatch.setattr(node.deactivating, "wait", wait_and_switch)
    start(node)
    assert held.status().servo_on.all()
    assert not [line for line in node.logged if "left as they are" in line]


def test_without_its_parameters_no_servo_comes_on(
    held: HeldEngine, nodes: Callable[..., HeldNode], file: str
) -> None:
    off(held)
    node = nodes(held, motion=Stubborn(held, "load_parameters"))
    start(node, file=file)
    assert not held.status().servo_on.any()
    refused, left = node.logged
    assert refused.startswith("Making the axes ready: Error=")
    assert left == "No servo was switched on: the parameter file was not loaded"


def test_a_node_that_is_ended_meanwhile_blames_no_servo(held: HeldEngine, node: HeldNode) -> None:
    off(held)
    node.deactivating.wait, node.deactivating.is_set = lambda _: True, lambda: True
    start(node)
    assert not held.status().servo_on.any()
    assert node.logged == []


def test_what_clients_have_set_since_is_said(held: HeldEngine, node: HeldNode, file: str) -> None:
    start(node, file=file)
    assert f"The WMX parameters of {file} are in force" in node.logged
    node.gate.set_polarity(1, -1)
    start(node, file=file)
    assert "but for what clients have set" in node.logged[-1]
    assert held.motion.parameters().axis(1).polarity == -1


def test_a_file_that_is_wrong_is_refused_before_there_is_an_engine(
    node: HeldNode, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text("<Parameters>")
    with pytest.raises(ParameterFileError, match=r"wrong\.xml"):
        start(node, file=str(path))
    assert node.on_attached == []


def test_axes_that_count_encoder_counts_are_refused(held: HeldEngine, node: HeldNode) -> None:
    held.apply_set(held.motion.parameters().with_axis(1, gear_ratio_numerator=1.0))
    off(held)
    with pytest.raises(WmxError, match=r"axes \[1\] have gear ratio 1") as caught:
        start(node)
    assert caught.value.code == ErrorCode.ParameterSettingsInvalid
    assert not held.status().servo_on.any()
    start(node, axes=[0])
    assert held.status().servo_on.tolist() == [True, False]
