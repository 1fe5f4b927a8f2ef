"""The servo model against the differential equation it states, and what follows from it."""

import numpy as np
import pytest
from held_engine import COUNTS, MODEL, HeldEngine, position_move, velocity_move
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.drivers.fake.servo import Course, Followed, follow
from wmx_ros2_package.drivers.values import CommandMode, Floats

values = st.floats(-10.0, 10.0)
gains = st.floats(1.0, 200.0)
feedforwards = st.floats(0.0, 1.0)


def exponential(matrix: Floats) -> Floats:
    """The matrix exponential: Taylor's series for a fraction of `matrix`, squared until whole."""
    squarings = max(0, int(np.ceil(np.log2(np.abs(matrix).sum() + 1e-300))) + 3)
    small = matrix / 2.0**squarings
    term = result = np.eye(len(matrix))
    for n in range(1, 20):
        term = term @ small / n
        result = result + term
    return np.linalg.matrix_power(result, 2**squarings)


def solve(piece: tuple[float, ...], gain: float, feedforward: float, s: float) -> Floats:
    """Position, velocity, acceleration and error `s` seconds on, by the stated equation.

    With p' = v, v' = a, a' = j, j' = 0, e' = (1 - g) v - K e the state is exp(A s) times itself.
    """
    system = np.zeros((5, 5))
    system[0, 1] = system[1, 2] = system[2, 3] = 1.0
    system[4, 1], system[4, 4] = 1.0 - feedforward, -gain
    solution: Floats = exponential(system * s) @ np.array(piece)
    return solution[[0, 1, 2, 4]]


def course(piece: tuple[float, ...], feedforward: float, start: float = 0.0) -> Course:
    return Course(*(np.array([value]) for value in (start, *piece, feedforward)))


def followed(one: Followed) -> list[float]:
    return [array.item() for array in one]


@given(st.tuples(*[values] * 5), gains, feedforwards, st.floats(0.0, 5.0), st.floats(0.0, 100.0))
def test_the_error_solves_the_equation(
    piece: tuple[float, ...], gain: float, feedforward: float, s: float, start: float
) -> None:
    s = (start + s) - start  # what is left of it in the sum
    position, velocity, acceleration, error = solve(piece, gain, feedforward, s)
    error_rate = (1.0 - feedforward) * velocity - gain * error
    error_rate_rate = (1.0 - feedforward) * acceleration - gain * error_rate
    now = follow(course(piece, feedforward, start), start + s, np.array([gain]))
    scale = 1e-13 * max(1.0, *np.abs(piece)) * (1.0 + s) ** 3
    assert followed(now) == [
        pytest.approx(position, abs=scale),
        pytest.approx(velocity, abs=scale),
        pytest.approx(error, abs=scale),
        pytest.approx(velocity - error_rate, abs=scale * gain),
        pytest.approx(acceleration - error_rate_rate, abs=scale * gain**2),
    ]


@given(st.tuples(*[values] * 5), gains, feedforwards)
def test_a_piece_begins_with_the_error_it_is_given(
    piece: tuple[float, ...], gain: float, feedforward: float
) -> None:
    now = follow(course(piece, feedforward, 3.0), 3.0, np.array([gain]))
    position, velocity, _, _, error = piece
    assert followed(now)[:2] == [position, velocity]
    assert now.error.item() == pytest.approx(error, abs=1e-13)


def test_without_a_position_loop_there_is_no_error() -> None:
    now = follow(course((1.0, 2.0, 3.0, 4.0, 0.0), feedforward=1.0), 1.5, np.array([40.0]))
    assert now.error == 0.0
    assert now.actual_velocity == now.velocity
    assert now.actual_acceleration == 3.0 + 1.5 * 4.0


def test_axes_are_followed_each_by_itself() -> None:
    rows = np.random.default_rng(1).uniform(-5.0, 5.0, (7, 20))
    gain = np.linspace(1.0, 100.0, 20)
    together = follow(Course(*rows), 6.0, gain)
    for axis in range(20):
        alone = follow(Course(*rows).of(axis), 6.0, gain[axis : axis + 1])
        assert followed(alone) == [array[axis] for array in together]


# Seen from outside


@pytest.mark.parametrize("percent", [0.0, 60.0, 100.0])
def test_a_steady_speed_is_followed_so_far_behind(percent: float) -> None:
    held = HeldEngine(velocity_feedforward_gain=percent).servo_on()
    held.motion.move_absolute([position_move(target=100.0, velocity=3.0)])
    status = held.after(20.0)
    behind = (1.0 - percent / 100.0) * 3.0 / MODEL.position_gain
    assert status.following_error[0] == pytest.approx(behind, abs=1e-12)
    assert status.pos_cmd[0] - status.actual_pos[0] == pytest.approx(behind, abs=1e-12)
    assert status.actual_velocity[0] == pytest.approx(3.0, rel=1e-12)


def test_the_actual_position_settles_at_the_target() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=1.0)])
    arrived = 1.0 / 2.0 + 2.0 / (2 * 10.0) + 2.0 / (2 * 5.0)
    while_settling, settled = held.after(arrived), held.after(1.0)
    assert while_settling.pos_cmd[0] == 1.0
    assert while_settling.actual_pos[0] < 1.0
    assert settled.actual_pos[0] == pytest.approx(1.0, abs=1e-12)
    assert settled.actual_velocity[0] == pytest.approx(0.0, abs=1e-12)


RATED_SPEED = 50.0
RATED_ACCELERATION = 100.0


def friction(speed: float) -> float:
    return float(3.0 * np.tanh(speed / (RATED_SPEED / 1000.0)) + 5.0 * speed / RATED_SPEED)


@pytest.mark.parametrize("speed", [2.0, -2.0, 0.02])
def test_torque_at_a_steady_speed_is_that_of_friction(speed: float) -> None:
    held = HeldEngine().servo_on(0, mode=CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move(velocity=speed)])
    assert held.after(10.0).actual_torque[0] == pytest.approx(friction(speed), rel=1e-12)


def test_torque_while_speeding_up_is_that_of_inertia_too() -> None:
    held = HeldEngine().servo_on(0, mode=CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move(velocity=20.0, acc=10.0)])
    status = held.after(1.0)
    assert status.actual_velocity[0] == pytest.approx(10.0)
    expected = 100.0 * 10.0 / RATED_ACCELERATION + friction(10.0)
    assert status.actual_torque[0] == pytest.approx(expected, rel=1e-12)


def test_torque_at_rest_and_without_servo_is_none() -> None:
    held = HeldEngine().servo_on(0)
    assert held.status().actual_torque.tolist() == [0.0, 0.0]
    held.motion.move_absolute([position_move(target=10.0)])
    assert held.after(1.0).actual_torque[0] > 0.0
    held.motion.set_servo(0, on=False)
    braking = held.after(0.01)
    assert braking.actual_velocity[0] > 0.0
    assert braking.actual_torque[0] == 0.0


def test_torque_is_of_the_motor_whatever_the_user_unit() -> None:
    fine = HeldEngine(gear_ratio_numerator=10.0 * COUNTS).servo_on(0, mode=CommandMode.VELOCITY)
    coarse = HeldEngine().servo_on(0, mode=CommandMode.VELOCITY)
    fine.motion.move_velocity([velocity_move(velocity=1.0, acc=0.5)])
    coarse.motion.move_velocity([velocity_move(velocity=10.0, acc=5.0)])
    torque = [held.after(1.0).actual_torque[0] for held in (fine, coarse)]
    assert torque[0] == pytest.approx(torque[1], rel=1e-12)
