"""The speed of the system: single axes at an override, and paused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from axis_files import axis_file
from gate_requests import jog
from held_engine import MODEL, HeldEngine, position_move, velocity_move
from held_node import HeldNode
from profile_shapes import SHAPE
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, ErrorCode, RefusalCode
from wmx_core.interface import Motion
from wmx_core.move_rules import RATE_RANGE
from wmx_core.values import CommandMode, HomeType, MotionStatus, OperationState, TorqueMove
from wmx_ros2_package.control.axis_file.records import AxisPause, Speed
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.control.speed import Paused


def set_speed(node: HeldNode, percent: int = 100, *, paused: bool = False) -> None:
    """As a client does, through whatever node."""
    axis_file(node).speed = Speed(percent, paused)


def move(node: HeldNode, target: float = 5.0) -> None:
    """At 1 u/s, 10 u/s^2 up and 5 u/s^2 down."""
    moves = [position_move(0, target, velocity=1.0)]
    node.gate.issue([node.request(0)], lambda motion: motion.move_absolute(moves))


def watched(node: HeldNode, seconds: float) -> list[MotionStatus]:
    """Every sample of so many seconds."""
    return [node.after(node.period) for _ in range(round(seconds / node.period))]


def speed_of(samples: list[MotionStatus]) -> float:
    return float(max(abs(s.velocity_cmd[0]) for s in samples))


@pytest.mark.parametrize("other_node", [False, True])
def test_a_move_goes_at_the_speed_that_is_set_before_and_while_it_runs(
    node: HeldNode, other: HeldNode, *, other_node: bool
) -> None:
    setter = other if other_node else node
    set_speed(setter, 20)
    move(node)
    assert speed_of(watched(node, 1.0)) == pytest.approx(0.2, rel=1e-3)
    set_speed(setter, 100)
    assert watched(node, 1.0)[-1].velocity_cmd[0] == pytest.approx(1.0)
    set_speed(setter, 1)
    assert watched(node, 1.0)[-1].velocity_cmd[0] == pytest.approx(0.01)
    set_speed(setter, 50)
    node.after(20.0, lambda: bool(node.ends()))
    assert node.reasons() == [EndReason.ARRIVED]
    assert node.held.status().pos_cmd[0] == pytest.approx(5.0)


def test_a_move_waits_while_it_is_paused_and_arrives_where_it_was_to(node: HeldNode) -> None:
    move(node)
    node.after(1.0)
    set_speed(node, paused=True)
    samples = watched(node, 1.0)
    speeds = np.array([s.velocity_cmd[0] for s in samples])
    assert np.abs(np.diff(speeds)).max() <= 10.0 * node.period * 1.001, "its own deceleration"
    waiting = watched(node, 10.0)
    assert speed_of(waiting) == 0.0
    assert {s.pos_cmd[0] for s in waiting} == {samples[-1].pos_cmd[0]}
    assert node.ends() == []
    assert axis_file(node).pauses() == {0: AxisPause.HELD}
    set_speed(node, 40)
    assert speed_of(watched(node, 1.0)) == pytest.approx(0.4, rel=1e-3)
    node.after(20.0, lambda: bool(node.ends()))
    assert node.reasons() == [EndReason.ARRIVED]
    assert node.held.status().pos_cmd[0] == pytest.approx(5.0)


def test_the_least_velocity_that_an_engine_takes_is_not_slowed(node: HeldNode) -> None:
    """At which what stands there already is commanded to arrive in a given time."""
    set_speed(node, 1)
    moves = [position_move(0, 0.0, velocity=RATE_RANGE[0])]
    request = replace(node.request(0), targets=(0.0,))
    node.gate.issue([request], lambda motion: motion.move_absolute(moves))
    node.after(0.2)
    assert node.reasons() == [EndReason.ARRIVED]


def test_a_motor_that_leaves_its_place_while_it_is_paused_is_reported(node: HeldNode) -> None:
    move(node)
    node.after(1.0)
    set_speed(node, paused=True)
    node.after(1.0)
    status = node.held.status()
    file = axis_file(node)
    assert file.pauses() == {0: AxisPause.HELD}
    node.gate.speed.follow(status, width=-1.0)  # whatever its place is, that is elsewhere
    assert file.pauses() == {0: AxisPause.AWAY}
    node.after(0.01)
    assert file.pauses() == {0: AxisPause.HELD}


COMMANDS = {
    "jog": (MotionKind.JOG, None, lambda m: m.jog([velocity_move(0)])),
    "velocity": (
        MotionKind.VELOCITY,
        CommandMode.VELOCITY,
        lambda m: m.move_velocity([velocity_move(0)]),
    ),
    "effort": (
        MotionKind.EFFORT,
        CommandMode.TORQUE,
        lambda m: m.move_torque([TorqueMove(axis=0, torque=20.0)]),
    ),
    "homing": (MotionKind.HOMING, None, lambda m: m.home(0)),
    "position": (MotionKind.POSITION, None, lambda m: m.move_absolute([position_move(0, 5.0)])),
}


@pytest.mark.parametrize("command", ["jog", "velocity", "effort", "homing"])
def test_what_has_no_place_to_go_on_from_is_stopped_once(
    nodes: Callable[..., HeldNode], command: str
) -> None:
    far = replace(MODEL, home_switch_from=1e3, home_switch_to=1e3 + 1.0)
    held = HeldEngine(model=far, home_type=HomeType.HS, homing_velocity_fast=1.0).servo_on()
    noted = Stubborn(held, "stop", refusals=0)
    node = nodes(held, motion=noted)
    kind, mode, order = COMMANDS[command]
    node.gate.issue([node.request(0, kind=kind)], order, mode)
    node.after(0.3)
    set_speed(node, paused=True)
    node.after(3.0, lambda: bool(node.ends()))
    assert node.reasons() == [EndReason.STOPPED]
    assert node.ends()[0].message == "the system is paused"
    assert noted.taken == [("stop", [0])]
    set_speed(node)
    assert speed_of(watched(node, 1.0)) == 0.0, "nothing goes on by itself"


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_begins_while_it_is_paused(node: HeldNode, command: str) -> None:
    set_speed(node, 50, paused=True)
    kind, mode, order = COMMANDS[command]
    with pytest.raises(Paused) as refusal:
        node.gate.issue([node.request(0, kind=kind)], order, mode)
    assert refusal.value.code == RefusalCode.PAUSED
    assert str(refusal.value).startswith("Error=-4 (Paused): the system is paused")
    assert node.reasons() == [EndReason.REFUSED]
    assert node.ends()[0].code == RefusalCode.PAUSED
    status = node.after(0.1)
    assert status.op_state[0] == OperationState.IDLE
    assert status.command_mode[0] == CommandMode.POSITION, "a refused request changes nothing"


def test_axes_are_held_while_it_is_paused(node: HeldNode) -> None:
    set_speed(node, paused=True)
    node.gate.issue([node.request(0, kind=MotionKind.HOLD)], lambda motion: motion.stop([0]))


ENDS = {
    "stop": (lambda node: node.gate.stop([0]), EndReason.STOPPED),
    "emergency stop": (
        lambda node: node.held.motion.emergency_stop(1),
        EndReason.EMERGENCY_STOP,
    ),
    "servo off": (lambda node: node.gate.set_servo(0, on=False), EndReason.SERVO_OFF),
    "alarm": (lambda node: node.held.raise_alarm(0), EndReason.ALARM),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_ends_a_move_ends_one_that_is_paused_and_it_does_not_go_on(
    node: HeldNode, end: str
) -> None:
    act, reason = ENDS[end]
    move(node)
    node.after(1.0)
    set_speed(node, paused=True)
    node.after(1.0)
    act(node)
    node.after(1.0)
    assert node.reasons() == [reason]
    set_speed(node)
    assert speed_of(watched(node, 1.0)) == 0.0


def test_a_jog_that_is_renewed_keeps_its_lower_speed(node: HeldNode) -> None:
    set_speed(node, 30)
    for _ in range(10):
        jog(node)
        node.after(0.05)
    assert node.held.status().velocity_cmd[0] == pytest.approx(0.6)
    set_speed(node, 100)
    assert node.after(0.5).velocity_cmd[0] == pytest.approx(2.0)


def test_the_override_of_an_axis_is_of_the_speed_of_the_system(node: HeldNode) -> None:
    set_speed(node, 50)
    move(node, 50.0)
    node.after(0.5)
    node.gate.set_override(0, 40.0)
    assert node.after(0.5).velocity_cmd[0] == pytest.approx(0.2, rel=1e-3)
    set_speed(node, 100)
    assert node.after(0.5).velocity_cmd[0] == pytest.approx(0.4, rel=1e-3)
    set_speed(node, 100, paused=True)
    node.after(0.5)
    with pytest.raises(Paused):
        node.gate.set_override(0, 100.0)
    assert node.after(0.5).velocity_cmd[0] == 0.0
    set_speed(node, 100)
    assert node.after(0.5).velocity_cmd[0] == pytest.approx(0.4, rel=1e-3)
    move(node, 60.0)
    node.after(0.5)
    set_speed(node, 70)
    assert node.after(0.5).velocity_cmd[0] == pytest.approx(0.7, rel=1e-3), "the next has none"


@pytest.mark.parametrize(("wanted", "ends"), [(50, True), (0, True), (100, False)])
def test_where_an_engine_refuses_another_speed_the_axis_is_stopped_rather_than_too_fast(
    node: HeldNode, monkeypatch: pytest.MonkeyPatch, wanted: int, *, ends: bool
) -> None:
    set_speed(node, 80)
    move(node, 50.0)
    node.after(1.0)

    def refuse(_axis: int, _percent: float) -> None:
        raise CommandRefused(ErrorCode.NoSupportedFunction)

    monkeypatch.setattr(node.driver.motion, "set_override", refuse)
    set_speed(node, wanted or 80, paused=not wanted)
    status = node.after(2.0)
    assert bool(node.ends()) is ends
    if ends:
        assert node.reasons() == [EndReason.STOPPED]
        assert "could not be changed" in node.ends()[0].message
    assert status.velocity_cmd[0] == pytest.approx(0.0 if ends else 0.8)


def test_what_cannot_be_resumed_is_stopped_rather_than_wait_for_good(
    node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(node, 50.0)
    node.after(1.0)
    set_speed(node, 100, paused=True)
    node.after(1.0)

    def refuse(_axis: int, _percent: float) -> None:
        raise CommandRefused(ErrorCode.NoSupportedFunction)

    monkeypatch.setattr(node.driver.motion, "set_override", refuse)
    set_speed(node, 100)
    node.after(1.0)
    assert node.reasons() == [EndReason.STOPPED]
    assert "could not be changed" in node.ends()[0].message


def test_an_override_that_comes_too_early_is_given_again(
    node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(node, 50.0)
    node.after(1.0)
    given = node.driver.motion.set_override
    refusals = [ErrorCode.StartingPreviousCommand, ErrorCode.NotPosOrJogOrVelocityState] * 2

    def later(axis: int, percent: float) -> None:
        if refusals:
            raise CommandRefused(refusals.pop())
        given(axis, percent)

    monkeypatch.setattr(node.driver.motion, "set_override", later)
    set_speed(node, 50)
    assert node.after(1.0).velocity_cmd[0] == pytest.approx(0.5)


def test_relative_moves_and_all_velocities_of_a_profile_are_slowed(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    noted = Stubborn(held, "move_relative", refusals=0)
    node = nodes(held, motion=noted)
    set_speed(node, 10)
    motion: Motion = node.gate.speed.slowed([node.request(0)])
    shape = replace(SHAPE, starting_velocity=0.5, end_velocity=0.7, second_velocity=0.9)
    move = replace(position_move(0, 5.0, velocity=1.0), profile=shape)
    motion.move_relative([move])
    [(_, [slow])] = noted.taken
    slowed = replace(
        shape, starting_velocity=0.5 * 0.1, end_velocity=0.7 * 0.1, second_velocity=0.9 * 0.1
    )
    assert slow == replace(move, velocity=0.1, profile=slowed)
