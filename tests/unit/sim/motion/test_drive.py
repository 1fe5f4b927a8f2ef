"""A drive: numbers of places, mechanical ends, and an encoder that freezes."""

from itertools import cycle
from math import inf, log, ulp

import numpy as np
import pytest
from held_engine import COUNTS, MODEL
from hypothesis import given
from hypothesis import strategies as st
from lone_drive import LoneDrive, axis_parameters

from wmx_core.values import CommandMode
from wmx_sim.engine.motion.curve import Curve
from wmx_sim.engine.motion.drive import UNLIMITED_SPEED
from wmx_sim.engine.motion.servo import ServoResponse

ENDS = {"positive_end": 0.5, "negative_end": -0.25}
TORQUE_LIMIT = 300.0
"""Percent, as parameters have it by default."""

ratios = st.floats(0.01, 1e6)
signs = st.sampled_from([1, -1])


# Numbers of places


@given(ratios, st.floats(0.1, 10.0), signs, st.floats(-100.0, 100.0))
def test_a_place_of_the_machine_in_user_units(
    numerator: float, denominator: float, polarity: int, revolutions: float
) -> None:
    lone = LoneDrive(
        gear_ratio_numerator=numerator, gear_ratio_denominator=denominator, polarity=polarity
    )
    counts = revolutions * MODEL.counts_per_revolution
    expected = counts * denominator / numerator * polarity
    assert lone.drive.scale.mark(revolutions) == pytest.approx(expected, rel=1e-12)
    assert lone.drive.scale.resolution == pytest.approx(denominator / numerator, rel=1e-12)
    assert lone.drive.scale.revolution == pytest.approx(1000.0 * denominator / numerator, rel=1e-12)
    low, high = lone.drive.scale.span(revolutions, 1.0)
    assert {low, high} == {lone.drive.scale.mark(revolutions), lone.drive.scale.mark(1.0)}
    assert low <= high


@given(
    st.lists(st.tuples(ratios, signs, st.floats(-10.0, 10.0)), max_size=5),
    st.floats(-2.0, 2.0),
    st.floats(-5.0, 5.0),
)
def test_whatever_the_unit_motor_and_marks_stay_where_they_are(
    settings: list[tuple[float, int, float]], position: float, revolutions: float
) -> None:
    """From the motor to a mark it is always as many revolutions, with the sign of the polarity."""
    lone = LoneDrive()
    lone.order(position)
    away = revolutions - lone.until(10.0).position
    for numerator, polarity, shift in settings:
        parameters = axis_parameters(gear_ratio_numerator=numerator, polarity=polarity)
        lone.drive.configure(lone.time, parameters)
        number = lone.drive.at(lone.time).position
        lone.drive.renumber(lone.time, shift * lone.drive.scale.revolution)
        now = lone.drive.at(lone.time)
        assert now.position - number == pytest.approx(
            shift * lone.drive.scale.revolution, rel=1e-6, abs=1e-9 * lone.drive.scale.revolution
        )
        way = (
            (lone.drive.scale.mark(revolutions) - now.position)
            / lone.drive.scale.revolution
            * polarity
        )
        assert way == pytest.approx(away, abs=1e-9)
        assert now.command == pytest.approx(
            now.position, rel=1e-9, abs=1e-9 * lone.drive.scale.revolution
        )


def test_the_z_pulse_is_where_the_machine_has_it() -> None:
    lone = LoneDrive(places={"z_pulse": 0.3}, gear_ratio_numerator=COUNTS / 2.0, polarity=-1)
    assert lone.drive.z_pulse == pytest.approx(-0.6)
    assert lone.drive.scale.revolution == 2.0
    lone.drive.renumber(0.0, 5.0)
    assert lone.drive.z_pulse == pytest.approx(4.4)


def test_top_speed_is_that_of_the_motor() -> None:
    assert LoneDrive(max_motor_speed=600.0).drive.top_speed == pytest.approx(10.0)
    fine = LoneDrive(max_motor_speed=600.0, gear_ratio_numerator=10.0 * COUNTS)
    assert fine.drive.top_speed == pytest.approx(1.0)
    assert LoneDrive(max_motor_speed=0.0).drive.top_speed == pytest.approx(UNLIMITED_SPEED)


@pytest.mark.parametrize("rpm", [1.0, 0.01, 1e-6])
def test_no_motor_is_faster_than_a_top_speed_that_is_reached_in_no_time(rpm: float) -> None:
    lone = LoneDrive(max_motor_speed=rpm)
    lone.order(0.0, 0.0, 10.0)
    fastest = max(lone.until(step / 10_000.0).velocity for step in range(1000))
    assert fastest == pytest.approx(rpm / 60.0, rel=0.02)
    assert len(lone.changes) < 10


def test_far_away_where_speeds_are_rounded_no_bound_keeps_the_drive_busy() -> None:
    """A steep position loop makes much of the rounding of a position."""
    far = 1e9
    places = {"position_gain": 10_000.0}
    lone = LoneDrive(places=places, max_motor_speed=180.0, max_torque_limit=15.0)
    lone.drive.renumber(0.0, far)
    lone.order(far + 4.0)
    lone.until(1.0)
    lone.order(far + 4.0, -1.0, 0.5)
    lone.until(2.0)
    assert len(lone.changes) < 2000


@pytest.mark.parametrize("order", [(0.0, 100.0), (0.0, 0.0, 1e4), (0.0, 0.0, 0.0, 1e6)])
@pytest.mark.parametrize("rpm", [1e-6, 2e-6, 1e-3])
def test_a_motor_that_crawls_after_a_fast_command_is_not_busy(
    rpm: float, order: tuple[float, ...]
) -> None:
    lone = LoneDrive(max_motor_speed=rpm)
    lone.order(*order)
    now = lone.until(10.0)
    assert abs(now.position) <= 10.0 * rpm / 60.0 + 2.0 * ulp(now.command)
    assert len(lone.changes) < 10


def test_however_short_responses_hold_the_motor_changes_no_more_than_so_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine cannot be brought to do nothing but serve one drive."""
    holds = cycle([0.0, 0.0, 1e-4])
    monkeypatch.setattr(
        "wmx_sim.engine.motion.drive.position_response",
        lambda command, *_: ServoResponse(command, holds=next(holds)),
    )
    lone = LoneDrive()
    lone.order(0.0, 1.0)
    lone.until(0.001)
    at_once = len(lone.changes)
    assert at_once < 50, "responses that do not hold are held longer and longer"
    lone.until(1.0)
    assert len(lone.changes) < 400
    before = len(lone.changes)
    lone.until(10.0)
    assert len(lone.changes) - before < 9.0 * 60.0
    lone.order(0.0, 2.0)
    assert lone.drive.changes_at - lone.time < 0.0015, "a setpoint has changes of its own"


def test_a_later_setpoint_begins_later() -> None:
    """Command, motor and error are told from the time on that is asked for."""
    lone = LoneDrive(velocity_feedforward_gain=50.0)
    lone.order(0.0, 0.1, 0.2, 0.3)
    lone.until(1.0)
    lone.order(0.3, 0.5, -0.1, 0.2)
    now = lone.until(1.5)
    assert now.command == pytest.approx(0.3 + 0.5 * 0.5 - 0.1 / 8.0 + 0.2 / 48.0)
    assert now.command_velocity == pytest.approx(0.5 - 0.1 * 0.5 + 0.2 / 8.0)
    command, actual = lone.drive.command_from(1.5), lone.drive.actual_from(1.5)
    error = lone.drive.error_from(1.5)
    for later in (0.0, 0.1, 0.2):
        then = lone.drive.at(1.5 + later)
        assert command.at(later) == pytest.approx(then.command)
        assert command.slope().at(later) == pytest.approx(then.command_velocity)
        assert actual.at(later) == pytest.approx(then.position)
        assert error.at(later) == pytest.approx(then.command - then.position)
    lone.drive.limit_torque(1.5, 299.0)
    after = lone.drive.at(1.5)
    assert after == pytest.approx(now), "what is ordered goes on where it was"
    assert lone.drive.at(1.6).command == pytest.approx(command.at(0.1))


# Mechanical ends


@pytest.mark.parametrize("loop", [None, *CommandMode])
@pytest.mark.parametrize("places", [{"negative_end": 1.0}, {"positive_end": -1.0}])
def test_a_motor_beyond_an_end_stands_there_quietly(
    loop: CommandMode | None, places: dict[str, float]
) -> None:
    lone = LoneDrive(loop, places=places)
    now = lone.until(1.0)
    assert (now.position, now.velocity) == (0.0, 0.0)
    assert not lone.changes


@pytest.mark.parametrize("sign", [1, -1])
def test_at_an_end_a_position_loop_presses_until_it_is_called_back(sign: int) -> None:
    """Without feedforward it pulls back once the command itself is back at the end."""
    end = 0.5 if sign > 0 else -0.25
    lone = LoneDrive(places=ENDS)
    lone.order(0.0, sign * 1.0)
    before = lone.until(abs(end) + 1.0 / MODEL.position_gain - 0.001)
    assert abs(before.position) < abs(end)
    assert abs(before.velocity) == pytest.approx(1.0, rel=1e-3)
    now = lone.until(2.0)
    assert (now.position, now.velocity) == (pytest.approx(end, rel=1e-15), 0.0)
    assert now.command == sign * 2.0
    assert lone.torque == sign * TORQUE_LIMIT
    lone.order(sign * 2.0, -sign * 1.0)
    leaves = 2.0 + 2.0 - abs(end)
    pressing = lone.until(leaves - 1e-4)
    assert (pressing.velocity, lone.torque) == (0.0, sign * TORQUE_LIMIT)
    now = lone.until(leaves + 0.01)
    assert sign * now.velocity == pytest.approx(-(1.0 - np.exp(-0.4)), rel=1e-3)
    assert abs(lone.torque) < TORQUE_LIMIT
    assert len(lone.changes) < 10


def test_feedforward_pulls_a_motor_off_its_end_sooner() -> None:
    """At 100 % when K e = v: with the command v / K before it is back."""
    lone = LoneDrive(places=ENDS, velocity_feedforward_gain=100.0)
    lone.order(1.0)
    lone.until(2.0)
    lone.order(1.0, -1.0)
    leaves = 2.0 + 0.5 - 1.0 / MODEL.position_gain
    assert lone.until(leaves - 1e-4).velocity == 0.0
    assert lone.until(leaves + 1e-3).velocity < 0.0


@pytest.mark.parametrize("percent", [0.0, 100.0])
@pytest.mark.parametrize("cubic", [(5.0,), (5.0, -3.0), (0.0, 3.0, -4.0, 3.0), (-5.0, 3.0)])
def test_no_end_is_passed_and_none_keeps_the_drive_busy(
    cubic: tuple[float, ...], percent: float
) -> None:
    lone = LoneDrive(places=ENDS, velocity_feedforward_gain=percent)
    lone.order(*cubic)
    for step in range(400):
        now = lone.until(step / 100)
        assert -0.25 - 1e-12 <= now.position <= 0.5 + 1e-12
    assert len(lone.changes) < 40


@given(ratios, st.floats(-1e6, 1e6), st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=6), signs)
def test_an_end_keeps_no_drive_busy_whatever_its_number_is_rounded_to(
    numerator: float, shift: float, targets: list[float], polarity: int
) -> None:
    lone = LoneDrive(places=ENDS, gear_ratio_numerator=numerator, polarity=polarity)
    revolution = lone.drive.scale.revolution
    lone.drive.renumber(0.0, shift * revolution)
    low, high = lone.drive.scale.span(-0.25, 0.5)
    for target in targets:
        lone.order((shift + target) * revolution)
        now = lone.until(lone.time + 0.5)
        assert low - 1e-9 * revolution <= now.position <= high + 1e-9 * revolution
    assert len(lone.changes) < 100 * len(targets)


@pytest.mark.parametrize("home", [0.0, 35.0, 1e6])
def test_a_command_that_speeds_up_gently_takes_a_motor_off_its_end(home: float) -> None:
    """However little it moves at first, compared to the number of the position."""
    lone = LoneDrive(places=ENDS)
    lone.drive.renumber(0.0, home)
    lone.order(home + 1.0)
    end = lone.until(2.0).position
    lone.order(end, 0.0, -1e-3)
    assert lone.until(4.0).position == pytest.approx(end - 1e-3 * 2.0, abs=1e-4)
    assert len(lone.changes) < 20


def test_at_an_end_a_velocity_loop_presses_and_leaves_at_once() -> None:
    lone = LoneDrive(CommandMode.VELOCITY, places=ENDS)
    lone.order(0.0, 2.0)
    assert lone.until(0.249).velocity == 2.0
    now = lone.until(1.0)
    assert (now.position, now.velocity, lone.torque) == (0.5, 0.0, TORQUE_LIMIT)
    assert (now.command, now.command_velocity) == (0.5, 0.0), "the command is where the motor is"
    lone.order(0.0, 0.0)
    assert (lone.until(1.5).position, lone.torque) == (0.5, 0.0)
    lone.order(0.0, 1.0, -2.0)  # speeds away once it has slowed down to rest
    assert lone.until(1.99).position == 0.5
    assert lone.until(2.5).position == pytest.approx(0.5 - 0.25)


@pytest.mark.parametrize("sign", [1, -1])
def test_at_an_end_a_torque_presses_and_turns_back(sign: int) -> None:
    lone = LoneDrive(CommandMode.TORQUE, places=ENDS)
    lone.drive.set_torque(0.0, sign * 20.0)
    now = lone.until(5.0)
    assert now.position == (0.5 if sign > 0 else -0.25)
    assert (now.velocity, lone.torque) == (0.0, sign * 20.0)
    lone.drive.set_torque(5.0, -sign * 20.0)
    assert sign * lone.until(5.1).velocity == pytest.approx(-1.7, rel=0.01)


def test_an_end_takes_all_speed_from_a_motor_that_a_torque_slows_down() -> None:
    """It turns back from rest: 20 % less 3 % of friction, at 1 % per u/s^2."""
    lone = LoneDrive(CommandMode.TORQUE, places=ENDS)
    lone.drive.set_torque(0.0, 100.0)
    lone.until(0.09)
    lone.drive.set_torque(0.09, -20.0)
    now = lone.until(0.11)
    hit = lone.changes[0]
    assert 0.09 < hit < 0.11
    assert now.velocity == pytest.approx(-17.0 * (0.11 - hit), rel=1e-2)


@given(st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_an_axis_that_is_homed_at_its_end_stands_there_quietly(shift: float, home: float) -> None:
    """Its position and that of the end are small differences of large numbers."""
    lone = LoneDrive(places=ENDS)
    lone.drive.renumber(0.0, shift)
    lone.order(shift - 0.5)
    place = lone.until(2.0).position
    lone.drive.renumber(2.0, home - place)
    lone.order(home)
    assert lone.until(3.0).position == pytest.approx(home, abs=1e-9)
    assert len(lone.changes) < 20


def test_without_servo_a_motor_that_runs_into_an_end_stays_there() -> None:
    lone = LoneDrive(None, places=ENDS)
    lone.order(0.0, 2.0, -1.0)
    now = lone.until(1.0)
    assert (now.position, now.velocity, lone.torque) == (0.5, 0.0, 0.0)


def test_a_drive_that_is_moved_on_at_any_time_does_the_same() -> None:
    """`close`, `limit_torque` and orders of the same thing again change no motion."""
    plain, nudged = LoneDrive(places=ENDS), LoneDrive(places=ENDS)
    for lone in (plain, nudged):
        lone.order(0.0, 1.5, -1.0)
    for step in range(1, 300):
        nudged.until(step / 100)
        nudged.drive.limit_torque(nudged.time, None)
    assert nudged.until(3.0) == pytest.approx(plain.until(3.0), abs=1e-9)


# A frozen encoder


def test_a_frozen_encoder_shows_one_position_and_the_error_grows() -> None:
    lone = LoneDrive()
    lone.order(0.0, 1.0)
    before = lone.until(1.0)
    lone.drive.freeze(1.0, frozen=True)
    now = lone.until(3.0)
    assert (now.position, now.velocity) == (pytest.approx(before.position, rel=1e-15), 0.0)
    assert now.command == pytest.approx(3.0)
    assert lone.drive.error_from(3.0).at(0.0) == pytest.approx(3.0 - before.position)
    lone.drive.freeze(3.0, frozen=False)
    assert lone.until(3.1).velocity > 1.0, "it makes up for what it has missed"
    assert lone.until(6.0).position == pytest.approx(6.0 - 1.0 / MODEL.position_gain, rel=1e-6)


@pytest.mark.parametrize("loop", [CommandMode.VELOCITY, CommandMode.TORQUE, None])
def test_in_other_loops_the_command_freezes_with_the_encoder(loop: CommandMode | None) -> None:
    lone = LoneDrive(loop)
    lone.order(0.0, 1.0)
    lone.drive.set_torque(0.0, 20.0)
    before = lone.until(0.5)
    assert before.position > 0.0
    lone.drive.freeze(0.5, frozen=True)
    now = lone.until(2.0)
    assert now == (before.position, 0.0, before.position, 0.0)


def test_settling_is_foreseen() -> None:
    """Behind a resting command 0.1 u off, the error is 0.1 exp(-K s)."""
    lone = LoneDrive(max_torque_limit=1e6, positive_torque_limit=1e6, negative_torque_limit=1e6)
    lone.order(0.1)
    lone.until(0.1)
    error = lone.drive.error_from(0.1)
    rest = error.at(0.0)
    assert error.first_within(0.001) == pytest.approx(log(rest / 0.001) / MODEL.position_gain)
    assert lone.drive.changes_at == inf


def test_what_would_happen_after_the_next_setpoint_is_not_computed() -> None:
    """A command that speeds up by 10 u/s^2 from rest is too fast for 5 u/s after half a second."""
    lone = LoneDrive(max_motor_speed=300.0)
    lone.drive.set_setpoint(0.0, Curve(0.0, 0.0, 10.0))
    bound = lone.drive.changes_at
    assert 0.5 < bound < 0.55
    lone.drive.set_setpoint(0.0, Curve(0.0, 0.0, 10.0), 0.4)
    assert lone.drive.changes_at == inf
    lone.drive.set_setpoint(0.0, Curve(0.0, 0.0, 10.0), 0.6)
    assert lone.drive.changes_at == bound
