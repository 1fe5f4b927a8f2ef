"""Endless moves that end by themselves, as the SDK's timed commands."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine
from hypothesis import given
from hypothesis import strategies as st
from recorder import Recorder

from wmx3.commands import Times, slows_all_along, times_of
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, OperationState, TorqueMove, VelocityMove

MOVE = VelocityMove(axis=2, velocity=2.0, acc=10.0, dec=4.0, run_time=1.0)


@pytest.mark.parametrize(
    ("changes", "now", "expected"),
    [
        ({}, 0.0, (2.0, 200.0, 800, 500.0)),
        ({"velocity": -2.0}, 0.0, (-2.0, 200.0, 800, 500.0)),
        ({}, 1.0, (2.0, 200.0, 800, 500.0)),
        ({}, 2.0, (2.0, 200.0, 800, 500.0)),
        ({}, 3.0, (2.0, 500.0, 500, 500.0)),
        ({}, -1.0, (2.0, 750.0, 250, 500.0)),
        ({"velocity": 0.0}, 1.0, (0.0, 250.0, 750, 1.0)),
        ({"run_time": 0.2}, 2.0, (2.0, 200.0, 0, 500.0)),
        ({"run_time": 0.1}, 0.0, (1.0, 100.0, 0, 250.0)),
        ({"run_time": 0.1, "velocity": -2.0}, 0.0, (-1.0, 100.0, 0, 250.0)),
        ({"run_time": 0.3}, -1.0, (0.5, 375.0, 0, 125.0)),
        ({"acc": 1e5, "dec": 1e5}, 0.0, (2.0, 1.0, 999, 1.0)),
        ({"in_steps": True}, 1.0, (2.0, 100.0, 900, 500.0)),
        ({"in_steps": True}, 2.0, (2.0, 1.0, 999, 500.0)),
        ({"in_steps": True}, -0.1, (2.0, 525.0, 450, 500.0)),
    ],
)
def test_times(
    changes: dict[str, Any], now: float, expected: tuple[float, float, int, float]
) -> None:
    """It gets as fast as it can by then, and slows down from there with its deceleration.

    Of a velocity that is led in steps both readings have the same times.
    """
    velocity, speeding_up, running, slowing_down = expected
    move = replace(MOVE, **changes)
    times = times_of(move, now, from_rest=False)
    assert not move.in_steps or times == times_of(move, now, from_rest=True)
    assert times == Times(
        velocity=pytest.approx(velocity),
        speeding_up=pytest.approx(speeding_up),
        running=running,
        slowing_down=pytest.approx(slowing_down),
    )


@given(
    velocity=st.floats(-5.0, 5.0).filter(lambda v: abs(v) > 1e-3),
    now=st.floats(-5.0, 5.0),
    acc=st.floats(0.1, 100.0),
    dec=st.floats(0.1, 100.0),
    run_time=st.floats(0.01, 10.0),
    from_rest=st.booleans(),
)
def test_no_rate_is_above_that_of_the_move_whatever_the_time_to_speed_up_means(
    velocity: float, now: float, acc: float, dec: float, run_time: float, from_rest: bool
) -> None:
    move = replace(MOVE, velocity=velocity, acc=acc, dec=dec, run_time=run_time)
    if slows_all_along(move, now):
        return
    times = times_of(move, now, from_rest=from_rest)
    turns = now * velocity < 0.0
    slower = not turns and abs(velocity) < abs(now)
    most = (min(acc, dec) if turns else dec if slower else acc) * (1.0 + 1e-9)
    seconds = times.speeding_up / 1000.0
    assert abs(times.velocity - now) / seconds <= most, "from the present velocity on"
    rate = times.velocity / seconds
    assert abs(rate) <= (acc if turns else most) * (1.0 + 1e-9), "from rest on"
    assert abs(times.velocity) <= max(abs(velocity), 0.0) * (1.0 + 1e-9)


@pytest.mark.parametrize(("order", "mode"), [("jog", 0), ("move_velocity", 1)])
def test_a_refreshed_velocity_speeds_up_with_its_acceleration(order: str, mode: int) -> None:
    """Where the time stands for a rate, 0.1 u/s more in 0.1 s would be ten times too hard."""
    held = HeldEngine(1).servo_on(mode=CommandMode(mode))
    driver = CheckedSdk(held.fake).attached()
    slow = VelocityMove(axis=0, velocity=0.9, acc=1.0, dec=1.0, run_time=5.0)
    getattr(driver.motion, order)([slow])
    assert held.after(2.0).velocity_cmd[0] == pytest.approx(0.9)
    getattr(driver.motion, order)([replace(slow, velocity=1.0)])
    before = held.status().velocity_cmd[0]
    seen = [held.after(0.001).velocity_cmd[0] for _ in range(1500)]
    assert max(np.diff([before, *seen])) <= 0.001 * (1.0 + 1e-6)
    assert seen[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("before", "after", "run_time"), [(3.0, 0.5, 1.0), (-1.0, 2.0, 1.5)], ids=["slower", "back"]
)
def test_a_velocity_that_slows_down_first_ends_in_time(
    before: float, after: float, run_time: float
) -> None:
    held = HeldEngine(1).servo_on(mode=CommandMode.VELOCITY)
    driver = CheckedSdk(held.fake).attached()
    first = replace(MOVE, axis=0, velocity=before, run_time=9.0)
    driver.motion.move_velocity([first])
    held.after(2.0)
    driver.motion.move_velocity([replace(first, velocity=after, run_time=run_time)])
    assert held.after(run_time - 0.01).op_state[0] == OperationState.VELOCITY
    assert held.after(0.02).op_state[0] == OperationState.STOP


@pytest.mark.parametrize(
    ("changes", "now"),
    [
        ({"velocity": 0.1}, 5.0),
        ({"velocity": 0.1}, -5.0),
        ({"velocity": -0.1}, 5.0),
        ({"velocity": 1.0}, 5.0),
        ({}, -4.0),
        ({"velocity": 1.0, "dec": 3.0, "run_time": 0.1}, 1.3),
    ],
)
def test_what_slows_down_all_along_slows_down_to_rest(
    driver: Driver, recorder: Recorder, changes: dict[str, float], now: float
) -> None:
    """Also what would be at its velocity, or turn, at the very end; 0.3 u/s at 3 u/s^2 is 0.1 s."""
    recorder.status = {"velocity_cmd": np.full(4, now)}
    driver.motion.jog([replace(MOVE, **changes)])
    ((order, (move,)),) = recorder.orders
    assert (order, move.velocity, move.dec) == ("jog", 0.0, changes.get("dec", 4.0))


@pytest.mark.parametrize(
    ("order", "function", "running"),
    [
        ("jog", "Motion.StartJog_TimedJog", 800),
        ("move_velocity", "Velocity.StartVel_TimedVel", 900),
    ],
)
def test_a_timed_command(
    vendor: CheckedSdk,
    driver: Driver,
    recorder: Recorder,
    order: str,
    function: str,
    running: int,
) -> None:
    """From 1 u/s on it is at 2 u/s after 0.1 s, or, where the time is that, after 0.2 s."""
    recorder.status = {"velocity_cmd": np.array([0.0, 0.0, 1.0, 0.0])}
    getattr(driver.motion, order)([MOVE])
    ((command,),) = vendor.called(function)
    profile = command.profile
    assert profile.type == vendor.sdk.ProfileType.TimeAccTrapezoidal
    assert (command.axis, profile.velocity, command.runTimeMilliseconds) == (2, 2.0, running)
    assert type(command.runTimeMilliseconds) is int
    assert (profile.accTimeMilliseconds, profile.decTimeMilliseconds) == (200.0, 500.0)
    ((name, (move,)),) = recorder.orders
    assert (name, move.axis, move.velocity, move.dec) == (order, 2, 2.0, 4.0)


def test_a_jog_of_a_release_without_timed_jogs(recorder: Recorder) -> None:
    """The newer releases give the run time to the plain command."""
    timed = "Motion_TimedJogCommand", "Motion.StartJog_TimedJog"
    added = {"Motion_JogCommand.SetRunTime": "(self, milliseconds)"}
    vendor = CheckedSdk(recorder, changed(without=timed, added=added))
    vendor.attached().motion.jog([MOVE, replace(MOVE, axis=0, velocity=0.0)])
    (command,), (plain,) = vendor.called("Motion.StartJog")
    assert (plain.axis, command.axis) == (0, 2)
    assert command.profile.type == vendor.sdk.ProfileType.TimeAccTrapezoidal
    (_, (move,)), (_, (rest,)) = recorder.orders
    assert (rest.velocity, rest.run_time) == (0.0, 0.0)
    assert (move.velocity, move.run_time, move.dec) == (2.0, 1.0, 4.0)
    recorder.orders.clear()
    vendor.attached().motion.jog([replace(MOVE, velocity=5.0, run_time=0.3)])
    ((_, (short,)),) = recorder.orders
    assert short.run_time == pytest.approx(0.301), "a run time of 0 may stand for ever"


def test_several_start_in_one_call(vendor: CheckedSdk, driver: Driver, recorder: Recorder) -> None:
    driver.motion.jog([MOVE, replace(MOVE, axis=0, velocity=-1.0)])
    ((count, given),) = vendor.called("Motion.StartJog_TimedJog")
    assert (count, [command.axis for command in given]) == (2, [2, 0])
    assert len(recorder.orders) == 1


def test_a_move_to_rest_ends_by_itself(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    """No time is given to a command that runs at no velocity."""
    driver.motion.jog([MOVE, replace(MOVE, axis=1, velocity=0.0)])
    assert [order for order, _ in recorder.orders] == ["jog", "jog"]
    ((plain,),) = vendor.called("Motion.StartJog")
    ((timed,),) = vendor.called("Motion.StartJog_TimedJog")
    assert (plain.axis, timed.axis) == (1, 2)


def test_the_sdk_has_no_torque_that_ends(vendor: CheckedSdk, driver: Driver) -> None:
    with pytest.raises(CommandRefused, match="run_time must be 0") as refused:
        driver.motion.move_torque([TorqueMove(axis=0, torque=5.0, run_time=1.0)])
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert vendor.calls == []
