"""What an axis does when it is ordered to, seen through the engine at times the test names."""

import pytest
from held_engine import COUNTS, LIMITS, HeldEngine, position_move, velocity_move
from hypothesis import example, given
from hypothesis import strategies as st
from trapezoids import to_position, to_velocity

from wmx_core.values import CommandMode, EmergencyStop, OperationState
from wmx_sim.engine.clock import ROUNDING
from wmx_sim.engine.motion.profile import at, duration

IDLE, POS, STOP = OperationState.IDLE, OperationState.POS, OperationState.STOP
VELOCITY = CommandMode.VELOCITY
PROFILE = {"max_velocity": LIMITS["velocity"], "acc": LIMITS["acc"], "dec": LIMITS["dec"]}


# Servo and alarm


def test_ordering_a_servo_on_again_does_not_start_over() -> None:
    held = HeldEngine()
    held.motion.set_servo(0, on=True)
    held.after(0.03)
    held.motion.set_servo(0, on=True)
    assert held.after(0.02).servo_on[0]


def test_servo_off_brakes_the_motor_from_where_it_really_is(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(target=10.0)])
    before = held.after(1.0)
    held.motion.set_servo(0, on=False)
    after = held.status()
    assert after.actual_pos[0] == after.pos_cmd[0] == pytest.approx(before.actual_pos[0], rel=1e-14)
    assert after.actual_velocity[0] == pytest.approx(before.actual_velocity[0], rel=1e-14)
    assert not after.servo_on[0], "at once"
    assert (after.op_state[0], after.motion_complete[0]) == (STOP, False)
    at_rest = held.after(2.0 / 20.0 + 0.001)  # quick stop deceleration
    way = before.actual_velocity[0] ** 2 / (2 * 20.0)
    assert at_rest.actual_pos[0] == pytest.approx(before.actual_pos[0] + way, rel=1e-12)
    assert (at_rest.op_state[0], at_rest.actual_velocity[0]) == (IDLE, 0.0)


def test_a_servo_that_comes_on_while_the_motor_turns_brings_it_to_rest() -> None:
    held = HeldEngine(quick_stop_dec=1.0).servo_on()
    held.motion.move_absolute([position_move(target=10.0)])
    held.after(1.0)
    held.motion.set_servo(0, on=False)
    held.motion.set_servo(0, on=True)
    status = held.after(0.05)
    assert (bool(status.servo_on[0]), status.op_state[0]) == (True, STOP)
    assert status.velocity_cmd[0] == pytest.approx(2.0 - 0.05)
    assert held.after(0.5).velocity_cmd[0] == pytest.approx(2.0 - 0.55)
    assert held.after(2.0).op_state[0] == IDLE
    assert held.after(1.0).following_error[0] == pytest.approx(0.0, abs=1e-12)


def test_a_servo_that_comes_on_after_the_motor_has_come_to_rest_finds_it_there() -> None:
    held = HeldEngine(quick_stop_dec=100.0).servo_on()
    held.motion.move_absolute([position_move(target=10.0)])
    before = held.after(1.0)
    held.motion.set_servo(0, on=False)
    held.motion.set_servo(0, on=True)
    status = held.after(0.06)  # in which it came to rest, and the servo on, unseen
    way = before.actual_velocity[0] ** 2 / (2 * 100.0)
    assert status.pos_cmd[0] == pytest.approx(before.actual_pos[0] + way, rel=1e-12)
    assert (bool(status.servo_on[0]), status.velocity_cmd[0], status.op_state[0]) == (True, 0, IDLE)


def test_a_stop_does_not_ease_a_harder_brake(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(target=10.0, dec=0.1)])
    held.after(1.0)
    held.motion.set_servo(0, on=False)
    held.motion.stop([0])
    assert held.after(2.0 / 20.0 + 0.001).op_state[0] == IDLE


def test_an_alarm_may_leave_the_servo_on() -> None:
    held = HeldEngine(servo_off_during_amp_alarm=0).servo_on()
    held.motion.move_absolute([position_move(target=10.0)])
    held.after(1.0)
    held.raise_alarm(0)
    status = held.after(0.05)
    assert (bool(status.servo_on[0]), status.op_state[0]) == (True, STOP)
    assert status.velocity_cmd[0] == pytest.approx(2.0 - 20.0 * 0.05)
    assert held.after(1.0).velocity_cmd[0] == 0.0


@pytest.mark.parametrize("off_during_alarm", [0, 1])
def test_an_alarm_while_the_servo_comes_on_keeps_it_off(off_during_alarm: int) -> None:
    held = HeldEngine(servo_off_during_amp_alarm=off_during_alarm)
    held.motion.set_servo(0, on=True)
    held.raise_alarm(0)
    assert not held.after(1.0).servo_on[0]


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_while_the_servo_comes_on_keeps_it_off(level: EmergencyStop) -> None:
    held = HeldEngine()
    held.motion.set_servo(0, on=True)
    held.motion.emergency_stop(level)
    assert not held.after(1.0).servo_on[0]


def test_a_following_error_at_rest_has_a_limit_of_its_own() -> None:
    held = HeldEngine(1, following_error_stopped=0.01).servo_on()
    held.play("[{freeze_encoder: {axis: 0}}]")
    held.motion.move_absolute([position_move(target=0.5)])
    moving = held.after(held.status().remaining[0] - 0.002)
    assert moving.following_error[0] > 0.01
    assert not moving.following_error_alarm[0]
    assert held.after(0.004).following_error_alarm[0]


# Moves


def test_a_motion_is_complete_when_the_motor_is_in_position() -> None:
    held = HeldEngine(in_pos_width=0.002).servo_on()
    held.motion.move_absolute([position_move()])
    held.after(duration(to_position(0.0, 0.0, 1.0, **PROFILE)))
    seen = [held.after(0.001) for _ in range(100)]
    for status in seen:
        inside = abs(status.following_error[0]) <= 0.002
        rests = abs(status.actual_velocity[0]) <= 0.05  # a thousandth of its rated speed
        assert bool(status.motion_complete[0]) is bool(inside and rests)
    assert not seen[0].motion_complete[0]
    assert seen[0].op_state[0] == IDLE, "the command is at rest, the motor not yet"
    assert seen[-1].motion_complete[0]


@pytest.mark.parametrize("width", ["in_pos_width", "delayed_pos_set_width"])
def test_a_width_of_0_is_half_an_encoder_count(width: str) -> None:
    held = HeldEngine(1, **{width: 0.0}).servo_on()
    held.motion.move_absolute([position_move()])
    held.after(held.status().remaining[0])
    seen = [held.after(0.001) for _ in range(300)]
    first = next(status for status in seen if status.motion_complete[0])
    assert first.following_error[0] == pytest.approx(0.5 / COUNTS, rel=0.05)


def test_a_relative_move_after_a_stop_counts_from_where_the_axis_stands(held: HeldEngine) -> None:
    held.motion.move_relative([position_move(target=5.0)])
    held.after(1.0)
    held.motion.stop([0])
    stopped = held.after(2.0).pos_cmd[0]
    held.motion.move_relative([position_move(target=1.0)])
    assert held.after(10.0).pos_cmd[0] == stopped + 1.0


def test_a_velocity_move_goes_on_for_ever(held: HeldEngine) -> None:
    held.motion.set_command_mode(0, VELOCITY)
    held.motion.move_velocity([velocity_move(velocity=-2.0)])
    status = held.after(3600.0)
    position, _ = at(to_velocity(0.0, 0.0, -2.0, acc=10.0, dec=5.0), 3600.0)
    assert status.pos_cmd[0] == status.actual_pos[0] == pytest.approx(position, rel=1e-12)
    assert (status.op_state[0], status.motion_complete[0]) == (OperationState.VELOCITY, False)
    held.motion.move_velocity([velocity_move(velocity=0.0)])
    at_rest = held.after(2.0 / 5.0 + 0.001)
    assert (at_rest.op_state[0], at_rest.motion_complete[0]) == (IDLE, True)
    assert at_rest.velocity_cmd[0] == 0.0


@example(cycles=1400, target=2.513384746119016e-09, velocity=3.0, relative=True)
@given(st.integers(1, 2000), st.floats(-10.0, 10.0), st.floats(0.1, 10.0), st.booleans())
def test_a_new_move_takes_over_from_position_and_velocity(
    cycles: int, target: float, velocity: float, relative: bool
) -> None:
    held = HeldEngine(1).servo_on()
    held.motion.move_absolute([position_move(target=3.0)])
    before = held.after(cycles / 1000)
    move = position_move(target=target, velocity=velocity)
    if relative:
        held.motion.move_relative([move])
        target += 3.0  # from where the first move was to end
    else:
        held.motion.move_absolute([move])
    taken_over = held.status()
    turn = (10.0 + 5.0) * ROUNDING  # where speeding up takes less time than the clock can tell
    for quantity, most in (
        ("pos_cmd", 1e-12),
        ("velocity_cmd", 1e-12 + turn),
        ("actual_pos", 1e-12),
        ("actual_velocity", 1e-12),
    ):
        expected = pytest.approx(getattr(before, quantity)[0], rel=1e-12, abs=most)
        assert getattr(taken_over, quantity)[0] == expected, "nothing jumps"
    state = before.pos_cmd[0], before.velocity_cmd[0]
    profile = to_position(*state, target, max_velocity=velocity, acc=10.0, dec=5.0)
    later = held.after(0.1)
    expected_state = pytest.approx(at(profile, 0.1), rel=1e-9, abs=1e-9)
    assert (later.pos_cmd[0], later.velocity_cmd[0]) == expected_state
    assert held.after(duration(profile)).pos_cmd[0] == target


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_axis_that_may_not_overtravel_begins_from_rest(way: float) -> None:
    """As the real engine does: its command stands for a cycle, whatever its velocity was."""
    held = HeldEngine(prohibit_overtravel=2).servo_on(0)
    held.motion.move_absolute([position_move(target=5.0 * way)])
    position = held.after(1.0).pos_cmd[0]
    held.motion.move_absolute([position_move(target=-5.0 * way)])
    assert held.after(0.001).pos_cmd[0] == position
    begun = held.after(0.01).pos_cmd[0] - position
    assert begun == pytest.approx(-way * 10.0 * 0.01**2 / 2, rel=0.01)
    assert held.after(20.0).pos_cmd[0] == -5.0 * way


def test_an_axis_that_can_stop_in_time_goes_on_whether_it_may_overtravel_or_not() -> None:
    for prohibit in (0, 2):
        held = HeldEngine(prohibit_overtravel=prohibit).servo_on(0)
        held.motion.move_absolute([position_move(target=5.0)])
        held.after(1.0)
        held.motion.move_absolute([position_move(target=9.0)])
        assert held.after(0.01).velocity_cmd[0] == pytest.approx(2.0, rel=1e-3)
