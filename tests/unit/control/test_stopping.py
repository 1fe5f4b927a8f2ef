"""Axes are stopped until they rest, whatever the engine says, and it is known when they do."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from gate_requests import leave_motor_turning
from held_engine import HeldEngine, position_move, velocity_move
from held_node import LATENCY
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MotionStatus, OperationState, SplineMove
from wmx_ros2_package.control.stopping import (
    REST_VELOCITY,
    RETRY_PERIOD,
    SETTLING,
    Stopping,
    stop_and_wait,
    turning,
)

TIMEOUT = 5.0
LAG = 0.15
"""How long the motor of the held engine takes to rest after its command does, s."""


class Stop:
    """The stop of `held`, which refuses the first `refusals`."""

    def __init__(
        self,
        held: HeldEngine,
        refusals: float = 0,
        error: type[CommandRefused] | type[EngineLost] = CommandRefused,
    ) -> None:
        self.held = held
        self.refusals = refusals
        self.error = error
        self.given: list[list[int]] = []
        self.times: list[float] = []

    def __call__(self, axes: Sequence[int]) -> None:
        self.given.append([*axes])
        self.times.append(self.held.status().time)
        if len(self.given) <= self.refusals:
            raise self.error(ErrorCode.StartingPreviousCommand)
        self.held.motion.stop(axes)


@pytest.fixture
def stop(held: HeldEngine) -> Stop:
    return Stop(held)


def wait(stop: Stop, axes: Sequence[int] | None = None) -> tuple[Stopping | None, float]:
    """What is left, and how long that took."""
    held = stop.held
    began = held.status().time
    left = stop_and_wait(held.status, stop, axes, LATENCY, TIMEOUT, held.clock)
    return left, held.status().time - began


def rests(held: HeldEngine) -> bool:
    status = held.status()
    return not status.busy.size and not turning(status).size


# What rests


def test_axes_that_move_are_stopped_and_waited_for(held: HeldEngine, stop: Stop) -> None:
    held.motion.move_absolute([position_move(0, 10.0), position_move(1, -10.0, dec=1.0)])
    held.after(1.0)
    left, took = wait(stop)
    assert left is None
    assert rests(held)
    assert 2.0 <= took <= 2.0 + LAG, "as long as the slower one takes, at 1 u/s^2"
    assert stop.given == [[0, 1]]


def test_only_the_axes_that_are_named_are_stopped(held: HeldEngine, stop: Stop) -> None:
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    left, _ = wait(stop, [1])
    assert left is None
    assert held.status().op_state.tolist() == [OperationState.JOG, OperationState.IDLE]
    assert stop.given == [[1]]


def test_axes_that_rest_take_the_latency_of_the_status(held: HeldEngine, stop: Stop) -> None:
    for axes in (None, [0], []):
        left, took = wait(stop, axes)
        assert left is None
        assert LATENCY < took <= LATENCY + 0.006
    assert stop.given == []


def test_a_command_that_only_starts_in_the_next_cycle_is_stopped(
    held: HeldEngine, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its axis seems to rest until then."""
    sleep = held.clock.sleep

    def start_then(seconds: float) -> None:
        monkeypatch.setattr(held.clock, "sleep", sleep)
        held.motion.move_absolute([position_move(0, 10.0)])
        sleep(seconds)

    monkeypatch.setattr(held.clock, "sleep", start_then)
    assert wait(stop, [0])[0] is None
    assert rests(held)
    assert held.status().pos_cmd[0] < 0.1


def test_an_axis_rests_when_its_motor_does(held: HeldEngine, stop: Stop) -> None:
    leave_motor_turning(held)
    assert turning(held.status()).tolist() == [0]
    left, took = wait(stop)
    assert left is None
    assert took > 2 * LATENCY
    assert rests(held)
    assert stop.given == []


def test_the_motor_of_another_axis_is_not_waited_for(held: HeldEngine) -> None:
    held.motion.jog([velocity_move(1)])
    held.after(1.0)
    stopping = Stopping(Stop(held), [0], LATENCY, now=held.clock.now)
    assert not stopping.update(held.status())
    assert stopping.update(held.after(2 * LATENCY))


def test_what_an_encoder_shows_of_a_motor_that_is_held_is_noise(
    held: HeldEngine, stop: Stop
) -> None:
    noise = np.array([2.0 * REST_VELOCITY, 0.0])

    def noisy() -> MotionStatus:
        return replace(held.status(), actual_velocity=noise)

    began = held.status().time
    assert stop_and_wait(noisy, stop, None, LATENCY, TIMEOUT, held.clock) is None
    assert held.status().time - began == pytest.approx(SETTLING, abs=0.02)


def test_noise_is_told_anew_after_each_motion(held: HeldEngine) -> None:
    stopping = Stopping(Stop(held), None, LATENCY, now=held.clock.now)
    fast = np.array([1.0, 0.0])
    status = held.after(0.1)
    assert not stopping.update(replace(status, actual_velocity=fast))
    held.motion.jog([velocity_move()])
    assert not stopping.update(held.after(SETTLING))
    status = held.after(1.0)
    assert not stopping.update(replace(status, actual_velocity=fast))
    assert not stopping.update(replace(held.after(SETTLING), actual_velocity=fast))
    assert stopping.update(replace(held.after(0.001), actual_velocity=fast))


@pytest.mark.parametrize("velocity", [REST_VELOCITY * 1.01, -REST_VELOCITY * 1.01])
def test_which_motors_turn(held: HeldEngine, velocity: float) -> None:
    status = held.status()
    assert turning(replace(status, actual_velocity=np.array([0.0, velocity]))).tolist() == [1]
    assert not turning(replace(status, actual_velocity=np.array([0.0, velocity / 1.02]))).size


def test_without_communication_all_axes_rest(held: HeldEngine, stop: Stop) -> None:
    held.motion.move_absolute([position_move(0, 10.0)])
    held.after(1.0)
    held.engine.stop_communication()
    left, took = wait(stop)
    assert (left, took, stop.given) == (None, 0.0, [])


def test_an_engine_that_is_lost_is_no_rest(held: HeldEngine) -> None:
    def lost() -> MotionStatus:
        raise EngineLost(ErrorCode.IMLibIsNotRunning)

    with pytest.raises(EngineLost):
        stop_and_wait(lost, Stop(held), None, LATENCY, TIMEOUT, held.clock)


# What does not rest


@pytest.mark.parametrize("refusals", [1, 2, 20])
def test_a_refused_stop_is_given_again_until_it_is_taken(held: HeldEngine, refusals: int) -> None:
    held.motion.move_absolute([position_move(0, 100.0)])
    held.after(1.0)
    stop = Stop(held, refusals)
    assert wait(stop)[0] is None
    assert rests(held)
    assert len(stop.given) == refusals + 1
    assert np.diff(stop.times).min() >= RETRY_PERIOD - 1e-9
    assert np.diff(stop.times).max() <= RETRY_PERIOD + 0.005 + 1e-9


def test_a_refusal_is_known_until_a_stop_is_taken(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 100.0)])
    stop = Stop(held, 1)
    stopping = Stopping(stop, None, LATENCY, now=held.clock.now)
    assert not stopping.update(held.after(0.5))
    assert stopping.refusal is not None
    assert stopping.refusal.code == ErrorCode.StartingPreviousCommand
    assert not stopping.update(held.after(RETRY_PERIOD))
    assert stopping.refusal is None


def test_a_stop_that_is_refused_and_reaches_all_is_enough(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 10.0), position_move(1, -10.0, dec=1.0)])
    held.after(1.0)
    given: list[Sequence[int]] = []

    def stop_and_refuse(axes: Sequence[int]) -> None:
        given.append(axes)
        held.motion.stop(axes)
        raise CommandRefused(ErrorCode.NotPosMode)

    assert stop_and_wait(held.status, stop_and_refuse, None, LATENCY, TIMEOUT, held.clock) is None
    assert rests(held)
    assert given == [[0, 1]]


def test_axes_that_slow_down_already_are_not_stopped_again(held: HeldEngine, stop: Stop) -> None:
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    held.motion.stop([0])
    held.after(0.01)
    assert wait(stop)[0] is None
    assert stop.given == [[1]]
    assert rests(held)


def test_an_axis_that_another_client_starts_again_is_stopped_again(
    held: HeldEngine, stop: Stop
) -> None:
    held.motion.jog([velocity_move()])
    stopping = Stopping(stop, None, LATENCY, now=held.clock.now)
    assert not stopping.update(held.after(1.0))
    held.after(1.0)
    held.motion.jog([velocity_move()])
    assert not stopping.update(held.after(0.1))
    assert stop.given == [[0], [0]]


def test_what_takes_too_long_is_what_is_left(held: HeldEngine, stop: Stop) -> None:
    held.motion.move_absolute([position_move(0, 10.0, dec=0.1)])
    held.after(1.0)
    left, took = wait(stop)
    assert left is not None
    assert (left.busy, left.refusal) == ([0], None)
    assert took == pytest.approx(TIMEOUT, abs=0.01)
    assert held.status().op_state[0] == OperationState.STOP, "it goes on slowing down"


def test_what_is_never_stopped_is_left_with_the_refusal(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 100.0)])
    held.after(1.0)
    left, _ = wait(Stop(held, np.inf))
    assert left is not None
    assert left.refusal is not None
    assert held.status().op_state[0] == OperationState.POS


def test_a_motor_that_never_rests_is_not_left_where_its_command_rests(held: HeldEngine) -> None:
    """Nothing more can be stopped there."""

    def turns() -> MotionStatus:
        return replace(held.status(), actual_velocity=np.array([1.0, 0.0]))

    assert stop_and_wait(turns, Stop(held), None, LATENCY, SETTLING / 2, held.clock) is None


@pytest.mark.parametrize("axes", [None, [0, 1]])
def test_a_status_that_is_refused_keeps_no_axis_from_being_stopped(
    held: HeldEngine, stop: Stop, axes: list[int] | None
) -> None:
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    status = Stubborn(held, "status", refusals=3).status
    assert stop_and_wait(status, stop, axes, LATENCY, TIMEOUT, held.clock) is None
    assert rests(held)


@pytest.mark.parametrize("refusals", [0, 2])
@pytest.mark.parametrize("axes", [None, [0, 1]])
def test_axes_are_stopped_where_no_status_is_answered_and_whether_they_rest_is_not_known(
    held: HeldEngine, axes: list[int] | None, refusals: int
) -> None:
    """Of all axes each has a call of its own, and those that were refused are given again."""
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    status, stop = Stubborn(held, "status").status, Stop(held, refusals)
    with pytest.raises(CommandRefused):
        stop_and_wait(status, stop, axes, LATENCY, TIMEOUT, held.clock)
    assert rests(held)
    if axes:
        assert stop.given == [axes] * (refusals + 1)
    else:
        assert stop.given == [[0], [1], [2], *[[0, 1]] * (refusals > 0)]


@pytest.mark.parametrize(("losses", "given"), [(1, [[0], [1], [2]]), (2, [[0], [1]])])
def test_a_stop_that_seems_to_lose_the_engine_keeps_no_other_axis_from_being_stopped(
    held: HeldEngine, losses: int, given: list[list[int]]
) -> None:
    """It may live; one that seems so twice is not asked for all of its axes."""
    held.motion.jog([velocity_move(0), velocity_move(1)])
    held.after(1.0)
    status, stop = Stubborn(held, "status").status, Stop(held, losses, EngineLost)
    with pytest.raises(EngineLost):
        stop_and_wait(status, stop, None, LATENCY, TIMEOUT, held.clock)
    assert stop.given == given
    assert bool(held.after(2.0).velocity_cmd[1]) is (losses > 1)


def test_axes_are_stopped_where_the_first_status_takes_all_of_the_time_and_is_refused(
    held: HeldEngine, stop: Stop
) -> None:
    held.motion.jog([velocity_move(0)])

    def slow() -> MotionStatus:
        held.after(2.0 * TIMEOUT)
        raise CommandRefused(ErrorCode.WaitTimeout)

    with pytest.raises(CommandRefused):
        stop_and_wait(slow, stop, [0, 1], LATENCY, TIMEOUT, held.clock)
    assert stop.given == [[0, 1]]


# Only what is done in some states


def test_only_what_was_commanded_here_is_stopped(held: HeldEngine, stop: Stop) -> None:
    """An axis that jogs does what another request has begun."""
    times, points = np.array([0.0, 10.0]), np.array([[0.0], [5.0]])
    held.motion.move_spline(SplineMove(axes=(1,), times=times, positions=points))
    held.after(1.0)
    held.motion.jog([velocity_move(0)])
    states = OperationState.INTPL, OperationState.STOP
    stopping = Stopping(stop, [0, 1], LATENCY, states, now=held.clock.now)
    while not stopping.update(held.after(0.01)):
        assert stopping.busy in ([1], [])
    assert held.status().op_state.tolist() == [OperationState.JOG, OperationState.IDLE]
    assert all(axes == [1] for axes in stop.given)
