"""Each motion has one begin and exactly one end, which says where and why it ended."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from math import inf, isnan, nan
from uuid import uuid4

import numpy as np
import pytest
from held_engine import position_move, velocity_move
from held_node import LATENCY, HeldNode
from tracked import ID, Tracked

from wmx_core.errors import CommandRefused
from wmx_core.values import SplineMove
from wmx_ros2_package.control.motion_ends import InPosition
from wmx_ros2_package.control.request import NO_ID, Begin, End, EndReason, MotionKind
from wmx_ros2_package.control.tracker import REMEMBERED, MotionOver, MotionTracker, RecordedStops

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


@pytest.mark.parametrize("renewable", [False, True])
def test_the_newest_run_time_of_a_motion_counts(tracked: Tracked, *, renewable: bool) -> None:
    """What stops before it is over was stopped."""
    tracked.jog(run_time=0.2, renewable=renewable)
    tracked.after(0.1)
    tracked.jog(run_time=5.0, renewable=renewable)
    tracked.after(1.0)
    tracked.held.motion.stop([0])
    tracked.after(1.0)
    assert tracked.end().reason is EndReason.STOPPED


@pytest.mark.parametrize(
    ("early", "reason"),
    [(0.5 * LATENCY, EndReason.LEASE_EXPIRED), (2.0 * LATENCY, EndReason.STOPPED)],
)
def test_what_rests_before_its_run_time_is_over_was_stopped(
    tracked: Tracked, early: float, reason: EndReason
) -> None:
    over = tracked.node.now() + 0.2
    tracked.jog(run_time=0.2, renewable=True)
    rests = tracked.held.after(5.0)
    tracked.tracker.update(replace(rests, time=over - early))
    assert tracked.end().reason is reason


@pytest.mark.parametrize("renewable", [False, True])
def test_what_slows_down_from_before_its_run_time_is_over_was_stopped(
    tracked: Tracked, *, renewable: bool
) -> None:
    """Though it rests only after that."""
    tracked.held.motion.jog([velocity_move(0, run_time=1.0, dec=0.5)])
    tracked.begin(0, kind=MotionKind.VELOCITY, run_time=1.0, renewable=renewable)
    tracked.after(0.5)
    tracked.held.motion.stop([0])
    tracked.after(0.1)
    tracked.after(5.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_what_rested_before_its_run_time_is_over_was_stopped_however_its_motor_settles(
    tracked: Tracked,
) -> None:
    over = tracked.node.now() + 0.2
    tracked.jog(run_time=0.2)
    rests = tracked.held.after(5.0)
    turns = replace(rests, time=over - 2.0 * LATENCY, actual_velocity=np.array([0.5, 0.0]))
    tracked.tracker.update(turns)
    tracked.tracker.update(replace(rests, time=over + LATENCY))
    assert tracked.end().reason is EndReason.STOPPED


@pytest.mark.parametrize("renewable", [False, True])
@pytest.mark.parametrize(("after", "quick"), [(0.997, False), (1.001, False), (1.2, True)])
def test_what_another_node_stops_late_was_stopped(
    tracked: Tracked, other: HeldNode, after: float, *, quick: bool, renewable: bool
) -> None:
    """In its last cycles, or while it slows down after its run time."""
    tracked.jog(run_time=1.0, renewable=renewable)
    tracked.after(after)
    other.gate.stop([0], quick=quick)
    tracked.after(0.005)
    tracked.after(5.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_what_another_node_stops_while_no_status_is_read_was_stopped(
    tracked: Tracked, other: HeldNode
) -> None:
    """As where a busy machine holds the supervisor up: no status shows what slows down."""
    tracked.jog(run_time=1.0)
    tracked.after(0.85)
    tracked.held.after(0.05)
    other.gate.stop([0])
    tracked.held.after(0.2)
    tracked.after(5.0)
    assert tracked.end().reason is EndReason.STOPPED


def test_a_stop_that_is_recorded_and_not_commanded_ends_no_velocity(
    tracked: Tracked, other: HeldNode
) -> None:
    """Such as that of joints which another server leads no longer."""
    tracked.jog(run_time=1.0)
    tracked.after(0.5)
    other.gate.refuse_earlier([0])
    for _ in range(20):
        tracked.after(0.1)
    assert tracked.end().reason is EndReason.ARRIVED


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
    assert tracked.end().final == (2.0,)


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


@pytest.mark.parametrize(
    ("cause", "words"),
    [("", "axis 0 was stopped at"), ("axis 0: the file was lost", "axis 0: the file was lost")],
)
def test_what_another_process_has_stopped_is_asked_for_once(
    tracked: Tracked, cause: str, words: str
) -> None:
    asked: list[tuple[tuple[int, ...], float]] = []

    def recorded_stops(axes: Sequence[int], since: float) -> RecordedStops:
        asked.append((tuple(axes), since))
        assert tracked.tracker.is_open(motion), "asked outside the tracker's lock"
        return RecordedStops(any=True, cause=cause)

    ends: list[Begin | End] = []
    tracked.tracker = MotionTracker(
        "/node", LATENCY, tracked.node.now, InPosition(), recorded_stops=recorded_stops
    )
    tracked.tracker.listen(ends.append)
    motion = tracked.move()
    given = tracked.node.now()
    tracked.after(0.2)
    tracked.held.motion.stop([0])
    for _ in range(5):
        tracked.after(1.0)
    [_, end] = ends
    assert isinstance(end, End)
    assert (end.reason, end.message.startswith(words)) == (EndReason.STOPPED, True), end
    assert asked == [((0,), given)]


def test_a_stop_before_a_command_that_extends_a_motion_is_none_of_it(tracked: Tracked) -> None:
    """Which is given while stops are looked for."""
    asked = 0

    def recorded_stops(axes: Sequence[int], since: float) -> RecordedStops:
        nonlocal asked
        asked += 1
        if asked == 1:
            tracked.jog(run_time=0.2, renewable=True)
        return RecordedStops(any=asked == 1)

    ends: list[Begin | End] = []
    tracked.tracker = MotionTracker(
        "/node", LATENCY, tracked.node.now, InPosition(), recorded_stops=recorded_stops
    )
    tracked.tracker.listen(ends.append)
    tracked.jog(run_time=0.2, renewable=True)
    for _ in range(3):
        tracked.after(1.0)
    [_, end] = ends
    assert isinstance(end, End)
    assert (end.reason, asked) == (EndReason.LEASE_EXPIRED, 2)


# Listeners


def test_every_listener_has_all_events_in_their_order(tracked: Tracked) -> None:
    heard: list[tuple[str, Begin | End]] = []
    tracked.tracker = MotionTracker("/node", LATENCY, tracked.node.now)
    tracked.tracker.listen(lambda event: heard.append(("one", event)))
    tracked.tracker.listen(lambda event: heard.append(("other", event)))
    first, second = tracked.move(), tracked.move(0, 2.0)
    expected = [(Begin, first), (End, first), (Begin, second)]
    assert [(name, type(event), event.id) for name, event in heard] == [
        (name, kind, id) for kind, id in expected for name in ("one", "other")
    ]


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
