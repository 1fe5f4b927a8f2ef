"""Stops in torque mode: the position loop closes where the motor is, and slows it down."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from held_engine import COUNTS, MODEL, HeldEngine, position_move, rate
from profile_shapes import shaped

from wmx_core.errors import CommandRefused
from wmx_core.profile_types import ProfileType
from wmx_core.values import CommandMode, EmergencyStop, MotionStatus, OperationState, TorqueMove

IDLE, STOP, TRQ = OperationState.IDLE, OperationState.STOP, OperationState.TRQ
POSITION, TORQUE = CommandMode.POSITION, CommandMode.TORQUE
QUICK_DEC, EMERGENCY_DEC = 20.0, 40.0
Stop = Callable[[HeldEngine], None]
STOPS: dict[str, tuple[Stop, float]] = {
    "stop": (lambda held: held.motion.stop([0]), QUICK_DEC),
    "quick_stop": (lambda held: held.motion.quick_stop([0]), QUICK_DEC),
    "emergency_stop": (
        lambda held: held.motion.emergency_stop(EmergencyStop.LEVEL1),
        EMERGENCY_DEC,
    ),
}
REST_SPEED = 0.05
"""A thousandth of the rated speed of `MODEL`, which is less than a count a cycle, u/s."""


@pytest.fixture(params=STOPS)
def stop(request: pytest.FixtureRequest) -> tuple[Stop, float]:
    return STOPS[request.param]


def turning(torque: float = 20.0, seconds: float = 0.5, **parameters: float) -> HeldEngine:
    """Axis 0 turns with a torque: after half a second at some 8 u/s."""
    held = HeldEngine(emergency_stop_dec=EMERGENCY_DEC, **parameters).servo_on(mode=TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=torque)])
    held.after(seconds)
    return held


def cycles(held: HeldEngine, count: int) -> list[MotionStatus]:
    return [held.after(0.001) for _ in range(count)]


@pytest.mark.parametrize("torque", [20.0, -20.0])
@pytest.mark.parametrize("feedforward", [0.0, 60.0, 100.0])
def test_the_command_slows_down_from_the_velocity_of_the_motor(
    stop: tuple[Stop, float], torque: float, feedforward: float
) -> None:
    order, dec = stop
    held = turning(torque, velocity_feedforward_gain=feedforward)
    before = held.status()
    velocity = before.actual_velocity[0]
    order(held)
    after = held.status()
    assert (after.op_state[0], after.command_mode[0]) == (STOP, POSITION)
    assert after.velocity_cmd[0] == pytest.approx(velocity)
    assert after.actual_velocity[0] == pytest.approx(velocity, rel=1e-12), "without a jerk"
    assert after.actual_pos[0] == pytest.approx(before.actual_pos[0], rel=1e-12)
    slows = rate(abs(velocity), dec) * np.sign(velocity)
    later = held.after(0.05)
    assert later.velocity_cmd[0] == pytest.approx(velocity - 0.05 * slows)
    taken = abs(later.actual_velocity[0] - velocity)
    assert taken <= abs(0.05 * slows) + 1e-9, "and is no slower than its command"
    assert taken > 0.5 * abs(0.05 * slows) or feedforward == 0.0


def test_it_is_stopping_until_the_motor_rests_and_then_holds(stop: tuple[Stop, float]) -> None:
    order, _ = stop
    held = turning()
    order(held)
    seen = cycles(held, 1500)
    moving = [status for status in seen if status.op_state[0] == STOP]
    resting = seen[len(moving) :]
    assert all(status.op_state[0] == IDLE for status in resting)
    assert any(status.velocity_cmd[0] == 0.0 for status in moving), "also after its command rests"
    assert all(abs(status.actual_velocity[0]) > REST_SPEED for status in moving)
    assert all(abs(status.actual_velocity[0]) <= REST_SPEED for status in resting)
    held.after(5.0)
    at_rest = held.status()
    assert at_rest.servo_on[0]
    assert at_rest.motion_complete[0]
    assert at_rest.actual_pos[0] == at_rest.pos_cmd[0]
    assert held.after(60.0).actual_pos[0] == at_rest.actual_pos[0]


def test_afterwards_the_parameters_say_position_mode_too(stop: tuple[Stop, float]) -> None:
    order, _ = stop
    held = turning()
    order(held)
    changed = held.motion.parameters()
    assert changed.axis(0).command_mode is POSITION
    if stop is not STOPS["emergency_stop"]:
        assert changed.axis(1).command_mode is TORQUE, "another axis keeps its own"
    held.after(5.0)
    held.motion.release_emergency_stop()
    held.motion.set_polarity(1, -1)
    assert held.motion.parameters().axis(0).command_mode is POSITION
    held.motion.move_absolute([position_move(0, 1.0)])
    assert held.after(60.0).pos_cmd[0] == 1.0


def test_a_refused_change_of_the_parameters_does_not_bring_the_torque_mode_back() -> None:
    held = turning()
    held.motion.stop([0])
    held.after(5.0)
    with pytest.raises(CommandRefused):
        held.motion.set_gear_ratio(0, -1.0, 1.0)
    assert held.motion.parameters().axis(0).command_mode is POSITION
    assert held.status().command_mode[0] == POSITION


def test_a_torque_of_zero_is_ended_too(stop: tuple[Stop, float]) -> None:
    """The motor coasts with it."""
    order, dec = stop
    held = turning()
    held.motion.move_torque([TorqueMove(axis=0, torque=0.0)])
    velocity = float(held.after(0.01).actual_velocity[0])
    order(held)
    assert held.after(velocity / dec + 0.3).op_state[0] == IDLE


def test_the_deceleration_is_not_that_of_an_earlier_motion() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 1.0, dec=0.5)])
    held.after(10.0)
    held.motion.set_command_mode(0, TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
    velocity = float(held.after(0.5).actual_velocity[0])
    held.motion.stop([0])
    assert held.after(0.1).velocity_cmd[0] == pytest.approx(velocity - 0.1 * rate(velocity, 20.0))


def test_the_ramp_is_not_that_of_an_earlier_motion() -> None:
    """The load has pulled the motor while its servo was off: no torque was asked for."""
    held = HeldEngine(model=replace(MODEL, load=-10.0)).servo_on()
    held.after(1.0)
    move = replace(position_move(0, 1.0), profile=shaped(ProfileType.S_CURVE))
    held.motion.move_absolute([move])
    held.after(10.0)
    held.motion.set_command_mode(0, TORQUE)
    held.motion.set_servo(0, on=False)
    held.motion.set_servo(0, on=True)
    coasting = held.after(MODEL.servo_on_time)
    velocity = coasting.actual_velocity[0]
    assert (coasting.op_state[0], velocity < -0.1) == (STOP, True)
    held.motion.stop([0])
    slower = velocity + 0.005 * rate(-velocity, 20.0)
    assert held.after(0.005).velocity_cmd[0] == pytest.approx(slower)


def test_a_servo_that_goes_off_meanwhile_brakes() -> None:
    held = turning()
    held.motion.stop([0])
    held.after(0.05)
    held.motion.set_servo(0, on=False)
    at_rest = held.after(5.0)
    assert (at_rest.op_state[0], bool(at_rest.servo_on[0])) == (IDLE, False)
    assert at_rest.actual_velocity[0] == 0.0


def test_a_servo_that_comes_on_in_torque_mode_under_a_turning_motor_lets_it_coast() -> None:
    """No motion was asked for, nor a stop: the axis stays in torque mode."""
    held = turning(quick_stop_dec=1.0)
    held.motion.set_servo(0, on=False)
    held.motion.set_servo(0, on=True)
    coasting = held.after(MODEL.servo_on_time + 0.001)
    assert (coasting.op_state[0], coasting.command_mode[0]) == (STOP, TORQUE)
    assert coasting.actual_torque[0] == 0.0
    assert coasting.actual_velocity[0] > 1.0
    at_rest = held.after(60.0)
    assert (at_rest.op_state[0], at_rest.command_mode[0]) == (IDLE, TORQUE)
    assert at_rest.actual_velocity[0] == 0.0


# What counts as rest


def lagging(gain: float = 2.0, counts: int = 1000) -> HeldEngine:
    """Axis 0 has been told to rest, and its motor lags behind."""
    model = replace(MODEL, position_gain=gain, counts_per_revolution=counts)
    held = HeldEngine(model=model).servo_on()
    held.motion.move_absolute([position_move(0, 3.0)])
    while held.after(0.001).op_state[0] != IDLE:
        pass
    return held


SETTINGS: dict[str, Callable[[HeldEngine], object]] = {
    "mode": lambda held: held.motion.set_command_mode(0, TORQUE),
    "the same mode": lambda held: held.motion.set_command_mode(0, POSITION),
    "polarity": lambda held: held.motion.set_polarity(0, -1),
    "gear": lambda held: held.motion.set_gear_ratio(0, 2.0, 1.0),
    "position": lambda held: held.motion.set_position(0, 2.0),
    "parameters": lambda held: held.apply_set(held.motion.parameters().with_axis(1, polarity=-1)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_it_is_at_rest_in_the_very_cycle_in_which_its_motor_is_slow_enough(name: str) -> None:
    held = lagging()
    while held.status().actual_velocity[0] > REST_SPEED:
        with pytest.raises(CommandRefused):
            SETTINGS[name](held)
        held.after(0.01)
    SETTINGS[name](held)


def test_a_motor_slower_than_a_count_a_cycle_is_at_rest_however_fast_it_is_rated() -> None:
    """Here a count a cycle is less than a thousandth of rated speed."""
    held = lagging(counts=10**9)
    a_count_a_cycle = 1000.0 / COUNTS
    while held.status().actual_velocity[0] > a_count_a_cycle:
        with pytest.raises(CommandRefused):
            held.motion.set_polarity(0, -1)
        held.after(0.01)
    assert held.status().actual_velocity[0] > 0.9 * a_count_a_cycle
    held.motion.set_polarity(0, -1)


def test_home_and_arrival_do_not_wait_for_it() -> None:
    held = lagging()
    held.motion.home(0)
    assert held.after(0.001).home_done[0]
    held.motion.move_absolute([position_move(0, 1.0)])
    assert held.status().op_state[0] == OperationState.POS


# As the vendor's engine does


def test_by_the_vendors_rules_a_stop_lets_the_motor_coast_in_an_idle_axis() -> None:
    for order, _ in STOPS.values():
        held = HeldEngine(vendor_rules=True).servo_on(mode=TORQUE)
        held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
        held.after(0.5)
        order(held)
        stopped = held.status()
        assert (stopped.op_state[0], stopped.command_mode[0]) == (IDLE, TORQUE)
        assert stopped.actual_torque[0] == 0.0
        later = held.after(0.1)
        assert later.actual_velocity[0] > 0.9 * stopped.actual_velocity[0]


def test_by_the_vendors_rules_an_idle_axis_is_at_rest() -> None:
    held = HeldEngine(vendor_rules=True).servo_on(mode=TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
    held.after(0.5)
    held.motion.stop([0])
    held.motion.set_command_mode(0, POSITION)
    assert held.status().command_mode[0] == POSITION
