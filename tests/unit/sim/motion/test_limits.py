"""Limits: where they are, of what type, and in which cycle an engine sees them."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

import pytest
from held_engine import COUNTS, MODEL, HeldEngine, position_move, rate, velocity_move
from hypothesis import given
from hypothesis import strategies as st
from lone_drive import LoneDrive, axis_parameters

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import IO_BYTES, CommandMode, Gearing, LimitType, OperationState
from wmx_sim.engine.motion.curve import Curve
from wmx_sim.engine.motion.drive import State
from wmx_sim.engine.motion.limits import Limit, Limits

SWITCHES = {"positive_limit_switch": 2.0, "negative_limit_switch": -1.0}
HOMED, INPUTS = True, bytes(IO_BYTES)
SERVO_OFF, DEC, SLOW_DEC = LimitType.SERVO_OFF, LimitType.DEC, LimitType.SLOW_DEC

signs = st.sampled_from([1, -1])


def limits_of(
    *, inputs: bytes = INPUTS, homed: bool = HOMED, polarity: int = 1, **parameters: float
) -> Limits:
    """The limits of a drive with switches at 2 and -1 revolutions, 1 u each."""
    lone = LoneDrive(places=SWITCHES, polarity=polarity, **parameters)
    limits = Limits(replace(MODEL, **SWITCHES), lone.drive)
    limits.configure(axis_parameters(polarity=polarity, **parameters), inputs, homed=homed)
    return limits


def by_name(limits: Limits) -> Mapping[str, Limit]:
    return {limit.name.removesuffix(" switch"): limit for limit in limits}


def at(position: float, command: float | None = None) -> State:
    return State(position if command is None else command, 0.0, position, 0.0)


# Where they are


def test_switches_are_where_the_machine_has_them() -> None:
    for polarity, places in ((1, (2.0, -1.0)), (-1, (1.0, -2.0))):
        limits = limits_of(polarity=polarity)
        assert (limits.hard[+1].level, limits.hard[-1].level) == pytest.approx(places)
        assert limits.present(+1)
        assert limits.present(-1)


def test_a_switch_is_on_beyond_its_place() -> None:
    limits = limits_of()
    for position, positive, negative in (
        *((2.001, True, False), (1.999, False, False), (-0.999, False, False)),
        *((-1.001, False, True), (2.0, False, False), (-1.0, False, False)),
    ):
        assert limits.hard[+1].is_on(at(position, command=0.0)) is positive
        assert limits.hard[-1].is_on(at(position, command=0.0)) is negative


def test_a_soft_limit_is_of_the_command_and_half_a_count_behind_its_position() -> None:
    soft = by_name(limits_of(soft_limit_type=DEC, soft_limit_positive=3.0, soft_limit_negative=-2))
    positive, negative = soft["positive soft limit"], soft["negative soft limit"]
    beyond = 0.5 / COUNTS
    assert (positive.level, negative.level) == pytest.approx((3.0 + beyond, -2.0 - beyond))
    assert not positive.is_on(at(9.0, command=3.0 + 0.9 * beyond))
    assert positive.is_on(at(0.0, command=3.0 + 1.1 * beyond))
    assert not negative.is_on(at(-9.0, command=-2.0 - 0.9 * beyond))
    assert negative.is_on(at(0.0, command=-2.0 - 1.1 * beyond))


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("closed", [False, True])
def test_a_near_limit_switch_is_its_bit(closed: bool, inverted: bool) -> None:
    inputs = bytearray(IO_BYTES)
    inputs[3] = 0b00100000 if closed else 0b11011111
    limits = by_name(
        limits_of(
            inputs=bytes(inputs),
            near_ls_type=DEC,
            near_positive_ls_byte=3,
            near_positive_ls_bit=5,
            invert_near_positive_ls=inverted,
        )
    )
    on = closed is not inverted
    assert limits["positive near limit"].is_on(at(0.0)) is on
    assert not limits["negative near limit"].is_on(at(0.0))


def test_a_near_limit_switch_without_a_type_is_never_on() -> None:
    limits = limits_of(inputs=b"\xff" * IO_BYTES)
    assert not limits.use_inputs
    assert not any(limit.is_on(at(0.0)) for limit in limits)
    assert limits_of(near_ls_type=DEC).use_inputs


def test_types_are_common_or_of_each_side() -> None:
    of_sides = {"positive_ls_type": SLOW_DEC, "negative_ls_type": SERVO_OFF}
    for common, types in ((DEC, (DEC, DEC)), (LimitType.SEPARATE, (SLOW_DEC, SERVO_OFF))):
        hard = limits_of(ls_type=common, **of_sides).hard
        assert (hard[+1].type, hard[-1].type) == types
    limits = by_name(
        limits_of(
            soft_limit_type=LimitType.SEPARATE,
            positive_soft_limit_type=DEC,
            negative_soft_limit_type=SERVO_OFF,
            near_ls_type=LimitType.SEPARATE,
            near_positive_ls_type=SERVO_OFF,
            near_negative_ls_type=SLOW_DEC,
        )
    )
    expected = {"soft": [DEC, SERVO_OFF], "near": [SERVO_OFF, SLOW_DEC]}
    for kind, both in expected.items():
        sides = [f"{side} {kind} limit" for side in ("positive", "negative")]
        assert [limits[side].type for side in sides] == both


def test_a_stuck_switch_is_on_or_off_everywhere_until_it_is_free() -> None:
    limits = limits_of()
    for direction, beyond in ((1, 5.0), (-1, -5.0)):
        limits.stick(direction, True)
        assert limits.hard[direction].is_on(at(0.0))
        assert limits.present(direction)
        limits.stick(direction, False)
        assert not limits.hard[direction].is_on(at(beyond))
        assert limits.present(direction), "there is one, it only never shows"
        limits.stick(direction, None)
        assert limits.hard[direction].is_on(at(beyond))
        assert not limits.hard[direction].is_on(at(0.0))


def test_the_way_is_free_but_for_limits_that_are_on_and_have_a_type() -> None:
    limits = limits_of(ls_type=DEC)
    limits.require_free_way(1.0, at(1.9))
    limits.require_free_way(-1.0, at(2.1))
    limits.require_free_way(0.0, at(2.1))
    with pytest.raises(CommandRefused) as refused:
        limits.require_free_way(1e-9, at(2.1))
    assert refused.value.code == ErrorCode.AxisHardLimit
    assert "the positive limit switch is on" in str(refused.value)
    with pytest.raises(CommandRefused, match="the negative limit switch is on"):
        limits.require_free_way(-1.0, at(-1.1))
    limits_of(ls_type=LimitType.NONE).require_free_way(1.0, at(2.1))


# In which cycle they are seen


@given(signs, st.integers(1, 5000), st.integers(1, 999), st.floats(0.1, 100.0))
def test_an_edge_is_seen_in_the_first_cycle_after_it(
    direction: int, cycles: int, microseconds: int, speed: float
) -> None:
    """Coming on while the motor goes out, going off while it comes back."""
    limit = Limit("a limit", direction, ErrorCode.AxisHardLimit, of_command=False)
    limit.level = direction * 7.0
    edge = cycles / 1000 + microseconds / 1e6
    out = Curve(direction * (7.0 - speed * edge), direction * speed)
    still = Curve(0.0)
    assert limit.next_look(0.0, still, out, inf) == pytest.approx((cycles + 1) / 1000, abs=1e-12)
    assert limit.next_look(0.0, still, out, edge - 1e-7) == inf, "the curve ends before"
    assert limit.next_look(0.0, out, still, inf) == inf, "a switch watches the motor"
    assert not limit.look(cycles / 1000, at(direction * (7.0 - speed * edge / 2)))
    seen = (cycles + 1) / 1000
    assert limit.look(seen, at(out.at(seen)))
    assert limit.on
    back = Curve(direction * (7.0 + speed * edge), -direction * speed)
    off = limit.next_look(10.0, still, back, inf)
    assert off == pytest.approx(10.0 + (cycles + 1) / 1000, abs=1e-12)
    assert limit.next_look(10.0, still, out.after(edge + 1e-3), inf) == inf, "it stays on"


def test_a_soft_limit_watches_the_command() -> None:
    limit = Limit("a limit", 1, ErrorCode.AxisSoftLimit, of_command=True)
    limit.level = 1.0
    assert limit.next_look(0.0, Curve(0.0, 1.0), Curve(5.0), inf) == pytest.approx(1.0, abs=1e-12)


def test_a_limit_is_looked_at_once_a_cycle() -> None:
    limit = Limit("a limit", 1, ErrorCode.AxisHardLimit, of_command=False)
    limit.level = -inf  # stuck
    still = Curve(0.0)
    assert limit.next_look(0.5, still, still, inf) == 0.5
    assert limit.look(0.5, at(0.0))
    assert limit.next_look(0.5, still, still, inf) == inf
    limit.level = inf
    assert limit.next_look(0.5, still, still, inf) == 0.501


# What they do, to the cycle


@pytest.mark.parametrize("speed", [1.0, 0.37])
def test_the_command_slows_down_from_the_cycle_in_which_the_motor_is_seen(speed: float) -> None:
    """The motor follows v / K behind: it passes 2.0 that much later than its command."""
    model = replace(MODEL, **SWITCHES)
    held = HeldEngine(1, model=model, ls_type=DEC, ls_dec=4.0).servo_on()
    held.motion.jog([velocity_move(velocity=speed, acc=1000.0)])
    start = held.status().time + speed / 1000.0 / 2.0
    edge = start + 2.0 / speed + 1.0 / MODEL.position_gain
    seen = (int(edge * 1000) + 1) / 1000
    before = held.after(round(seen - held.status().time - 0.001, 6))
    assert (before.op_state[0], bool(before.positive_ls[0])) == (OperationState.JOG, False)
    now = held.after(0.001)
    assert (now.op_state[0], bool(now.positive_ls[0])) == (OperationState.STOP, True)
    assert now.velocity_cmd[0] == pytest.approx(speed)
    slower = speed - rate(speed, 4.0) * 0.05
    assert held.after(0.05).velocity_cmd[0] == pytest.approx(slower)


def test_a_limit_that_comes_on_behind_an_axis_does_nothing() -> None:
    """The switch sticks as the axis sets off in the other direction."""
    held = HeldEngine(1, model=replace(MODEL, **SWITCHES), ls_type=DEC, ls_dec=4.0).servo_on()
    held.motion.move_absolute([position_move(target=1.99, velocity=2.0)])
    held.after(5.0)
    held.fake.call("motion", "stick_switch", 0, "positive", True)
    held.motion.move_absolute([position_move(target=0.0)])
    assert held.after(0.1).op_state[0] == OperationState.POS
    assert held.after(5.0).pos_cmd[0] == 0.0


def test_a_limit_that_came_on_behind_an_axis_stops_it_as_it_turns_back() -> None:
    held = HeldEngine(1, ls_type=DEC).servo_on()
    held.motion.move_absolute([position_move(target=10.0)])
    held.after(1.0)
    held.motion.move_absolute([position_move(target=-5.0)])
    held.fake.call("motion", "stick_switch", 0, "negative", True)
    positions = [held.after(0.01).pos_cmd[0] for _ in range(100)]
    assert positions == sorted(positions)
    assert held.status().op_state[0] == OperationState.IDLE


def test_a_slave_is_not_led_further_beyond_a_limit_that_is_on() -> None:
    held = HeldEngine(2, soft_limit_type=DEC, soft_limit_positive=1.0, ls_dec=20.0).servo_on()
    held.motion.set_position(1, 0.0)
    held.motion.move_absolute([position_move(1, 5.0)])
    beyond = held.after(5.0).pos_cmd[1]
    assert 1.0 < beyond < 1.2
    gearing = [Gearing(slave=1, master=0, ratio=1.0)]
    held.motion.start_gearing(gearing)
    held.motion.jog([velocity_move(0, 1.0)])
    status = held.after(1.0)
    assert (status.pos_cmd[1], status.op_state[1]) == (beyond, OperationState.IDLE)
    assert status.velocity_cmd[0] == 1.0
    held.motion.stop([0])
    held.after(1.0)
    held.motion.start_gearing(gearing)
    held.motion.move_relative([position_move(0, -0.5)])
    status = held.after(2.0)
    assert status.pos_cmd[1] == pytest.approx(beyond - 0.5)
    assert status.op_state[1] == OperationState.SYNC
    held.motion.move_relative([position_move(0, 0.5)])
    assert held.after(2.0).op_state[1] == OperationState.IDLE


@pytest.mark.parametrize(("way", "bit"), [(1.0, 4), (-1.0, 6)])
def test_a_near_limit_switch_stops_an_axis_as_its_input_comes_on(way: float, bit: int) -> None:
    places = {"near_positive_ls_byte": 2, "near_positive_ls_bit": 4}
    places |= {"near_negative_ls_byte": 2, "near_negative_ls_bit": 6}
    held = HeldEngine(1, near_ls_type=DEC, ls_dec=4.0, **places).servo_on()
    held.motion.jog([velocity_move(velocity=way)])
    held.after(1.0)
    held.play(f'[{{force_input: {{input: "2.{bit}", value: true}}}}]')
    assert held.after(0.001).op_state[0] == OperationState.STOP
    assert held.after(1.0).velocity_cmd[0] == 0.0
    with pytest.raises(CommandRefused) as refused:
        held.motion.jog([velocity_move(velocity=way)])
    assert refused.value.code == ErrorCode.AxisNearLimit
    held.motion.jog([velocity_move(velocity=-way)])


def test_a_soft_limit_that_took_the_servo_off_is_on_until_that_is_on_again() -> None:
    """The motor, which the command goes back to, has not got to it."""
    held = HeldEngine(1, soft_limit_type=SERVO_OFF, soft_limit_positive=0.5).servo_on()
    held.motion.set_position(0, 0.0)
    held.motion.move_absolute([position_move(target=1.0, velocity=0.5)])
    off = held.after(5.0)
    assert (bool(off.servo_on[0]), bool(off.positive_soft_limit[0])) == (False, True)
    assert off.pos_cmd[0] < 0.5
    assert not held.servo_on().status().positive_soft_limit[0]
    held.motion.move_absolute([position_move(target=0.4999)])


@pytest.mark.parametrize("kind", [LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF])
def test_servo_off_comes_when_the_command_rests(kind: LimitType) -> None:
    dec = 4.0 if kind is LimitType.DEC_SERVO_OFF else 2.0
    held = HeldEngine(
        1, model=replace(MODEL, **SWITCHES), ls_type=kind, ls_dec=4.0, ls_slow_dec=2.0
    ).servo_on(mode=CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move(velocity=2.0, acc=1000.0)])
    while not (status := held.after(0.001)).positive_ls[0]:
        pass
    rests = 2.0 / dec
    status = held.after(rests - 0.001)
    assert (bool(status.servo_on[0]), status.op_state[0]) == (True, OperationState.STOP)
    status = held.after(0.002)
    assert (bool(status.servo_on[0]), status.op_state[0]) == (False, OperationState.IDLE)
