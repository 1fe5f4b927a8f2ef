"""Endless motion with a run time: the engine itself ends it, unless it is commanded anew."""

from math import inf, nan

import pytest
from held_engine import HeldEngine, velocity_move

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState, TorqueMove

IDLE, STOP = OperationState.IDLE, OperationState.STOP


class Running(HeldEngine):
    """Axis 0 goes at 2 u/s for 0.5 s, 10 u/s^2 up and 5 u/s^2 down, since no time at all."""

    def __init__(self, order: str, mode: CommandMode) -> None:
        super().__init__()
        self._order = order
        self.servo_on(mode=mode)
        self.go()

    def go(self, run_time: float = 0.5) -> None:
        getattr(self.motion, self._order)([velocity_move(run_time=run_time)])


KINDS = {"jog": CommandMode.POSITION, "move_velocity": CommandMode.VELOCITY}


@pytest.fixture(params=KINDS)
def running(request: pytest.FixtureRequest) -> Running:
    return Running(request.param, KINDS[request.param])


def test_where_it_comes_to_rest_does_not_depend_on_who_looks(running: Running) -> None:
    start = running.status().pos_cmd[0]
    # Speeding up for 0.2 s, 0.3 s at 2 u/s, slowing down for 0.4 s.
    if running.status().command_mode[0] == CommandMode.POSITION:
        assert running.after(3600.0).pos_cmd[0] - start == pytest.approx(0.2 + 0.6 + 0.4)
    else:
        assert running.after(3600.0).velocity_cmd[0] == 0.0


def test_a_stop_before_is_not_followed_by_another(running: Running) -> None:
    running.after(0.3)
    running.motion.stop([0])
    at_rest = running.after(0.401)
    assert (at_rest.op_state[0], at_rest.velocity_cmd[0]) == (IDLE, 0.0)
    assert running.after(1.0).op_state[0] == IDLE


@pytest.mark.parametrize("percent", [0.0, 50.0, 200.0])
def test_an_override_does_not_put_off_the_end(running: Running, percent: float) -> None:
    state = running.after(0.3).op_state[0]
    running.motion.set_override(0, percent)
    assert running.after(0.199).op_state[0] == state
    assert running.after(0.002).op_state[0] in (STOP, IDLE)
    assert running.after(2.0).velocity_cmd[0] == 0.0


@pytest.mark.parametrize("run_time", [-0.1, nan, inf])
def test_what_is_no_time_is_refused_and_changes_nothing(running: Running, run_time: float) -> None:
    with pytest.raises(CommandRefused, match="run_time") as refused:
        running.go(run_time=run_time)
    assert refused.value.code == ErrorCode.TimeArgumentOutOfRange
    assert running.after(0.4).velocity_cmd[0] == pytest.approx(2.0)
    assert running.after(1.0).velocity_cmd[0] == 0.0


def test_a_torque_ends_by_itself_too() -> None:
    held = HeldEngine().servo_on(mode=CommandMode.TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=20.0, run_time=0.2)])
    assert held.after(0.199).actual_torque[0] == pytest.approx(20.0, rel=0.1)
    ended = held.after(0.002)
    assert (ended.op_state[0], ended.command_mode[0]) == (STOP, CommandMode.POSITION)
    at_rest = held.after(1.0)
    assert at_rest.op_state[0] == IDLE
    assert at_rest.velocity_cmd[0] == 0.0
