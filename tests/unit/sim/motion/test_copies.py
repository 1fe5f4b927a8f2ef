"""A copy of axes does what the axes themselves do then, to the last bit, and moves none of them."""

from collections.abc import Sequence

import numpy as np
import pytest
from cases import cases
from held_engine import HeldEngine, position_move, same
from hypothesis import given, settings
from hypothesis import strategies as st
from random_orders import AXES, MOVES, Script, carry_out, machine_with_ends, scripts, values

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import Course, Gearing, MotionStatus, OperationState
from wmx_sim.engine.engine_copy import EngineCopy, copy_from_status, exact_copy
from wmx_sim.engine.proxies import StatesProxy
from wmx_sim.server.codec import pack, unpack

FIELDS = {
    "command": "pos_cmd",
    "motor": "actual_pos",
    "velocity": "velocity_cmd",
    "torque": "actual_torque",
    "following_error": "following_error",
} | {
    name: name
    for name in (
        *("positive_ls", "negative_ls", "positive_soft_limit", "negative_soft_limit"),
        *("amp_alarm", "following_error_alarm", "motion_complete"),
    )
}
AFTERWARDS = [name for name in (*MOVES, "stop", "quick_stop", "set_servo") if name != "home"]
orders = st.sampled_from(AFTERWARDS).flatmap(
    lambda name: st.tuples(st.just(name), st.integers(0, AXES - 1), values[name])
)
afterwards: st.SearchStrategy[Script] = st.lists(
    st.tuples(st.integers(1, 700), orders), min_size=1, max_size=5
)


class Copied:
    """A copy, commanded as a held engine is."""

    def __init__(self, copy: EngineCopy) -> None:
        self.copy = copy
        self.motion = copy.motion

    def status(self) -> MotionStatus:
        return self.motion.status()


def copy_of(held: HeldEngine, axes: Sequence[int] = range(AXES)) -> EngineCopy:
    """Return a copy that has gone from one process to another."""
    return exact_copy(unpack(pack(StatesProxy(held.fake.call).copy([*axes]))), axes)


def until(copy: EngineCopy, cycle: int) -> list[Course]:
    courses = []
    while copy.motion.status().cycle < cycle:
        copy.run(cycle)
        courses.append(copy.course())
    return courses


def require_same(held: HeldEngine, courses: list[Course], axes: Sequence[int]) -> None:
    """Let time go on, and fail where a cycle is not as `courses` had it."""
    for course in courses:
        for row, cycle in enumerate(course.cycles.tolist()):
            status = held.status()
            if status.cycle < cycle:
                status = held.after(0.001)
            assert status.cycle == cycle
            for ours, theirs in FIELDS.items():
                here, there = getattr(course, ours)[row, axes], getattr(status, theirs)[axes]
                assert (here == there).all(), (ours, cycle, here, there)


@pytest.mark.long
@settings(max_examples=cases(60))
@given(scripts, afterwards)
def test_a_copy_does_what_the_axes_do_then(before: Script, then: Script) -> None:
    held = machine_with_ends()
    for wait, order in before:
        held.clock.advance(wait / 1000)
        carry_out(held, *order)
    status = held.status()
    copied = Copied(copy_of(held))
    assert same(copied.status(), status)
    # What searches for its home does not go on with that in a copy.
    axes = np.flatnonzero(status.op_state != OperationState.HOME).tolist()
    for wait, order in then:
        codes = carry_out(copied, *order), carry_out(held, *order)  # type: ignore[arg-type]
        if order[1] in axes:
            assert codes[0] == codes[1], order
        elif codes[0] != codes[1]:
            return  # a search that ends here, and goes on there
        require_same(held, until(copied.copy, held.status().cycle + wait), axes)


def test_a_copy_moves_nothing_and_is_moved_by_nothing() -> None:
    held = machine_with_ends()
    copy = copy_of(held)
    before = held.status()
    copy.motion.move_absolute([position_move(0, 2.0)])
    until(copy, before.cycle + 500)
    assert same(held.status(), before)
    held.motion.move_absolute([position_move(1, 1.0)])
    assert held.after(0.5).pos_cmd[1] > 0.0
    assert copy.motion.status().pos_cmd[1] == 0.0


def test_an_axis_is_copied_with_those_that_it_moves_with() -> None:
    held = machine_with_ends()
    carry_out(held, "move_linear", 0, (2.0, 1.0))
    held.after(0.3)
    copy = copy_of(held, [0])
    copy.motion.stop([0])
    held.motion.stop([0])
    courses = until(copy, held.status().cycle + 800)
    final = held.after(0.8)
    assert (courses[-1].command[-1], courses[-1].motor[-1]) == (
        final.pos_cmd[0],
        final.actual_pos[0],
    )
    assert (copy.motion.status().pos_cmd[:2] == final.pos_cmd[:2]).all()


def test_a_spline_that_is_stopped_is_copied_with_its_stop() -> None:
    held = machine_with_ends()
    carry_out(held, "move_spline", 0, [(0.3, 0.1)])
    held.after(0.25)
    held.motion.stop([0])
    held.after(0.01)
    copy = copy_of(held, [0, 1])
    for motion in copy.motion, held.motion:
        motion.quick_stop([0])
    require_same(held, until(copy, held.status().cycle + 300), [0, 1])


@pytest.mark.parametrize("copied", [[0], [1]])
def test_an_axis_is_copied_with_those_that_follow_it(copied: list[int]) -> None:
    held = machine_with_ends()
    held.motion.start_gearing([Gearing(slave=1, master=0, ratio=-0.5)])
    held.after(0.01)
    copy = copy_of(held, copied)
    for motion in copy.motion, held.motion:
        motion.move_absolute([position_move(0, 1.0)])
    until(copy, held.status().cycle + 1500)
    final = held.after(1.5)
    assert final.pos_cmd[:2].tolist() == pytest.approx([1.0, -0.5])
    assert (copy.motion.status().pos_cmd[:2] == final.pos_cmd[:2]).all()
    assert (copy.motion.status().actual_pos[:2] == final.actual_pos[:2]).all()


def test_peaks_of_a_trapezoid_are_those_that_were_asked_for() -> None:
    held = machine_with_ends()
    copy = copy_of(held, [2])
    copy.motion.move_absolute([position_move(2, 2.0, velocity=1.0, acc=8.0, dec=4.0)])
    now = held.status().cycle
    courses = [course for cycles in (1, 2, 4000) for course in until(copy, now + cycles)]
    begun = [course.top_acceleration[0] for course in courses[:2]]
    assert begun == pytest.approx([8.0, 8.0], rel=0.01), "in a cycle, too"
    assert max(course.velocity.max() for course in courses) == pytest.approx(1.0, rel=0.01)
    assert max(course.top_acceleration[0] for course in courses) == pytest.approx(8.0, rel=0.01)
    assert max(course.top_jerk[0] for course in courses) == 0.0


def test_a_copy_that_runs_for_minutes_is_answered_from_its_first_cycle_on() -> None:
    held = machine_with_ends()
    copy = copy_of(held, [0])
    copy.motion.move_absolute([position_move(0, 1.0, velocity=0.01, acc=0.5, dec=0.5)])
    copy.run(held.status().cycle + 200_000)
    course = copy.course()
    assert (course.command[0, 0], course.command.min()) == (0.0, 0.0)
    assert course.top_acceleration[0] == pytest.approx(0.5, rel=0.01)


def test_an_engine_that_does_not_communicate_copies_refusing_axes() -> None:
    held = HeldEngine(2, start=False)
    with pytest.raises(CommandRefused) as refused:
        copy_of(held, [0]).motion.set_servo(0, on=True)
    assert refused.value.code == ErrorCode.CommNotStarted


def test_axes_made_from_a_status_are_as_it_says() -> None:
    held = machine_with_ends()
    carry_out(held, "move_absolute", 1, 1.5)
    held.after(5.0)
    held.motion.set_position(2, 7.0)
    held.raise_alarm(0, 0x42)
    status = held.after(0.1)
    copy = copy_from_status(status, held.motion.parameters(), range(AXES))
    made = copy.motion.status()
    assert not copy.exact
    for name in ("pos_cmd", "servo_on", "amp_alarm", "alarm_code", "home_done", "command_mode"):
        assert getattr(made, name).tolist() == getattr(status, name).tolist(), name
    with pytest.raises(CommandRefused, match="AxisAmpAlarm"):
        copy.motion.move_absolute([position_move(0, 1.0)])
    copy.motion.move_absolute([position_move(1, 2.0)])
    held.motion.move_absolute([position_move(1, 2.0)])
    until(copy, made.cycle + 3000)
    assert copy.motion.status().pos_cmd[1] == held.after(3.0).pos_cmd[1] == 2.0


def test_axes_that_move_are_not_made_from_a_status() -> None:
    held = machine_with_ends()
    carry_out(held, "move_absolute", 1, 1.5)
    status, parameters = held.after(0.1), held.motion.parameters()
    with pytest.raises(CommandRefused, match="axis 1 moves: what it would do can be computed once"):
        copy_from_status(status, parameters, [0, 1])
    assert copy_from_status(status, parameters, [0, 2]).motion.status().axes == AXES
    with pytest.raises(CommandRefused, match="axis 9"):
        copy_from_status(status, parameters, [9])
