"""Motions whose node has died are ended by somebody else, once, and no others are."""

from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest
from held_engine import HeldEngine, velocity_move

from wmx_ros2_package.drivers.values import CommandMode, MotionStatus, SplineMove, TorqueMove
from wmx_ros2_package.motions.events import Begin, End, EndReason, MotionKind
from wmx_ros2_package.motions.orphans import GRACE, REMEMBERED, TOLD_LATE, Orphans, Runaway

MINE = {0: "/mover (position), process 7"}


def begin(kind: MotionKind = MotionKind.POSITION) -> Begin:
    return Begin(
        id=uuid4(),
        source="/mover",
        kind=kind,
        axes=(0,),
        time=0.0,
        initial=(0.5,),
        targets=(1.0,),
        arrival=None,
    )


class Watch:
    """Orphans, who owns what, and which nodes are there."""

    def __init__(self) -> None:
        self.orphans = Orphans()
        self.owners = dict(MINE)
        self.nodes = {"/mover"}
        self.status: MotionStatus | None = None

    def _alive(self, begin: Begin) -> bool:
        return begin.source in self.nodes

    def at(self, now: float) -> list[End]:
        return self.orphans.find(now, lambda _: self.owners, self._alive, self.status)


def test_a_motion_that_is_owned_is_left_alone() -> None:
    watch = Watch()
    watch.orphans.see_begin(begin())
    assert not any(watch.at(now) for now in (0.0, 10.0, 100.0))


def test_an_owner_without_a_purpose_is_an_owner_too() -> None:
    watch = Watch()
    watch.owners = {0: "/mover, process 7"}
    watch.orphans.see_begin(begin())
    assert not any(watch.at(now) for now in (0.0, 10.0, 100.0))


def test_a_motion_whose_owner_died_ends_once() -> None:
    watch, lost = Watch(), begin()
    watch.orphans.see_begin(lost)
    watch.owners.clear()
    assert watch.at(1.0) == watch.at(1.0 + TOLD_LATE) == []
    (end,) = watch.at(1.0 + 1.1 * TOLD_LATE)
    assert (end.id, end.reason, end.final) == (lost.id, EndReason.OWNER_LOST, (0.5,))
    assert watch.at(100.0) == []


def test_axes_that_move_and_are_nobodys_are_orphans_soon() -> None:
    watch, held = Watch(), HeldEngine()
    held.servo_on()
    watch.orphans.see_begin(begin())
    watch.owners.clear()
    held.motion.jog([velocity_move()])
    watch.status = held.after(0.1)
    assert watch.at(1.0) == watch.at(1.0 + GRACE) == []
    assert len(watch.at(1.0 + 1.1 * GRACE)) == 1


def test_somebody_else_who_owns_the_axis_does_not_count() -> None:
    watch = Watch()
    watch.orphans.see_begin(begin())
    watch.owners = {0: "/mover2 (jog)"}
    watch.at(0.0)
    assert len(watch.at(2.0 * TOLD_LATE)) == 1


def test_an_end_that_is_on_its_way_is_enough() -> None:
    watch, ended = Watch(), begin()
    watch.orphans.see_begin(ended)
    watch.owners.clear()
    watch.at(0.0)
    watch.orphans.see_end(ended.id, EndReason.ARRIVED)
    assert watch.at(2.0 * TOLD_LATE) == []


def test_an_end_may_come_before_its_begin() -> None:
    watch, ended = Watch(), begin()
    watch.orphans.see_end(ended.id, EndReason.ARRIVED)
    watch.orphans.see_begin(ended)
    watch.owners.clear()
    watch.at(0.0)
    assert watch.at(2.0 * TOLD_LATE) == []


def test_a_hold_lasts_while_its_node_is_there() -> None:
    watch = Watch()
    watch.orphans.see_begin(begin(MotionKind.HOLD))
    watch.owners.clear()
    assert watch.at(0.0) == watch.at(2.0 * TOLD_LATE) == []
    watch.nodes.clear()
    watch.at(10.0)
    assert len(watch.at(10.0 + 2.0 * TOLD_LATE)) == 1


def test_ends_without_a_begin_are_forgotten_at_last() -> None:
    watch, first = Watch(), begin()
    watch.orphans.see_end(first.id, EndReason.ARRIVED)
    for _ in range(REMEMBERED):
        watch.orphans.see_end(uuid4(), EndReason.ARRIVED)
    watch.orphans.see_begin(first)  # its end is forgotten, so it counts as open
    watch.owners.clear()
    watch.at(0.0)
    assert len(watch.at(2.0 * TOLD_LATE)) == 1


def running(kind: MotionKind) -> tuple[Watch, HeldEngine]:
    """Axis 0 does what an effort or a trajectory does, and is nobody's."""
    watch = Watch()
    if kind is MotionKind.EFFORT:
        held = HeldEngine().servo_on(mode=CommandMode.TORQUE)
        held.motion.move_torque([TorqueMove(axis=0, torque=20.0)])
    else:
        held = HeldEngine().servo_on()
        times, positions = np.array([0.0, 5.0, 10.0]), np.array([[0.0], [1.0], [2.0]])
        held.motion.move_spline(SplineMove(axes=(0,), times=times, positions=positions))
    watch.owners.clear()
    return watch, held


def runaways(watch: Watch, now: float, status: MotionStatus) -> list[Runaway]:
    return watch.orphans.runaways(now, lambda _: watch.owners, status)


def test_an_effort_that_lasts_too_long_is_stopped() -> None:
    watch, held = running(MotionKind.EFFORT)
    status = held.after(0.1)
    effort = replace(begin(MotionKind.EFFORT), arrival=10.0)
    for motion in (effort, begin(MotionKind.EFFORT), replace(begin(), arrival=1.0)):
        watch.orphans.see_begin(motion)
    watch.owners = dict(MINE)
    assert runaways(watch, 10.0 + GRACE, status) == []
    late = [Runaway([0], "/mover does not end its effort")]
    assert runaways(watch, 10.1 + GRACE, status) == late
    watch.owners = {0: "/mover2 (jog)"}
    assert runaways(watch, 10.1 + GRACE, status) == []
    watch.owners.clear()
    assert runaways(watch, 10.1 + GRACE, status) == late
    watch.orphans.see_end(effort.id, EndReason.ARRIVED)
    assert runaways(watch, 100.0, status) == []


@pytest.mark.parametrize("kind", [MotionKind.EFFORT, MotionKind.TRAJECTORY])
def test_what_a_dead_node_ordered_is_stopped_until_it_has_stopped(kind: MotionKind) -> None:
    watch, held = running(kind)
    watch.orphans.see_begin(begin(kind))
    assert watch.at(0.0) == []  # without a status: as when the engine does not answer
    (end,) = watch.at(1.1 * TOLD_LATE)
    orphaned = [Runaway([0], end.message)]
    assert runaways(watch, 6.0, held.after(0.1)) == orphaned
    assert runaways(watch, 7.0, held.after(0.1)) == orphaned, "its stop may have been refused"
    held.motion.stop([0])
    assert runaways(watch, 8.0, held.after(1.0)) == []


@pytest.mark.parametrize("kind", [MotionKind.EFFORT, MotionKind.TRAJECTORY])
def test_what_somebody_else_has_begun_since_is_not_stopped(kind: MotionKind) -> None:
    watch, held = running(kind)
    watch.orphans.see_begin(begin(kind))
    watch.at(0.0)
    watch.at(1.1 * TOLD_LATE)
    watch.owners = {0: "/mover, process 8"}
    assert runaways(watch, 6.0, held.after(0.1)) == []
    watch.owners.clear()
    assert runaways(watch, 7.0, held.after(0.1)) == [], "that one is told of by itself"
