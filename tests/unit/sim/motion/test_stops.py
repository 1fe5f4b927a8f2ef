"""How stops of different kinds go together: the harder one wins, and a servo-off stays due."""

from dataclasses import replace
from itertools import permutations
from math import hypot

import pytest
from held_engine import MODEL, HeldEngine, position_move, rate, velocity_move
from profile_shapes import shaped

from wmx_core.errors import CommandRefused
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.profile_types import MoveProfile, ProfileType
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    LimitType,
    LinearMove,
    OperationState,
    TorqueMove,
)

SWITCHED = replace(MODEL, positive_limit_switch=1.0)
LINE = LinearMove(axes=(0, 1), targets=(3.0, -4.0), velocity=2.0, acc=20.0, dec=5.0)
IDLE, STOP = OperationState.IDLE, OperationState.STOP


def at_the_switch(kind: LimitType, *, mode: CommandMode = CommandMode.POSITION) -> HeldEngine:
    """Axis 0 is to be stopped by a limit switch of `kind` 1 u away, axis 1 has none to meet."""
    return HeldEngine(model=SWITCHED, ls_type=kind, ls_dec=2.0).servo_on(0, 1, mode=mode)


def test_a_quick_stop_does_not_keep_a_servo_on_that_goes_off_at_rest() -> None:
    held = at_the_switch(LimitType.DEC_SERVO_OFF)
    held.motion.move_absolute([position_move(0, 3.0)])
    while held.after(0.001).op_state[0] != STOP:
        pass
    held.motion.quick_stop([0])
    assert held.status().servo_on[0], "not before it is at rest"
    at_rest = held.after(1.0)
    assert (bool(at_rest.servo_on[0]), at_rest.op_state[0]) == (False, IDLE)


@pytest.mark.parametrize("kind", [LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF])
def test_an_axis_of_a_line_goes_off_at_rest_and_the_others_stop(kind: LimitType) -> None:
    held = at_the_switch(kind)
    held.motion.move_linear(LINE)
    at_rest = held.after(5.0)
    assert at_rest.servo_on.tolist() == [False, True]
    assert at_rest.op_state.tolist() == [IDLE, IDLE]
    assert at_rest.pos_cmd[1] == pytest.approx(-at_rest.pos_cmd[0] * 4 / 3, abs=0.01), "on the line"


def test_a_turning_axis_is_braked_at_its_limit_and_goes_off_at_rest() -> None:
    held = at_the_switch(LimitType.DEC_SERVO_OFF, mode=CommandMode.TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=5.0)])
    while held.after(0.01).op_state[0] != STOP:
        pass
    before = held.status()
    assert before.command_mode[0] == CommandMode.POSITION
    slower = held.after(0.05).velocity_cmd[0] - before.velocity_cmd[0]
    assert slower == pytest.approx(-0.05 * rate(before.velocity_cmd[0], 2.0))
    at_rest = held.after(20.0)
    assert (bool(at_rest.servo_on[0]), at_rest.op_state[0]) == (False, IDLE)


def test_an_alarm_that_leaves_the_servo_on_stops_the_whole_line() -> None:
    held = HeldEngine(servo_off_during_amp_alarm=0).servo_on()
    held.motion.move_linear(LINE)
    held.after(0.5)
    held.raise_alarm(0)
    assert held.status().op_state.tolist() == [STOP, STOP]
    at_rest = held.after(1.0)
    assert at_rest.op_state.tolist() == [IDLE, IDLE]
    assert at_rest.pos_cmd[1] == pytest.approx(-at_rest.pos_cmd[0] * 4 / 3, rel=1e-12)


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_leaves_axes_without_servo_at_rest(level: EmergencyStop) -> None:
    held = HeldEngine().servo_on(0)
    switch_off_after_level_1(held)
    held.motion.emergency_stop(level)
    assert held.after(1.0).servo_on.tolist() == [False, False]
    assert held.status().op_state.tolist() == [IDLE, IDLE]
    held.motion.release_emergency_stop()
    held.motion.set_command_mode(1, CommandMode.VELOCITY)
    assert held.servo_on(1).status().servo_on[1]


def switch_off_after_level_1(held: HeldEngine) -> None:
    text = held.motion.parameters().to_xml()
    element = "<EStopLevel1Type>{}</EStopLevel1Type>"
    changed = text.replace(element.format(0), element.format(1))
    assert changed != text
    held.apply_set(ParameterSet.from_xml(changed.encode()))


def test_a_path_is_stopped_by_an_emergency_stop_axis_by_axis() -> None:
    held = HeldEngine(emergency_stop_dec=10.0).servo_on()
    held.motion.move_linear(LINE)
    held.after(0.5)
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    slower = held.after(0.05)
    assert slower.velocity_cmd.tolist() == pytest.approx([1.2 - 0.5, -1.6 + 0.5])


def test_a_stop_input_leaves_a_harder_emergency_stop_in_force() -> None:
    held = HeldEngine().servo_on()
    kinds = StopKind.EMERGENCY_STOP, StopKind.QUICK_STOP
    held.reactions.set_stop_inputs(
        [StopInput(axis=i, address=0, bit=0, value=True, kind=k) for i, k in enumerate(kinds)]
    )
    held.motion.emergency_stop(EmergencyStop.FINAL)
    held.play('[{force_input: {input: "0.0", value: true}}]')
    assert held.after(0.01).emergency_stop is EmergencyStop.FINAL


def test_a_harder_stop_of_a_line_that_is_stopping_keeps_to_the_line() -> None:
    held = HeldEngine(quick_stop_dec=20.0).servo_on()
    held.motion.move_linear(LINE)
    held.after(0.5)
    held.motion.stop([1])
    stopping = held.after(0.05)
    held.motion.quick_stop([0, 1])
    harder = held.after(0.05)
    speed = hypot(*stopping.velocity_cmd)
    speed -= rate(speed, 20.0) * 0.05
    assert harder.velocity_cmd.tolist() == pytest.approx([0.6 * speed, -0.8 * speed])


@pytest.mark.parametrize("what", ["stop", "quick_stop", "pause"])
@pytest.mark.parametrize(
    "kind",
    [
        *(ProfileType.TRAPEZOIDAL, ProfileType.S_CURVE, ProfileType.SIN),
        *(ProfileType.TIME_ACC_TRAPEZOIDAL, ProfileType.TIME_ACC_PARABOLIC),
    ],
    ids=lambda kind: kind.name.lower(),
)
def test_nothing_in_velocity_mode_is_harder_than_the_torque_limit_allows(
    kind: ProfileType, what: str
) -> None:
    held = HeldEngine(1, quick_stop_dec=5000.0).servo_on(mode=CommandMode.VELOCITY)
    shape = replace(shaped(kind), acc_time=0.02, dec_time=0.02)
    fast = velocity_move(velocity=20.0, acc=5000.0, dec=5000.0)
    held.motion.move_velocity([replace(fast, profile=shape)])
    torques = [held.after(0.002).actual_torque[0] for _ in range(100)]
    assert held.status().velocity_cmd[0] == 20.0
    if what == "pause":
        held.motion.set_override(0, 0.0)
    else:
        getattr(held.motion, what)([0])
    torques += [held.after(0.002).actual_torque[0] for _ in range(100)]
    assert held.status().velocity_cmd[0] == 0.0
    assert max(map(abs, torques)) <= 300.0


def test_an_axis_whose_encoder_freezes_while_it_is_braked_is_at_rest_with_its_command() -> None:
    held = HeldEngine(1).servo_on(mode=CommandMode.TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
    velocity = held.after(0.5).actual_velocity[0]
    held.motion.stop([0])
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    assert held.after(velocity / 20.0 - 0.01).op_state[0] == STOP
    assert held.after(0.02).op_state[0] == IDLE


STOPS = {
    "stop": lambda held: held.motion.stop([0]),
    "quick": lambda held: held.motion.quick_stop([0]),
    "emergency": lambda held: held.motion.emergency_stop(EmergencyStop.LEVEL1),
    "limit": lambda held: held.play("[{stick_switch: {axis: 0, switch: positive, state: true}}]"),
}
DECS = {"stop": 5.0, "quick": 10.0, "emergency": 20.0, "limit": 40.0}


@pytest.mark.parametrize(("first", "then"), permutations(STOPS, 2))
@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_of_two_stops_the_harder_one_counts(first: str, then: str, scale: float) -> None:
    """Whichever came first; but a plain stop is for what still moves by an order."""
    decs = DECS if scale > 0.0 else {name: 200.0 / dec for name, dec in DECS.items()}
    held = HeldEngine(
        model=replace(MODEL, positive_limit_switch=100.0),
        quick_stop_dec=decs["quick"],
        emergency_stop_dec=decs["emergency"],
        ls_type=LimitType.DEC,
        ls_dec=decs["limit"],
    ).servo_on()
    held.motion.jog([velocity_move(0, 2.0, dec=decs["stop"])])
    held.after(1.0)
    STOPS[first](held)
    before = held.after(0.01).velocity_cmd[0]
    STOPS[then](held)
    begun = held.after(0.001).velocity_cmd[0]  # where the limit is seen
    slower = begun - held.after(0.01).velocity_cmd[0]
    due = decs[first] if then == "stop" else max(decs[first], decs[then])
    assert before > 1.5
    speed = begun if then == "limit" else before
    speed = 2.0 if due == decs[first] else speed
    assert slower == pytest.approx(rate(speed, due) * 0.01)


SMOOTH = [
    *(ProfileType.S_CURVE, ProfileType.SIN, ProfileType.PARABOLIC),
    *(ProfileType.JERK_RATIO, ProfileType.ADVANCED_S, ProfileType.JERK_LIMITED),
]
SLOWING_DOWN = {
    "stop": lambda held: held.motion.stop([0]),
    "quick": lambda held: held.motion.quick_stop([0]),
    "emergency": lambda held: held.motion.emergency_stop(EmergencyStop.LEVEL1),
    "override 0": lambda held: held.motion.set_override(0, 0.0),
    "override 50": lambda held: held.motion.set_override(0, 50.0),
}


@pytest.mark.parametrize("what", SLOWING_DOWN)
@pytest.mark.parametrize("kind", SMOOTH, ids=lambda kind: kind.name.lower())
def test_what_slows_down_a_smooth_move_takes_it_no_further(what: str, kind: ProfileType) -> None:
    """Though a ramp that begins anew begins without acceleration, where the move brakes hard."""
    rates = {"velocity": 1.0, "acc": 1.0, "dec": 1.0}
    for late in (0.7, 0.78, 0.86):
        held = HeldEngine(1, quick_stop_dec=0.8, emergency_stop_dec=1.2).servo_on()
        move = replace(position_move(0, 2.0, **rates), profile=replace(shaped(kind), jerk_dec=2.0))
        held.motion.move_absolute([move])
        held.after(late * held.status().remaining[0])
        SLOWING_DOWN[what](held)
        assert max(held.after(0.05).pos_cmd[0] for _ in range(60)) <= 2.0


@pytest.mark.parametrize("what", ["stop", "quick", "emergency", "override 0"])
def test_what_stops_a_move_that_ends_in_motion_slows_it_down_at_once(what: str) -> None:
    """It comes to no rest by itself, however near its target is."""
    held = HeldEngine(1, quick_stop_dec=1.0, emergency_stop_dec=1.0).servo_on()
    profile = MoveProfile(end_velocity=1.0)
    rates = {"velocity": 1.0, "acc": 1.0, "dec": 1.0}
    held.motion.move_absolute([replace(position_move(0, 2.0, **rates), profile=profile)])
    held.after(2.2)  # at 1.7, and needs 0.5 to rest
    before = held.status().velocity_cmd[0]
    SLOWING_DOWN[what](held)
    assert held.after(0.05).velocity_cmd[0] < before


@pytest.mark.parametrize("late", [0.3, 0.5, 0.6])
def test_a_stop_of_a_smooth_line_takes_it_no_further(late: float) -> None:
    held = HeldEngine(3).servo_on()
    line = LinearMove(
        axes=(0, 1, 2),
        targets=(1.2, -1.6, 0.0),
        velocity=1.0,
        acc=1.0,
        dec=1.0,
        profile=shaped(ProfileType.S_CURVE),
    )
    held.motion.move_linear(line)
    held.after(2.0 + late)
    held.motion.stop([0])
    x, y, z = held.after(5.0).pos_cmd
    assert (x <= 1.2, z) == (True, 0.0)
    assert y == pytest.approx(-x * 4.0 / 3.0)
    assert not held.status().op_state.any()


@pytest.mark.parametrize("late", [0.3, 0.5, 0.6])
def test_a_gentler_quick_stop_takes_a_stop_no_further(late: float) -> None:
    rested = []
    for quick in (False, True):
        held = HeldEngine(1, quick_stop_dec=0.5).servo_on()
        jog = velocity_move(0, 1.0, acc=1.0, dec=1.0)
        held.motion.jog([replace(jog, profile=shaped(ProfileType.S_CURVE))])
        held.after(3.0)
        held.motion.stop([0])
        held.after(late)
        if quick:
            held.motion.quick_stop([0])
        rested.append(held.after(5.0).pos_cmd[0])
    assert rested[1] <= rested[0]


def test_a_servo_that_goes_off_brakes_with_the_quick_stop_deceleration() -> None:
    """Also out of a harder stop: that was the servo's."""
    held = HeldEngine(emergency_stop_dec=40.0).servo_on()
    held.motion.jog([velocity_move(0, 2.0)])
    held.after(1.0)
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    held.after(0.01)
    held.motion.set_servo(0, on=False)
    slowing = held.status().velocity_cmd[0]
    slower = slowing - rate(slowing, 20.0) * 0.01
    assert held.after(0.01).velocity_cmd[0] == pytest.approx(slower)


def test_a_servo_that_goes_off_in_a_smooth_ramp_brakes_from_where_its_motor_is() -> None:
    held = HeldEngine(1, quick_stop_dec=0.5).servo_on()
    move = position_move(0, 2.0, velocity=1.0, acc=1.0, dec=1.0)
    held.motion.move_absolute([replace(move, profile=shaped(ProfileType.S_CURVE))])
    before = held.after(2.4)
    held.motion.set_servo(0, on=False)
    assert held.status().actual_pos[0] == pytest.approx(before.actual_pos[0])
    velocity = before.actual_velocity[0]
    braked = velocity - rate(velocity, 0.5) * 0.01
    assert held.after(0.01).actual_velocity[0] == pytest.approx(braked)


def test_there_are_two_levels_of_emergency() -> None:
    held = HeldEngine()
    with pytest.raises(CommandRefused, match=r"level 3: must be 0 .final. or 1"):
        held.motion.emergency_stop(3)  # type: ignore[arg-type]
    assert held.status().emergency_stop is None


def test_a_level_of_emergency_is_its_number() -> None:
    held = HeldEngine().servo_on()
    held.motion.emergency_stop(0)  # type: ignore[arg-type]
    assert not held.status().servo_on.any()
    assert held.status().emergency_stop is EmergencyStop.FINAL
