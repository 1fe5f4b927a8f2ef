"""Each motion has one begin and exactly one end, which says where and why it ended."""

import threading
from dataclasses import replace
from math import inf, isnan, nan
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, velocity_move
from held_node import LATENCY, HeldNode
from profile_shapes import shaped

from wmx_ros2_package.control.request import NO_ID, Begin, End, EndReason, MotionKind
from wmx_ros2_package.control.tracker import REMEMBERED, MotionOver, MotionTracker
from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.profile_types import ProfileType
from wmx_ros2_package.drivers.values import (
    EmergencyStop,
    LinearMove,
    MotionStatus,
    OperationState,
    SplineMove,
)

ID = UUID(int=7)


class Tracked:
    """A node whose motions are commanded here, past the gate."""

    def __init__(self, node: HeldNode) -> None:
        self.node, self.held, self.tracker = node, node.held, node.tracker
        self.events = node.events

    def begin(self, *axes: int, **fields: Any) -> UUID:
        """Enter a motion of `axes`, which are commanded already."""
        request = self.node.request(*axes, **fields)
        return self.tracker.begin(request, self.held.status(), self.node.now())

    def move(self, axis: int = 0, target: float = 1.0, **fields: Any) -> UUID:
        self.held.motion.move_absolute([position_move(axis, target)])
        return self.begin(axis, **{"targets": (target,), **fields})

    def jog(self, axis: int = 0, run_time: float = 0.0, **fields: Any) -> UUID:
        self.held.motion.jog([velocity_move(axis, run_time=run_time)])
        return self.begin(axis, **{"kind": MotionKind.JOG, "run_time": run_time, **fields})

    def after(self, seconds: float) -> MotionStatus:
        status = self.held.after(seconds)
        self.tracker.update(status)
        return status

    def end(self) -> End:
        """The only end."""
        [end] = self.node.ends()
        return end

    def why(self) -> tuple[EndReason, str]:
        return self.end().reason, self.end().message


@pytest.fixture
def tracked(node: HeldNode) -> Tracked:
    return Tracked(node)


# Begins


def test_a_move_begins_and_arrives(tracked: Tracked) -> None:
    began = tracked.node.now()
    id = tracked.move(names=("elbow",))
    [begin] = tracked.events
    assert isinstance(begin, Begin)
    assert begin == Begin(
        id=id,
        source="/node",
        kind=MotionKind.POSITION,
        axes=(0,),
        names=("elbow",),
        time=began,
        initial=(0.0,),
        targets=(1.0,),
        arrival=begin.arrival,
    )
    assert (tracked.tracker.is_open(id), tracked.tracker.runs(id)) == (True, True)
    assert tracked.tracker.arrival(id) == begin.arrival
    assert tracked.tracker.has_motion_on([0])
    assert tracked.tracker.has_motion_on([1, 0])
    assert not tracked.tracker.has_motion_on([1])
    assert tracked.tracker
    tracked.after(0.1)
    assert tracked.node.ends() == []
    tracked.after(60.0)
    assert tracked.end() == End(
        id=id,
        source="/node",
        axes=(0,),
        names=("elbow",),
        time=tracked.node.now(),
        final=(1.0,),
        reason=EndReason.ARRIVED,
    )
    assert (tracked.tracker.is_open(id), tracked.tracker.has_begun(id)) == (False, True)
    assert tracked.tracker.arrival(id) is None
    assert not tracked.tracker.runs(id)
    assert not tracked.tracker
    assert not tracked.tracker.has_begun(uuid4())


def test_a_motion_shorter_than_a_sample_is_not_missed(tracked: Tracked) -> None:
    tracked.move(0, 1e-9)
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.ARRIVED


def test_the_targets_that_a_client_does_not_say_are_those_of_the_engine(tracked: Tracked) -> None:
    tracked.held.motion.move_relative([position_move(0, 0.25), position_move(1, 0.5)])
    tracked.begin(0, 1)
    tracked.begin(0, targets=(nan,))
    [first, second] = tracked.node.begins()
    assert first.targets == (0.25, 0.5)
    assert second.targets == (0.25,)


def test_what_has_no_end_has_no_target_and_no_arrival(tracked: Tracked) -> None:
    tracked.jog()
    tracked.jog(1, run_time=0.5, renewable=True)
    for begin in tracked.node.begins():
        assert isnan(begin.targets[0])
        assert begin.arrival is None


@pytest.mark.parametrize("kind", [MotionKind.HOMING, MotionKind.HOLD, MotionKind.STREAM])
def test_the_end_of_some_kinds_is_not_known_in_advance(tracked: Tracked, kind: MotionKind) -> None:
    tracked.held.motion.move_absolute([position_move()])
    tracked.begin(0, kind=kind)
    assert tracked.node.begins()[0].arrival is None


def test_the_arrival_is_that_of_the_last_axis_and_of_the_whole_motion(tracked: Tracked) -> None:
    tracked.held.motion.move_absolute([position_move(0, 1.0), position_move(1, 4.0)])
    status = tracked.held.status()
    tracked.begin(0, 1)
    tracked.begin(0, 1, lasts=9.0)
    tracked.held.motion.jog([velocity_move(0)])
    tracked.begin(0, run_time=0.3)  # which the node ends, and not the engine
    arrivals = [begin.arrival for begin in tracked.node.begins()]
    longest = float(status.remaining.max())
    assert arrivals == pytest.approx([status.time + s for s in (longest, 9.0, 0.3)])


# The arrival that a begin has is right within two cycles, for every profile

CYCLES = 0.002
"""Two of the engine, s."""


def arrives_in_time(tracked: Tracked) -> None:
    """That the newest motion lasts until its arrival, and has ended at its targets then."""
    begin = tracked.node.begins()[-1]
    assert begin.arrival is not None
    left, axes = begin.arrival - tracked.node.now(), list(begin.axes)
    if left > 2.0 * CYCLES:
        before = tracked.held.after(left - CYCLES)
        assert (before.op_state[axes] != OperationState.IDLE).any(), "it still moves"
    after = tracked.held.after(begin.arrival + CYCLES - tracked.node.now())
    assert (after.op_state[axes] == OperationState.IDLE).all(), "it has arrived"
    tracked.after(1.0)
    end = tracked.node.ends()[-1]
    assert (end.id, end.reason) == (begin.id, EndReason.ARRIVED)
    for final, target in zip(end.final, begin.targets, strict=True):
        assert isnan(target) or final == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("target", [1.0, -0.037, 12.5, 1e-4])
@pytest.mark.parametrize("kind", ProfileType, ids=lambda kind: kind.name.lower())
def test_a_move_from_rest_arrives_in_time(
    tracked: Tracked, kind: ProfileType, target: float
) -> None:
    move = replace(position_move(target=target), profile=shaped(kind))
    tracked.held.motion.move_absolute([move])
    tracked.begin(0, targets=(target,))
    arrives_in_time(tracked)


FROM_REST_ALONE = ProfileType.CONSTANT_DEC, ProfileType.PARABOLIC_VELOCITY


@pytest.mark.parametrize("target", [5.0, 1.2, -2.0])
@pytest.mark.parametrize(
    "kind",
    [kind for kind in ProfileType if kind not in FROM_REST_ALONE],
    ids=lambda kind: kind.name.lower(),
)
def test_a_move_that_takes_over_arrives_in_time(
    tracked: Tracked, kind: ProfileType, target: float
) -> None:
    tracked.move(0, 3.0)
    tracked.after(0.3137)
    tracked.held.motion.move_absolute([replace(position_move(target=target), profile=shaped(kind))])
    tracked.begin(0, targets=(target,))
    arrives_in_time(tracked)


def test_lines_splines_and_velocities_for_a_time_arrive_in_time(tracked: Tracked) -> None:
    tracked.held.motion.move_linear(
        LinearMove(axes=(0, 1), targets=(1.0, -0.4), velocity=2.0, acc=10.0, dec=5.0)
    )
    tracked.begin(0, 1, targets=(1.0, -0.4))
    arrives_in_time(tracked)
    points = np.array([[1.0, -0.4], [0.6, 0.0], [0.7, 0.3]])
    times = np.array([0.0, 0.5, 1.25])
    tracked.held.motion.move_spline(SplineMove(axes=(0, 1), times=times, positions=points))
    tracked.begin(0, 1, targets=(0.7, 0.3))
    arrives_in_time(tracked)
    tracked.jog(0, run_time=1.5, kind=MotionKind.VELOCITY)
    arrives_in_time(tracked)


# What ends a motion


def test_a_status_from_before_the_command_ends_nothing(tracked: Tracked) -> None:
    before = tracked.held.status()
    tracked.move()
    tracked.tracker.update(before)
    tracked.tracker.update(replace(before, time=before.time + LATENCY))
    assert tracked.node.ends() == []
    tracked.tracker.update(replace(before, time=before.time + LATENCY + 0.001))
    assert tracked.why()[0] is EndReason.STOPPED, "it rests"


def test_a_motion_is_not_over_before_all_of_its_axes_rest(tracked: Tracked) -> None:
    tracked.held.motion.move_absolute([position_move(0, 0.1), position_move(1, 4.0)])
    tracked.begin(0, 1, targets=(0.1, 4.0))
    assert tracked.after(1.0).op_state[0] == OperationState.IDLE
    assert tracked.node.ends() == []
    tracked.after(60.0)
    assert tracked.end().final == (0.1, 4.0)


def test_a_command_that_takes_over_one_axis_ends_the_motion(tracked: Tracked) -> None:
    tracked.held.motion.move_absolute([position_move(0, 1.0), position_move(1, 4.0)])
    first = tracked.begin(0, 1, targets=(1.0, 4.0))
    second = tracked.move(1, 3.0)
    assert (tracked.end().id, tracked.end().reason) == (first, EndReason.REPLACED)
    assert tracked.end().replaced_by == second
    assert [type(event) for event in tracked.events] == [Begin, End, Begin]
    tracked.after(60.0)
    assert [end.id for end in tracked.node.ends()] == [first, second]


@pytest.mark.parametrize("quick", [False, True])
def test_a_stop_by_another_client_is_a_stop(tracked: Tracked, *, quick: bool) -> None:
    tracked.move()
    tracked.after(0.2)
    (tracked.held.motion.quick_stop if quick else tracked.held.motion.stop)([0])
    status = tracked.after(60.0)
    assert tracked.end().reason is EndReason.STOPPED
    assert tracked.end().final == (status.pos_cmd[0],)
    assert 0.0 < status.pos_cmd[0] < 1.0


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


def test_a_reason_without_axes_is_that_of_all(tracked: Tracked) -> None:
    tracked.move(0)
    tracked.move(1)
    tracked.tracker.set_end_reason(EndReason.NODE_ENDED, "the node ends")
    tracked.held.motion.stop([0, 1])
    tracked.after(1.0)
    assert tracked.node.reasons() == [EndReason.NODE_ENDED] * 2


def test_a_motion_that_arrives_before_its_stop_has_arrived(tracked: Tracked) -> None:
    tracked.move()
    tracked.held.after(60.0)
    tracked.tracker.set_end_reason(EndReason.CANCELED, "too late")
    tracked.after(0.01)
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
    status = tracked.after(0.1)
    assert status.pos_cmd[0] == pytest.approx(0.0, abs=1e-6)
    assert tracked.why() == (EndReason.CANCELED, "canceled")


def test_what_the_status_shows_is_graver_than_a_stop(tracked: Tracked) -> None:
    tracked.move()
    tracked.after(0.1)
    tracked.tracker.set_end_reason(EndReason.CANCELED)
    tracked.held.raise_alarm(0, 0x7121)
    tracked.after(1.0)
    assert (tracked.end().reason, tracked.end().code) == (EndReason.ALARM, 0x7121)


def test_a_lease_that_is_not_refreshed_has_expired(tracked: Tracked) -> None:
    tracked.jog(run_time=0.2, renewable=True)
    tracked.after(0.19)
    tracked.after(1.0)
    assert tracked.why() == (EndReason.LEASE_EXPIRED, "it was not refreshed in time")


def test_a_run_time_that_is_over_is_an_arrival(tracked: Tracked) -> None:
    tracked.jog(run_time=0.2, kind=MotionKind.VELOCITY)
    tracked.after(1.0)
    assert tracked.why() == (EndReason.ARRIVED, "")


@pytest.mark.parametrize("renewable", [False, True])
def test_what_stops_before_its_run_time_is_over_was_stopped(
    tracked: Tracked, *, renewable: bool
) -> None:
    tracked.jog(run_time=5.0, renewable=renewable)
    tracked.after(0.1)
    tracked.held.motion.stop([0])
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_the_target_of_a_motion_to_a_limit_is_that_limit(tracked: Tracked) -> None:
    id = tracked.jog(kind=MotionKind.VELOCITY, id=ID)
    tracked.after(0.3)
    tracked.held.motion.move_absolute([position_move(0, 2.0)])
    limit = "position_max of 'elbow', 2"
    again = tracked.begin(0, kind=MotionKind.VELOCITY, id=id, targets=(2.0,), limit=limit)
    tracked.after(60.0)
    assert (again, tracked.end().id, tracked.why()) == (id, id, (EndReason.LIMIT, limit))
    assert len(tracked.events) == 2


def test_an_endless_motion_ends_with_its_stop(tracked: Tracked) -> None:
    tracked.jog()
    tracked.after(1000.0)
    assert tracked.node.ends() == []
    tracked.tracker.set_end_reason(EndReason.LEASE_EXPIRED)
    tracked.held.motion.stop([0])
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.LEASE_EXPIRED


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


def test_a_hold_ends_when_its_axis_does_something(tracked: Tracked) -> None:
    tracked.begin(0, kind=MotionKind.HOLD)
    tracked.after(1.0)
    tracked.held.motion.move_absolute([position_move()])
    tracked.after(0.1)
    assert tracked.end().reason is EndReason.STOPPED


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


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_ends_a_motion(tracked: Tracked, level: EmergencyStop) -> None:
    tracked.move()
    tracked.after(0.1)
    tracked.held.motion.emergency_stop(level)
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.EMERGENCY_STOP


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
    assert [end.final for end in tracked.node.ends()] == [(p,) for p in status.pos_cmd]
    tracked.tracker.end_all(EndReason.NODE_ENDED, "over", status)
    assert len(tracked.node.ends()) == 2
    assert not tracked.tracker


def test_without_a_status_a_motion_ends_where_it_was_seen_last(tracked: Tracked) -> None:
    tracked.move()
    last = float(tracked.after(0.3).pos_cmd[0])
    tracked.tracker.end_all(EndReason.ENGINE_LOST, "no engine")
    assert (tracked.end().final, tracked.why()) == ((last,), (EndReason.ENGINE_LOST, "no engine"))
    assert last > 0.0


def test_an_engine_with_fewer_axes_shows_no_final_position(tracked: Tracked) -> None:
    tracked.move(1)
    status = HeldEngine(1).status()
    tracked.tracker.end_all(EndReason.ENGINE_LOST, "another engine", status)
    assert tracked.end().final == (0.0,)


# Motions that are refused


def test_a_refused_request_has_an_end_and_no_begin(tracked: Tracked) -> None:
    tracked.tracker.refuse("no", axes=[0, 1], names=["a", "b"], code=7, id=ID)
    assert tracked.end() == End(
        id=ID,
        source="/node",
        axes=(0, 1),
        names=("a", "b"),
        time=tracked.node.now(),
        final=(),
        reason=EndReason.REFUSED,
        code=7,
        message="no",
    )
    assert not tracked.tracker.has_begun(ID)
    tracked.tracker.refuse("no")
    assert tracked.node.ends()[-1].id not in (ID, NO_ID)


def test_a_motion_that_has_begun_is_not_refused(tracked: Tracked) -> None:
    """Its client gets one end of it, whatever was to extend it."""
    tracked.move(id=ID)
    tracked.tracker.refuse("no", id=ID)
    assert tracked.node.ends() == []
    tracked.tracker.end_all(EndReason.NODE_ENDED, "over")
    tracked.tracker.refuse("no", id=ID)
    assert tracked.node.reasons() == [EndReason.NODE_ENDED]


# Motions of several commands


def test_a_request_with_the_id_of_an_open_motion_extends_it(tracked: Tracked) -> None:
    assert tracked.move(id=ID) == tracked.move(0, 2.0, id=ID) == ID
    tracked.after(60.0)
    assert len(tracked.events) == 2
    assert tracked.end().final == (2.0,)


@pytest.mark.parametrize("kind", [MotionKind.JOG, MotionKind.STREAM])
def test_a_stream_is_one_motion(tracked: Tracked, kind: MotionKind) -> None:
    ids = set()
    for _ in range(5):
        ids.add(tracked.jog(run_time=0.2, kind=kind))
        tracked.after(0.1)
    assert len(ids) == len(tracked.events) == 1
    other_axis = tracked.jog(1, run_time=0.2, kind=kind)
    assert other_axis not in ids
    assert len(tracked.node.begins()) == 2


def test_another_kind_or_a_stream_that_is_being_stopped_is_another_motion(
    tracked: Tracked,
) -> None:
    first = tracked.jog()
    second = tracked.jog(kind=MotionKind.STREAM)
    tracked.tracker.set_end_reason(EndReason.STOPPED)
    third = tracked.jog(kind=MotionKind.STREAM)
    velocity = tracked.jog(kind=MotionKind.VELOCITY)
    assert len({first, second, third, velocity}) == 4
    assert tracked.node.reasons() == [EndReason.REPLACED] * 3


def test_the_newest_run_time_of_a_motion_counts(tracked: Tracked) -> None:
    tracked.jog(run_time=0.2, renewable=True)
    tracked.after(0.1)
    tracked.jog(run_time=5.0, renewable=True)
    tracked.after(1.0)
    tracked.held.motion.stop([0])
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_a_motion_of_several_commands_goes_on_while_its_axes_rest(tracked: Tracked) -> None:
    for target in (0.1, 0.2):
        tracked.move(0, target, id=ID, kind=MotionKind.TRAJECTORY, lasts=20.0, targets=(0.2,))
        tracked.after(10.0)
    assert tracked.node.ends() == []
    tracked.tracker.release(uuid4())
    tracked.after(1.0)
    assert tracked.tracker.runs(ID)
    tracked.tracker.release(ID)
    tracked.after(0.1)
    assert (len(tracked.events), tracked.end().id, tracked.end().reason) == (
        2,
        ID,
        EndReason.ARRIVED,
    )


def test_its_stop_ends_it_though_it_was_not_released(tracked: Tracked) -> None:
    tracked.move(id=ID, kind=MotionKind.TRAJECTORY, lasts=inf)
    tracked.after(0.1)
    tracked.tracker.set_end_reason(EndReason.STOPPED)
    tracked.held.motion.stop([0])
    tracked.after(10.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_a_servo_that_goes_off_ends_it_too(tracked: Tracked) -> None:
    tracked.move(id=ID, kind=MotionKind.TRAJECTORY, lasts=inf)
    tracked.after(0.1)
    tracked.held.motion.set_servo(0, on=False)
    tracked.after(0.1)
    assert tracked.end().reason is EndReason.SERVO_OFF


def test_an_endless_trajectory_arrives_nowhere(tracked: Tracked) -> None:
    """Not even where the first of its parts ends."""
    times, swing = np.array([0.0, 0.5, 1.0]), np.array([[0.0], [0.2], [0.0]])
    tracked.held.motion.move_spline(SplineMove(axes=(0,), times=times, positions=swing))
    tracked.begin(0, id=ID, kind=MotionKind.TRAJECTORY, lasts=inf)
    [begin] = tracked.node.begins()
    assert (isnan(begin.targets[0]), begin.arrival) == (True, None)
    tracked.tracker.release(ID)
    tracked.after(2.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_a_motion_does_not_end_while_a_command_extends_it(tracked: Tracked) -> None:
    tracked.move(id=ID)
    rests = tracked.held.after(60.0)
    with tracked.tracker.commanding([ID, NO_ID, uuid4()], []):
        tracked.tracker.update(rests)
        assert not tracked.node.ends(), "the command may not show yet"
        tracked.move(0, 2.0, id=ID)
    tracked.tracker.update(rests)
    tracked.after(LATENCY)
    assert len(tracked.events) == 1
    tracked.after(60.0)
    assert len(tracked.events) == 2


def test_a_command_that_was_to_extend_it_and_was_refused_changes_nothing(
    tracked: Tracked,
) -> None:
    tracked.move(id=ID)
    rests = tracked.held.after(60.0)
    with pytest.raises(CommandRefused), tracked.tracker.commanding([ID], []):
        tracked.held.motion.move_velocity([velocity_move()])
    tracked.tracker.update(rests)
    assert tracked.end().reason is EndReason.ARRIVED


def test_two_commands_may_extend_it_at_once(tracked: Tracked) -> None:
    tracked.move(id=ID)
    first, second = tracked.tracker.commanding([ID], []), tracked.tracker.commanding([ID], [])
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    tracked.after(60.0)
    assert len(tracked.node.ends()) == 1


def test_a_motion_that_has_ended_is_not_extended(tracked: Tracked) -> None:
    tracked.move(id=ID)
    tracked.after(60.0)
    with pytest.raises(MotionOver), tracked.tracker.commanding([ID], []):
        pytest.fail("nothing is commanded")
    for axis in range(REMEMBERED + 2):
        tracked.move(axis % 2, 0.01)
    with tracked.tracker.commanding([ID], []):
        pass  # long ago


def test_the_axes_of_a_kind(tracked: Tracked) -> None:
    tracked.jog(0)
    tracked.jog(1)
    assert tracked.tracker.axes_of(MotionKind.JOG) == [0, 1]
    assert tracked.tracker.axes_of(MotionKind.POSITION) == []


# Listeners


def test_a_listener_may_command_and_every_listener_has_the_same_order(tracked: Tracked) -> None:
    """What follows from an event is published after it."""
    heard: list[Begin | End] = []
    commanded: list[UUID] = []
    tracked.tracker = MotionTracker("/node", LATENCY, tracked.node.now)

    def command(event: Begin | End) -> None:
        if not commanded:
            commanded.append(event.id)
            commanded.append(tracked.move(0, 2.0))

    tracked.tracker.listen(command)
    tracked.tracker.listen(heard.append)
    tracked.move()
    first, second = commanded
    expected = [(Begin, first), (End, first), (Begin, second)]
    assert [(type(event), event.id) for event in heard] == expected


def test_events_of_two_threads_come_one_after_the_other(tracked: Tracked) -> None:
    """While a listener is called, another thread may begin and end motions."""
    entered, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def slow(event: Begin | End) -> None:
        entered.set()
        assert go_on.wait(10.0)
        order.append(type(event).__name__)

    tracker = MotionTracker("/slow", LATENCY, tracked.node.now)
    tracker.listen(slow)
    status = tracked.held.status()
    request = tracked.node.request(0, id=ID)
    one = threading.Thread(target=lambda: tracker.begin(request, status, 0.0))
    other = threading.Thread(target=lambda: tracker.end_all(EndReason.NODE_ENDED, ""))
    one.start()
    assert entered.wait(10.0)
    other.start()
    while tracker.is_open(ID):
        pass  # its state is free while the listener is busy
    go_on.set()
    one.join(10.0)
    other.join(10.0)
    assert order == ["Begin", "End"]
