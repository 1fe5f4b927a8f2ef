"""Motion: stops in torque mode bring the motor to rest under control, and hold it."""

from collections.abc import Callable

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.values import CommandMode, EmergencyStop, OperationState

POSITION, TORQUE = CommandMode.POSITION, CommandMode.TORQUE
IDLE, STOP = OperationState.IDLE, OperationState.STOP
Stop = Callable[[Backend], None]
STOPS: dict[str, tuple[Stop, float]] = {
    "stop": (lambda backend: backend.motion.stop([backend.x]), simulation.QUICK_STOP_DEC),
    "quick_stop": (
        lambda backend: backend.motion.quick_stop([backend.x]),
        simulation.QUICK_STOP_DEC,
    ),
    "emergency_stop": (
        lambda backend: backend.motion.emergency_stop(EmergencyStop.LEVEL1),
        simulation.EMERGENCY_DEC,
    ),
}
SETTLED = 0.5
"""Time constants of the position loop pass in it that leave nothing of a lag, s."""


@pytest.fixture(params=STOPS)
def stop(request: pytest.FixtureRequest) -> tuple[Stop, float]:
    return STOPS[request.param]


@pytest.fixture
def turning(harmless: Backend) -> Backend:
    """x turns with a torque, at its highest speed, which is 4 u/s here."""
    harmless.load(AxisParam_MaxMotorSpeed=240)
    harmless.servo_on(mode=TORQUE)
    harmless.motion.move_torque([moves.torque(harmless.x, 30.0)])
    harmless.until(lambda status: status.actual_velocity[harmless.x] > 3.9, cycles=20)
    return harmless


def test_the_motor_rests_soon_and_not_far_away(turning: Backend, stop: tuple[Stop, float]) -> None:
    """As far as its deceleration takes it, and its lag: it would coast ten times as far."""
    order, dec = stop
    before = turning.motion.status()
    velocity = before.actual_velocity[turning.x]
    order(turning)
    at_rest = turning.advance(velocity / dec + SETTLED)
    assert abs(at_rest.actual_velocity[turning.x]) < turning.standstill
    began = (turning.motion.status().cycle - before.cycle) * turning.cycle_time
    late = began - velocity / dec - SETTLED
    way = at_rest.actual_pos[turning.x] - before.actual_pos[turning.x]
    lag = velocity / simulation.POSITION_GAIN
    assert 0.0 <= way <= velocity**2 / (2.0 * dec) + lag + velocity * (late + 0.005)


def test_it_is_held_in_position_mode(turning: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    order(turning)
    assert turning.motion.status().command_mode[turning.x] == POSITION
    assert turning.motion.status().command_mode[turning.y] == (
        POSITION if order is STOPS["emergency_stop"][0] else TORQUE
    )
    turning.at_rest()
    before = turning.advance(SETTLED)
    assert before.servo_on[turning.x]
    after = turning.advance(1.0)
    near = max(1e-6, turning.tolerance)
    assert after.actual_pos[turning.x] == pytest.approx(before.actual_pos[turning.x], abs=near)
    assert after.pos_cmd[turning.x] == pytest.approx(after.actual_pos[turning.x], abs=near)


def test_it_is_stopping_until_its_motor_rests(turning: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    order(turning)
    if turning.vendor_rules:
        pytest.skip("the vendor's engine calls an axis idle as soon as its torque is gone")
    status = turning.motion.status()
    assert status.op_state[turning.x] == STOP
    moving = turning.until(lambda status: status.op_state[turning.x] == IDLE)
    assert abs(moving.actual_velocity[turning.x]) < 0.1


def test_it_can_be_moved_afterwards(turning: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    order(turning)
    turning.at_rest()
    turning.motion.release_emergency_stop()
    turning.motion.move_absolute([moves.to(turning.x, 0.0)])
    turning.until(lambda status: status.motion_complete[turning.x], cycles=20)
    assert turning.advance(SETTLED).actual_pos[turning.x] == pytest.approx(0.0, abs=1e-3)


def test_an_axis_at_rest_is_in_position_mode_too(
    harmless: Backend, stop: tuple[Stop, float]
) -> None:
    order, _ = stop
    harmless.servo_on(mode=TORQUE)
    before = harmless.motion.status()
    order(harmless)
    assert harmless.motion.status().command_mode[harmless.x] == POSITION
    after = harmless.advance(0.2)
    assert after.op_state[harmless.x] == IDLE
    assert after.actual_pos[harmless.x] == pytest.approx(before.actual_pos[harmless.x], abs=1e-6)


def test_an_axis_without_servo_keeps_its_mode(harmless: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    harmless.motion.set_command_mode(harmless.x, TORQUE)
    order(harmless)
    assert harmless.motion.status().command_mode[harmless.x] == TORQUE


def test_a_final_emergency_stop_takes_the_servo_off(turning: Backend) -> None:
    turning.motion.emergency_stop(EmergencyStop.FINAL)
    assert not turning.motion.status().servo_on[turning.x]
