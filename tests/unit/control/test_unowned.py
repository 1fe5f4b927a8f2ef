"""Motions whose node has died end once, and what must not go on without it is stopped."""

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from uuid import uuid4

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, velocity_move

from wmx_core.values import CommandMode, Gearing, MotionStatus, SplineMove, TorqueMove
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind
from wmx_ros2_package.control.unowned import GRACE, REMEMBERED, MotionToStop, UnownedMotions

MEMBER = "/mover (position), process 7"


def begin(kind: MotionKind = MotionKind.POSITION, *axes: int) -> Begin:
    axes = axes or (0,)
    return Begin(
        id=uuid4(),
        source="/mover",
        kind=kind,
        axes=axes,
        names=("elbow",),
        time=0.0,
        initial=(0.5,) * len(axes),
        targets=(1.0,) * len(axes),
        arrival=None,
    )


class Watch:
    """The motions of all nodes, and which members are alive."""

    def __init__(self) -> None:
        self.members = {"/mover": {MEMBER}}
        self.owners = {0: MEMBER}
        self.status: MotionStatus | None = None
        self.motions = UnownedMotions(self._members)
        self.meanwhile: Callable[[], None] = lambda: None
        """What another thread does while members are read."""

    def _members(self, node: str) -> frozenset[str]:
        self.meanwhile()
        return frozenset(self.members.get(node, ()))

    def die(self) -> None:
        self.members.clear()
        self.owners.clear()

    def lost(self, now: float) -> list[End]:
        return self.motions.lost(now, self.status)

    def lose(self) -> list[End]:
        """The ends that come once the grace is over."""
        assert self.lost(1.0) == []
        return self.lost(1.1 + GRACE)

    def motions_to_stop(self, now: float, status: MotionStatus) -> list[MotionToStop]:
        return self.motions.motions_to_stop(now, lambda _: self.owners, status)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_a_motion_whose_node_died_ends_once(watch: Watch) -> None:
    lost = begin()
    watch.motions.see_begin(lost)
    watch.die()
    assert watch.lost(1.0) == watch.lost(1.0 + GRACE) == []
    [end] = watch.lost(1.001 + GRACE)
    assert end == End(
        id=lost.id,
        source="/mover",
        axes=(0,),
        names=("elbow",),
        time=1.001 + GRACE,
        final=end.final,
        reason=EndReason.OWNER_LOST,
        message=end.message,
    )
    assert "/mover" in end.message
    assert watch.lost(100.0) == []
    watch.motions.on_motion_end(lost.id, EndReason.OWNER_LOST)
    assert watch.lost(200.0) == []


def test_it_ends_where_its_axes_are(watch: Watch) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 0.25)])
    watch.status = held.after(10.0)
    for axes in (0, 1), (1, 2):
        motion = begin(MotionKind.TRAJECTORY, *axes)
        watch.motions.see_begin(replace(motion, source="/cell1/wmx_actuator_node"))
    watch.die()
    assert [end.final for end in watch.lose()] == [(0.25, 0.0), (0.5, 0.5)]


def test_where_axes_are_of_a_node_that_may_have_other_units_is_not_known(watch: Watch) -> None:
    """An arm's server has its joints in radians, the engine may have its axes in degrees."""
    watch.status = HeldEngine().servo_on().after(1.0)
    arm = "/cell1/follow_joint_trajectory_server"
    watch.motions.see_begin(replace(begin(MotionKind.TRAJECTORY, 0, 1), source=arm))
    watch.die()
    [end] = watch.lose()
    assert (end.axes, list(map(isnan, end.final))) == ((0, 1), [True, True])


def test_a_node_that_has_another_member_has_not_died(watch: Watch) -> None:
    watch.members["/mover"].add("/mover (jog), process 7")
    watch.motions.see_begin(begin())
    watch.members["/mover"].remove(MEMBER)
    assert watch.lose() == []


def test_a_node_of_the_same_name_is_another_one(watch: Watch) -> None:
    """It was started in the place of one that has died."""
    watch.motions.see_begin(begin())
    watch.members["/mover"] = {"/mover (position), process 8"}
    assert len(watch.lose()) == 1


def test_a_member_that_is_missed_for_a_moment_has_not_died(watch: Watch) -> None:
    watch.motions.see_begin(begin())
    members, watch.members = watch.members, {}
    assert watch.lost(1.0) == []
    watch.members = members
    assert watch.lost(1.0 + 0.9 * GRACE) == []
    watch.members = {}
    assert watch.lost(1.1 + GRACE) == []
    assert len(watch.lost(1.2 + 2.0 * GRACE)) == 1


def test_an_end_that_comes_meanwhile_keeps_no_other_motion_open(watch: Watch) -> None:
    lost, ended = begin(), begin()
    for motion in (lost, ended):
        watch.motions.see_begin(motion)
    watch.die()
    watch.lost(1.0)
    watch.meanwhile = lambda: watch.motions.on_motion_end(ended.id, EndReason.ARRIVED)
    assert [end.id for end in watch.lost(1.1 + GRACE)] == [lost.id]


def test_an_end_may_come_before_its_begin(watch: Watch) -> None:
    """They travel on two topics. A begin after that is another motion of the same id."""
    ended = begin()
    watch.motions.on_motion_end(ended.id, EndReason.ARRIVED)
    watch.motions.see_begin(ended)
    watch.die()
    assert watch.lose() == []
    watch.motions.see_begin(ended)
    assert len(watch.lost(10.0) + watch.lost(10.1 + GRACE)) == 1


@pytest.mark.parametrize("reason", [EndReason.REFUSED, EndReason.OWNER_LOST])
def test_what_never_began_has_no_begin_to_come(watch: Watch, reason: EndReason) -> None:
    motion = begin()
    watch.motions.on_motion_end(motion.id, reason)
    watch.motions.see_begin(motion)
    watch.die()
    assert len(watch.lose()) == 1


def test_ends_without_a_begin_are_forgotten_at_last(watch: Watch) -> None:
    first, second = begin(), begin()
    for motion in (first, second):
        watch.motions.on_motion_end(motion.id, EndReason.ARRIVED)
    for _ in range(REMEMBERED - 1):
        watch.motions.on_motion_end(uuid4(), EndReason.ARRIVED)
    for motion in (first, second):
        watch.motions.see_begin(motion)
    watch.die()
    assert [end.id for end in watch.lose()] == [first.id]


# What is stopped


def running(kind: MotionKind) -> HeldEngine:
    """Axis 0 does what an effort, a trajectory or a gearing does."""
    if kind is MotionKind.EFFORT:
        held = HeldEngine().servo_on(mode=CommandMode.TORQUE)
        held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
    elif kind is MotionKind.GEARING:
        held = HeldEngine().servo_on()
        held.motion.start_gearing([Gearing(slave=0, master=1, ratio=1.0)])
    else:
        held = HeldEngine().servo_on()
        times, positions = np.array([0.0, 5.0, 10.0]), np.array([[0.0], [1.0], [2.0]])
        held.motion.move_spline(SplineMove(axes=(0,), times=times, positions=positions))
    return held


STOPPED = MotionKind.EFFORT, MotionKind.TRAJECTORY, MotionKind.GEARING


@pytest.mark.parametrize("kind", STOPPED)
def test_what_a_dead_node_commanded_is_stopped_until_it_has_stopped(
    watch: Watch, kind: MotionKind
) -> None:
    held = running(kind)
    watch.motions.see_begin(begin(kind, 0, 1, held.status().axes))
    watch.die()
    [end] = watch.lose()
    lost = [MotionToStop([0], end.message)]
    assert watch.motions_to_stop(6.0, held.after(0.1)) == lost
    assert watch.motions_to_stop(7.0, held.after(0.1)) == lost, "its stop may have been refused"
    held.motion.stop([0])
    assert watch.motions_to_stop(8.0, held.after(1.0)) == []
    assert watch.motions_to_stop(9.0, running(kind).after(0.1)) == [], (
        "a later motion is another one"
    )


def test_a_move_of_a_dead_node_is_carried_out(watch: Watch) -> None:
    held = HeldEngine().servo_on()
    held.motion.jog([velocity_move()])
    watch.motions.see_begin(begin(MotionKind.VELOCITY))
    watch.die()
    assert len(watch.lose()) == 1
    assert watch.motions_to_stop(6.0, held.after(0.1)) == []


@pytest.mark.parametrize("owner", ["/mover, process 8", "/other"])
@pytest.mark.parametrize("kind", STOPPED)
def test_what_another_member_has_begun_since_is_not_stopped(
    watch: Watch, kind: MotionKind, owner: str
) -> None:
    held = running(kind)
    watch.motions.see_begin(begin(kind))
    watch.die()
    watch.lose()
    watch.owners = {0: owner}
    assert watch.motions_to_stop(6.0, held.after(0.1)) == []
    watch.owners.clear()
    assert watch.motions_to_stop(7.0, held.after(0.1)) == [], "that one has an end of its own"


class Hurried(float):
    """A time in whose comparison another thread does something."""

    meanwhile: Callable[[], None]

    def __gt__(self, other: float) -> bool:
        self.meanwhile()
        return super().__gt__(other)


def test_a_motion_may_begin_while_it_is_found_what_lasts_too_long(watch: Watch) -> None:
    status = running(MotionKind.EFFORT).after(0.1)
    watch.motions.see_begin(replace(begin(MotionKind.EFFORT), arrival=10.0))
    now = Hurried(10.1 + GRACE)
    now.meanwhile = lambda: watch.motions.see_begin(begin())
    [late] = watch.motions_to_stop(now, status)
    assert late.axes == [0]


def test_an_effort_that_lasts_too_long_is_stopped(watch: Watch) -> None:
    held = running(MotionKind.EFFORT)
    status = held.after(0.1)
    effort = replace(begin(MotionKind.EFFORT), arrival=10.0)
    for motion in (effort, begin(MotionKind.EFFORT), replace(begin(), arrival=1.0)):
        watch.motions.see_begin(motion)
    assert watch.motions_to_stop(10.0 + GRACE, status) == []
    [late] = watch.motions_to_stop(10.1 + GRACE, status)
    assert late.axes == [0]
    assert "/mover" in late.why
    watch.owners = {0: "/mover2 (jog)"}
    assert watch.motions_to_stop(10.1 + GRACE, status) == []
    watch.owners.clear()
    assert watch.motions_to_stop(10.1 + GRACE, status) == [late]
    watch.motions.on_motion_end(effort.id, EndReason.ARRIVED)
    assert watch.motions_to_stop(100.0, status) == []
