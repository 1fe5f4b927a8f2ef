"""Motion: absolute and relative moves follow the textbook trapezoid, and take over from others."""

import moves
import numpy as np
import pytest
from backends import Backend
from textbook import Plan, axis, duration, to_position

from wmx_core.values import OperationState

IDLE, POS = OperationState.IDLE, OperationState.POS

SHAPES = {
    "trapezoid": {"target": 1.0},
    "backwards": {"target": -1.0},
    "triangle, too short for its velocity": {"target": 0.1},
    "slow up, quick down": {"target": 0.8, "acc": 4.0, "dec": 40.0},
    "slow": {"target": -0.1, "velocity": 0.25},
}


def plan(target: float, **limits: float) -> Plan:
    return to_position(target, **{**moves.LIMITS, **limits})


def times(of: Plan, count: int = 9) -> list[float]:
    """Times all through a plan from rest at 0, and one after it."""
    return [*np.linspace(0.0, duration(of), count).tolist(), duration(of) + 0.05]


# From rest


@pytest.mark.over_process("move_absolute")
@pytest.mark.parametrize("shape", SHAPES)
def test_an_absolute_move_follows_its_trapezoid(powered: Backend, shape: str) -> None:
    due = plan(**SHAPES[shape])
    move = moves.to(powered.x, **SHAPES[shape])
    order = powered.order(lambda: powered.motion.move_absolute([move]))
    seen = powered.follows(order, due, times(due), powered.x)
    assert seen[-1].pos_cmd[powered.x] == pytest.approx(move.target, abs=powered.tolerance)
    assert seen[-1].velocity_cmd[powered.x] == 0.0


@pytest.mark.over_process("move_relative")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_relative_move_is_by_its_target(powered: Backend, shape: str) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    move = moves.to(powered.x, **SHAPES[shape])
    order = powered.order(lambda: powered.motion.move_relative([move]))
    due = plan(**{**SHAPES[shape], "target": 0.5 + move.target})
    seen = powered.follows(order, due, times(plan(**SHAPES[shape])), powered.x)
    expected = pytest.approx(0.5 + move.target, abs=powered.tolerance)
    assert seen[-1].pos_cmd[powered.x] == expected


def test_the_operation_state_tells_of_the_move(powered: Backend) -> None:
    before = powered.motion.status()
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    status = powered.advance(0.1)
    others = [axis for axis in range(before.axes) if axis != powered.x]
    assert status.op_state[powered.x] == POS
    assert (status.op_state[others] == IDLE).all()
    assert not status.motion_complete[powered.x]
    after = powered.at_rest()
    assert after.op_state[powered.x] == IDLE
    assert after.pos_cmd[others].tolist() == before.pos_cmd[others].tolist()


def test_a_move_to_where_the_axis_is_ends_at_once(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.0)])
    status = powered.until(lambda status: status.op_state[powered.x] == IDLE, timeout=0.5)
    assert status.pos_cmd[powered.x] == pytest.approx(0.0, abs=powered.tolerance)


# Several axes


def test_axes_start_in_the_same_cycle_each_with_its_own_move(powered: Backend) -> None:
    slowly = {"velocity": 1.0, "acc": 10.0, "dec": 20.0}
    both = [moves.to(powered.x, 1.0), moves.to(powered.y, -0.5, **slowly)]
    order = powered.order(lambda: powered.motion.move_absolute(both))
    seen = powered.seen(order, np.linspace(0.0, 1.0, 9).tolist())
    beginnings = [
        {
            start
            for start in order.starts
            if order.deviation(due, start, seen, axis(move.axis)) <= powered.tolerance
        }
        for move, due in zip(both, (plan(1.0), plan(-0.5, **slowly)), strict=True)
    ]
    assert beginnings[0] & beginnings[1], "one beginning explains both"


@pytest.mark.parametrize("relative", [False, True])
def test_several_axes_arrive_each_at_its_target(powered: Backend, relative: bool) -> None:
    both = [moves.to(powered.x, 0.5), moves.to(powered.y, -0.25)]
    order = powered.motion.move_relative if relative else powered.motion.move_absolute
    for times_moved in (1, 2):
        order(both)
        status = powered.at_rest()
        factor = times_moved if relative else 1
        expected = [0.5 * factor, -0.25 * factor]
        assert status.pos_cmd[list(powered.axes[:2])].tolist() == pytest.approx(
            expected, abs=powered.tolerance
        )


# Taking over from a move that cruises

OVERRIDES = {
    "farther": {"target": 3.5},
    "nearer": {"target": 1.2},
    "faster": {"target": 2.5, "velocity": 3.0},
    "slower": {"target": 1.5, "velocity": 1.0},
    "harder": {"target": 1.5, "acc": 40.0, "dec": 40.0},
    "back": {"target": 0.2},
    "too near to stop before it": {"target": 0.5},
    "the same": {"target": 3.0},
}


def cruise(backend: Backend) -> None:
    """x moves to 3 and is at its full velocity."""
    backend.motion.move_absolute([moves.to(backend.x, 3.0)])
    status = backend.advance(0.2)
    cruising = pytest.approx(moves.VELOCITY, abs=backend.tolerance)
    assert status.velocity_cmd[backend.x] == cruising


@pytest.mark.parametrize("name", OVERRIDES)
def test_a_new_move_takes_over_from_the_current_state(powered: Backend, name: str) -> None:
    cruise(powered)
    move = moves.to(powered.x, **OVERRIDES[name])
    order = powered.order(lambda: powered.motion.move_absolute([move]))
    due = plan(**OVERRIDES[name])
    takes = duration(due, 0.4, moves.VELOCITY)
    seen = powered.follows(order, due, [0.0, 0.02, 0.05, 0.1, 0.2, takes + 0.5], powered.x)
    arrived = pytest.approx(move.target, abs=powered.tolerance)
    assert seen[-1].pos_cmd[powered.x] == arrived


def test_a_relative_move_that_takes_over_counts_from_where_the_other_would_have_ended(
    powered: Backend,
) -> None:
    cruise(powered)
    order = powered.order(lambda: powered.motion.move_relative([moves.to(powered.x, 0.75)]))

    powered.follows(order, plan(3.0 + 0.75), [0.0, 0.1, 0.3, 1.0, 3.0], powered.x)


def test_taking_over_leaves_the_other_axes_alone(powered: Backend) -> None:
    both = [moves.to(powered.x, 3.0), moves.to(powered.y, 1.0)]
    order = powered.order(lambda: powered.motion.move_absolute(both))
    powered.advance(0.2)
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.follows(order, plan(1.0), [0.25, 0.4, 1.0], powered.y)
