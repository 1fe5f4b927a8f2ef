"""Requests that tests give to a gate."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from axis_files import axis_file
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Motion
from wmx_core.values import (
    CommandMode,
    LinearMove,
    MotionStatus,
    OperationState,
    SplineMove,
    TorqueMove,
)
from wmx_ros2_package.control.request import End, EndReason, MotionKind

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


def state(node: HeldNode) -> tuple[Any, ...]:
    """What a refused request leaves as it is."""
    status, file = node.held.status(), axis_file(node)
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


def leave_motor_turning(held: HeldEngine) -> None:
    """Axis 0 has stopped so suddenly that its motor lags behind its command."""
    held.motion.move_absolute([position_move(0, 1.0, velocity=20.0, acc=1000.0, dec=1000.0)])
    while held.after(0.001).op_state[0] != OperationState.IDLE:
        pass
    assert abs(held.status().actual_velocity[0]) > 0.1


def rests(node: HeldNode, seconds: float = 2.0) -> MotionStatus:
    """That every axis and its motor rest after some time."""
    status = node.after(seconds)
    assert (status.op_state == OperationState.IDLE).all()
    assert not status.velocity_cmd.any()
    assert status.actual_velocity == pytest.approx([0.0, 0.0], abs=1e-3)
    return status
