"""Motion: servo, amplifier alarm, following error alarm."""

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import OperationState

IDLE, POS = OperationState.IDLE, OperationState.POS

# Servo


@pytest.mark.over_process("set_servo")
def test_a_servo_comes_on_when_the_drive_has_taken_its_time(backend: Backend) -> None:
    order = backend.order(lambda: backend.motion.set_servo(backend.x, on=True))
    last_off, status = backend.edge(lambda status: status.servo_on[backend.x], order)
    assert not status.servo_on[backend.y], "and no other"
    if backend.simulated:
        took = round(simulation.SERVO_ON_TIME / backend.cycle_time)
        assert any(last_off.cycle - start < took <= status.cycle - start for start in order.starts)


def test_a_servo_that_is_on_is_ordered_on_in_vain(powered: Backend) -> None:
    powered.motion.set_servo(powered.x, on=True)
    assert powered.motion.status().servo_on[powered.x]
    assert powered.advance(0.1).servo_on[powered.x]


def test_a_servo_goes_off_alone(powered: Backend) -> None:
    for _ in range(2):
        powered.motion.set_servo(powered.x, on=False)
        status = powered.until(lambda status: not status.servo_on[powered.x], timeout=1.0)
        assert status.servo_on[powered.y]
        assert status.actual_torque[powered.x] == 0.0


def test_a_servo_ordered_off_while_it_comes_on_stays_off(backend: Backend) -> None:
    backend.motion.set_servo(backend.x, on=True)
    backend.motion.set_servo(backend.x, on=False)
    assert not backend.advance(0.3).servo_on[backend.x]


def test_servo_off_stops_the_axis(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 3.0)])
    powered.advance(0.4)
    powered.motion.set_servo(powered.x, on=False)
    stopped = powered.at_rest()
    assert 0.0 < stopped.pos_cmd[powered.x] < 2.0
    powered.servo_on(powered.x)
    after = powered.advance(0.2)
    assert after.pos_cmd[powered.x] == pytest.approx(stopped.pos_cmd[powered.x], abs=1e-6)
    assert after.op_state[powered.x] == IDLE, "and nothing of the old motion comes back"


# Alarm of the amplifier


def alarm(backend: Backend, code: int = 0x7121) -> None:
    backend.play(simulation.raise_alarm(backend.x, code))
    backend.until(lambda status: status.amp_alarm[backend.x], timeout=1.0)


def test_an_alarm_shows_with_its_code(powered: Backend) -> None:
    alarm(powered, 0x7121)
    status = powered.motion.status()
    assert (bool(status.amp_alarm[powered.x]), status.alarm_code[powered.x]) == (True, 0x7121)
    assert (bool(status.amp_alarm[powered.y]), status.alarm_code[powered.y]) == (False, 0)


def test_an_alarm_takes_the_servo_off_and_ends_the_motion(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0), moves.to(powered.y, 1.0)])
    powered.advance(0.2)
    alarm(powered)
    status = powered.at_rest()
    assert status.servo_on[list(powered.axes)].tolist() == [False, True]
    assert status.pos_cmd[powered.x] < 1.5
    assert status.pos_cmd[powered.y] == pytest.approx(1.0), "another axis goes on"


def test_an_alarm_leaves_the_servo_on_where_the_parameters_say_so(backend: Backend) -> None:
    backend.load(AlarmParam_ServoOffDuringAmpAlarm=0)
    backend.servo_on()
    backend.motion.move_absolute([moves.to(backend.x, 2.0)])
    backend.advance(0.2)
    alarm(backend)
    status = backend.at_rest()
    assert status.servo_on[backend.x]
    assert status.pos_cmd[backend.x] < 1.5, "but the motion ends"


def test_with_an_alarm_neither_servo_nor_motion(powered: Backend) -> None:
    alarm(powered)
    powered.at_rest()
    for order in (
        lambda: powered.motion.set_servo(powered.x, on=True),
        lambda: powered.motion.move_absolute([moves.to(powered.x)]),
        lambda: powered.motion.move_relative([moves.to(powered.x)]),
        lambda: powered.motion.home(powered.x),
    ):
        with powered.refuses(ErrorCode.AxisAmpAlarm):
            order()


@pytest.mark.over_process("clear_alarm")
def test_a_cleared_alarm_is_gone_and_switches_nothing_on(powered: Backend) -> None:
    alarm(powered)
    powered.motion.clear_alarm(powered.x)
    status = powered.until(lambda status: not status.amp_alarm[powered.x], timeout=1.0)
    assert status.alarm_code[powered.x] == 0
    assert not powered.advance(0.2).servo_on[powered.x]
    powered.servo_on(powered.x)
    powered.motion.move_relative([moves.to(powered.x, 0.25)])
    powered.at_rest()


def test_clearing_without_an_alarm_does_nothing(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 1.0)])
    powered.motion.clear_alarm(powered.x)
    assert powered.motion.status().op_state[powered.x] == POS
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(1.0)


# Following error: in the simulation, an axis at v is v / POSITION_GAIN behind

NO_ACTION, QUICK_STOP = 0, 1
BEHIND = moves.VELOCITY / simulation.POSITION_GAIN


def too_far_behind(backend: Backend, error_type: int) -> None:
    backend.load(
        AlarmParam_FollowingErrorType=error_type, AlarmParam_FollowingErrorMoving=BEHIND * 0.8
    )
    backend.servo_on()
    backend.motion.move_absolute([moves.to(backend.x, 2.0)])
    before, status = backend.edge(lambda status: status.following_error_alarm[backend.x])
    assert before.following_error[backend.x] <= BEHIND * 0.8 * 1.05
    assert not status.following_error_alarm[backend.y]


def test_a_following_error_too_large_is_an_alarm(harmless: Backend) -> None:
    too_far_behind(harmless, NO_ACTION)
    status = harmless.at_rest()
    assert status.pos_cmd[harmless.x] == pytest.approx(2.0), "which alone stops nothing"
    assert not status.amp_alarm[harmless.x]


def test_a_following_error_quick_stops_where_the_parameters_say_so(harmless: Backend) -> None:
    too_far_behind(harmless, QUICK_STOP)
    status = harmless.at_rest()
    assert status.pos_cmd[harmless.x] < 1.0
    assert status.servo_on[harmless.x]
    assert harmless.advance(0.2).following_error_alarm[harmless.x], "until it is cleared"
    harmless.motion.clear_alarm(harmless.x)
    harmless.until(lambda status: not status.following_error_alarm[harmless.x], timeout=1.0)


def test_a_following_error_within_its_limit_is_none(harmless: Backend) -> None:
    harmless.load(AlarmParam_FollowingErrorType=1, AlarmParam_FollowingErrorMoving=BEHIND * 1.05)
    harmless.servo_on()
    harmless.motion.move_absolute([moves.to(harmless.x, 1.0)])
    status = harmless.at_rest()
    assert not status.following_error_alarm[harmless.x]
    assert status.pos_cmd[harmless.x] == pytest.approx(1.0)
