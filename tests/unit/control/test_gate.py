"""The gate: a refused request changes nothing, and nothing outlives a stop."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode

from wmx_ros2_package.control.gate import GateClosed, StoppedSince, stop_only_gate
from wmx_ros2_package.control.ownership import AxisOwned
from wmx_ros2_package.control.request import End, EndReason, MotionKind, requests_of
from wmx_ros2_package.control.shared_axis_file import ServoHistory, StopCause
from wmx_ros2_package.control.tracker import MotionOver
from wmx_ros2_package.drivers.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_ros2_package.drivers.interface import Driver, Motion
from wmx_ros2_package.drivers.values import (
    MAX_AXES,
    CommandMode,
    EmergencyStop,
    LinearMove,
    MotionStatus,
    OperationState,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

AXES = 0, 1
POINTS = SplineMove(axes=AXES, times=np.array([0.0, 2.0]), positions=np.array([[0, 0], [1, 1.0]]))
LINE = LinearMove(axes=AXES, targets=(1.0, 1.0), velocity=1.0, acc=5.0, dec=5.0)
COMMANDS: dict[str, tuple[CommandMode | None, Callable[[Motion], None]]] = {
    "absolute": (None, lambda m: m.move_absolute([position_move(axis) for axis in AXES])),
    "relative": (None, lambda m: m.move_relative([position_move(axis) for axis in AXES])),
    "jog": (CommandMode.POSITION, lambda m: m.jog([velocity_move(axis) for axis in AXES])),
    "line": (None, lambda m: m.move_linear(LINE)),
    "spline": (CommandMode.POSITION, lambda m: m.move_spline(POINTS)),
    "velocity": (
        CommandMode.VELOCITY,
        lambda m: m.move_velocity([velocity_move(axis) for axis in AXES]),
    ),
    "torque": (
        CommandMode.TORQUE,
        lambda m: m.move_torque([TorqueMove(axis=axis, torque=20.0) for axis in AXES]),
    ),
}


@pytest.fixture
def other(held: HeldEngine, nodes: Callable[..., HeldNode], node: HeldNode) -> HeldNode:
    """Another node on the engine of `node`, as in another process: they share the axis file."""
    return nodes(held, "/other")


def state(node: HeldNode) -> tuple[Any, ...]:
    """What a refused request leaves as it is."""
    status, file = node.held.status(), node.ownership.file
    assert file is not None
    return (
        status.op_state.tolist(),
        status.command_mode.tolist(),
        status.servo_on.tolist(),
        status.velocity_cmd.tolist(),
        status.pos_cmd.tolist(),
        [(file.owner(axis), file.commanded_at(axis), file.is_kept(axis)) for axis in AXES],
        file.stopped.tolist(),
        file.emergency_stop,
    )


def issue(node: HeldNode, command: str, *axes: int, asked_at: float | None = None) -> None:
    mode, order = COMMANDS[command]
    requests = [node.request(axis) for axis in axes or AXES]
    if asked_at is not None:
        requests = [node.request(axis, asked_at=asked_at) for axis in axes or AXES]
    node.gate.issue(requests, order, mode)


def jog(node: HeldNode, *axes: int, **fields: Any) -> None:
    """Jog `axes`, each a motion of its own."""
    requests = [node.request(axis, kind=MotionKind.JOG, **fields) for axis in axes or (0,)]
    moves = [velocity_move(axis) for axis in axes or (0,)]
    node.gate.issue(requests, lambda motion: motion.jog(moves))


def refused(node: HeldNode, command: str, code: ErrorCode, **fields: Any) -> CommandRefused:
    """The refusal of a command, which changes nothing and has an end for each request."""
    before, events = state(node), len(node.events)
    with pytest.raises(CommandRefused) as error:
        issue(node, command, **fields)
    assert state(node) == before
    ends = node.events[events:]
    assert [type(end) for end in ends] == [End, End]
    assert [(end.reason, end.axes) for end in node.ends()[-2:]] == [
        (EndReason.REFUSED, (0,)),
        (EndReason.REFUSED, (1,)),
    ]
    assert {end.code for end in node.ends()[-2:]} == {code}
    assert error.value.code == code
    assert not node.tracker
    return error.value


def rests(node: HeldNode, seconds: float = 2.0) -> MotionStatus:
    """That every axis and its motor rest after some time."""
    status = node.after(seconds)
    assert (status.op_state == OperationState.IDLE).all()
    assert not status.velocity_cmd.any()
    assert status.actual_velocity == pytest.approx([0.0, 0.0], abs=1e-3)
    return status


# What passes


@pytest.mark.parametrize("command", COMMANDS)
def test_what_passes_begins_one_motion_for_each_request(node: HeldNode, command: str) -> None:
    issue(node, command)
    status = node.after(0.1)
    assert status.velocity_cmd.all() or status.actual_torque.all()
    assert [begin.axes for begin in node.begins()] == [(0,), (1,)]
    assert node.ends() == []
    assert node.ownership.last_commanded() == [0, 1]
    assert node.ownership.owners(AXES, status).keys() == {0, 1}


def test_a_command_that_replaces_another_ends_it_where_it_is(node: HeldNode) -> None:
    issue(node, "absolute")
    node.after(0.2)
    issue(node, "absolute")
    assert node.reasons() == [EndReason.REPLACED] * 2
    assert [end.replaced_by for end in node.ends()] == [b.id for b in node.begins()[2:]]


def test_a_motion_that_had_arrived_is_not_replaced(held: HeldEngine, node: HeldNode) -> None:
    """Also where no status was read since it arrived."""
    issue(node, "absolute")
    held.after(60.0)
    issue(node, "absolute")
    assert node.reasons() == [EndReason.ARRIVED] * 2


# What is refused


@pytest.mark.parametrize("command", COMMANDS)
def test_while_the_gate_is_closed_nothing_is_commanded(node: HeldNode, command: str) -> None:
    node.gate.close()
    before = state(node)
    with pytest.raises(GateClosed):
        issue(node, command)
    assert state(node) == before
    assert node.events == []
    node.gate.open()
    issue(node, command)
    assert node.after(0.1).velocity_cmd.any() or node.held.status().actual_torque.any()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_the_engine_refuses_changes_nothing(node: HeldNode, command: str) -> None:
    node.held.raise_alarm(1)
    node.after(1.0)
    refused(node, command, ErrorCode.AxisAmpAlarm)


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_a_mode_is_what_it_was_after_a_refusal(
    held: HeldEngine, nodes: Callable[..., HeldNode], command: str
) -> None:
    """Each axis has its own: one of both was in the mode of the command already."""
    mode, _ = COMMANDS[command]
    assert mode is not None
    held.motion.set_command_mode(1, mode)

    class Refusing:
        """The motion of `held`, which takes no command."""

        def __getattr__(self, name: str) -> Any:
            return getattr(held.motion, name)

        def move_velocity(self, _: Sequence[VelocityMove]) -> None:
            raise CommandRefused(ErrorCode.NotIdleOrVelocityState)

        def move_torque(self, _: Sequence[TorqueMove]) -> None:
            raise CommandRefused(ErrorCode.NotIdleOrVelocityState)

    node = nodes(held, motion=Refusing())
    assert held.status().command_mode.tolist() == [CommandMode.POSITION, mode]
    refused(node, command, ErrorCode.NotIdleOrVelocityState)


def test_an_axis_that_cannot_go_back_keeps_no_other_from_its_mode(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    class Stuck:
        """The motion of `held`, which takes no torque, and whose axis 0 stays in its new mode."""

        def __getattr__(self, name: str) -> Any:
            return getattr(held.motion, name)

        def move_torque(self, _: Sequence[TorqueMove]) -> None:
            raise CommandRefused(ErrorCode.NotIdleOrTorqueState)

        def set_command_mode(self, axis: int, mode: CommandMode) -> None:
            if axis == 0 and mode is CommandMode.POSITION:
                raise CommandRefused(ErrorCode.NotIdleState)
            held.motion.set_command_mode(axis, mode)

    node = nodes(held, motion=Stuck())
    with pytest.raises(CommandRefused) as refusal:
        issue(node, "torque")
    assert refusal.value.code == ErrorCode.NotIdleOrTorqueState
    assert held.status().command_mode.tolist() == [CommandMode.TORQUE, CommandMode.POSITION]


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_no_mode_is_changed_where_one_axis_cannot_change_it(node: HeldNode, command: str) -> None:
    node.held.motion.move_absolute([position_move(1, 10.0)])
    node.after(0.2)
    before = node.held.status().command_mode.tolist()
    with pytest.raises(CommandRefused, match="axis 1 moves to a position: must be at rest"):
        issue(node, command)
    assert node.held.status().command_mode.tolist() == before
    assert node.reasons() == [EndReason.REFUSED] * 2


def test_no_mode_is_changed_while_a_motor_turns(held: HeldEngine, node: HeldNode) -> None:
    """A motor lags behind its command, and a new mode would let it coast."""
    held.motion.move_absolute([position_move(0, 1.0, velocity=20.0, acc=1000.0, dec=1000.0)])
    while held.after(0.001).op_state[0] != OperationState.IDLE:
        pass
    assert abs(held.status().actual_velocity[0]) > 0.1
    with pytest.raises(CommandRefused, match="the motor of axis 0 still turns") as error:
        issue(node, "torque")
    assert error.value.code == ErrorCode.NotIdleState
    assert held.status().command_mode[0] == CommandMode.POSITION
    node.after(1.0)
    issue(node, "torque")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_another_node_owns_is_refused(node: HeldNode, other: HeldNode, command: str) -> None:
    with other.gate.claim(other.request(1)):
        node.after(1.0)
        error = refused(node, command, ErrorCode.ResourceInUse)
    assert isinstance(error, AxisOwned)
    issue(node, command)


def test_a_refusal_of_a_claim_is_the_end_of_its_request(node: HeldNode, other: HeldNode) -> None:
    jog(other, 1)
    request = node.request(0, 1, id=uuid4(), names=("a", "b"))
    with pytest.raises(AxisOwned), node.gate.claim(request):
        pytest.fail("nothing is claimed")
    [end] = node.ends()
    assert (end.id, end.axes, end.names) == (request.id, (0, 1), ("a", "b"))
    assert (end.reason, end.code) == (EndReason.REFUSED, ErrorCode.ResourceInUse)


def test_a_refusal_has_the_id_and_the_names_of_its_request(node: HeldNode) -> None:
    node.gate.stop([0])
    request = node.request(0, asked_at=0.0, id=uuid4(), names=("elbow",))
    with pytest.raises(StoppedSince) as error:
        node.gate.issue([request], lambda motion: motion.jog([velocity_move()]))
    [end] = node.ends()
    assert (end.id, end.names, end.message) == (request.id, ("elbow",), str(error.value))


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
    node.gate.stop([0], reason=EndReason.CANCELED, message="canceled", recorded=False)
    rests(node)
    assert [(end.reason, end.message) for end in node.ends()] == [(EndReason.CANCELED, "canceled")]
    jog(other, asked_at=asked_at)


def test_the_stop_of_a_request_counts_for_all_of_its_axes(node: HeldNode) -> None:
    node.gate.stop([1])
    both = [node.request(0, asked_at=0.5), node.request(1, asked_at=0.5)]
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
        with pytest.raises(CommandRefused) as error:
            verb()
        assert error.value.code == ErrorCode.AxisOutOfRange
    assert node.ownership.file
    assert not node.ownership.file.stopped.any()


def test_a_stop_that_meets_a_command_is_given_until_the_engine_takes_it(
    node: HeldNode, other: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Sequence[int]] = []
    monkeypatch.setattr(node.gate, "_keep_stopping", lambda _, axes: kept.append(axes))

    def refuse(_: Sequence[int]) -> None:
        raise CommandRefused(ErrorCode.NotIdleState)

    def order(motion: Motion) -> None:
        motion.move_absolute([position_move(axis) for axis in AXES])
        other.gate.stop(AXES)  # by another process, before the gate looks again
        motion.move_absolute([position_move(axis) for axis in AXES])
        monkeypatch.setattr(node.driver.motion, "stop", refuse)

    node.gate.issue([node.request(axis) for axis in AXES], order)
    assert kept == [[0, 1]]


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


def test_a_quick_stop_is_quicker(node: HeldNode) -> None:
    ways = []
    for quick in (False, True):
        jog(node)
        began = node.after(2.0).pos_cmd[0]
        node.gate.stop([0], quick=quick)
        ways.append(rests(node).pos_cmd[0] - began)
    assert ways == pytest.approx([0.4, 0.1], abs=0.01)  # v^2 / 2a, at 5 and 20 u/s^2


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
    assert other.ownership.file
    assert other.ownership.file.emergency_stop is level
    assert (other.ownership.file.stopped > 0.0).sum() == MAX_AXES
    node.after(1.0)
    for command in COMMANDS:
        with pytest.raises(CommandRefused):
            issue(other, command)
    other.gate.release_emergency_stop()
    assert other.ownership.file.emergency_stop is None
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
    assert node.ownership.file
    assert node.ownership.file.emergency_stop is EmergencyStop.LEVEL1
    assert node.ownership.file.stop_cause(0) is StopCause.EMERGENCY_STOP
    with pytest.raises(error):
        node.gate.release_emergency_stop()
    assert node.ownership.file.emergency_stop is EmergencyStop.LEVEL1, "it was not released"


def test_a_softer_emergency_stop_leaves_the_harder_one_in_force(node: HeldNode) -> None:
    node.gate.emergency_stop(EmergencyStop.FINAL)
    node.after(0.1)
    with pytest.raises(CommandRefused) as error:
        node.gate.emergency_stop(EmergencyStop.LEVEL1)
    assert error.value.code == ErrorCode.CurrentEmergencyStopLevelIsHigher
    assert node.ownership.file
    assert node.ownership.file.emergency_stop is EmergencyStop.FINAL
    assert node.held.status().emergency_stop is EmergencyStop.FINAL


# Servos and settings


def test_what_was_done_to_a_servo_is_known_to_all(node: HeldNode, other: HeldNode) -> None:
    file = other.ownership.file
    assert file is not None
    node.gate.set_servo(0, on=False)
    assert file.servo_history(0) is ServoHistory.SWITCHED_OFF
    assert file.stopped[0] > 0.0
    node.after(0.1)
    stopped = file.stopped.copy()
    node.gate.set_servo(0, on=True)
    assert file.servo_history(0) is ServoHistory.SWITCHED_ON
    assert file.servo_history(1) is ServoHistory.UNTOUCHED
    assert (file.stopped == stopped).all(), "switching on is no stop"
    assert node.after(0.2).servo_on.all()


def test_clearing_an_alarm_is_no_stop(node: HeldNode) -> None:
    node.held.raise_alarm(0)
    node.after(0.1)
    node.gate.clear_alarm(0)
    assert not node.after(0.1).amp_alarm.any()
    assert node.ownership.file
    assert not node.ownership.file.stopped.any()


SETTINGS: dict[str, Callable[[HeldNode, Path], None]] = {
    "mode": lambda node, _: node.gate.set_command_mode(0, CommandMode.TORQUE),
    "polarity": lambda node, _: node.gate.set_polarity(0, -1),
    "gear ratio": lambda node, _: node.gate.set_gear_ratio(0, 7.0, 1.0),
    "position": lambda node, _: node.gate.set_position(0, 3.0),
    "parameters": lambda node, path: node.gate.load_parameters(str(path)),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_are_refused_while_an_axis_moves_or_another_node_owns_it(
    node: HeldNode, other: HeldNode, tmp_path: Path, setting: str
) -> None:
    file = tmp_path / "wmx.xml"
    file.write_text(node.held.motion.parameters().to_xml())
    change = lambda: SETTINGS[setting](node, file)  # noqa: E731
    jog(other, 0)
    node.after(0.2)
    before = state(node)
    with pytest.raises(AxisOwned):
        change()
    assert state(node) == before
    other.gate.stop([0])
    rests(other)
    jog(node, 0)
    node.after(0.2)
    before = state(node)
    with pytest.raises(CommandRefused, match="axis 0 is in JOG state"):
        change()
    assert state(node) == before


def test_a_setting_is_refused_while_the_motor_turns(held: HeldEngine, node: HeldNode) -> None:
    held.motion.move_absolute([position_move(0, 1.0, velocity=20.0, acc=1000.0, dec=1000.0)])
    while held.after(0.001).op_state[0] != OperationState.IDLE:
        pass
    with pytest.raises(CommandRefused, match="the motor of axis 0 still turns"):
        node.gate.set_polarity(0, -1)
    node.gate.set_polarity(1, -1)


def test_a_setting_that_is_refused_refuses_no_command(node: HeldNode) -> None:
    asked_at = node.now()
    node.after(0.1)
    with pytest.raises(CommandRefused):
        node.gate.set_polarity(0, 3)
    jog(node, 0, asked_at=asked_at)


def test_parameters_are_those_of_all_axes(node: HeldNode, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_at = node.now()
    node.after(0.1)
    loaded: list[str] = []
    monkeypatch.setattr(node.driver.motion, "load_parameters", loaded.append, raising=False)
    node.gate.load_parameters("/some.xml")
    assert loaded == ["/some.xml"]
    for axis in AXES:
        assert isinstance(
            node.gate.stopped_since([node.request(axis, asked_at=asked_at)]), StoppedSince
        )


def test_an_override_changes_a_motion_of_this_node_alone(node: HeldNode, other: HeldNode) -> None:
    jog(node)
    node.after(1.0)
    with pytest.raises(AxisOwned):
        other.gate.set_override(0, 0.0)
    node.gate.set_override(0, 50.0)
    assert node.after(1.0).velocity_cmd[0] == pytest.approx(1.0)
    assert node.ownership.file
    assert not node.ownership.file.stopped.any()


def test_position_mode_is_restored_without_refusing_a_command(node: HeldNode) -> None:
    asked_at = node.now()
    node.held.motion.set_command_mode(0, CommandMode.TORQUE)
    node.after(0.1)
    node.gate.restore_position_mode(0)
    assert node.after(0.01).command_mode[0] == CommandMode.POSITION
    jog(node, 0, asked_at=asked_at)


# Motions of several commands


def test_a_command_that_extends_a_motion_is_no_new_one_and_its_refusal_no_end(
    node: HeldNode,
) -> None:
    request = node.request(0, kind=MotionKind.VELOCITY, id=uuid4(), run_time=0.5, renewable=True)
    move = [velocity_move(0, run_time=0.5)]
    for _ in range(3):
        node.gate.issue([request], lambda motion: motion.jog(move))
        node.after(0.3)
    with pytest.raises(CommandRefused):
        node.gate.issue([request], lambda motion: motion.move_velocity(move))
    assert len(node.events) == 1
    node.after(2.0)
    assert node.reasons() == [EndReason.LEASE_EXPIRED]
    with pytest.raises(MotionOver):
        node.gate.issue([request], lambda motion: motion.jog(move))
    assert not node.after(0.1).velocity_cmd.any()
    assert len(node.events) == 2


def test_requests_of_moves_have_their_targets_and_run_times(node: HeldNode) -> None:
    moves: list[PositionMove | VelocityMove | TorqueMove] = [
        position_move(0, 2.5),
        velocity_move(1, run_time=0.2),
        velocity_move(2),
        TorqueMove(axis=3, torque=1.0, run_time=0.3),
    ]
    made = requests_of(MotionKind.JOG, moves, 7.0, "jog")
    assert [request.axes for request in made] == [(0,), (1,), (2,), (3,)]
    assert [request.targets for request in made] == [(2.5,), (), (), ()]
    assert [request.run_time for request in made] == [0.0, 0.2, 0.0, 0.3]
    assert [request.renewable for request in made] == [False, True, False, True]
    assert {(request.kind, request.asked_at, request.purpose) for request in made} == {
        (MotionKind.JOG, 7.0, "jog")
    }
    [relative] = requests_of(MotionKind.POSITION, moves[:1], 7.0, targets_are_ends=False)
    assert relative.targets == ()


# Programs that are no nodes


def test_a_program_stops_axes_and_moves_none(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices: list[tuple[str, ...]] = []
    engine = held.engine
    monkeypatch.setattr(engine, "create_device", lambda *a: devices.append(a), raising=False)
    monkeypatch.setattr(engine, "close_device", lambda: devices.append(()), raising=False)
    driver = Driver("held", True, held.engine, held.motion, held.io, held.ecat, held.reactions)
    jog(node)
    node.after(0.2)
    asked_at = node.now()
    with stop_only_gate(driver, "", "program") as gate:
        assert gate.status().velocity_cmd[0] > 0.0
        with pytest.raises(GateClosed):
            gate.issue([node.request(1)], lambda motion: motion.jog([velocity_move(1)]))
        gate.stop([0])
        assert node.ownership.owners([0], gate.status())[0].startswith(node.name)
    rests(node)
    assert node.reasons() == [EndReason.STOPPED]
    with pytest.raises(StoppedSince):
        jog(node, asked_at=asked_at)
    assert devices == [("", "program"), ()]


def test_a_program_closes_its_device_whatever_fails(
    held: HeldEngine, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(held.engine, "create_device", lambda *_: None, raising=False)
    monkeypatch.setattr(held.engine, "close_device", lambda: closed.append(True), raising=False)
    driver = Driver("held", True, held.engine, held.motion, held.io, held.ecat, held.reactions)
    with pytest.raises(CommandRefused), stop_only_gate(driver, "/a\0b", "program"):
        pytest.fail("there is no such engine")
    assert closed == [True]


# Faults of engine and program


class Stubborn:
    """The motion of `held`, which refuses the first stops."""

    def __init__(self, held: HeldEngine, refusals: int = 1) -> None:
        self._held = held
        self.refusals = refusals
        self.taken: list[tuple[str, list[int]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held.motion, name)

    def stop(self, axes: Sequence[int]) -> None:
        self._take("stop", axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        self._take("quick_stop", axes)

    def _take(self, verb: str, axes: Sequence[int]) -> None:
        if self.refusals:
            self.refusals -= 1
            raise CommandRefused(ErrorCode.StartingPreviousCommand)
        self.taken.append((verb, [*axes]))
        getattr(self._held.motion, verb)(axes)


@pytest.mark.parametrize("quick", [False, True])
def test_a_stop_that_the_engine_refuses_is_given_again(
    held: HeldEngine, nodes: Callable[..., HeldNode], *, quick: bool
) -> None:
    motion: Any = Stubborn(held, 3)
    node = nodes(held, motion=motion)
    jog(node, *AXES)
    with pytest.raises(CommandRefused):
        node.gate.stop(AXES, quick=quick)
    rests(node)
    verb = "quick_stop" if quick else "stop"
    assert sorted(motion.taken) == [(verb, [0]), (verb, [1])]


def test_a_stop_that_is_given_again_ends_nothing_that_begins_later(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion: Any = Stubborn(held)
    node = nodes(held, motion=motion)
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
