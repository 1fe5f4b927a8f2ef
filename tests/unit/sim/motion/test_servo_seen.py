"""The servo as users see it: following error, torque."""

import numpy as np
import pytest
from held_engine import COUNTS, MODEL, HeldEngine, position_move, velocity_move
from lone_drive import LoneDrive

from wmx_core.values import CommandMode
from wmx_sim.engine.clock import Instant
from wmx_sim.engine.motion.status_reading import StatusReader

# Seen from outside


@pytest.mark.parametrize("percent", [0.0, 60.0, 100.0])
def test_a_steady_speed_is_followed_so_far_behind(percent: float) -> None:
    held = HeldEngine(velocity_feedforward_gain=percent).servo_on()
    held.motion.move_absolute([position_move(target=100.0, velocity=3.0)])
    status = held.after(20.0)
    speed = 100.0 / (32.884 + (0.3 + 0.6) / 2)  # what whole cycles leave of 3
    behind = (1.0 - percent / 100.0) * speed / MODEL.position_gain
    assert status.following_error[0] == pytest.approx(behind, abs=1e-12)
    assert status.pos_cmd[0] - status.actual_pos[0] == pytest.approx(behind, abs=1e-12)
    assert status.actual_velocity[0] == pytest.approx(speed, rel=1e-12)


def friction(speed: float) -> float:
    """Percent of rated torque at `speed` u/s; rated speed is 50 u/s."""
    return float(3.0 * np.tanh(speed / 0.05) + 5.0 * speed / 50.0)


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
    expected = 100.0 * 10.0 / 100.0 + friction(10.0)  # rated acceleration: 100 u/s^2
    assert status.actual_torque[0] == pytest.approx(expected, rel=1e-12)


def test_torque_is_of_the_motor_whatever_the_user_unit() -> None:
    fine = HeldEngine(gear_ratio_numerator=10.0 * COUNTS).servo_on(0, mode=CommandMode.VELOCITY)
    coarse = HeldEngine().servo_on(0, mode=CommandMode.VELOCITY)
    fine.motion.move_velocity([velocity_move(velocity=1.0, acc=0.5)])
    coarse.motion.move_velocity([velocity_move(velocity=10.0, acc=5.0)])
    torque = [held.after(1.0).actual_torque[0] for held in (fine, coarse)]
    assert torque[0] == pytest.approx(torque[1], rel=1e-12)


def test_the_torque_while_acceleration_changes_is_that_of_the_motion_there() -> None:
    """J x'' + C tanh(x' / n_0) + B x', with x'' from how the shown velocity changes."""
    lone = LoneDrive(max_torque_limit=1e6, positive_torque_limit=1e6, negative_torque_limit=1e6)
    lone.order(0.0, 1.0, -2.0, 30.0)
    rated = 50.0  # u/s, of the test machine

    def shown(time: float) -> tuple[float, float]:
        state = StatusReader(lone.shared_state).at(Instant(0, time, time))
        return state.actual_velocity.item(), state.actual_torque.item()

    for time in (0.1, 0.3, 1.0):
        lone.until(time + 0.01)
        (before, _), (velocity, torque), (after, _) = map(shown, (time - 1e-4, time, time + 1e-4))
        inertia = 100.0 * (after - before) / 2e-4 / 100.0  # 100 u/s^2 take rated torque
        friction = 3.0 * np.tanh(velocity / (rated / 1000.0)) + 5.0 * velocity / rated
        assert torque == pytest.approx(inertia + friction, rel=1e-6)
