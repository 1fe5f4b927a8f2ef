"""Axes that the engine stops by itself when nothing feeds them any more."""

import pytest
from backends import Backend
from moves import at, to, torque

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, EmergencyStop, MotionStatus, OperationState

TIMEOUT = 0.1


def feed(backend: Backend, *axes: int, timeout: float = TIMEOUT) -> None:
    backend.engine.feed_dead_man(axes, timeout)


def wait(backend: Backend, seconds: float) -> MotionStatus:
    """Let `seconds` pass by the steady clock, on which the timeout is."""
    return backend.advance(seconds * (backend.clock_rate or 1.0))


@pytest.mark.over_process
def test_an_axis_that_is_not_fed_any_more_is_stopped(powered: Backend) -> None:
    powered.motion.jog([at(powered.x, 1.0), at(powered.y, 1.0)])
    feed(powered, powered.x)  # last: it stops what moves when its time is over
    status = wait(powered, 3.0 * TIMEOUT)
    assert status.op_state[powered.x] in (OperationState.STOP, OperationState.IDLE)
    assert status.op_state[powered.y] == OperationState.JOG
    powered.motion.stop([powered.y])
    powered.at_rest()


def test_it_is_stopped_neither_early_nor_late(powered: Backend) -> None:
    if not powered.exact:
        pytest.skip("the clock runs")
    powered.motion.jog([at(powered.x, 1.0)])
    wait(powered, 0.5)
    feed(powered, powered.x)
    last = wait(powered, TIMEOUT - 0.001)
    assert last.op_state[powered.x] == OperationState.JOG
    assert wait(powered, 0.003).op_state[powered.x] == OperationState.STOP


def test_a_short_timeout_holds_beside_a_longer_one(powered: Backend) -> None:
    feed(powered, powered.x, timeout=10.0)
    feed(powered, powered.y)
    powered.motion.jog([at(powered.x, 1.0), at(powered.y, 1.0)])
    status = wait(powered, 3.0 * TIMEOUT)
    assert status.op_state[powered.x] == OperationState.JOG
    assert status.op_state[powered.y] in (OperationState.STOP, OperationState.IDLE)
    feed(powered, powered.x, timeout=0.0)
    powered.motion.stop([powered.x])
    powered.at_rest()


def test_an_axis_that_is_fed_goes_on(powered: Backend) -> None:
    feed(powered, powered.x, powered.y)
    powered.motion.move_absolute([to(axis, 5.0, velocity=0.5) for axis in powered.axes])
    for _ in range(20):
        wait(powered, 0.04)
        feed(powered, powered.x, powered.y)
    assert (powered.motion.status().op_state[[*powered.axes]] == OperationState.POS).all()
    powered.motion.stop(powered.axes)
    powered.at_rest()


def test_an_axis_that_is_let_go_is_not_watched(powered: Backend) -> None:
    feed(powered, powered.x)
    powered.motion.jog([at(powered.x, 1.0)])
    feed(powered, powered.x, timeout=0.0)
    assert wait(powered, 5.0 * TIMEOUT).op_state[powered.x] == OperationState.JOG
    powered.motion.stop([powered.x])
    powered.at_rest()


def test_what_was_stopped_may_move_again(powered: Backend) -> None:
    feed(powered, powered.x)
    powered.motion.jog([at(powered.x, 1.0)])
    wait(powered, 3.0 * TIMEOUT)
    powered.at_rest()
    feed(powered, powered.x)
    powered.motion.jog([at(powered.x, 1.0)])
    feed(powered, powered.x)
    assert wait(powered, TIMEOUT / 2.0).op_state[powered.x] == OperationState.JOG
    wait(powered, 3.0 * TIMEOUT)
    powered.at_rest()


def test_a_torque_is_ended(harmless: Backend) -> None:
    """By the engine's emergency stop where it has no other end for it."""
    harmless.servo_on(harmless.x, mode=CommandMode.TORQUE)
    feed(harmless, harmless.x)
    harmless.motion.move_torque([torque(harmless.x, 10.0)])
    status = wait(harmless, 3.0 * TIMEOUT)
    assert status.op_state[harmless.x] != OperationState.TRQ
    stopped = EmergencyStop.LEVEL1 if harmless.vendor_rules else None
    assert status.emergency_stop == stopped


@pytest.mark.parametrize("timeout", [0.01, -1.0, 100.0, float("nan")])
def test_a_timeout_that_is_none(powered: Backend, timeout: float) -> None:
    with powered.refuses(ErrorCode.TimeArgumentOutOfRange):
        feed(powered, powered.x, timeout=timeout)
