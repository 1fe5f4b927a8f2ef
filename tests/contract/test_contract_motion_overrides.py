"""Motion.set_override: a running move at another velocity, and on."""

from collections.abc import Callable
from math import inf, nan

import moves
import pytest
from backends import Backend
from textbook import to_position, to_rest, to_velocity

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, OperationState

POS, IDLE = OperationState.POS, OperationState.IDLE


@pytest.mark.over_process("set_override")
@pytest.mark.parametrize("percent", [25.0, 50.0, 100.0, 150.0, 200.0])
def test_a_position_move_goes_on_at_another_velocity(powered: Backend, percent: float) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0, velocity=1.0)])
    powered.advance(0.4)
    order = powered.order(lambda: powered.motion.set_override(powered.x, percent))
    limits = {**moves.LIMITS, "velocity": percent / 100.0}
    due = to_position(2.0, **limits)
    seen = powered.follows(order, due, [0.0, 0.02, 0.1, 0.3, 0.6], powered.x)
    assert seen[0].op_state[powered.x] == POS
    end = powered.until(lambda status: status.op_state[powered.x] == IDLE, cycles=20)
    assert end.pos_cmd[powered.x] == pytest.approx(2.0, abs=powered.tolerance)


@pytest.mark.parametrize("then", [50.0, 100.0, 200.0])
def test_at_0_percent_a_position_move_waits_and_goes_on(powered: Backend, then: float) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 1.0, velocity=1.0)])
    powered.advance(0.3)
    order = powered.order(lambda: powered.motion.set_override(powered.x, 0.0))
    seen = powered.follows(order, to_rest(moves.DEC), [0.0, 0.05, 0.12, 0.5], powered.x)
    assert [status.op_state[powered.x] for status in seen] == [POS] * 4
    assert not seen[-1].motion_complete[powered.x]
    again = powered.order(lambda: powered.motion.set_override(powered.x, then))
    due = to_position(1.0, **{**moves.LIMITS, "velocity": then / 100.0})
    powered.follows(again, due, [0.02, 0.1, 0.3], powered.x)
    end = powered.until(lambda status: status.op_state[powered.x] == IDLE, cycles=20)
    assert end.pos_cmd[powered.x] == pytest.approx(1.0, abs=powered.tolerance)


def test_a_relative_move_keeps_its_target(powered: Backend) -> None:
    powered.motion.move_relative([moves.to(powered.x, 0.5, velocity=0.5)])
    powered.advance(0.3)
    powered.motion.set_override(powered.x, 200.0)
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.5, abs=powered.tolerance)


ENDLESS: dict[str, CommandMode] = {
    "jog": CommandMode.POSITION,
    "move_velocity": CommandMode.VELOCITY,
}


@pytest.mark.parametrize("order", ENDLESS)
@pytest.mark.parametrize("percent", [0.0, 40.0, 200.0])
def test_an_endless_move_goes_on_at_another_velocity(
    backend: Backend, order: str, percent: float
) -> None:
    backend.servo_on(mode=ENDLESS[order])
    getattr(backend.motion, order)([moves.at(backend.x, -1.0)])
    state = backend.advance(0.2).op_state[backend.x]
    given = backend.order(lambda: backend.motion.set_override(backend.x, percent))
    due = to_velocity(-percent / 100.0, acc=moves.ACC, dec=moves.DEC)
    seen = backend.follows(given, due, [0.0, 0.02, 0.05, 0.15, 0.3], backend.x)
    assert seen[-1].op_state[backend.x] == state, "also at rest"
    back = backend.order(lambda: backend.motion.set_override(backend.x, 100.0))
    due = to_velocity(-1.0, acc=moves.ACC, dec=moves.DEC)
    backend.follows(back, due, [0.02, 0.15, 0.3], backend.x)


def test_it_is_over_with_the_next_order(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0, velocity=1.0)])
    powered.advance(0.2)
    powered.motion.set_override(powered.x, 20.0)
    powered.advance(0.2)
    order = powered.order(
        lambda: powered.motion.move_absolute([moves.to(powered.x, 1.0, velocity=1.0)])
    )
    due = to_position(1.0, **{**moves.LIMITS, "velocity": 1.0})
    powered.follows(order, due, [0.0, 0.05, 0.2, 0.5], powered.x)


@pytest.mark.parametrize("end", ["stop", "quick_stop"])
def test_a_move_that_waits_can_be_stopped(powered: Backend, end: str) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0)])
    powered.advance(0.2)
    powered.motion.set_override(powered.x, 0.0)
    waiting = powered.advance(0.5)
    assert waiting.op_state[powered.x] == POS
    getattr(powered.motion, end)([powered.x])
    status = powered.until(lambda status: status.op_state[powered.x] == IDLE, cycles=20)
    assert status.pos_cmd[powered.x] == waiting.pos_cmd[powered.x]


def test_the_other_axes_keep_their_velocity(powered: Backend) -> None:
    order = powered.order(
        lambda: powered.motion.move_absolute([moves.to(powered.x, 2.0), moves.to(powered.y, 2.0)])
    )
    powered.advance(0.1)
    powered.motion.set_override(powered.x, 50.0)
    due = to_position(2.0, **moves.LIMITS)
    powered.follows(order, due, [0.3, 0.7, 1.3], powered.y)


# Refusals


@pytest.mark.parametrize("percent", [-1.0, 20_000.1, nan, inf])
def test_what_is_no_override(harmless_powered: Backend, percent: float) -> None:
    harmless_powered.motion.move_absolute([moves.to(harmless_powered.x, 2.0)])
    harmless_powered.advance(0.1)
    with harmless_powered.refuses(ErrorCode.VelocityArgumentOutOfRange):
        harmless_powered.motion.set_override(harmless_powered.x, percent)


STATES: dict[str, Callable[[Backend], object]] = {
    "rest": lambda backend: None,
    "a line": lambda backend: backend.motion.move_linear(
        moves.line((backend.x, 1.0), (backend.y, 1.0), velocity=0.5)
    ),
    "a stop": lambda backend: (
        backend.motion.jog([moves.at(backend.x, dec=1.0)]),
        backend.advance(0.2),
        backend.motion.stop([backend.x]),
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_what_has_no_velocity_to_change(powered: Backend, state: str) -> None:
    STATES[state](powered)
    powered.advance(0.05)
    with powered.refuses(ErrorCode.NotPosOrJogOrVelocityState):
        powered.motion.set_override(powered.x, 50.0)
