"""What has to hold whatever is ordered, and whoever looks on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_type_hints
from unittest.mock import patch

import numpy as np
import pytest
from cases import cases
from held_engine import MODEL, HeldEngine, same
from hypothesis import given, settings
from hypothesis import strategies as st
from random_orders import END, SWITCH, TOP_SPEED, Script, carry_out, machine_with_ends, scripts

from wmx_core.values import CommandMode, Flags, Floats, Ints, MotionStatus, OperationState
from wmx_sim.engine.motion.axis import Axis

pytestmark = pytest.mark.long

EVENTS = 200
"""More than what an axis has to do by itself in any one cycle."""
FINITE = [
    name
    for name, kind in get_type_hints(MotionStatus).items()
    if kind in (Flags, Ints, Floats) and name not in ("target", "remaining")
]
BOUND_ROUNDING = 4e-6 * 100.0
"""A bound is met to some microseconds of the largest acceleration there is, revolutions/s."""


@contextmanager
def events_end() -> Iterator[None]:
    """Fail where an axis has something to do at one time again and again."""
    done: dict[tuple[Axis, float], int] = {}
    advance = Axis.advance

    def counted(axis: Axis, time: float) -> None:
        key = axis, round(time, 3)
        done[key] = done.get(key, 0) + 1
        assert done[key] <= EVENTS, f"busy at {time} s"
        advance(axis, time)

    with patch.object(Axis, "advance", counted):
        yield


def run(script: Script, looks: list[int]) -> tuple[list[int], MotionStatus]:
    """The refusals of a script and the state at its end; `looks` are milliseconds between looks."""
    held = machine_with_ends()
    refusals = []
    pending = list(looks)
    for wait, order in script:
        while pending and pending[0] < wait:
            wait -= pending[0]
            held.after(pending.pop(0) / 1000)
        held.clock.advance(wait / 1000)
        refusals.append(carry_out(held, *order))
    return refusals, held.after(0.25)


@settings(max_examples=cases(200))
@given(scripts, st.lists(st.integers(1, 300), max_size=100))
def test_what_happens_does_not_depend_on_how_often_anybody_looks(
    script: Script, looks: list[int]
) -> None:
    with events_end():
        unseen, at_end = run(script, [])
        seen, watched_at_end = run(script, looks)
        assert seen == unseen
        assert same(watched_at_end, at_end)
        again, repeated = run(script, [])
        assert again == unseen
        assert same(repeated, at_end), "and the same script gives the same motion again"


@settings(max_examples=cases(200))
@given(scripts)
def test_whatever_is_ordered_the_state_makes_sense(script: Script) -> None:
    with events_end():
        held = machine_with_ends()
        for wait, order in script:
            for part in (wait // 2, wait - wait // 2):
                held.clock.advance(part / 1000)
                require_sense(held)
            carry_out(held, *order)
            require_sense(held)
        held.engine.stop_communication()
        status = held.after(60.0)
        assert (status.op_state == OperationState.IDLE).all(), "everything comes to rest"


def require_sense(held: HeldEngine) -> None:
    """Fail unless the status is one that a machine can have."""
    status = held.status()
    assert (status.remaining >= 0.0).all()
    ends = np.isfinite(status.remaining) & (status.op_state != OperationState.IDLE)
    timed = np.isin(status.op_state, [OperationState.JOG, OperationState.TRQ])
    assert (np.isfinite(status.target) == ends)[~timed].all()
    for name in FINITE:
        assert np.isfinite(getattr(status, name)).all(), name
    assert not (status.servo_on & (status.amp_alarm | status.servo_offline)).any()
    powered = np.isin(status.op_state, [OperationState.IDLE, OperationState.STOP])
    assert (powered | status.servo_on).all(), "nothing but a servo moves an axis"
    assert (status.op_state[status.motion_complete] == OperationState.IDLE).all()
    assert (status.actual_torque[~status.servo_on] == 0.0).all()
    commanded = status.command_mode != CommandMode.TORQUE
    resting = status.op_state == OperationState.IDLE
    assert (status.velocity_cmd[resting & commanded] == 0.0).all()
    assert (status.following_error[~commanded & status.servo_on] == 0.0).all()
    shared = held.fake.shared_state
    for axis, gear in enumerate(map(held.motion.parameters().axis, range(status.axes))):
        counts_per_unit = gear.gear_ratio_numerator / gear.gear_ratio_denominator
        revolution = MODEL.counts_per_revolution / counts_per_unit
        speed = abs(status.actual_velocity[axis]) / revolution
        assert speed <= TOP_SPEED + BOUND_ROUNDING or not gear.max_motor_speed
        behind = (END - SWITCH) * revolution
        rounding = 2e-6 / counts_per_unit + 1e-14 * abs(status.actual_pos[axis])
        if np.isfinite(shared.positive_ls[axis]):
            assert status.actual_pos[axis] <= shared.positive_ls[axis] + behind + rounding
        if np.isfinite(shared.negative_ls[axis]):
            assert status.actual_pos[axis] >= shared.negative_ls[axis] - behind - rounding
