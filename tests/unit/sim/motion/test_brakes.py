"""Brakes: what they hold, when they open and close, and what happens where they do not."""

from dataclasses import replace
from itertools import pairwise

import pytest
from held_engine import MODEL, HeldEngine, position_move, velocity_move

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode

BRAKE = replace(MODEL, brake=True, brake_release_time=0.2, brake_engage_time=0.1, load=-2.0)
"""A vertical axis: its load pulls down with 2 u/s^2."""
SERVO_ON = MODEL.servo_on_time


def hanging(**parameters: float) -> HeldEngine:
    return HeldEngine(model=BRAKE, **parameters)


def up(held: HeldEngine) -> HeldEngine:
    """Have the servo of axis 0 on."""
    held.motion.set_servo(0, on=True)
    held.after(SERVO_ON + BRAKE.brake_release_time)
    return held


def test_a_brake_holds_a_motor_until_the_servo_is_on() -> None:
    held = hanging()
    assert held.after(10.0).actual_pos[0] == 0.0
    held.motion.set_servo(0, on=True)
    assert not held.after(SERVO_ON + 0.199).servo_on[0], "the brake is still shut"
    with pytest.raises(CommandRefused, match="ServoOff"):
        held.motion.move_absolute([position_move()])
    status = held.after(0.001)
    assert (status.servo_on[0], status.actual_pos[0]) == (True, 0.0)
    held.motion.move_absolute([position_move(target=0.5)])
    assert held.after(3.0).actual_pos[0] == pytest.approx(0.5)


def test_a_servo_that_is_switched_off_leaves_the_motor_to_its_brake() -> None:
    held = up(hanging())
    held.motion.set_servo(0, on=False)
    status = held.after(5.0)
    assert (status.servo_on[0], status.actual_pos[0]) == (False, 0.0)


@pytest.mark.parametrize("lost", ["alarm", "communication"])
def test_a_load_falls_until_the_brake_has_closed(lost: str) -> None:
    held = up(hanging())
    if lost == "alarm":
        held.raise_alarm(0)
    else:
        held.engine.stop_communication()
    falling = held.after(0.05)
    assert falling.actual_pos[0] == pytest.approx(-0.5 * 2.0 * 0.05**2)
    assert falling.actual_velocity[0] == pytest.approx(-0.1)
    held.after(0.05)
    fallen = held.after(5.0)
    assert (fallen.actual_pos[0], fallen.actual_velocity[0]) == (pytest.approx(-0.01), 0.0)
    assert fallen.pos_cmd[0] == fallen.actual_pos[0]


@pytest.mark.parametrize("mends", [False, True])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_motor_that_turns_comes_to_rest_before_its_brake_holds_it(
    way: float, mends: bool
) -> None:
    held = up(hanging())
    if mends:
        held.play("[{stick_brake: {axis: 0, state: false}}]")
    held.motion.jog([velocity_move(0, 10.0 * way)])
    held.after(3.0)
    held.raise_alarm(0)
    if mends:
        held.play("[{free_brake: {axis: 0}}]")
    speeds = [abs(held.after(0.001).actual_velocity[0]) for _ in range(520)]
    assert max(a - b for a, b in pairwise(speeds)) <= 20.0 * 0.001 + 1e-9, "QuickStopDec"
    assert speeds[-1] == 0.0
    assert held.after(5.0).actual_velocity[0] == 0.0


def test_a_load_without_a_brake_falls_to_the_end_of_its_machine() -> None:
    held = HeldEngine(
        model=replace(BRAKE, brake=False, negative_limit_switch=-0.5, negative_end=-1.0)
    )
    assert held.after(0.5).actual_pos[0] == pytest.approx(-0.25)
    assert held.after(5.0).actual_pos[0] == pytest.approx(-1.0), "a limit switch stops no load"
    held.motion.set_servo(0, on=True)
    held.after(SERVO_ON)
    held.motion.move_absolute([position_move(target=0.0)])
    assert held.after(3.0).actual_pos[0] == pytest.approx(0.0, abs=1e-3)


def test_a_load_that_falls_is_caught_by_the_servo() -> None:
    held = HeldEngine(model=replace(BRAKE, brake=False))
    held.motion.set_servo(0, on=True)
    caught = held.after(2.0)
    assert (caught.servo_on[0], caught.actual_velocity[0]) == (True, pytest.approx(0.0))
    assert -0.1 < caught.actual_pos[0] < 0.0
    assert held.after(5.0).actual_pos[0] == caught.actual_pos[0]


@pytest.mark.parametrize("polarity", [1, -1])
def test_a_load_pulls_the_way_that_the_encoder_counts(polarity: int) -> None:
    held = hanging()
    held.motion.set_polarity(0, polarity)
    held.play("[{stick_brake: {axis: 0, state: false}}]")
    assert held.after(0.5).actual_pos[0] == pytest.approx(polarity * -0.25)


@pytest.mark.parametrize("mode", CommandMode)
def test_a_motor_stands_whose_brake_stays_shut(mode: CommandMode) -> None:
    held = hanging()
    held.motion.set_command_mode(0, mode)
    held.play("[{stick_brake: {axis: 0, state: true}}]")
    assert up(held).status().servo_on[0], "the drive does not see it"
    for velocity in (2.0, -2.0):
        if mode is CommandMode.POSITION:
            held.motion.move_absolute([position_move(target=velocity)])
            pressing = held.after(3.0)
            assert pressing.actual_torque[0] == pytest.approx(300.0 * velocity / 2.0)
        assert held.after(2.0).actual_pos[0] == 0.0


def test_a_brake_that_stays_shut_is_a_following_error() -> None:
    held = hanging(following_error_moving=0.1, following_error_type=1)
    held.play("[{stick_brake: {axis: 0, state: true}}]")
    up(held)
    held.motion.move_absolute([position_move(target=1.0)])
    status = held.after(5.0)
    assert status.following_error_alarm[0]
    assert (status.actual_pos[0], 0.1 < status.pos_cmd[0] < 1.0) == (0.0, True)
    assert not status.motion_complete[0]
    held.motion.set_servo(0, on=False)
    held.motion.clear_alarm(0)
    held.play("[{free_brake: {axis: 0}}]")
    up(held)
    held.motion.move_absolute([position_move(target=1.0)])
    assert held.after(5.0).actual_pos[0] == pytest.approx(1.0)


def test_a_brake_that_stays_open_lets_the_load_fall_and_closes_when_it_works_again() -> None:
    held = up(hanging())
    held.play("[{stick_brake: {axis: 0, state: false}}, {after: 500, free_brake: {axis: 0}}]")
    assert held.after(0.1).actual_pos[0] == 0.0, "the servo holds it"
    held.motion.set_servo(0, on=False)
    held.after(0.4)
    fallen = held.after(1.0)
    assert fallen.actual_pos[0] == pytest.approx(-0.5 * 2.0 * 0.4**2, abs=5e-3)
    assert held.after(1.0).actual_pos[0] == fallen.actual_pos[0]


def test_a_brake_that_is_freed_lets_the_servo_pull_the_motor_to_its_command() -> None:
    held = hanging()
    held.play("[{stick_brake: {axis: 0, state: true}}]")
    up(held)
    held.motion.move_absolute([position_move(target=0.2)])
    held.after(2.0)
    held.play("[{free_brake: {axis: 0}}]")
    assert held.after(2.0).actual_pos[0] == pytest.approx(0.2)


def test_an_axis_without_a_brake_has_none_that_sticks() -> None:
    with pytest.raises(CommandRefused, match="axis = 0: must be one with a brake"):
        HeldEngine().play("[{stick_brake: {axis: 0, state: true}}]")
