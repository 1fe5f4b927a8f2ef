"""Velocities and efforts at the limits of position, against the engine with the clock in hand."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from held_engine import HeldEngine
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.values import VelocityMove
from wmx_ros2_package.actuators.command import Command, CommandType
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.engine_calls import RunTimes, engine_call
from wmx_ros2_package.actuators.limits import comes_to_rest, effort_ends
from wmx_ros2_package.validation import BadRequest

LEASE = RunTimes(seconds=1.0)
SLIDE = Actuator(name="slide", axis=0, position_min=-1.0, position_max=2.0)
WHEEL = Actuator(name="wheel", axis=1)
BOTH = {"slide": SLIDE, "wheel": WHEEL}


def velocity(name: str = "slide", value: float = 1.0, **fields: float) -> Command:
    return Command(name=name, type=CommandType.VELOCITY, value=value, **fields)


@given(
    before=st.just(0.0) | st.floats(0.01, 3.0) | st.floats(-3.0, -0.01),
    after=st.floats(0.01, 3.0) | st.floats(-3.0, -0.01),
    acc=st.floats(0.5, 50.0),
    dec=st.floats(0.5, 50.0),
    run_time=st.floats(0.01, 3.0),
    rate=st.sampled_from([0.25, 1.0, 8.0]),
)
def test_where_a_run_comes_to_rest_is_what_the_engine_makes_of_it(
    before: float, after: float, acc: float, dec: float, run_time: float, rate: float
) -> None:
    held = HeldEngine(clock_rate=rate).servo_on(0)
    if before:
        held.motion.jog([VelocityMove(axis=0, velocity=before, acc=1e3, dec=1e3)])
    now = held.after(0.5)
    move = VelocityMove(axis=0, velocity=after, acc=acc, dec=dec, run_time=run_time)
    position, velocity = float(now.pos_cmd[0]), float(now.velocity_cmd[0])
    foreseen = comes_to_rest(position, velocity, rate, move)
    held.motion.jog([move])
    rests = float(held.after(60.0).pos_cmd[0])
    speed = max(abs(before), abs(after))
    assert foreseen == pytest.approx(rests, abs=0.01 * speed * max(1.0, rate) + 1e-6)
    if before * after > 0.0 or not before:
        assert abs(foreseen) >= abs(rests) - 1e-9, "never nearer than it comes"


@pytest.mark.parametrize(("direction", "limit"), [(1.0, 2.0), (-1.0, -1.0)])
@pytest.mark.parametrize("duration", [0.0, 3.0, 1000.0])
def test_it_stands_at_the_limit_whoever_dies(
    held: HeldEngine, direction: float, limit: float, duration: float
) -> None:
    run_times = LEASE if duration else RunTimes()
    command = velocity(value=direction, duration=duration)
    made = engine_call([command], BOTH, held.status(), run_times)
    made.start(held.motion)
    farthest = max(abs(float(held.after(0.01).pos_cmd[0])) for _ in range(1000))
    assert made.limits == {0: f"position_{'max' if limit > 0 else 'min'} of 'slide', {limit:g}"}
    assert made.run_times == (0.0,)
    assert farthest == abs(limit)
    assert held.status().velocity_cmd[0] == 0.0


@pytest.mark.parametrize("value", [0.0, -0.01, 0.1, 1.0, 2.0])
def test_one_that_is_gentler_passes_no_limit_at_any_speed(held: HeldEngine, value: float) -> None:
    """Such as a pause with the usual acceleration, of an axis that was quick."""
    engine_call([velocity(acceleration=10.0)], BOTH, held.status()).start(held.motion)
    held.after(1.85)
    engine_call([velocity(value=value)], BOTH, held.status(), LEASE).start(held.motion)
    farthest = max(float(held.after(0.01).pos_cmd[0]) for _ in range(400))
    assert 1.9 < farthest <= 2.0


def position(value: float, **fields: float) -> Command:
    return Command(name="slide", type=CommandType.POSITION, value=value, **fields)


@pytest.mark.parametrize("value", [1.9, 2.0, 0.5])
@pytest.mark.parametrize("fields", [{}, {"velocity": 9.0}, {"duration": 5.0}])
def test_a_position_that_takes_over_from_a_faster_motion_passes_no_limit(
    held: HeldEngine, value: float, fields: dict[str, float]
) -> None:
    """Whether it is ahead or behind."""
    engine_call([velocity(value=3.0, acceleration=50.0)], BOTH, held.status()).start(held.motion)
    while held.status().pos_cmd[0] < 1.4:
        held.after(0.005)
    assert held.status().velocity_cmd[0] > 2.99
    engine_call([position(value, **fields)], BOTH, held.status()).start(held.motion)
    positions = [float(held.after(0.01).pos_cmd[0]) for _ in range(1000)]
    assert max(positions) <= 2.0
    assert positions[-1] == pytest.approx(value)


def test_a_position_at_its_limit_is_as_gentle_where_it_is_commanded_again() -> None:
    held, speeds = HeldEngine().servo_on(0), [0.0]
    for _ in range(60):
        engine_call([position(2.0, velocity=9.0)], BOTH, held.status()).start(held.motion)
        speeds.append(float(held.after(0.05).velocity_cmd[0]))
    assert max(speeds) > 1.3
    assert np.abs(np.diff(speeds)).max() == pytest.approx(0.05 * 1.0, rel=0.02)
    assert held.status().pos_cmd[0] == 2.0


def test_one_that_is_led_to_its_limit_is_as_gentle_where_it_is_commanded_again() -> None:
    held, speeds = HeldEngine().servo_on(0), [0.0]
    for _ in range(55):
        engine_call([velocity(value=9.0)], BOTH, held.status(), LEASE).start(held.motion)
        speeds.append(float(held.after(0.05).velocity_cmd[0]))
    assert max(speeds) > 1.3
    assert np.abs(np.diff(speeds)).max() == pytest.approx(0.05 * 1.0, rel=0.02)


@pytest.mark.parametrize(("limit", "rests"), [(2.0, 1.5), (1.05, 1.125), (0.9, 1.5)])
def test_it_slows_down_as_its_command_says_or_as_hard_as_it_may(
    held: HeldEngine, limit: float, rests: float
) -> None:
    """Far from its limit, too near to it, and beyond it."""
    held.motion.jog([VelocityMove(axis=0, velocity=1.0, acc=1e3, dec=1e3)])
    held.after(1.0)
    slide = replace(SLIDE, position_max=limit, acceleration_max=4.0)
    engine_call([velocity(value=0.0)], {"slide": slide}, held.status(), LEASE).start(held.motion)
    assert held.after(2.0).pos_cmd[0] == pytest.approx(rests, abs=0.01)


def test_what_ends_before_the_limit_is_a_run_of_its_time(held: HeldEngine) -> None:
    made = engine_call([velocity(duration=1.0)], BOTH, held.status())
    assert not made.limits
    made.start(held.motion)
    assert 0.0 < held.after(60.0).pos_cmd[0] < 2.0


@pytest.mark.parametrize(("rate", "duration", "ends_at"), [(8.0, 1.0, 2.0), (0.25, 4.0, 0.93)])
def test_a_duration_is_of_the_steady_clock(rate: float, duration: float, ends_at: float) -> None:
    held = HeldEngine(clock_rate=rate).servo_on()
    made = engine_call([velocity(duration=duration, acceleration=8.0)], BOTH, held.status())
    assert bool(made.limits) == (rate > 1.0)
    made.start(held.motion)
    assert held.after(60.0).pos_cmd[0] == pytest.approx(ends_at, abs=0.1)


def test_two_that_start_together_one_of_them_to_its_limit(held: HeldEngine) -> None:
    made = engine_call(
        [velocity(duration=9.0), velocity("wheel", duration=9.0)], BOTH, held.status()
    )
    made.start(held.motion)
    status = held.after(60.0)
    assert status.pos_cmd[0] == 2.0
    assert status.pos_cmd[1] > 8.0


@pytest.mark.parametrize(
    ("kind", "elsewhere"), [(CommandType.VELOCITY, "actual_pos"), (CommandType.EFFORT, "pos_cmd")]
)
def test_an_actuator_at_its_limit_goes_back_alone(
    held: HeldEngine, kind: CommandType, elsewhere: str
) -> None:
    """By where it is commanded to be; an effort by where its motor is."""
    held.motion.set_position(0, 2.0)
    status = replace(held.status(), **{elsewhere: np.zeros(2)})
    outwards = Command(name="slide", type=kind, value=1.0)
    with pytest.raises(BadRequest, match="value of 'slide' is 1: it stands at 2, and must not go"):
        engine_call([outwards], BOTH, status)
    engine_call([Command(name="slide", type=kind, value=-1.0)], BOTH, status)


@pytest.mark.parametrize(
    ("effort", "position", "speed", "rate", "direction"),
    [
        (1.0, 0.0, 0.0, 1.0, 0.0),
        (1.0, 2.0, 0.0, 1.0, 1.0),
        (1.0, 1.999, 1.0, 0.5, 1.0),
        (1.0, 1.98, 1.0, 1.0, 0.0),
        (1.0, 1.98, 1.0, 10.0, 1.0),
        (-1.0, 2.1, 0.0, 1.0, 0.0),
        (-1.0, 2.1, 0.5, 1.0, 1.0),
        (-1.0, -1.0, 0.0, 1.0, -1.0),
    ],
)
def test_when_an_effort_ends(
    effort: float, position: float, speed: float, rate: float, direction: float
) -> None:
    assert effort_ends(SLIDE, effort, position, speed, rate) == direction


def test_without_limits_nothing_ends_it() -> None:
    assert effort_ends(WHEEL, 1.0, 1e9, 1e9, 1.0) == 0.0
    assert (WHEEL.position_min, WHEEL.position_max) == (-inf, inf)
