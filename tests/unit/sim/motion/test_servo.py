"""The servo model against the equations it states, solved in other ways."""

from math import inf

import numpy as np
import pytest
from held_engine import MODEL, HeldEngine, position_move, velocity_move
from hypothesis import example, given
from hypothesis import strategies as st
from lone_drive import LoneDrive

from wmx_core.values import CommandMode, Floats
from wmx_sim.engine.motion.curve import Curve
from wmx_sim.engine.motion.servo import Motor, position_response, torque_response

values = st.floats(-10.0, 10.0)
gains = st.floats(1.0, 200.0)
feedforwards = st.floats(0.0, 1.0)
cubics = st.tuples(values, values, values, values)
UNBOUNDED = Motor(40.0, 0.0, 1e9, 1e-9, 0.0, 0.0)


# Within its bounds: a linear differential equation


@given(cubics, values, gains, feedforwards, st.floats(0.0, 5.0))
def test_the_motor_solves_the_equation(
    cubic: tuple[float, ...], position: float, gain: float, feedforward: float, s: float
) -> None:
    """x' = K (c - x) + g c' at every time, from where the motor is."""
    motor = UNBOUNDED._replace(gain=gain, feedforward=feedforward)
    command = Curve(*cubic)
    velocity = gain * (command.p - position) + feedforward * command.v
    answer = position_response(command, position, velocity, motor, 1e15)
    assert answer.holds > s
    assert answer.static_torque == 0.0
    assert answer.command == command
    error, actual = answer.error, command.minus(answer.error)
    scale = 1e-12 * max(1.0, abs(position), *np.abs(cubic)) * (1.0 + s) ** 3
    assert actual.at(0.0) == pytest.approx(position, abs=scale)
    asked = gain * error.at(s) + feedforward * command.slope().at(s)
    assert actual.slope().at(s) == pytest.approx(asked, abs=scale * gain)


@given(cubics, values, st.lists(st.floats(0.01, 1.0), max_size=10))
def test_an_answer_taken_up_anew_is_the_same_answer(
    cubic: tuple[float, ...], position: float, waits: list[float]
) -> None:
    """However often it is asked again on the way, which nothing but rounding tells."""
    command, motor = Curve(*cubic), UNBOUNDED._replace(feedforward=0.3)
    velocity = 40.0 * (command.p - position) + 0.3 * command.v
    once = again = position_response(command, position, velocity, motor, 1e15)
    for wait in waits:
        here = again.command.minus(again.error).after(wait)
        again = position_response(
            command.after(wait), here.at(0.0), here.slope().at(0.0), motor, 1e15
        )
        command = command.after(wait)
    scale = 1e-12 * (1.0 + sum(waits)) ** 3 * 10.0
    assert again.error.at(0.0) == pytest.approx(once.error.at(sum(waits)), abs=scale)


# At its bounds: stepped finely

STEP = 1e-5
"""s."""


def stepped(
    commands: Floats, gain: Floats, feedforward: Floats, top: Floats, most: Floats, until: float
) -> Floats:
    """The positions of motors (cases,) that start at rest at 0, by steps of 10 us.

    `commands` (4, cases) are cubics. Each step the loop asks for the velocity K e + g c', within
    `top`, and the motor changes its own towards that by `most` times the step: first order, so
    the position is off by some STEP times the velocity.
    """
    p, v, a, j = commands
    position, velocity = np.zeros_like(p), np.zeros_like(p)
    for step in range(round(until / STEP)):
        s = step * STEP
        error = p + s * (v + s * (a / 2 + s * j / 6)) - position
        asked = np.clip(gain * error + feedforward * (v + s * (a + s * j / 2)), -top, top)
        changed = velocity + np.clip(asked - velocity, -most * STEP, most * STEP)
        position = position + STEP * (velocity + changed) / 2
        velocity = changed
    return position


@pytest.mark.long
def test_at_its_bounds_the_motor_does_what_fine_steps_do() -> None:
    """300 motors for 0.7 s; some are never at a bound, most go in and out of both."""
    cases = 300
    random = np.random.default_rng(3)
    commands = random.uniform(-1.0, 1.0, (4, cases)) * [[0.5], [4.0], [20.0], [200.0]]
    feedforward, top, limit = (
        random.uniform(low, high, cases) for low, high in ((0.0, 1.0), (1.0, 8.0), (10.0, 200.0))
    )
    most = np.maximum(limit - 3.0 - 5.0 * top / 50.0, limit / 100.0)  # inertia: 1 % per u/s^2
    gain = np.full(cases, MODEL.position_gain)
    expected = stepped(commands, gain, feedforward, top, most, 0.7)
    bounded = 0
    for case in range(cases):
        lone = LoneDrive(
            velocity_feedforward_gain=100.0 * feedforward[case],
            max_motor_speed=60.0 * top[case],
            max_torque_limit=limit[case],
        )
        lone.order(*commands[:, case])
        assert lone.until(0.7).position == pytest.approx(expected[case], abs=50 * STEP), case
        assert len(lone.changes) < 40
        bounded += len(lone.changes) > 1
    assert bounded > cases / 2, "or the test proves little"


@example([(1e-05, -6.0, 0.0, 0.0)], 0.0, 1.0, 204.0, 0.25)
@given(
    st.lists(cubics, min_size=1, max_size=10),
    st.floats(0.0, 150.0),
    st.floats(0.01, 3.0),
    st.floats(0.1, 300.0),
    st.floats(0.01, 0.3),
)
def test_bounds_are_kept_whatever_is_commanded_and_the_motor_is_not_busy(
    commands: list[tuple[float, ...]], percent: float, top: float, limit: float, time: float
) -> None:
    lone = LoneDrive(
        velocity_feedforward_gain=percent, max_motor_speed=60.0 * top, max_torque_limit=limit
    )
    most = max(limit - 3.0 - 5.0 * top / 50.0, limit / 100.0)
    before = lone.until(0.0)
    for command in commands:
        lone.order(*command)
        for _ in range(20):
            now = lone.until(lone.time + time / 20)
            assert abs(now.velocity) <= top * (1 + 1e-7) + 4e-6 * most
            change = abs(now.velocity - before.velocity)
            assert change <= most * time / 20 * (1 + 1e-6) + 1e-7 * top + 4e-6 * most
            before = now
    assert len(lone.changes) <= 20 * len(commands) * (1 + time)


def test_at_top_speed_the_motor_falls_behind_and_catches_up() -> None:
    """Commanded 4 u/s for 1 s with 2 u/s at most.

    The loop asks for 2 u/s once the error is 2/K, after ln(2)/K; from then on it grows by 2 u/s.
    When the command rests it shrinks by 2 u/s, down to 2/K, of which 1/K later 1/e is left.
    """
    gain = MODEL.position_gain
    lone = LoneDrive(max_motor_speed=120.0)
    lone.order(0.0, 4.0)
    now = lone.until(1.0)
    assert now.velocity == pytest.approx(2.0, rel=1e-12)
    behind = 2.0 / gain + 2.0 * (1.0 - np.log(2.0) / gain)
    assert now.command - now.position == pytest.approx(behind, rel=1e-6)
    lone.order(4.0)
    catches_up = 1.0 + behind / 2.0 - 1.0 / gain
    assert lone.until(catches_up - 1e-5).velocity == pytest.approx(2.0, rel=1e-12)
    later = lone.until(catches_up + 1.0 / gain)
    assert 4.0 - later.position == pytest.approx(2.0 / gain / np.e, rel=1e-4)


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_the_torque_limit_bounds_the_acceleration(sense: float) -> None:
    """20 % less 3 % and 5 % * 10/50 of friction, at 1 % per u/s^2."""
    lone = LoneDrive(max_torque_limit=20.0, max_motor_speed=600.0)
    lone.order(sense * 100.0)
    assert lone.until(0.25).velocity == pytest.approx(sense * 16.0 * 0.25, rel=1e-9)
    assert lone.until(5.0).velocity == pytest.approx(sense * 10.0, rel=1e-9)


def test_a_growing_acceleration_ends_at_the_torque_limit() -> None:
    """A jerk of 50 u/s^3 asks for 15 u/s^2 after 0.3 s, and the motor a little later."""
    lone = LoneDrive(max_torque_limit=18.6, max_motor_speed=60.0 * 6.0)
    lone.order(0.0, 0.0, 0.0, 50.0)
    most = 18.6 - 3.0 - 5.0 * 6.0 / 50.0
    before, at_bound, later = lone.until(0.25), lone.until(0.35), lone.until(0.37)
    assert at_bound.velocity - before.velocity < most * 0.1
    assert later.velocity - at_bound.velocity == pytest.approx(most * 0.02, rel=1e-6)


def test_the_smallest_torque_limit_is_in_force() -> None:
    for limits in ({"positive_torque_limit": 20.0}, {"negative_torque_limit": 20.0}):
        lone = LoneDrive(**limits, max_motor_speed=600.0)
        assert lone.drive.torque_limit == 20.0
        lone.order(100.0)
        assert lone.until(0.25).velocity == pytest.approx(4.0, rel=1e-9)
        lone.drive.limit_torque(0.25, 12.0)
        assert lone.until(0.5).velocity == pytest.approx(4.0 + 8.0 * 0.25, rel=1e-9)
        lone.drive.limit_torque(0.5, 500.0)
        assert lone.drive.torque_limit == 20.0, "a lower limit, not a higher one"
        lone.drive.limit_torque(0.5, None)
        assert lone.drive.torque_limit == 20.0


def test_a_torque_that_friction_eats_leaves_a_hundredth() -> None:
    """So that a motor always moves in the end: 3 % less 3 % and 5 %, and 0.03 % is left."""
    assert LoneDrive(max_torque_limit=3.0).drive.top_acceleration == pytest.approx(0.03)


@pytest.mark.parametrize("limits", [{"max_torque_limit": 0.0}, {"max_motor_speed": 1e-6}])
@pytest.mark.parametrize("mode", [CommandMode.POSITION, CommandMode.VELOCITY])
def test_a_motor_that_may_do_nothing_does_next_to_nothing(
    limits: dict[str, float], mode: CommandMode
) -> None:
    held = HeldEngine(**limits).servo_on(0, mode=mode)
    if mode is CommandMode.POSITION:
        held.motion.move_absolute([position_move()])
    else:
        held.motion.move_velocity([velocity_move()])
    assert abs(held.after(1.0).actual_pos[0]) < 1e-5
    held.motion.stop([0])
    assert held.after(1.0).op_state[0] == 0


@example(-3.9375, 3.0, 1.34375, [(0.0, 0.0, 4.25, 0.0)])
@example(-7.7, 5.0, 1.83, [(0.0, 0.0, 10.0, 0.0), (0.0, 0.0, -10.0, 0.0)])
@example(-3.78, 5.0, 1.83, [(0.0, 0.0, 10.0, 0.0), (0.0, 0.0, -10.0, 0.0)])
@given(
    st.floats(-7.7, 3.0), st.floats(3.0, 15.0), st.floats(-3.0, 3.0), st.lists(cubics, max_size=6)
)
def test_a_motor_however_weak_or_strong_is_not_busy(
    top: float, rated_acceleration: float, limit: float, commands: list[tuple[float, ...]]
) -> None:
    """Powers of ten: revolutions per second, counts/s^2 and percent."""
    lone = LoneDrive(
        places={"rated_acceleration": 10.0**rated_acceleration},
        max_motor_speed=60.0 * 10.0**top,
        max_torque_limit=10.0**limit,
    )
    for command in commands:
        lone.order(*command)
        assert np.isfinite(lone.until(lone.time + 0.2)).all()
    assert len(lone.changes) <= 60 * len(commands)


@pytest.mark.parametrize("viscous", [1e-300, 1e-6, 0.0])
def test_viscous_friction_that_is_next_to_none_is_none(viscous: float) -> None:
    lone = LoneDrive(
        CommandMode.TORQUE, places={"viscous_friction": viscous}, max_motor_speed=600.0
    )
    lone.drive.set_torque(0.0, 5.0)
    assert lone.until(1.0).position == pytest.approx(1.0, rel=1e-6)


# A torque against friction


def stepped_torque(
    torque: float, velocity: float, motor: Motor, until: float
) -> tuple[float, float]:
    """Position and velocity by steps of 10 us; a motor that is slower than a step gives stands."""
    position = 0.0
    for _ in range(round(until / STEP)):
        sense = np.sign(velocity) or np.sign(torque)
        driving = torque - sense * motor.coulomb - motor.viscous * velocity
        changed = velocity + STEP * driving / motor.inertia
        if changed * sense < 0.0 and abs(torque) <= motor.coulomb:
            changed = 0.0
        if velocity == 0.0 and abs(torque) <= motor.coulomb:
            changed = 0.0
        changed = max(-motor.top_speed, min(motor.top_speed, changed))
        position += STEP * (velocity + changed) / 2
        velocity = changed
    return position, velocity


@pytest.mark.parametrize("viscous", [5.0, 0.0])
@pytest.mark.parametrize(
    "torques", [(10.0, -8.0), (20.0, 0.0), (2.9, 12.0), (-50.0, -4.0), (60.0, -60.0)]
)
def test_a_torque_turns_the_motor_as_fine_steps_do(
    torques: tuple[float, float], viscous: float
) -> None:
    lone = LoneDrive(
        CommandMode.TORQUE,
        places={"viscous_friction": viscous, "rated_acceleration": MODEL.rated_acceleration / 2},
        max_motor_speed=480.0,
    )
    motor = Motor(0.0, 0.0, 8.0, 2.0, 3.0, viscous / 50.0)
    position = velocity = 0.0
    for part, torque in enumerate(torques):
        lone.drive.set_torque(lone.time, torque)
        way, velocity = stepped_torque(torque, velocity, motor, 0.5)
        position += way
        now = lone.until(0.5 * (part + 1))
        assert now.position == pytest.approx(position, abs=30 * STEP)
        assert now.velocity == pytest.approx(velocity, abs=30 * STEP)
        assert (now.command, now.command_velocity) == (now.position, now.velocity)
    assert len(lone.changes) <= 4


def test_a_motor_runs_up_to_the_speed_at_which_friction_holds_it() -> None:
    """(8 - 3) % / (5 % per 50 u/s) = 50 u/s, with the time constant 1 % / 0.1 % = 10 s."""
    lone = LoneDrive(CommandMode.TORQUE, max_motor_speed=6000.0)
    lone.drive.set_torque(0.0, 8.0)
    assert lone.until(10.0).velocity == pytest.approx(50.0 * (1 - np.exp(-1.0)), rel=1e-12)
    assert lone.torque == pytest.approx(8.0, rel=1e-12)
    assert lone.until(500.0).velocity == pytest.approx(50.0, rel=1e-12)


def test_a_torque_less_than_friction_moves_nothing_and_shows() -> None:
    lone = LoneDrive(CommandMode.TORQUE)
    for torque in (3.0, -3.0):
        lone.drive.set_torque(lone.time, torque)
        now = lone.until(lone.time + 1.0)
        assert (now.position, now.velocity, lone.torque) == (0.0, 0.0, torque)


@given(
    st.floats(-300.0, 300.0),
    st.one_of(values, st.floats(-1e-6, 1e-6)),
    st.floats(0.0, 30.0),
    st.floats(0.0, 1.0),
)
def test_a_constant_torque_soon_has_nothing_more_to_change(
    torque: float, velocity: float, coulomb: float, viscous: float
) -> None:
    """At rest, at top speed or on its way to a final speed: three answers lead there."""
    motor = Motor(40.0, 0.0, 10.0, 1.0, coulomb, viscous)
    answer = torque_response(torque, 0.0, velocity, motor)
    for _ in range(3):
        if answer.holds < inf:
            here = answer.command.after(max(answer.holds, 1e-6))
            answer = torque_response(torque, here.at(0.0), here.slope().at(0.0), motor)
            assert abs(answer.command.slope().at(0.0)) <= 10.0 * (1 + 1e-9) + 1e-3
    assert answer.holds == inf
