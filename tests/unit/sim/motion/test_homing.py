"""Homing, to the last digit and step by step; what it finds is told by where the marks are then.

The home switch begins at `SWITCH` revolutions of the machine, wherever home is: the shared state
shows its position in the numbers that are in force.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import copysign

import pytest
from cases import cases
from held_engine import COUNTS, MODEL, HeldEngine, position_move
from hypothesis import given, settings
from hypothesis import strategies as st

from wmx_core.profile_types import MoveProfile, ProfileType
from wmx_core.values import HomeType, MotionStatus, OperationState

HOME, IDLE, STOP = OperationState.HOME, OperationState.IDLE, OperationState.STOP
SWITCH = 1.0, 1.2
LIMIT, END, Z = 2.0, 2.5, 0.3
FULL = replace(
    MODEL,
    z_pulse=Z,
    home_switch_from=SWITCH[0],
    home_switch_to=SWITCH[1],
    positive_limit_switch=LIMIT,
    negative_limit_switch=-LIMIT,
    positive_end=END,
    negative_end=-END,
)
FAST, SLOW = 2.0, 0.25
PARAMETERS = {
    "homing_velocity_slow": SLOW,
    "homing_velocity_fast": FAST,
    "homing_velocity_slow_acc": 20.0,
    "homing_velocity_slow_dec": 10.0,
    "homing_velocity_fast_acc": 20.0,
    "homing_velocity_fast_dec": 20.0,
    "home_shift_velocity": 1.0,
    "home_shift_acc": 20.0,
    "home_shift_dec": 20.0,
    "velocity_feedforward_gain": 100.0,  # so that the motor is where its command is
    "ls_dec": 50.0,
}


def machine(kind: HomeType, start: float = 0.0, *, way: int = 1, **parameters: float) -> HeldEngine:
    """One axis at `start`, about to home in the direction `way`."""
    own = {"home_type": kind, "home_direction": 0 if way > 0 else 1}
    held = HeldEngine(1, model=FULL, **{**PARAMETERS, **own, **parameters}).servo_on()
    held.motion.move_absolute([position_move(target=start)])
    held.after(10.0)
    return held


def search(held: HeldEngine) -> list[MotionStatus]:
    """Home; the status of every cycle until the axis rests."""
    held.motion.home(0)
    seen = [held.status()]
    while seen[-1].op_state[0] != IDLE:
        seen.append(held.after(0.001))
        assert len(seen) < 100_000
    return seen


def found(held: HeldEngine, home: float = 0.0) -> float:
    """The place, in revolutions of the machine, that has become `home`; the polarity is 1."""
    assert held.status().home_done[0]
    revolution = held.motion.parameters().axis(0)
    units = MODEL.counts_per_revolution / revolution.gear_ratio_numerator
    return SWITCH[0] - (float(held.fake.shared_state.home_switch_low[0]) - home) / units


def speeds(seen: list[MotionStatus]) -> list[float]:
    """The steady velocities that were asked for, one after the other.

    A way to a place is gone a little slower, so that it takes whole cycles.
    """
    steady: list[float] = []
    for one, other in pairwise(seen):
        velocity = float(other.velocity_cmd[0])
        if one.velocity_cmd[0] == velocity != 0.0:
            asked = copysign(
                min(FAST, SLOW, TO_HOME, key=lambda v: abs(v - abs(velocity))), velocity
            )
            assert 0.99 * abs(asked) <= abs(velocity) <= abs(asked) * (1 + 1e-9)
            if [asked] != steady[-1:]:
                steady.append(asked)
    return steady


# Z pulses


@settings(max_examples=cases(30))
@given(st.floats(-1.9, 1.9), st.sampled_from([1, -1]), st.floats(100.0, 5000.0))
def test_the_next_z_pulse_is_found_exactly(start: float, way: int, ratio: float) -> None:
    """Strictly ahead, less than a revolution away, and a whole number of these from the first."""
    units = MODEL.counts_per_revolution / ratio
    held = HeldEngine(
        1, model=replace(MODEL, z_pulse=Z, home_switch_from=SWITCH[0], home_switch_to=SWITCH[1]),
        **{**PARAMETERS, "home_type": HomeType.Z_PULSE, "home_direction": 0 if way > 0 else 1},
        gear_ratio_numerator=ratio,
        home_position=7.0,
    ).servo_on()  # fmt: skip
    held.motion.move_absolute([position_move(target=start * units)])
    held.after(1000.0)
    held.motion.home(0)
    while held.after(0.5).op_state[0] != IDLE:
        pass
    place = found(held, 7.0)
    assert (place - Z) % 1.0 == pytest.approx(0.0, abs=1e-9) or (place - Z) % 1.0 > 1.0 - 1e-9
    assert -1e-9 < way * (place - start) <= 1.0 + 1e-9
    assert held.status().pos_cmd[0] == 7.0


@pytest.mark.parametrize(("way", "place"), [(1, Z + 1.0), (-1, Z - 1.0)])
def test_on_a_z_pulse_the_next_one_is_a_revolution_away(way: int, place: float) -> None:
    held = machine(HomeType.Z_PULSE, way=way)
    held.motion.move_absolute([position_move(target=Z)])
    held.after(10.0)
    search(held)
    assert found(held) == pytest.approx(place, abs=1e-9)


# Each type with its phases: place, steady speeds on the way, and how far home may be off

HS, LS = HomeType.HS, HomeType.LS
Z_PULSE, HS_Z, LS_REVERSE = HomeType.Z_PULSE, HomeType.HS_Z_PULSE, HomeType.LS_REVERSE_Z_PULSE
HS_REVERSE, MECHANICAL_END = HomeType.HS_REVERSE_Z_PULSE, HomeType.MECHANICAL_END_DETECTION
EXACT, CYCLE = 1e-9, FAST * 0.001
TO_HOME = 1.0
PHASES = {
    (Z_PULSE, 1, 0.0): (Z, [SLOW], EXACT),
    (HS, 1, 0.0): (1.0, [FAST], CYCLE),
    (HS, -1, 1.9): (1.2, [-FAST], CYCLE),
    (HS, 1, 1.1): (1.0, [-SLOW, FAST], CYCLE),
    (HS, 1, 1.5): (1.0, [FAST, -FAST, -SLOW, FAST], CYCLE),
    (HS_Z, 1, 0.0): (Z + 1.0, [FAST, SLOW], EXACT),
    (HS_REVERSE, 1, 0.0): (Z, [FAST, -SLOW], EXACT),
    (HS_REVERSE, -1, 1.9): (Z + 1.0, [-FAST, SLOW], EXACT),
    (LS, 1, 0.0): (LIMIT, [FAST], CYCLE),
    (LS, -1, 0.0): (-LIMIT, [-FAST], CYCLE),
    (LS_REVERSE, 1, 0.0): (Z + 1.0, [FAST, -SLOW], EXACT),
    (LS_REVERSE, -1, 0.0): (Z - 2.0, [-FAST, SLOW], EXACT),
}


@pytest.mark.parametrize(("kind", "way", "start"), PHASES)
def test_the_way_to_home(kind: HomeType, way: int, start: float) -> None:
    place, expected, off = PHASES[kind, way, start]
    held = machine(kind, start, way=way, homing_reverse_distance=0.3)
    seen = search(held)
    beyond = way * (found(held) - place)
    assert -EXACT <= beyond <= off + EXACT
    shown = [speed for speed in speeds(seen) if abs(speed) != TO_HOME]
    assert shown == pytest.approx(expected)
    assert all(status.op_state[0] == HOME for status in seen[:-1])
    assert not any(status.home_done[0] for status in seen[:-1])


def test_home_is_where_the_motor_was_in_the_cycle_in_which_the_switch_was_seen() -> None:
    held = machine(HS, 0.0007)
    seen = search(held)
    first = next(status for status in seen if status.home_switch[0])
    assert found(held) == pytest.approx(first.actual_pos[0], abs=EXACT)


@pytest.mark.parametrize("way", [1, -1])
def test_the_shift_goes_on_in_the_homing_direction(way: int) -> None:
    held = machine(LS, way=way, home_shift_distance=-0.4, home_position=3.0)
    search(held)
    assert found(held, 3.0) == pytest.approx(way * (LIMIT - 0.4), abs=CYCLE)


def test_the_reverse_distance_is_gone_back_behind_the_switch() -> None:
    held = machine(HS, 1.1, homing_reverse_distance=0.3)
    lowest = min(float(status.pos_cmd[0]) for status in search(held)[:-1])
    assert lowest == pytest.approx(1.0 - 0.3, abs=SLOW * 0.001 + EXACT)


# What it may not find


@pytest.mark.parametrize(("most", "finds"), [(0.15, True), (0.05, False), (0.0, True)])
def test_the_way_back_off_a_switch_may_be_bounded(most: float, finds: bool) -> None:
    """From 1.1 it is 0.1 back to the edge; 0 is no bound."""
    held = machine(HS, 1.1, max_reverse_distance_from_home_switch=most)
    seen = search(held)
    assert bool(held.status().home_done[0]) is finds
    if not finds:
        stopped = SLOW**2 / (2 * PARAMETERS["homing_velocity_slow_dec"])
        place = 1.1 - most - stopped
        assert seen[-1].pos_cmd[0] == pytest.approx(place, abs=SLOW * 0.001)
        assert seen[-2].op_state[0] == STOP


@pytest.mark.parametrize(("most", "finds"), [(0.9, True), (0.7, False), (0.0, True)])
def test_the_way_back_from_the_limit_switch_may_be_bounded(most: float, finds: bool) -> None:
    """From the limit at 2 it is 0.8 back to where the home switch comes on at 1.2."""
    held = machine(HS, 1.5, max_reverse_distance_from_limit_switch=most)
    search(held)
    assert bool(held.status().home_done[0]) is finds


def test_a_limit_switch_that_is_on_at_the_start_is_left_first() -> None:
    held = machine(LS, max_reverse_distance_from_limit_switch=0.5)
    held.motion.move_absolute([position_move(target=2.1)])
    held.after(10.0)
    seen = search(held)
    assert found(held) == pytest.approx(LIMIT, abs=CYCLE)
    assert speeds(seen)[0] == -SLOW


def test_a_stop_slows_down_as_the_search_does_whatever_the_last_move_was() -> None:
    held = machine(HS)
    smooth = MoveProfile(type=ProfileType.S_CURVE)
    held.motion.move_absolute([replace(position_move(target=0.2, dec=0.05), profile=smooth)])
    held.after(10.0)
    held.motion.home(0)
    held.after(0.3)
    held.motion.stop([0])
    assert held.status().op_state[0] == STOP
    at_rest = held.after(FAST / PARAMETERS["homing_velocity_slow_dec"] + 0.01)
    assert (at_rest.op_state[0], at_rest.velocity_cmd[0]) == (IDLE, 0.0)


# The mechanical end


def test_a_mechanical_end_is_home_once_the_error_has_lasted() -> None:
    """0.1 u of error grow at 0.25 u/s and last for 200 ms; then the command slows down."""
    held = machine(
        MECHANICAL_END,
        2.4,
        mechanical_end_error=0.1,
        mechanical_end_milliseconds=200.0,
        mechanical_end_ignores_limit_switch=1,
        ls_type=0,
    )
    seen = search(held)
    assert found(held) == pytest.approx(END, abs=EXACT)
    pressing = [status for status in seen if status.following_error[0] > 0.1]
    errors = [float(status.following_error[0]) for status in pressing]
    slowing_down = SLOW**2 / (2 * PARAMETERS["home_shift_dec"])
    most = 0.1 + 0.2 * SLOW + slowing_down
    assert most - EXACT <= max(errors) <= most + 0.001 * SLOW + EXACT
    assert seen[-1].servo_on[0]


def test_the_torque_limit_is_that_of_the_search_and_then_its_own_again() -> None:
    held = machine(
        MECHANICAL_END,
        1.8,
        mechanical_end_error=0.1,
        mechanical_end_ignores_limit_switch=1,
        mechanical_end_torque_limit=40.0,
    )
    seen = search(held)
    pressing = max(float(status.actual_torque[0]) for status in seen)
    assert pressing == pytest.approx(40.0)
    assert found(held) == pytest.approx(END, abs=EXACT)
    held.after(1.0)
    held.apply(ls_type=0)
    held.motion.move_absolute([position_move(target=5.0)])
    assert held.after(10.0).actual_torque[0] == pytest.approx(300.0)


def test_an_end_behind_an_error_that_shrinks_again_is_none() -> None:
    """The encoder freezes for 100 ms of the 200 ms that an error has to last."""
    held = machine(
        MECHANICAL_END,
        -1.0,
        mechanical_end_error=0.01,
        mechanical_end_milliseconds=200.0,
        mechanical_end_ignores_limit_switch=1,
    )
    held.motion.home(0)
    held.after(1.0)
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    assert held.after(0.15).following_error[0] > 0.01
    held.fake.call("motion", "freeze_encoder", 0, frozen=False)
    while held.after(0.1).op_state[0] != IDLE:
        pass
    assert found(held) == pytest.approx(END, abs=EXACT)


def test_a_unit_has_no_say_in_what_is_found() -> None:
    places = []
    for ratio in (COUNTS, COUNTS / 4.0):
        units = COUNTS / ratio
        lengths = {
            name: value * units
            for name, value in PARAMETERS.items()
            if name.startswith("hom") or name == "ls_dec"
        }
        held = machine(HS_REVERSE, 0.0, gear_ratio_numerator=ratio, **lengths)
        search(held)
        places.append(found(held))
    assert places == pytest.approx([Z, Z], abs=EXACT)


# Home where the axis stands, which takes the time of the machine

SLOWLY = replace(MODEL, home_time=2.0)


def test_homing_takes_the_time_of_the_machine() -> None:
    held = HeldEngine(model=SLOWLY).servo_on()
    held.motion.home(0)
    status = held.after(1.999)
    assert (status.op_state[0], status.home_done[0], status.motion_complete[0]) == (HOME, False, 0)
    status = held.after(0.001)
    assert (status.op_state[0], status.home_done[0], status.motion_complete[0]) == (IDLE, True, 1)
    held.motion.home(0)
    assert not held.status().home_done[0], "homing again begins without a home"


@pytest.mark.parametrize(
    "cancel",
    [
        lambda held: held.motion.stop([0]),
        lambda held: held.motion.set_servo(0, on=False),
        lambda held: held.raise_alarm(0),
        lambda held: held.engine.stop_communication(),
    ],
)
def test_homing_that_is_cut_short_is_not_done(cancel: Callable[[HeldEngine], None]) -> None:
    held = HeldEngine(model=SLOWLY, home_position=5.0).servo_on()
    held.motion.home(0)
    held.after(1.0)
    cancel(held)
    status = held.after(10.0)
    assert (status.op_state[0], status.home_done[0], status.pos_cmd[0]) == (IDLE, False, 0.0)
