"""What ends a motion, as its tracker says it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from held_engine import MODEL, HeldEngine, position_move, velocity_move
from held_node import LATENCY, HeldNode
from tracked import ID, Tracked

from wmx_core.values import LimitType, SplineMove
from wmx_ros2_package.control.conditions import blocked
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind


def test_a_status_from_before_the_command_ends_nothing(tracked: Tracked) -> None:
    before = tracked.held.status()
    tracked.move()
    tracked.tracker.update(before)
    tracked.tracker.update(replace(before, time=before.time + LATENCY))
    assert tracked.node.ends() == []
    tracked.tracker.update(replace(before, time=before.time + LATENCY + 0.001))
    assert tracked.why()[0] is EndReason.STOPPED, "it rests"


def test_a_command_that_takes_over_one_axis_ends_the_motion(tracked: Tracked) -> None:
    tracked.held.motion.move_absolute([position_move(0, 1.0), position_move(1, 4.0)])
    first = tracked.begin(0, 1, targets=(1.0, 4.0))
    second = tracked.move(1, 3.0)
    assert (tracked.end().id, tracked.end().reason) == (first, EndReason.REPLACED)
    assert tracked.end().replaced_by == second
    assert [type(event) for event in tracked.events] == [Begin, End, Begin]
    tracked.after(60.0)
    assert [end.id for end in tracked.node.ends()] == [first, second]


def test_the_first_reason_that_is_set_counts_and_for_its_axes_alone(tracked: Tracked) -> None:
    first, second = tracked.move(0), tracked.move(1, 10.0)
    tracked.after(0.1)
    tracked.tracker.set_end_reason(EndReason.CANCELED, "taken back", [0])
    tracked.tracker.set_end_reason(EndReason.NODE_ENDED, "the node ends", [0])
    assert not tracked.tracker.runs(first)
    assert tracked.tracker.is_open(first)
    assert tracked.tracker.runs(second)
    tracked.held.motion.stop([0])
    tracked.after(1.0)
    assert tracked.why() == (EndReason.CANCELED, "taken back")


def test_a_motion_that_arrives_before_its_stop_has_arrived(tracked: Tracked) -> None:
    tracked.move()
    arrival = tracked.node.begins()[0].arrival
    assert arrival is not None
    rests = tracked.held.after(60.0)
    tracked.tracker.set_end_reason(EndReason.CANCELED, "too late")
    tracked.tracker.update(replace(rests, time=arrival))
    assert tracked.why() == (EndReason.ARRIVED, "")


def test_a_motion_that_was_stopped_where_its_target_happens_to_be_was_stopped(
    tracked: Tracked,
) -> None:
    """A trajectory may go through its last point on its way."""
    times = np.array([0.0, 1.0, 2.0])
    there_and_back = SplineMove(axes=(0,), times=times, positions=np.array([[0.0], [1.0], [0.0]]))
    tracked.held.motion.move_spline(there_and_back)
    tracked.begin(0, targets=(0.0,), lasts=2.0)
    tracked.tracker.set_end_reason(EndReason.CANCELED, "canceled")
    tracked.held.motion.stop([0])
    status = tracked.held.after(0.1)
    assert status.pos_cmd[0] == pytest.approx(0.0, abs=1e-6)
    arrival = tracked.node.begins()[0].arrival
    assert arrival is not None
    turns = replace(status, time=arrival - 0.1, actual_velocity=np.array([0.5, 0.0]))
    for seen in turns, replace(status, time=arrival + 0.1):  # its motor settles when it would have
        tracked.tracker.update(seen)
    assert tracked.why() == (EndReason.CANCELED, "canceled")


def test_what_the_status_shows_is_graver_than_a_stop(tracked: Tracked) -> None:
    tracked.move()
    tracked.after(0.1)
    tracked.tracker.set_end_reason(EndReason.CANCELED)
    tracked.held.raise_alarm(0, 0x7121)
    tracked.after(1.0)
    assert (tracked.end().reason, tracked.end().code) == (EndReason.ALARM, 0x7121)
    assert "0x7121" in tracked.end().message


@pytest.mark.parametrize("stopped", [False, True])
def test_the_target_of_a_motion_to_a_limit_is_that_limit(
    tracked: Tracked, *, stopped: bool
) -> None:
    id = tracked.jog(kind=MotionKind.VELOCITY, id=ID)
    tracked.after(0.3)
    tracked.held.motion.move_absolute([position_move(0, 2.0)])
    limit = "position_max of 'elbow', 2"
    again = tracked.begin(0, kind=MotionKind.VELOCITY, id=id, targets=(2.0,), limit=limit)
    if stopped:
        tracked.held.motion.stop([0])
    tracked.after(60.0)
    assert (again, tracked.end().id) == (id, id)
    reason, message = tracked.why()
    assert (reason, message == limit) == (
        (EndReason.STOPPED, False) if stopped else (EndReason.LIMIT, True)
    )
    assert len(tracked.events) == 2


def test_endless_motions_end_with_their_stop(tracked: Tracked) -> None:
    """Whose reason is that of all axes where it names none."""
    tracked.jog(0)
    tracked.jog(1)
    tracked.after(1000.0)
    assert tracked.node.ends() == []
    tracked.tracker.set_end_reason(EndReason.LEASE_EXPIRED)
    tracked.held.motion.stop([0, 1])
    tracked.after(1.0)
    assert tracked.node.reasons() == [EndReason.LEASE_EXPIRED] * 2


def test_a_hold_lasts_until_something_ends_it(tracked: Tracked) -> None:
    tracked.held.motion.jog([velocity_move()])
    tracked.held.after(0.5)
    tracked.held.motion.stop([0])
    tracked.begin(0, kind=MotionKind.HOLD)
    for _ in range(3):
        tracked.after(10.0)
    assert tracked.node.ends() == []
    tracked.tracker.set_end_reason(EndReason.CANCELED, "let go")
    tracked.after(0.01)
    assert tracked.why() == (EndReason.CANCELED, "let go")


def test_a_hold_is_replaced_by_a_command_that_a_status_shows_at_once(tracked: Tracked) -> None:
    hold = tracked.begin(0, kind=MotionKind.HOLD)
    tracked.after(1.0)
    with tracked.tracker.commanding([], [0]):
        tracked.held.motion.move_absolute([position_move()])
        tracked.after(0.1)
        assert tracked.node.ends() == []
        move = tracked.begin(0, targets=(1.0,))
    assert (tracked.end().id, tracked.end().reason) == (hold, EndReason.REPLACED)
    assert tracked.end().replaced_by == move


def test_an_engine_that_does_not_communicate_ends_a_motion(tracked: Tracked) -> None:
    tracked.move()
    tracked.after(0.1)
    tracked.held.engine.stop_communication()
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.ENGINE_LOST


def test_at_the_end_of_a_node_every_motion_ends(tracked: Tracked) -> None:
    tracked.move(0)
    tracked.move(1)
    tracked.tracker.set_end_reason(EndReason.CANCELED, "taken back", [0])
    status = tracked.held.after(0.3)
    tracked.tracker.end_all(EndReason.NODE_ENDED, "over", status)
    assert tracked.node.reasons() == [EndReason.CANCELED, EndReason.NODE_ENDED]
    assert [end.final for end in tracked.node.ends()] == [(p,) for p in status.actual_pos]
    tracked.tracker.end_all(EndReason.NODE_ENDED, "over", status)
    assert len(tracked.node.ends()) == 2
    assert not tracked.tracker


def test_without_a_status_a_motion_ends_where_it_was_seen_last(tracked: Tracked) -> None:
    tracked.move()
    last = float(tracked.after(0.3).actual_pos[0])
    tracked.tracker.end_all(EndReason.ENGINE_LOST, "no engine")
    assert (tracked.end().final, tracked.why()) == ((last,), (EndReason.ENGINE_LOST, "no engine"))
    assert last > 0.0


def test_an_engine_with_fewer_axes_shows_no_final_position(tracked: Tracked) -> None:
    tracked.move(1)
    status = HeldEngine(1).status()
    tracked.tracker.end_all(EndReason.ENGINE_LOST, "another engine", status)
    assert tracked.end().final == (0.0,)


@pytest.fixture
def at_switch(nodes: Callable[..., HeldNode]) -> Tracked:
    """Axis 0 has gone into its negative limit switch, which is on below 0.5 u."""
    model = replace(MODEL, start_position=1.0, negative_limit_switch=0.5)
    held = HeldEngine(model=model, ls_dec=10.0).servo_on()
    tracked = Tracked(nodes(held))
    tracked.jog(velocity=-2.0)
    tracked.after(2.0)
    assert tracked.why() == (EndReason.LIMIT, "axis 0: negative limit switch on at 0.25 u")
    tracked.events.clear()
    return tracked


@pytest.mark.parametrize("kind", [MotionKind.POSITION, MotionKind.JOG, MotionKind.VELOCITY])
def test_what_ends_a_motion_on_the_way_out_of_a_limit_is_not_the_limit(
    at_switch: Tracked, kind: MotionKind
) -> None:
    if kind is MotionKind.POSITION:
        at_switch.move(target=5.0)
        at_switch.after(0.05)
        at_switch.tracker.set_end_reason(EndReason.CANCELED)
        at_switch.held.motion.stop([0])
        expected = EndReason.CANCELED
    elif kind is MotionKind.JOG:
        at_switch.jog(run_time=0.05, renewable=True)
        expected = EndReason.LEASE_EXPIRED
    else:
        at_switch.jog(run_time=0.05, kind=kind)
        expected = EndReason.ARRIVED
    at_switch.after(0.05)
    assert at_switch.after(1.0).negative_ls[0]
    assert at_switch.end().reason is expected


@pytest.mark.parametrize("kind", [MotionKind.JOG, MotionKind.TRAJECTORY])
def test_what_comes_back_to_a_limit_ends_at_it(at_switch: Tracked, kind: MotionKind) -> None:
    """Also before it has gone as far as where it was at its begin."""
    if kind is MotionKind.JOG:
        at_switch.jog(kind=kind)
        at_switch.after(0.3)
        at_switch.jog(kind=kind, velocity=-0.2)
    else:
        here = at_switch.held.status().pos_cmd[0]
        times, away = np.array([0.0, 2.0, 6.0]), here + np.array([[0.0], [0.5], [0.1]])
        at_switch.held.motion.move_spline(SplineMove(axes=(0,), times=times, positions=away))
        at_switch.begin(0, kind=kind, targets=(here + 0.1,))
    for _ in range(100):
        status = at_switch.after(0.1)
    assert status.negative_ls[0]
    assert status.pos_cmd[0] > 0.4, "not as far as its begin, and its target"
    assert at_switch.end().reason is EndReason.LIMIT


@pytest.mark.parametrize("kind", [LimitType.SERVO_OFF, LimitType.DEC_SERVO_OFF])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_soft_limit_that_takes_the_servo_off_is_named(
    tracked: Tracked, kind: LimitType, sign: int
) -> None:
    tracked.held.apply(
        soft_limit_type=kind, soft_limit_positive=0.6, soft_limit_negative=-0.6, ls_dec=20.0
    )
    tracked.held.motion.set_position(0, 0.0)
    tracked.move(0, sign * 1.0)
    tracked.after(5.0)
    end = tracked.end()
    side = "positive" if sign > 0 else "negative"
    assert end.reason is EndReason.LIMIT
    assert end.message == (f"axis 0: {side} soft limit reached at {end.final[0]:.6g} u, servo off")
    status = tracked.held.status()
    assert not status.servo_on[0]
    assert blocked(status, [0]).startswith(f"axis 0: servo off, {side} soft limit reached")


def test_a_servo_that_is_switched_off_on_the_way_from_a_limit_is_no_limit(
    tracked: Tracked,
) -> None:
    tracked.held.apply(soft_limit_type=LimitType.DEC, soft_limit_positive=0.6, ls_dec=20.0)
    tracked.held.motion.set_position(0, 0.0)
    tracked.move(0, 1.0)
    tracked.after(5.0)
    tracked.move(0, -1.0)
    tracked.held.after(0.01)
    tracked.held.motion.set_servo(0, on=False)
    tracked.after(0.02)
    assert [end.reason for end in tracked.node.ends()] == [EndReason.LIMIT, EndReason.SERVO_OFF]
