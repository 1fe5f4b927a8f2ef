"""Motion: moves that are refused, all of an order or none of it, and with which code."""

from collections.abc import Callable
from math import inf, nan

import moves
import numpy as np
import pytest
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, EmergencyStop, SplineMove

MODES = {
    "move_absolute": CommandMode.POSITION,
    "move_relative": CommandMode.POSITION,
    "jog": CommandMode.POSITION,
    "move_velocity": CommandMode.VELOCITY,
    "move_torque": CommandMode.TORQUE,
}
"""Orders for several axes, and the mode each needs."""
WRONG_MODE = {
    CommandMode.POSITION: ErrorCode.NotPosMode,
    CommandMode.VELOCITY: ErrorCode.NotVelocityMode,
    CommandMode.TORQUE: ErrorCode.NotTrqMode,
}
RATES = {
    "velocity": ErrorCode.VelocityArgumentOutOfRange,
    "acc": ErrorCode.AccArgumentOutOfRange,
    "dec": ErrorCode.DecArgumentOutOfRange,
}


def good(order: str, axis: int) -> object:
    """A harmless move for an order."""
    if order == "move_torque":
        return moves.torque(axis, 1.0)
    if order in ("jog", "move_velocity"):
        return moves.at(axis, 0.5)
    return moves.to(axis, 0.25)


def give(backend: Backend, order: str, *those: object) -> None:
    getattr(backend.motion, order)(list(those))


def spline(backend: Backend) -> None:
    way = np.array([[0.0, 0.0], [0.1, 0.2]])
    axes = tuple(backend.axes[:2])
    backend.motion.move_spline(SplineMove(axes=axes, times=np.array([0.0, 0.5]), positions=way))


PATHS: dict[str, Callable[[Backend], object]] = {
    "line": lambda backend: backend.motion.move_linear(
        moves.line((backend.x, 0.5), (backend.y, 0.5))
    ),
    "spline": spline,
}
"""Motions of several axes along a path."""
IN_POSITION_MODE = PATHS | {"home": lambda backend: backend.motion.home(backend.y)}
"""What is ordered otherwise, and needs y as it does x."""


@pytest.mark.over_process
@pytest.mark.parametrize("order", MODES)
def test_an_axis_is_named_once(backend: Backend, order: str) -> None:
    backend.servo_on(mode=MODES[order])
    x, y = (good(order, axis) for axis in (backend.x, backend.y))
    with backend.refuses(ErrorCode.DuplicateAxis):
        give(backend, order, x, y, x)


@pytest.mark.parametrize("order", MODES)
def test_an_axis_that_is_not_there(backend: Backend, order: str) -> None:
    backend.servo_on(mode=MODES[order])
    for axis in (-1, 128, 2**31):
        with backend.refuses(ErrorCode.AxisOutOfRange):
            give(backend, order, good(order, backend.x), good(order, axis))


OF_AN_AXIS: dict[str, Callable[[Backend, int], object]] = {
    "servo on": lambda backend, axis: backend.motion.set_servo(axis, on=True),
    "servo off": lambda backend, axis: backend.motion.set_servo(axis, on=False),
    "alarm": lambda backend, axis: backend.motion.clear_alarm(axis),
    "mode": lambda backend, axis: backend.motion.set_command_mode(axis, CommandMode.VELOCITY),
    "polarity": lambda backend, axis: backend.motion.set_polarity(axis, -1),
    "gear": lambda backend, axis: backend.motion.set_gear_ratio(axis, 2.0, 1.0),
    "position": lambda backend, axis: backend.motion.set_position(axis, 2.0),
    "override": lambda backend, axis: backend.motion.set_override(axis, 50.0),
    "home": lambda backend, axis: backend.motion.home(axis),
    "line": lambda backend, axis: backend.motion.move_linear(
        moves.line((backend.x, 0.5), (axis, 0.5))
    ),
    "dead man": lambda backend, axis: backend.engine.feed_dead_man([axis], 0.1),
}


@pytest.mark.parametrize("name", OF_AN_AXIS)
def test_other_orders_to_an_axis_that_is_not_there(powered: Backend, name: str) -> None:
    for axis in (-1, 128, 2**31):
        with powered.refuses(ErrorCode.AxisOutOfRange):
            OF_AN_AXIS[name](powered, axis)


def test_an_axis_of_a_line_is_named_once(powered: Backend) -> None:
    with powered.refuses(ErrorCode.DuplicateAxis):
        powered.motion.move_linear(moves.line((powered.x, 0.5), (powered.x, 0.5)))


@pytest.mark.parametrize("order", MODES)
def test_without_servo_nothing_moves(backend: Backend, order: str) -> None:
    for axis in backend.axes:
        backend.motion.set_command_mode(axis, MODES[order])
    with backend.refuses(ErrorCode.ServoOff):
        give(backend, order, good(order, backend.x))


@pytest.mark.parametrize("order", MODES)
def test_one_axis_without_servo_keeps_the_others_from_starting(
    backend: Backend, order: str
) -> None:
    backend.servo_on(backend.x, mode=MODES[order])
    backend.motion.set_command_mode(backend.y, MODES[order])
    with backend.refuses(ErrorCode.ServoOff):
        give(backend, order, good(order, backend.x), good(order, backend.y))
    before = backend.motion.status()
    after = backend.advance(0.1)
    assert after.pos_cmd.tolist() == before.pos_cmd.tolist()


@pytest.mark.parametrize("order", MODES)
def test_an_order_needs_its_mode(backend: Backend, order: str) -> None:
    for mode in set(CommandMode) - {MODES[order]}:
        backend.servo_on(mode=mode)
        with backend.refuses(WRONG_MODE[MODES[order]]):
            give(backend, order, good(order, backend.x))


@pytest.mark.parametrize("name", IN_POSITION_MODE)
def test_paths_and_homing_need_every_servo(backend: Backend, name: str) -> None:
    backend.servo_on(backend.x)
    with backend.refuses(ErrorCode.ServoOff):
        IN_POSITION_MODE[name](backend)


@pytest.mark.parametrize("mode", [CommandMode.VELOCITY, CommandMode.TORQUE])
@pytest.mark.parametrize("name", IN_POSITION_MODE)
def test_paths_and_homing_need_position_mode(
    powered: Backend, name: str, mode: CommandMode
) -> None:
    powered.motion.set_command_mode(powered.y, mode)
    with powered.refuses(ErrorCode.NotPosMode):
        IN_POSITION_MODE[name](powered)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_needs_axes_that_are_free(powered: Backend, name: str) -> None:
    powered.motion.move_absolute([moves.to(powered.y, 2.0)])
    powered.advance(0.1)
    with powered.refuses(ErrorCode.NotIdleOrIntplState):
        PATHS[name](powered)


@pytest.mark.parametrize("order", [*MODES, *IN_POSITION_MODE])
def test_in_an_emergency_stop_nothing_moves(backend: Backend, order: str) -> None:
    backend.servo_on(mode=MODES.get(order, CommandMode.POSITION))
    backend.motion.emergency_stop(EmergencyStop.LEVEL1)
    backend.at_rest()
    with backend.refuses(ErrorCode.EmergencyStopSignalOn):
        if order in MODES:
            give(backend, order, good(order, backend.x))
        else:
            IN_POSITION_MODE[order](backend)


@pytest.mark.parametrize("order", ["move_absolute", "move_relative"])
def test_a_target_out_of_range(harmless_powered: Backend, order: str) -> None:
    for target in (nan, inf, -inf, 1e300):
        with harmless_powered.refuses(ErrorCode.PositionArgumentOutOfRange):
            give(
                harmless_powered,
                order,
                good(order, harmless_powered.x),
                moves.to(harmless_powered.y, target),
            )


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("order", ["move_absolute", "move_relative"])
def test_a_move_with_a_rate_out_of_range(harmless_powered: Backend, order: str, name: str) -> None:
    for value in (nan, inf, -inf, -1.0, 0.0):
        with harmless_powered.refuses(RATES[name]):
            bad = moves.to(harmless_powered.y, 0.25, **{name: value})
            give(harmless_powered, order, good(order, harmless_powered.x), bad)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("velocity", [nan, inf, -inf, 1e300]),
        ("acc", [nan, inf, -inf, -1.0, 0.0]),
        ("dec", [nan, inf, -inf, -1.0, 0.0]),
    ],
)
@pytest.mark.parametrize("order", ["jog", "move_velocity"])
def test_an_endless_move_with_a_rate_out_of_range(
    harmless: Backend, order: str, name: str, values: list[float]
) -> None:
    harmless.servo_on(mode=MODES[order])
    for value in values:
        with harmless.refuses(RATES[name]):
            bad = moves.at(harmless.y, **{"velocity": 0.5, name: value})
            give(harmless, order, good(order, harmless.x), bad)


def test_a_torque_out_of_range(harmless: Backend) -> None:
    """The limit is MaxTrqLimit, 300 % here."""
    harmless.servo_on(mode=CommandMode.TORQUE)
    for percent in (nan, inf, -inf, 301.0, -301.0):
        with harmless.refuses(ErrorCode.TorqueArgumentOutOfRange):
            bad = moves.torque(harmless.y, percent)
            give(harmless, "move_torque", good("move_torque", harmless.x), bad)


@pytest.mark.parametrize("order", ["move_absolute", "move_relative", "jog", "move_velocity"])
def test_a_move_waits_until_a_stop_is_over(backend: Backend, order: str) -> None:
    backend.servo_on(mode=MODES[order])
    endless = MODES[order] is CommandMode.VELOCITY
    give(backend, "move_velocity" if endless else "jog", moves.at(backend.x, 2.0, dec=2.0))
    backend.advance(0.3)
    backend.motion.stop([backend.x])
    busy = ErrorCode.NotIdleOrVelocityState if endless else ErrorCode.NotIdleOrPosOrJogState
    with backend.refuses(busy):
        give(backend, order, good(order, backend.x))


def test_a_refused_move_leaves_the_running_one_alone(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 1.0)])
    powered.advance(0.2)
    off = np.flatnonzero(~powered.motion.status().servo_on)
    if not off.size:
        pytest.skip("needs an axis without servo")
    with powered.refuses(ErrorCode.ServoOff):
        other = int(off[0])
        give(powered, "move_absolute", moves.to(powered.x, 0.0), moves.to(other, 0.25))
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(1.0)
