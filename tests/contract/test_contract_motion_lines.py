"""Motion: straight lines of several axes."""

from collections.abc import Callable, Sequence
from math import hypot, inf, nan

import moves
import numpy as np
import pytest
import simulation
from backends import Backend
from simulation import QUICK_STOP_DEC
from textbook import Quantity, duration, to_position, to_rest

from wmx_core.errors import ErrorCode
from wmx_core.values import LinearMove, MotionStatus, OperationState

IDLE, INTPL = OperationState.IDLE, OperationState.INTPL
WAY = {"across": (0.6, -0.8), "along x": (1.0, 0.0), "short": (0.03, 0.04), "back": (-0.3, -0.4)}


def along(backend: Backend, *way: float) -> Quantity:
    """How far the axes have come along their way from 0, and how fast."""
    axes = list(backend.axes[: len(way)])
    direction = np.array(way) / hypot(*way)

    def of(status: MotionStatus) -> tuple[float, float]:
        position, velocity = status.pos_cmd[axes], status.velocity_cmd[axes]
        return float(position @ direction), float(velocity @ direction)

    return of


def go(backend: Backend, way: Sequence[float], **limits: float) -> Callable[[], None]:
    targets = list(zip(backend.axes, way, strict=False))
    return lambda: backend.motion.move_linear(moves.line(*targets, **limits))


@pytest.mark.over_process("move_linear")
@pytest.mark.parametrize("name", WAY)
def test_the_point_follows_the_trapezoid_along_the_line(powered: Backend, name: str) -> None:
    way = WAY[name]
    due = to_position(hypot(*way), **moves.LIMITS)
    order = powered.order(go(powered, way))
    times = [*np.linspace(0.0, duration(due), 9).tolist(), duration(due) + 0.05]
    powered.follows(order, due, times, along(powered, *way))


@pytest.mark.parametrize("name", WAY)
def test_the_axes_are_on_the_line_all_the_way_and_arrive_together(
    powered: Backend, name: str
) -> None:
    dx, dy = WAY[name]
    status = powered.order(go(powered, (dx, dy))).before
    for _ in range(3000):
        x, y = status.pos_cmd[list(powered.axes[:2])]
        assert x * dy == pytest.approx(y * dx, abs=powered.tolerance)
        vx, vy = status.velocity_cmd[list(powered.axes[:2])]
        assert vx * dy == pytest.approx(vy * dx, abs=powered.tolerance)
        states = status.op_state[list(powered.axes[:2])].tolist()
        assert states in ([INTPL, INTPL], [IDLE, IDLE])
        status = powered.wait_for_cycle(status.cycle + 1)
        if states == [IDLE, IDLE] and hypot(x, y) > 0.0:
            break
    assert (x, y) == pytest.approx((dx, dy), abs=powered.tolerance)


def test_a_line_may_begin_anywhere(powered: Backend) -> None:
    go(powered, (0.5, 0.25))()
    powered.at_rest()
    go(powered, (0.25, 0.5))()
    status = powered.at_rest()
    arrived = status.pos_cmd[list(powered.axes[:2])].tolist()
    assert arrived == pytest.approx([0.25, 0.5], abs=powered.tolerance)


def test_a_line_without_length_ends_at_once(powered: Backend) -> None:
    go(powered, (0.0, 0.0))()
    powered.until(lambda status: status.op_state[powered.x] == IDLE, timeout=0.5)


# What stops one of them stops them all


@pytest.mark.parametrize(("stop", "dec"), [("stop", 5.0), ("quick_stop", QUICK_STOP_DEC)])
@pytest.mark.parametrize("which", [0, 1])
def test_a_stop_of_one_axis_stops_all_along_the_line(
    powered: Backend, which: int, stop: str, dec: float
) -> None:
    """Its deceleration, too, is that of the point on the line."""
    go(powered, (1.8, 2.4), dec=5.0)()
    powered.advance(0.3)
    order = powered.order(lambda: getattr(powered.motion, stop)([powered.axes[which]]))
    takes = moves.VELOCITY / dec
    path = along(powered, 1.8, 2.4)
    times = [0.0, takes / 4, takes * 0.75, takes + 0.05]
    for status in powered.follows(order, to_rest(dec), times, path):
        x, y = status.pos_cmd[list(powered.axes[:2])]
        assert x * 2.4 == pytest.approx(y * 1.8, abs=powered.tolerance)
    assert powered.at_rest().op_state[powered.y] == IDLE


ENDS: dict[str, Callable[[Backend], None]] = {
    "servo off": lambda backend: backend.motion.set_servo(backend.x, on=False),
    "alarm": lambda backend: backend.play(simulation.raise_alarm(backend.x, 0x42)),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_ends_the_line_for_one_axis_ends_it_for_all(powered: Backend, end: str) -> None:
    go(powered, (1.8, 2.4))()
    powered.advance(0.3)
    ENDS[end](powered)
    status = powered.at_rest()
    assert 0.0 < status.pos_cmd[powered.x] < 1.2
    assert 0.0 < status.pos_cmd[powered.y] < 1.6
    assert status.servo_on[powered.y]


# Refusals


def test_a_line_that_takes_over_one_axis_stops_the_others(powered: Backend) -> None:
    """What is left of the path slows down with the deceleration of the path."""
    go(powered, (4.0, 4.0))()
    powered.advance(0.2)
    order = powered.order(go(powered, (0.5,)))
    powered.follows(order, to_rest(moves.DEC), [0.0, 0.03, 0.1, 0.2], powered.y)
    status = powered.at_rest()
    assert status.pos_cmd[powered.x] == pytest.approx(0.5, abs=powered.tolerance)


def test_an_axis_on_a_line_takes_no_move_of_its_own(powered: Backend) -> None:
    go(powered, (1.8, 2.4))()
    powered.advance(0.1)
    with powered.refuses(ErrorCode.NotIdleOrPosOrJogState):
        powered.motion.move_absolute([moves.to(powered.x, 0.5)])


def test_a_line_has_axes_and_a_target_for_each(powered: Backend) -> None:
    axes = tuple(powered.axes[:2])
    for bad in ((), axes[:1], (*axes, *axes)):
        with powered.refuses(ErrorCode.AxisCountOutOfRange):
            move = LinearMove(axes=axes if bad else (), targets=(0.5,) * len(bad), **moves.LIMITS)
            powered.motion.move_linear(move)


def test_a_line_to_a_target_out_of_range(harmless_powered: Backend) -> None:
    for target in (nan, inf, 1e300):
        with harmless_powered.refuses(ErrorCode.PositionArgumentOutOfRange):
            go(harmless_powered, (0.5, target))()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("velocity", ErrorCode.VelocityArgumentOutOfRange),
        ("acc", ErrorCode.AccArgumentOutOfRange),
        ("dec", ErrorCode.DecArgumentOutOfRange),
    ],
)
def test_a_line_with_a_rate_out_of_range(
    harmless_powered: Backend, name: str, code: ErrorCode
) -> None:
    for value in (nan, inf, -1.0, 0.0):
        with harmless_powered.refuses(code):
            go(harmless_powered, (0.5, 0.5), **{name: value})()
