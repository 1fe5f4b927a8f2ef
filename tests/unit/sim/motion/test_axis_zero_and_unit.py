"""Where an axis has its zero and what its unit is: homing, polarity and gear ratio."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from held_engine import COUNTS, MODEL, HeldEngine, position_move

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState

IDLE, HOME = OperationState.IDLE, OperationState.HOME


@pytest.fixture
def held() -> HeldEngine:
    """Two axes with their servos on, at rest at zero, at a time that is not zero."""
    return HeldEngine().servo_on()


# Homing

SLOW = replace(MODEL, home_time=2.0)


def test_homing_makes_the_current_position_the_home_position() -> None:
    held = HeldEngine(home_position=5.0).servo_on()
    held.motion.move_absolute([position_move()])
    held.after(5.0)
    held.motion.home(0)
    status = held.status()
    assert status.home_done.tolist() == [True, False]
    assert status.pos_cmd.tolist() == [5.0, 0.0]
    assert status.op_state[0] == IDLE
    assert status.actual_pos[0] == pytest.approx(5.0, abs=1e-12)
    held.motion.move_absolute([position_move(target=6.0)])
    assert held.after(5.0).pos_cmd[0] == 6.0


def test_homing_takes_the_time_of_the_machine() -> None:
    held = HeldEngine(model=SLOW).servo_on()
    held.motion.home(0)
    status = held.after(1.999)
    assert (status.op_state[0], status.home_done[0], status.motion_complete[0]) == (HOME, False, 0)
    status = held.after(0.001)
    assert (status.op_state[0], status.home_done[0], status.motion_complete[0]) == (IDLE, True, 1)
    held.motion.home(0)
    assert not held.status().home_done[0], "homing again begins without a home"


@pytest.mark.parametrize(
    "cancel",
    [
        lambda held: held.motion.stop([0]),
        lambda held: held.motion.set_servo(0, on=False),
        lambda held: held.raise_alarm(0),
        lambda held: held.engine.stop_communication(),
    ],
)
def test_homing_that_is_cut_short_is_not_done(cancel: Callable[[HeldEngine], None]) -> None:
    held = HeldEngine(model=SLOW, home_position=5.0).servo_on()
    held.motion.home(0)
    held.after(1.0)
    cancel(held)
    status = held.after(10.0)
    assert (status.op_state[0], status.home_done[0], status.pos_cmd[0]) == (IDLE, False, 0.0)


def test_servo_off_clears_home_done_where_the_parameters_say_so() -> None:
    for clear in (0, 1):
        held = HeldEngine(clear_home_done_on_servo_off=clear).servo_on()
        held.motion.home(0)
        assert held.after(0.1).home_done[0]
        held.motion.set_servo(0, on=False)
        assert bool(held.status().home_done[0]) is not bool(clear)


# Polarity and gear ratio


def test_polarity_turns_the_position_round_but_not_the_motor(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move()])
    held.after(5.0)
    held.motion.set_polarity(0, -1)
    assert held.status().pos_cmd[0] == held.status().actual_pos[0] == pytest.approx(-1.0)
    held.motion.set_polarity(0, -1)
    assert held.status().pos_cmd[0] == pytest.approx(-1.0)
    held.motion.set_polarity(0, 1)
    assert held.status().pos_cmd[0] == pytest.approx(1.0)


def test_a_gear_ratio_changes_the_unit_but_not_the_counts(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(target=3.0)])
    held.after(5.0)
    held.motion.set_gear_ratio(0, 3.0 * COUNTS, 2.0)
    assert held.status().pos_cmd.tolist() == pytest.approx([2.0, 0.0])
    held.motion.set_gear_ratio(0, COUNTS, 1.0)
    assert held.status().pos_cmd[0] == pytest.approx(3.0)


def test_home_stays_where_the_motor_was_when_the_unit_changes(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(target=3.0)])
    held.after(5.0)
    held.motion.home(0)
    held.motion.move_absolute([position_move(target=1.0)])
    held.after(5.0)
    held.motion.set_gear_ratio(0, 2.0 * COUNTS, 1.0)
    held.motion.set_polarity(0, -1)
    assert held.status().pos_cmd[0] == pytest.approx(-0.5)


def test_parameters_show_what_was_set(held: HeldEngine) -> None:
    held.motion.set_gear_ratio(1, 7.0, 3.0)
    held.motion.set_polarity(1, -1)
    held.motion.set_command_mode(1, CommandMode.TORQUE)
    axis = held.motion.parameters().axis(1)
    assert (axis.gear_ratio_numerator, axis.gear_ratio_denominator, axis.polarity) == (7.0, 3.0, -1)
    assert axis.command_mode is CommandMode.TORQUE
    assert held.status().command_mode.tolist() == [CommandMode.POSITION, CommandMode.TORQUE]
    with pytest.raises(CommandRefused) as refused:
        held.motion.set_gear_ratio(1, 0.0, 1.0)
    assert refused.value.code == ErrorCode.ParamOutOfRange
    assert held.motion.parameters().axis(1) == axis
