"""Motion: emergency stop, which stays in force until it is released."""

import moves
import pytest
import simulation
from backends import Backend
from textbook import axis, to_rest

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, EmergencyStop, OperationState

FINAL, LEVEL1 = EmergencyStop.FINAL, EmergencyStop.LEVEL1
IDLE = OperationState.IDLE
EMERGENCY_DEC = simulation.EMERGENCY_DEC


@pytest.fixture(params=EmergencyStop, ids=[level.name for level in EmergencyStop])
def level(request: pytest.FixtureRequest) -> EmergencyStop:
    return EmergencyStop(request.param)


def cruise(backend: Backend) -> None:
    """x and y move to 3 and -3, and are at their full velocity."""
    backend.motion.move_absolute([moves.to(backend.x, 3.0), moves.to(backend.y, -3.0)])
    backend.advance(0.2)


def test_the_status_shows_the_level(powered: Backend, level: EmergencyStop) -> None:
    powered.motion.emergency_stop(level)
    assert powered.motion.status().emergency_stop is level
    assert powered.advance(0.3).emergency_stop is level, "until it is released"
    powered.motion.emergency_stop(level)
    assert powered.motion.status().emergency_stop is level
    powered.motion.release_emergency_stop()
    assert powered.motion.status().emergency_stop is None, "one release is enough"


@pytest.mark.over_process("emergency_stop")
def test_level1_slows_every_axis_down_with_its_emergency_deceleration(powered: Backend) -> None:
    cruise(powered)
    given = powered.order(lambda: powered.motion.emergency_stop(LEVEL1))
    times = [0.0, 0.02, 0.045, 0.1]
    seen = powered.follows(given, to_rest(EMERGENCY_DEC), times, powered.x)
    given.follows(to_rest(EMERGENCY_DEC), seen, axis(powered.y), powered.tolerance)
    for status in seen:
        moves_on = status.velocity_cmd[powered.x] != 0.0
        assert status.op_state[powered.x] == (OperationState.STOP if moves_on else IDLE)
    status = powered.at_rest()
    assert status.servo_on[list(powered.axes)].all(), "servos stay on"


def test_final_takes_every_servo_off_at_once(powered: Backend) -> None:
    cruise(powered)
    powered.motion.emergency_stop(FINAL)
    status = powered.motion.status()
    assert not status.servo_on.any()
    assert (powered.at_rest().velocity_cmd == 0.0).all()


def test_level1_stops_a_velocity_move(backend: Backend) -> None:
    backend.servo_on(mode=CommandMode.VELOCITY)
    backend.motion.move_velocity([moves.at(backend.x, 2.0)])
    backend.advance(0.2)
    given = backend.order(lambda: backend.motion.emergency_stop(LEVEL1))
    backend.follows(given, to_rest(EMERGENCY_DEC), [0.0, 0.02, 0.1], backend.x)
    assert backend.at_rest().servo_on[backend.x]


def test_level1_stops_a_line(powered: Backend) -> None:
    powered.motion.move_linear(moves.line((powered.x, 1.8), (powered.y, 2.4)))
    powered.advance(0.2)
    powered.motion.emergency_stop(LEVEL1)
    status = powered.at_rest()
    assert status.pos_cmd[powered.x] < 1.2
    assert status.pos_cmd[powered.y] < 1.6


def test_meanwhile_a_stop_is_no_error(powered: Backend, level: EmergencyStop) -> None:
    cruise(powered)
    powered.motion.emergency_stop(level)
    powered.motion.stop(powered.axes)
    powered.motion.quick_stop(powered.axes)
    powered.at_rest()


@pytest.mark.over_process("release_emergency_stop")
def test_released_after_level1_the_axes_can_be_moved(powered: Backend) -> None:
    cruise(powered)
    powered.motion.emergency_stop(LEVEL1)
    stopped = powered.at_rest()
    powered.motion.release_emergency_stop()
    later = powered.advance(0.2)
    assert later.pos_cmd.tolist() == stopped.pos_cmd.tolist(), "nothing comes back by itself"
    assert (later.op_state == IDLE).all()
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.5, abs=powered.tolerance)


def test_released_after_final_the_servos_stay_off(powered: Backend) -> None:
    powered.motion.emergency_stop(FINAL)
    powered.at_rest()
    powered.motion.release_emergency_stop()
    assert not powered.advance(0.2).servo_on.any()
    with powered.refuses(ErrorCode.ServoOff):
        powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.servo_on()
    powered.motion.move_relative([moves.to(powered.x, 0.25)])
    powered.at_rest()


def test_the_level_may_be_raised(powered: Backend) -> None:
    powered.motion.emergency_stop(LEVEL1)
    powered.motion.emergency_stop(FINAL)
    status = powered.motion.status()
    assert status.emergency_stop is FINAL
    assert not status.servo_on.any()


def test_the_level_is_not_lowered(powered: Backend) -> None:
    powered.motion.emergency_stop(FINAL)
    powered.at_rest()
    with powered.refuses(ErrorCode.CurrentEmergencyStopLevelIsHigher):
        powered.motion.emergency_stop(LEVEL1)
    assert powered.motion.status().emergency_stop is FINAL


def test_a_release_without_an_emergency_stop_does_nothing(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.motion.release_emergency_stop()
    assert powered.motion.status().op_state[powered.x] == OperationState.POS
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.5, abs=powered.tolerance)


def test_every_device_sees_it_and_may_release_it(powered: Backend) -> None:
    second = powered.open()
    second.engine.create_device(powered.path, "second")
    powered.motion.emergency_stop(LEVEL1)
    assert second.motion.status().emergency_stop is LEVEL1
    second.motion.release_emergency_stop()
    assert powered.motion.status().emergency_stop is None
