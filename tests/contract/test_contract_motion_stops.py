"""Motion: stop and quick stop, each with its deceleration; both end whatever an axis does."""

from collections.abc import Callable

import moves
import pytest
import simulation
from backends import Backend
from textbook import axis, to_position, to_rest

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState

IDLE, STOP = OperationState.IDLE, OperationState.STOP
QUICK_DEC = simulation.QUICK_STOP_DEC
Stop = Callable[..., None]
"""Takes a backend and axes."""
STOPS: dict[str, tuple[Stop, float]] = {
    "stop": (lambda backend, *axes: backend.motion.stop(axes), 5.0),
    "quick_stop": (lambda backend, *axes: backend.motion.quick_stop(axes), QUICK_DEC),
}
"""Each with the deceleration it has for a move with a deceleration of 5 u/s^2."""


@pytest.fixture(params=STOPS)
def stop(request: pytest.FixtureRequest) -> tuple[Stop, float]:
    return STOPS[request.param]


def cruise(backend: Backend) -> None:
    """x and y move to 3 and -3, and are at their full velocity."""
    backend.motion.move_absolute(
        [moves.to(backend.x, 3.0, dec=5.0), moves.to(backend.y, -3.0, dec=5.0)]
    )
    backend.advance(0.2)


@pytest.mark.over_process("stop", "quick_stop", each="stop")
def test_it_slows_down_with_its_deceleration(powered: Backend, stop: tuple[Stop, float]) -> None:
    order, dec = stop
    cruise(powered)
    given = powered.order(lambda: order(powered, powered.x, powered.y))
    takes = moves.VELOCITY / dec
    times = [0.0, takes / 4, takes / 2, takes * 0.9, takes + 0.05]
    seen = powered.follows(given, to_rest(dec), times, powered.x)
    given.follows(to_rest(dec), seen, axis(powered.y), powered.tolerance)
    assert seen[2].op_state[powered.x] == STOP
    assert seen[-1].op_state[powered.x] == IDLE


def test_it_stops_its_axes_alone(powered: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    moved = powered.order(
        lambda: powered.motion.move_absolute([moves.to(powered.x, 3.0), moves.to(powered.y, 1.0)])
    )
    powered.advance(0.15)
    order(powered, powered.x)
    due = to_position(1.0, **moves.LIMITS)
    powered.follows(moved, due, [0.3, 0.5, 1.0], powered.y)


@pytest.mark.parametrize("kind", ["move", "jog", "line"])
def test_it_stops_what_was_ordered_a_moment_ago(
    powered: Backend, stop: tuple[Stop, float], kind: str
) -> None:
    """Also what only starts in the next cycle, which the vendor's engine leaves out of a stop."""
    order, _ = stop
    give: dict[str, Callable[[], None]] = {
        "move": lambda: powered.motion.move_absolute(
            [moves.to(powered.x, 3.0), moves.to(powered.y, 3.0)]
        ),
        "jog": lambda: powered.motion.jog([moves.at(powered.x), moves.at(powered.y)]),
        "line": lambda: powered.motion.move_linear(moves.line((powered.x, 3.0), (powered.y, 3.0))),
    }
    give[kind]()
    order(powered, powered.x, powered.y)
    powered.at_rest()
    later = powered.advance(0.3)
    assert (later.op_state[list(powered.axes)] == IDLE).all()
    assert (abs(later.pos_cmd[list(powered.axes)]) < 0.5).all()


def test_after_it_nothing_comes_back(powered: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    cruise(powered)
    order(powered, powered.x, powered.y)
    stopped = powered.at_rest()
    later = powered.advance(0.3)
    assert later.pos_cmd.tolist() == stopped.pos_cmd.tolist()
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.5, abs=powered.tolerance)


def test_a_resting_axis_rests(powered: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    before = powered.motion.status()
    order(powered, powered.x, powered.y)
    after = powered.advance(0.1)
    assert (after.op_state[list(powered.axes)] == IDLE).all()
    assert after.pos_cmd.tolist() == before.pos_cmd.tolist()


def test_an_axis_without_servo_rests(backend: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    order(backend, backend.x)
    assert backend.advance(0.05).op_state[backend.x] == IDLE


def test_an_axis_that_is_not_there(powered: Backend, stop: tuple[Stop, float]) -> None:
    order, _ = stop
    cruise(powered)
    for unknown in (-1, 128):
        with pytest.raises(CommandRefused) as refused:
            order(powered, powered.x, unknown)
        assert refused.value.code == ErrorCode.AxisOutOfRange
    assert powered.motion.status().op_state[powered.x] == OperationState.POS, "nothing stops"


def test_a_quick_stop_overtakes_a_stop(powered: Backend) -> None:
    cruise(powered)
    powered.motion.stop([powered.x])
    powered.advance(0.1)
    quick = powered.order(lambda: powered.motion.quick_stop([powered.x]))
    status = powered.advance(0.01)
    slowed = status.velocity_cmd[powered.x] - quick.before.velocity_cmd[powered.x]
    cycles = status.cycle - quick.before.cycle, status.cycle - quick.starts[-1]
    most, least = (-QUICK_DEC * count * powered.cycle_time for count in cycles)
    slack = 5.0 * (cycles[0] - cycles[1]) * powered.cycle_time + powered.tolerance
    assert most - powered.tolerance <= slowed <= least + slack


def test_a_stop_does_not_ease_a_quick_stop(powered: Backend) -> None:
    cruise(powered)
    given = powered.order(lambda: powered.motion.quick_stop([powered.x]))
    powered.motion.stop([powered.x])
    times = [0.02, 0.05, 0.09, 0.15]
    powered.follows(given, to_rest(QUICK_DEC), times, powered.x)


def test_a_quick_stop_may_be_gentler_than_a_stop(backend: Backend) -> None:
    """Its deceleration is the parameter, whatever the motion's."""
    backend.load(MotionParam_QuickStopDec=4)
    backend.servo_on()
    cruise(backend)
    given = backend.order(lambda: backend.motion.quick_stop([backend.x]))
    backend.follows(given, to_rest(4.0), [0.0, 0.1, 0.3, 0.6], backend.x)


def test_a_velocity_move_quick_stops(backend: Backend) -> None:
    backend.servo_on(mode=CommandMode.VELOCITY)
    backend.motion.move_velocity([moves.at(backend.x, -2.0)])
    backend.advance(0.2)
    given = backend.order(lambda: backend.motion.quick_stop([backend.x]))
    backend.follows(given, to_rest(QUICK_DEC), [0.0, 0.05, 0.15], backend.x)
