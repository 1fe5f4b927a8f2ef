"""Bringing axes to rest, on a clock that goes on when somebody sleeps."""

from types import SimpleNamespace

import pytest
from held_engine import HeldEngine, position_move, velocity_move

from wmx_ros2_package.drivers import standstill
from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.standstill import come_to_rest
from wmx_ros2_package.drivers.values import CommandMode, OperationState

IDLE = [OperationState.IDLE, OperationState.IDLE]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldEngine:
    """Two axes with their servos on; sleeping lets their time pass."""
    held = HeldEngine().servo_on()
    clock = SimpleNamespace(
        monotonic=lambda: held.clock.now_ns() / 1e9,
        sleep=held.clock.advance,
    )
    monkeypatch.setattr(standstill, "time", clock)
    return held


def slept(held: HeldEngine, since: float) -> float:
    return held.status().time - since


def test_moving_axes_are_stopped_and_waited_for(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 10.0), position_move(1, -10.0, dec=1.0)])
    began = held.after(1.0).time
    assert come_to_rest(held.motion, 5.0)
    status = held.status()
    assert status.op_state.tolist() == IDLE
    assert status.velocity_cmd.tolist() == [0.0, 0.0]
    assert slept(held, began) == pytest.approx(2.0, abs=0.01), "as long as the slower one takes"


def test_endless_moves_are_stopped_too(held: HeldEngine) -> None:
    held.motion.set_command_mode(1, CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move(1)])
    held.after(1.0)
    assert come_to_rest(held.motion, 5.0)
    assert held.status().op_state.tolist() == IDLE


def test_a_refused_stop_is_ordered_until_it_is_taken(
    held: HeldEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.motion.move_absolute([position_move(0, 10.0)])
    held.after(1.0)
    stop, refusals = held.motion.stop, [ErrorCode.NotPosMode] * 20

    def refuse_for_a_while(axes: list[int]) -> None:
        if refusals:
            raise CommandRefused(refusals.pop())
        stop(axes)

    monkeypatch.setattr(held.motion, "stop", refuse_for_a_while)
    assert come_to_rest(held.motion, 5.0)
    assert held.status().op_state.tolist() == IDLE


def test_one_that_never_helps_is_raised_in_time(
    held: HeldEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.motion.move_absolute([position_move(0, 100.0)])
    began = held.after(1.0).time

    def refuse(axes: list[int]) -> None:
        raise CommandRefused(ErrorCode.NotPosMode)

    monkeypatch.setattr(held.motion, "stop", refuse)
    with pytest.raises(CommandRefused, match="NotPosMode"):
        come_to_rest(held.motion, 5.0)
    assert slept(held, began) == pytest.approx(5.0, abs=0.1)


def test_a_refused_stop_that_reaches_all_is_no_trouble(
    held: HeldEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.motion.move_absolute([position_move(0, 10.0), position_move(1, -10.0, dec=1.0)])
    began = held.after(1.0).time
    stop = held.motion.stop

    def stop_and_refuse(axes: list[int]) -> None:
        stop(axes)
        raise CommandRefused(ErrorCode.NotPosMode)

    monkeypatch.setattr(held.motion, "stop", stop_and_refuse)
    assert come_to_rest(held.motion, 5.0)
    assert held.status().op_state.tolist() == IDLE
    assert slept(held, began) == pytest.approx(2.0, abs=0.05)


def test_resting_axes_take_no_more_than_a_second_look(held: HeldEngine) -> None:
    began = held.status().time
    assert come_to_rest(held.motion, 5.0)
    assert slept(held, began) <= 0.005
    assert come_to_rest(held.motion, 5.0, [])
    assert slept(held, began) <= 0.005, "where nobody is asked for, none"


def test_a_command_that_starts_in_the_next_cycle_is_stopped(
    held: HeldEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its axis seems to rest until then."""
    sleep = standstill.time.sleep

    def start_meanwhile(seconds: float) -> None:
        monkeypatch.setattr(standstill.time, "sleep", sleep)
        held.motion.move_absolute([position_move(0, 10.0)])
        sleep(seconds)

    monkeypatch.setattr(standstill.time, "sleep", start_meanwhile)
    assert come_to_rest(held.motion, 5.0, [0])
    status = held.status()
    assert status.op_state.tolist() == IDLE
    assert status.pos_cmd[0] < 0.1


def test_it_gives_up_after_the_timeout(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 10.0, dec=0.1)])
    began = held.after(1.0).time
    assert not come_to_rest(held.motion, 5.0)
    assert slept(held, began) == pytest.approx(5.0, abs=0.01)
    assert held.status().op_state[0] == OperationState.STOP, "it goes on slowing down"


def test_axes_without_communication_are_left_alone(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 10.0)])
    held.after(1.0)
    held.engine.stop_communication()
    began = held.status().time
    assert come_to_rest(held.motion, 5.0)
    assert slept(held, began) == 0.0


def test_axes_that_stop_already_are_waited_for(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 10.0)])
    began = held.after(1.0).time
    held.motion.stop([0])
    assert come_to_rest(held.motion, 5.0)
    assert slept(held, began) == pytest.approx(0.4, abs=0.01)
