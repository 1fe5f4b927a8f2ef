"""Stops at the gate: nothing outlives them, and they are given until the engine takes them."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from axis_files import axis_file
from gate_requests import AXES, COMMANDS, issue, jog, refused, rests
from held_engine import HeldEngine, position_move
from held_node import HeldNode
from refusing import refuses
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.interface import Motion
from wmx_core.values import MAX_AXES, CommandMode, EmergencyStop
from wmx_ros2_package.control.axis_file.records import StopCause
from wmx_ros2_package.control.gate import Gate, StoppedSince
from wmx_ros2_package.control.request import EndReason, MotionKind

# What was asked for before a stop

STOPS: dict[str, tuple[Callable[[HeldNode], object], StopCause]] = {
    "stop": (lambda node: node.gate.stop([1]), StopCause.STOP),
    "quick stop": (lambda node: node.gate.stop([1], quick=True), StopCause.STOP),
    "refuse earlier": (lambda node: node.gate.refuse_earlier([1]), StopCause.STOP),
    "servo off": (
        lambda node: (node.gate.set_servo(1, on=False), node.gate.set_servo(1, on=True)),
        StopCause.SERVO_OFF,
    ),
    "emergency stop": (
        lambda node: (
            node.gate.emergency_stop(EmergencyStop.LEVEL1),
            node.gate.release_emergency_stop(),
        ),
        StopCause.EMERGENCY_STOP,
    ),
    "mode": (
        lambda node: [node.gate.set_command_mode(1, mode) for mode in (CommandMode.VELOCITY, 0)],
        StopCause.SETTING,
    ),
    "polarity": (lambda node: node.gate.set_polarity(1, 1), StopCause.SETTING),
    "gear ratio": (lambda node: node.gate.set_gear_ratio(1, 1000.0, 1.0), StopCause.SETTING),
    "position": (lambda node: node.gate.set_position(1, 0.0), StopCause.SETTING),
    "homing": (
        lambda node: node.gate.issue(
            [node.request(1, kind=MotionKind.HOMING)], lambda motion: motion.home(1)
        ),
        StopCause.SETTING,
    ),
}


@pytest.mark.parametrize("stop", STOPS)
def test_what_was_asked_for_before_a_stop_is_refused_in_every_process(
    node: HeldNode, other: HeldNode, stop: str
) -> None:
    """Of an axis that rests, too: a stop is no matter of what moves."""
    asked_at = node.now()
    node.after(1.0)
    verb, cause = STOPS[stop]
    verb(other)
    node.after(1.0)
    other.tracker.update(node.held.status())
    of_all = cause is StopCause.EMERGENCY_STOP
    for command in COMMANDS:
        error = refused(node, command, ErrorCode.NotIdleState, asked_at=asked_at)
        assert isinstance(error, StoppedSince)
        assert (error.axis, error.cause) == (0 if of_all else 1, cause)
    jog(node, 0, asked_at=node.now() if of_all else asked_at)
    assert node.after(0.1).velocity_cmd[0] > 0.0, "an axis that was not stopped"
    node.gate.stop([0])
    node.after(1.0)
    issue(node, "jog")


STOPS_THAT_HOLD = "stop", "quick stop", "servo off", "emergency stop"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("stop", STOPS_THAT_HOLD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_stop_wins_over_a_command_that_is_on_its_way_to_the_engine(
    held: HeldEngine, node: HeldNode, other: HeldNode, command: str, stop: str, when: str
) -> None:
    mode, order = COMMANDS[command]
    verb, _ = STOPS[stop]

    def both(motion: Motion) -> None:
        if when == "before":
            verb(other)
            held.after(0.2)  # for the servo to be on again
        order(motion)
        if when == "after":
            verb(other)

    began = held.status().pos_cmd.copy()
    requests = [node.request(axis, targets=(1.0,)) for axis in AXES]
    with suppress(CommandRefused):  # an axis that was stopped is in torque mode no more
        node.gate.issue(requests, both, mode)
    status = rests(node)
    assert np.abs(status.pos_cmd - began).max() < 0.05
    assert status.command_mode[0] != CommandMode.TORQUE or stop == "servo off"
    assert not node.tracker
    begun, ended = node.begins(), node.ends()
    assert len(ended) == 2
    assert [end.id for end in ended] == [begin.id for begin in begun] or not begun
    reasons = {EndReason.STOPPED, EndReason.SERVO_OFF} if begun else {EndReason.REFUSED}
    assert {end.reason for end in ended} <= reasons


def test_a_stop_of_its_own_is_not_recorded(node: HeldNode, other: HeldNode) -> None:
    """A node that ends a motion may begin the next one, which was asked for before."""
    asked_at = node.now()
    jog(node)
    node.after(0.5)
    node.gate.end_motion([0], reason=EndReason.CANCELED, message="canceled")
    rests(node)
    assert [(end.reason, end.message) for end in node.ends()] == [(EndReason.CANCELED, "canceled")]
    jog(other, asked_at=asked_at)


def test_what_a_node_ends_until_it_rests_leaves_others_alone(
    node: HeldNode, other: HeldNode
) -> None:
    """An axis that has come to rest meanwhile may be commanded by another node at once."""
    jog(node)
    node.after(0.2)
    node.gate.stop([0])
    rests(node)
    node.gate.end_until_rest([0, 1], "its stream is over")
    jog(other)
    node.after(0.3)
    assert node.driver.motion.status().velocity_cmd[0] > 0.0
    assert other.ends() == []


def test_what_a_node_ends_until_it_rests_leaves_its_newer_motion_alone(node: HeldNode) -> None:
    """Also while the motor settles, which is after the command rests."""
    fast = position_move(0, 100.0, velocity=20.0, acc=50.0, dec=200.0)
    node.gate.issue([node.request(0)], lambda motion: motion.move_absolute([fast]))
    node.after(1.0)
    node.gate.end_until_rest([0], "its client is gone", EndReason.LEASE_EXPIRED)
    node.after(1.0, until=lambda: not node.held.status().op_state[0])
    assert "stopping" in node.supervisor.names()
    assert not node.held.status().op_state[0]
    node.gate.issue([node.request(0)], lambda motion: motion.move_absolute([position_move(0)]))
    node.after(30.0, until=lambda: not node.tracker)
    assert node.ends()[-1].reason is EndReason.ARRIVED


@pytest.mark.parametrize("settles", [False, True])
def test_what_a_node_ends_until_it_rests_leaves_a_motion_alone_that_just_begins(
    node: HeldNode, *, settles: bool
) -> None:
    """A status may show it before the gate has entered it, as the motor of the last one settles."""
    if settles:
        fast = position_move(0, 100.0, velocity=20.0, acc=50.0, dec=200.0)
        node.gate.issue([node.request(0)], lambda motion: motion.move_absolute([fast]))
        node.after(1.0)
    node.gate.end_until_rest([0], "its client is gone", EndReason.LEASE_EXPIRED)
    node.after(1.0, until=lambda: not node.held.status().op_state[0])
    assert bool(node.tracker) is settles

    def move(motion: Motion) -> None:
        motion.move_absolute([position_move(0)])
        node.supervisor.read(node.held.after(0.005))

    node.gate.issue([node.request(0, targets=(1.0,))], move)
    node.after(30.0, until=lambda: not node.tracker)
    assert node.ends()[-1].reason is EndReason.ARRIVED


def test_what_a_node_ends_does_not_wait_for_a_command_that_is_on_its_way(node: HeldNode) -> None:
    """The engine may answer that late, and refuse it in the end."""
    jog(node)
    node.after(1.0)
    node.gate.end_until_rest([0], "its client is gone", EndReason.LEASE_EXPIRED)

    def refuse(_: Motion) -> None:
        node.after(3.0)
        assert not node.held.status().velocity_cmd[0]
        raise CommandRefused(ErrorCode.WaitTimeout)

    with refuses(ErrorCode.WaitTimeout):
        node.gate.issue([node.request(0)], refuse)
    rests(node)


def test_what_replaces_a_motion_as_its_node_ends_it_is_not_stopped(node: HeldNode) -> None:
    """As by a client whose next command comes at the end of the last one."""
    jog(node)
    node.after(1.0)
    node.gate.end_until_rest([0], "its time is over", EndReason.LEASE_EXPIRED)

    def move(motion: Motion) -> None:
        node.supervisor.read(node.held.after(0.005))
        motion.move_absolute([position_move(0)])
        node.supervisor.read(node.held.after(0.005))

    node.gate.issue([node.request(0, targets=(1.0,))], move)
    node.after(30.0, until=lambda: not node.tracker)
    assert [end.reason for end in node.ends()] == [EndReason.REPLACED, EndReason.ARRIVED]


def test_the_stop_of_a_request_counts_for_all_of_its_axes(node: HeldNode) -> None:
    both = [node.request(0), node.request(1)]
    node.gate.stop([1])
    assert node.gate.stopped_since([]) is None
    assert node.gate.stopped_since(both[:1]) is None
    stopped = node.gate.stopped_since(both)
    assert stopped is not None
    assert stopped.axis == 1
    with pytest.raises(StoppedSince):
        node.gate.require_not_stopped(both)
    later = [node.request(0, 1, asked_at=node.now() + 0.001)]
    node.gate.require_not_stopped(later)


@pytest.mark.parametrize("axis", [-1, MAX_AXES])
def test_axes_that_no_engine_has_are_refused_by_the_engine(node: HeldNode, axis: int) -> None:
    for verb in (
        lambda: node.gate.stop([axis]),
        lambda: node.gate.set_servo(axis, on=False),
        lambda: node.gate.set_servo(axis, on=True),
        lambda: jog(node, axis),
        lambda: node.gate.set_command_mode(axis, CommandMode.TORQUE),
    ):
        with refuses(ErrorCode.AxisOutOfRange):
            verb()
    assert not axis_file(node).stopped.any()


def test_a_stop_that_meets_a_command_is_given_until_the_engine_takes_it(
    held: HeldEngine, nodes: Callable[..., HeldNode], other: HeldNode
) -> None:
    stubborn = Stubborn(held, "stop", refusals=0, code=ErrorCode.NotIdleState)
    node = nodes(held, motion=stubborn)

    def order(motion: Motion) -> None:
        motion.move_absolute([position_move(axis) for axis in AXES])
        other.gate.stop(AXES)  # by another process, before the gate looks again
        motion.move_absolute([position_move(axis) for axis in AXES])
        stubborn.refusals = 3

    node.gate.issue([node.request(axis) for axis in AXES], order)
    rests(node)
    assert stubborn.refusals == 0
    assert node.reasons() == [EndReason.STOPPED] * 2


# Stops bring axes to rest, whatever they do


VERBS: dict[str, Callable[[HeldNode], object]] = {
    "stop": lambda node: node.gate.stop(AXES),
    "quick stop": lambda node: node.gate.stop(AXES, quick=True),
    "emergency stop": lambda node: node.gate.emergency_stop(EmergencyStop.LEVEL1),
    "final emergency stop": lambda node: node.gate.emergency_stop(EmergencyStop.FINAL),
    "servo off": lambda node: [node.gate.set_servo(axis, on=False) for axis in AXES],
}


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_stop_brings_every_motion_to_rest(
    node: HeldNode, other: HeldNode, command: str, verb: str, *, closed: bool
) -> None:
    """Of another node, while its own gate is closed, and of axes that it does not own."""
    issue(node, command)
    node.after(0.2)
    if closed:
        other.gate.close()
    VERBS[verb](other)
    rests(node)
    expected = {
        "emergency stop": EndReason.EMERGENCY_STOP,
        "final emergency stop": EndReason.EMERGENCY_STOP,
        "servo off": EndReason.SERVO_OFF,
    }.get(verb, EndReason.STOPPED)
    assert node.reasons() == [expected] * 2
    assert len(node.begins()) == 2


@pytest.mark.parametrize(
    ("stop", "way"),
    [
        (lambda gate: gate.stop([0]), 0.4),
        (lambda gate: gate.stop([0], quick=True), 0.1),
        (lambda gate: gate.end_until_taken([0], ""), 0.4),
        (lambda gate: gate.end_until_rest([0], ""), 0.41),
        (lambda gate: gate.end_until_rest([0], "", quick=True), 0.11),
    ],
)
def test_a_quick_stop_is_quicker(node: HeldNode, stop: Callable[[Gate], None], way: float) -> None:
    """It is v^2 / 2a long, at 20 u/s^2 instead of 5; 0.01 u more where a status begins it."""
    jog(node)
    began = node.after(2.0).pos_cmd[0]
    stop(node.gate)
    assert rests(node).pos_cmd[0] - began == pytest.approx(way, abs=0.01)


def test_a_quick_stop_until_rest_is_given_to_what_slows_down_already(node: HeldNode) -> None:
    """A base swerves of which one wheel was stopped gently, and the other one quickly."""
    jog(node, 0)
    jog(node, 1)
    node.after(2.0)
    node.held.motion.stop([0])
    began = node.after(0.02)
    node.gate.end_until_rest(AXES, "it does not follow", quick=True)
    way = rests(node).pos_cmd[:2] - began.pos_cmd[:2]
    assert way == pytest.approx([0.09, 0.1], abs=0.015), "v^2 / 2a at 20 u/s^2, not at 5"


def test_the_reason_of_a_stop_is_that_of_its_axes_alone(node: HeldNode) -> None:
    jog(node, 0)
    jog(node, 1)
    node.after(0.2)
    node.gate.stop([1], reason=EndReason.LEASE_EXPIRED, message="late")
    node.after(1.0)
    assert [(end.axes, end.reason, end.message) for end in node.ends()] == [
        ((1,), EndReason.LEASE_EXPIRED, "late")
    ]


# The emergency stop


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_is_known_to_all_until_its_release(
    node: HeldNode, other: HeldNode, level: EmergencyStop
) -> None:
    node.gate.emergency_stop(level)
    file = axis_file(other)
    assert file.emergency_stop is level
    assert (file.stopped > 0.0).sum() == MAX_AXES
    node.after(1.0)
    for command in COMMANDS:
        with pytest.raises(CommandRefused):
            issue(other, command)
    other.gate.release_emergency_stop()
    assert file.emergency_stop is None
    assert other.after(0.1).emergency_stop is None


@pytest.mark.parametrize("error", [EngineLost, CommandRefused])
def test_an_emergency_stop_is_recorded_where_the_engine_does_not_take_it(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch, error: type[WmxError]
) -> None:
    def fail(*_: Any) -> None:
        raise error(ErrorCode.StatusChannelError)

    monkeypatch.setattr(held.motion, "emergency_stop", fail, raising=False)
    monkeypatch.setattr(held.motion, "release_emergency_stop", fail, raising=False)
    with pytest.raises(error):
        node.gate.emergency_stop(EmergencyStop.LEVEL1)
    file = axis_file(node)
    assert file.emergency_stop is EmergencyStop.LEVEL1
    assert file.stop_cause(0) is StopCause.EMERGENCY_STOP
    with pytest.raises(error):
        node.gate.release_emergency_stop()
    assert file.emergency_stop is EmergencyStop.LEVEL1, "it was not released"


def test_a_softer_emergency_stop_leaves_the_harder_one_in_force(node: HeldNode) -> None:
    node.gate.emergency_stop(EmergencyStop.FINAL)
    node.after(0.1)
    with refuses(ErrorCode.CurrentEmergencyStopLevelIsHigher):
        node.gate.emergency_stop(EmergencyStop.LEVEL1)
    assert axis_file(node).emergency_stop is EmergencyStop.FINAL
    assert node.held.status().emergency_stop is EmergencyStop.FINAL


# Faults of engine and program


@pytest.mark.parametrize("quick", [False, True])
def test_a_stop_that_the_engine_refuses_is_given_again(
    held: HeldEngine, nodes: Callable[..., HeldNode], *, quick: bool
) -> None:
    motion = Stubborn(held, "stop", "quick_stop", refusals=3)
    node = nodes(held, motion=motion)
    jog(node, *AXES)
    with pytest.raises(CommandRefused):
        node.gate.stop(AXES, quick=quick)
    rests(node)
    verb = "quick_stop" if quick else "stop"
    assert sorted(motion.taken) == [(verb, [0]), (verb, [1])]


def test_a_quick_stop_that_is_refused_is_given_again_to_what_slows_down_already(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    node = nodes(held, motion=Stubborn(held, "quick_stop", refusals=3))
    jog(node, 0)
    node.after(2.0)
    held.motion.stop([0])
    began = node.after(0.02)
    with pytest.raises(CommandRefused):
        node.gate.stop([0], quick=True)
    way = rests(node).pos_cmd[0] - began.pos_cmd[0]
    assert way == pytest.approx(0.17, abs=0.03), "0.05 s later; 0.36 at 5 u/s^2"


@pytest.mark.parametrize("stop", [Gate.stop, partial(Gate.end_until_taken, message="it ends")])
def test_a_stop_of_a_device_that_is_closed_stops_nothing_after_the_next_attach(
    held: HeldEngine, nodes: Callable[..., HeldNode], stop: Callable[[Gate, list[int]], None]
) -> None:
    motion = Stubborn(held, "stop", refusals=1, code=ErrorCode.DeviceIsNull)
    node = nodes(held, motion=motion)
    with suppress(CommandRefused):
        stop(node.gate, [0])
    assert motion.refusals == 0
    held.after(0.1)  # in which no status is read
    jog(node, 0)
    assert node.after(1.0).velocity_cmd[0]


def test_a_stop_that_is_given_again_ends_nothing_that_begins_later(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    node = nodes(held, motion=Stubborn(held, "stop", refusals=1))
    jog(node, 1)  # axis 0 rests
    node.after(1.0)
    with pytest.raises(CommandRefused):
        node.gate.stop(AXES)
    node.after(0.03)
    assert node.held.status().velocity_cmd[1], "it slows down still"
    jog(node, 0)
    assert node.after(1.0).velocity_cmd.tolist() == pytest.approx([2.0, 0.0])


def test_a_listener_that_raises_leaves_nothing_moving(node: HeldNode) -> None:
    errors = [ZeroDivisionError()]

    def fail(_: object) -> None:
        if errors:
            raise errors.pop()

    node.tracker.listen(fail)
    with pytest.raises(ZeroDivisionError):
        jog(node, *AXES)
    rests(node)
    assert {(end.reason, end.message) for end in node.ends()} == {
        (EndReason.STOPPED, "internal error: ZeroDivisionError()")
    }
