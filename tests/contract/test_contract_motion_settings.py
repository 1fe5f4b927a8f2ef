"""Motion: command mode, polarity and gear ratio. The motor stays where it is, numbers change."""

from collections.abc import Callable
from math import inf, nan

import moves
import pytest
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode

POSITION, VELOCITY, TORQUE = CommandMode.POSITION, CommandMode.VELOCITY, CommandMode.TORQUE
SETTINGS: dict[str, Callable[[Backend], object]] = {
    "mode": lambda backend: backend.motion.set_command_mode(backend.x, VELOCITY),
    "polarity": lambda backend: backend.motion.set_polarity(backend.x, -1),
    "gear": lambda backend: backend.motion.set_gear_ratio(backend.x, 2.0, 1.0),
    "position": lambda backend: backend.motion.set_position(backend.x, 2.0),
}


@pytest.fixture
def away(powered: Backend) -> Backend:
    """x rests at 0.5, y at 0."""
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.until(lambda status: status.motion_complete[powered.x], cycles=20)
    powered.at_rest()
    powered.advance(0.5)  # until the motor really stands
    return powered


def counts_per_unit(backend: Backend) -> float:
    axis = backend.motion.parameters().axis(backend.x)
    return axis.gear_ratio_numerator / axis.gear_ratio_denominator


def shows(backend: Backend, position: float) -> None:
    status = backend.motion.status()
    near = max(1e-6, backend.tolerance)
    assert status.pos_cmd[backend.x] == pytest.approx(position, abs=near)
    assert status.actual_pos[backend.x] == pytest.approx(position, abs=near)
    assert status.pos_cmd[backend.y] == pytest.approx(0.0, abs=near), "another axis keeps its own"


# Command mode


@pytest.mark.over_process("set_command_mode")
@pytest.mark.parametrize("mode", [VELOCITY, TORQUE, POSITION])
def test_the_command_mode_shows(powered: Backend, mode: CommandMode) -> None:
    powered.motion.set_command_mode(powered.x, mode)
    shown = powered.motion.status().command_mode
    assert (shown[powered.x], shown[powered.y]) == (mode, POSITION)
    assert powered.motion.parameters().axis(powered.x).command_mode is mode
    powered.motion.set_command_mode(powered.x, POSITION)
    assert powered.motion.status().command_mode[powered.x] == POSITION


@pytest.mark.parametrize("mode", [VELOCITY, TORQUE])
def test_a_change_of_mode_moves_nothing(away: Backend, mode: CommandMode) -> None:
    away.motion.set_command_mode(away.x, mode)
    away.advance(0.1)
    shows(away, 0.5)
    away.motion.set_command_mode(away.x, POSITION)
    away.advance(0.1)
    shows(away, 0.5)


# Polarity


@pytest.mark.over_process("set_polarity")
def test_a_polarity_turns_the_number_round(away: Backend) -> None:
    away.motion.set_polarity(away.x, -1)
    shows(away, -0.5)
    away.motion.set_polarity(away.x, -1)
    shows(away, -0.5)
    away.motion.set_polarity(away.x, 1)
    shows(away, 0.5)


def test_a_polarity_turns_the_way_round(away: Backend) -> None:
    away.motion.set_polarity(away.x, -1)
    away.motion.move_relative([moves.to(away.x, 0.25)])
    away.at_rest()
    away.advance(0.5)
    shows(away, -0.25)
    away.motion.set_polarity(away.x, 1)
    shows(away, 0.25)


def test_a_polarity_is_one_or_minus_one(away: Backend) -> None:
    for polarity in (0, 2, -2):
        with away.refuses(ErrorCode.ParamOutOfRange):
            away.motion.set_polarity(away.x, polarity)


# Gear ratio


@pytest.mark.over_process("set_gear_ratio")
def test_a_gear_ratio_changes_the_number(away: Backend) -> None:
    counts = counts_per_unit(away)
    away.motion.set_gear_ratio(away.x, counts * 4.0, 2.0)
    shows(away, 0.25)
    away.motion.set_gear_ratio(away.x, counts, 1.0)
    shows(away, 0.5)


def test_a_gear_ratio_is_the_unit_of_moves(away: Backend) -> None:
    counts = counts_per_unit(away)
    away.motion.set_gear_ratio(away.x, counts / 2.0, 1.0)
    away.motion.move_relative([moves.to(away.x, 0.5)])
    away.at_rest()
    away.advance(0.5)
    shows(away, 1.5)
    away.motion.set_gear_ratio(away.x, counts, 1.0)
    shows(away, 0.75)


@pytest.mark.parametrize("part", ["numerator", "denominator"])
def test_a_gear_ratio_is_positive_and_finite(away: Backend, part: str) -> None:
    for bad in (0.0, -1.0, nan, inf):
        ratio = {"numerator": 1000.0, "denominator": 1.0, part: bad}
        with away.refuses(ErrorCode.ParamOutOfRange):
            away.motion.set_gear_ratio(away.x, **ratio)


# All of them


def test_the_parameters_show_what_was_set(powered: Backend) -> None:
    powered.motion.set_gear_ratio(powered.x, 7000.0, 3.0)
    powered.motion.set_polarity(powered.x, -1)
    x = powered.motion.parameters().axis(powered.x)
    assert (x.gear_ratio_numerator, x.gear_ratio_denominator, x.polarity) == (7000.0, 3.0, -1)
    assert powered.motion.parameters().axis(powered.y).polarity == 1


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_made_at_rest(powered: Backend, name: str) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 3.0)])
    powered.advance(0.2)
    with powered.refuses(ErrorCode.NotIdleState):
        SETTINGS[name](powered)
    powered.motion.stop([powered.x])


# Position


@pytest.mark.over_process("set_position")
def test_a_position_that_is_declared_shows_and_nothing_moves(away: Backend) -> None:
    away.motion.set_position(away.x, -3.25)
    shows(away, -3.25)
    assert away.motion.status().home_done[away.x]
    away.motion.move_relative([moves.to(away.x, 0.25)])
    away.at_rest()
    away.advance(0.5)
    shows(away, -3.0)
    away.motion.set_position(away.x, 0.0)
    shows(away, 0.0)


def test_a_position_is_declared_of_an_axis_without_its_servo(away: Backend) -> None:
    away.motion.set_servo(away.x, on=False)
    away.advance(0.1)
    away.motion.set_position(away.x, 2.0)
    shows(away, 2.0)
