"""Motion.status: every axis at the newest cycle, as arrays."""

import moves
import numpy as np
import pytest
from backends import Backend

from wmx_core.clock import STEADY
from wmx_core.values import (
    CommandMode,
    Flags,
    Floats,
    Ints,
    MotionStatus,
    OperationState,
)

pytestmark = pytest.mark.over_process

ARRAYS = {
    name: {Flags: np.bool_, Ints: np.int32, Floats: np.float64}[kind]
    for name, kind in MotionStatus.__annotations__.items()
    if kind in (Flags, Ints, Floats)
}


def test_a_field_has_an_element_an_axis_and_its_own_type(backend: Backend) -> None:
    assert len(ARRAYS) == 22, "all of them"
    status = backend.motion.status()
    arrays = {name: getattr(status, name) for name in ARRAYS}
    assert {name: array.shape for name, array in arrays.items()} == dict.fromkeys(
        ARRAYS, (status.axes,)
    )
    assert {name: array.dtype for name, array in arrays.items()} == ARRAYS


def test_the_axes_are_those_on_the_networks(backend: Backend) -> None:
    axes = backend.motion.status().axes
    on_the_wire = backend.ecat.network_state(0).statistics.total_axes
    assert axes == on_the_wire if backend.simulated else axes >= on_the_wire


def test_an_engine_without_communication_has_a_status(attached: Backend) -> None:
    status = attached.motion.status()
    assert not status.communicating
    assert not status.servo_on.any()


def test_at_first_every_axis_rests(backend: Backend) -> None:
    status = backend.motion.status()
    for axis in backend.axes:
        assert status.op_state[axis] == OperationState.IDLE
        assert status.command_mode[axis] == CommandMode.POSITION
        assert status.velocity_cmd[axis] == 0.0
        assert status.pos_cmd[axis] == pytest.approx(0.0, abs=backend.tolerance)
        assert not status.servo_on[axis]
        assert not status.amp_alarm[axis]
        assert status.alarm_code[axis] == 0
        assert not status.following_error_alarm[axis]
    assert status.emergency_stop is None


def test_cycles_count_the_time(backend: Backend) -> None:
    before = backend.motion.status()
    after = backend.advance(0.25)
    cycles = round(0.25 / backend.cycle_time)
    if backend.exact:
        assert after.cycle - before.cycle == cycles
    else:
        assert after.cycle - before.cycle >= cycles


def test_the_time_of_a_status_is_that_of_its_cycle(backend: Backend) -> None:
    """Time runs with the cycles; how fast, a scaled clock says."""
    first, second, third = (backend.advance(0.2) for _ in range(3))
    rates = [
        (after.time - before.time) / (after.cycle - before.cycle)
        for before, after in ((first, second), (second, third))
    ]
    assert rates[0] == pytest.approx(rates[1], rel=1e-6 if backend.simulated else 0.1)
    if backend.exact:
        assert rates[0] == pytest.approx(backend.cycle_time)


def test_a_status_is_of_now(backend: Backend) -> None:
    """On the steady clock of the process that asks."""
    if backend.exact:
        pytest.skip("a held clock has a time of its own")
    status = backend.motion.status()
    asked = STEADY.now()
    assert asked - 5.0 < status.time <= asked


def test_a_status_is_never_older_than_the_last(backend: Backend) -> None:
    seen = [backend.motion.status() for _ in range(200)]
    assert [status.cycle for status in seen] == sorted(status.cycle for status in seen)
    assert [status.time for status in seen] == sorted(status.time for status in seen)


def test_an_order_shows_in_the_next_status(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 1.0, velocity=0.1)])
    assert powered.motion.status().op_state[powered.x] == OperationState.POS


def test_a_status_that_was_read_does_not_change(powered: Backend) -> None:
    before = powered.motion.status()
    kept = {name: getattr(before, name).copy() for name in ARRAYS}
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    for name, array in kept.items():
        np.testing.assert_array_equal(getattr(before, name), array, name)  # NaN is NaN


def test_the_following_error_is_command_less_actual(powered: Backend) -> None:
    powered.motion.jog([moves.at(powered.x, 1.0)])
    status = powered.advance(0.3)
    difference = status.pos_cmd - status.actual_pos
    x = powered.x
    assert status.following_error[x] == pytest.approx(difference[x], abs=powered.tolerance)
    assert difference[x] > 0.0, "a servo lags behind"


def test_a_motion_is_not_complete_before_the_motor_is_in_position(powered: Backend) -> None:
    assert powered.motion.status().motion_complete[powered.x]
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    statuses = [powered.motion.status()]
    while statuses[-1].op_state[powered.x] != OperationState.IDLE:
        statuses.append(powered.wait_for_cycle(statuses[-1].cycle + 1))
    assert not any(status.motion_complete[powered.x] for status in statuses[:-1])
    last = powered.until(lambda status: status.motion_complete[powered.x])
    assert last.op_state[powered.x] == OperationState.IDLE
    assert abs(last.following_error[powered.x]) <= 0.001
    assert last.actual_pos[powered.x] == pytest.approx(0.5, abs=0.0011)


def test_motion_needs_torque(powered: Backend) -> None:
    powered.motion.jog([moves.at(powered.x, 40.0, acc=4.0)])  # which takes ten seconds
    speeding_up = powered.advance(0.2)
    assert speeding_up.actual_torque[powered.x] > 1.0
    powered.motion.stop([powered.x])
    powered.at_rest()
    assert abs(powered.advance(0.3).actual_torque[powered.x]) < speeding_up.actual_torque[powered.x]
    powered.motion.jog([moves.at(powered.x, -40.0, acc=4.0)])
    assert powered.advance(0.2).actual_torque[powered.x] < -1.0
