"""Motion: torque mode."""

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, OperationState


@pytest.fixture
def ready(harmless: Backend) -> Backend:
    """Servos on in torque mode; motors may turn at 60 rpm, which is 1 u/s here."""
    harmless.load(AxisParam_MaxMotorSpeed=60)
    harmless.servo_on(mode=CommandMode.TORQUE)
    return harmless


def torque(backend: Backend, *percents: float) -> None:
    backend.motion.move_torque(
        [moves.torque(axis, percent) for axis, percent in zip(backend.axes, percents, strict=False)]
    )


@pytest.mark.over_process("move_torque")
@pytest.mark.parametrize("percent", [20.0, -20.0])
def test_the_torque_is_in_force(ready: Backend, percent: float) -> None:
    torque(ready, percent)
    status = ready.motion.status()
    assert status.actual_torque[ready.x] == pytest.approx(percent, rel=0.02)
    assert status.actual_torque[ready.y] == 0.0
    assert status.op_state[ready.x] == OperationState.TRQ
    assert status.op_state[ready.y] == OperationState.IDLE


@pytest.mark.parametrize("percent", [20.0, -20.0])
def test_the_motor_turns_the_way_of_the_torque(ready: Backend, percent: float) -> None:
    """20 % less friction gives some 17 u/s^2."""
    torque(ready, percent)
    first, then = ready.advance(0.01), ready.advance(0.02)
    turned = (then.actual_velocity - first.actual_velocity)[ready.x]
    gives = turned / ((then.cycle - first.cycle) * ready.cycle_time)
    if ready.exact:
        most = simulation.RATED_ACCELERATION * percent / 100
        assert gives == pytest.approx(0.85 * most, rel=0.05)
    assert then.actual_pos[ready.x] * percent > 0.0
    assert then.actual_velocity[ready.x] * percent > 0.0


@pytest.mark.parametrize("percent", [20.0, -20.0])
def test_the_motor_turns_no_faster_than_its_highest_speed(ready: Backend, percent: float) -> None:
    torque(ready, percent)
    seen = [ready.advance(0.02).actual_velocity[ready.x] for _ in range(30)]
    assert max(map(abs, seen)) <= 1.0 + 0.02
    assert seen[-1] == pytest.approx(1.0 if percent > 0.0 else -1.0, rel=0.02)


def test_the_command_is_where_the_motor_is(ready: Backend) -> None:
    torque(ready, 20.0)
    status = ready.advance(0.05)
    assert status.pos_cmd[ready.x] == pytest.approx(status.actual_pos[ready.x], abs=1e-9)
    assert status.following_error[ready.x] == pytest.approx(0.0, abs=1e-9)


def test_torques_of_several_axes_come_together(ready: Backend) -> None:
    torque(ready, 20.0, -10.0)
    shown = ready.motion.status().actual_torque[list(ready.axes)]
    assert shown.tolist() == pytest.approx([20.0, -10.0], rel=0.02)


def test_a_new_torque_takes_over(ready: Backend) -> None:
    torque(ready, 20.0)
    ready.advance(0.02)
    torque(ready, -15.0)
    assert ready.motion.status().actual_torque[ready.x] == pytest.approx(-15.0, rel=0.02)
    assert ready.advance(0.3).actual_velocity[ready.x] < 0.0


def test_torque_zero_lets_the_motor_run_down(ready: Backend) -> None:
    torque(ready, 20.0)
    ready.advance(0.1)
    torque(ready, 0.0)
    assert ready.motion.status().actual_torque[ready.x] == pytest.approx(0.0, abs=0.1)
    ready.until(lambda status: abs(status.actual_velocity[ready.x]) < 0.01, cycles=20)


def test_servo_off_ends_the_torque(ready: Backend) -> None:
    torque(ready, 20.0)
    ready.advance(0.05)
    ready.motion.set_servo(ready.x, on=False)
    assert ready.motion.status().actual_torque[ready.x] == 0.0
    ready.at_rest()
    ready.servo_on(ready.x, mode=CommandMode.TORQUE)
    assert abs(ready.advance(0.1).actual_torque[ready.x]) < 0.1, "and does not come back"


def test_the_mode_stays_while_a_torque_is_in_force(ready: Backend) -> None:
    torque(ready, 20.0)
    with ready.refuses(ErrorCode.NotIdleState):
        ready.motion.set_command_mode(ready.x, CommandMode.POSITION)


def test_a_refused_torque_leaves_the_others_alone(ready: Backend) -> None:
    torque(ready, 20.0)
    ready.motion.set_servo(ready.y, on=False)
    with ready.refuses(ErrorCode.ServoOff):
        torque(ready, -20.0, -20.0)
    assert ready.advance(0.02).actual_velocity[ready.x] > 0.0
