"""The arrival that a begin tells is right within two cycles, for every profile, in engine time."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, velocity_move
from profile_shapes import shaped

from wmx_ros2_package.drivers.interface import Motion
from wmx_ros2_package.drivers.profile_types import ProfileType
from wmx_ros2_package.drivers.values import LinearMove, OperationState, SplineMove
from wmx_ros2_package.motions.events import Begin, End, EndReason, MotionKind
from wmx_ros2_package.motions.ledger import MotionLedger
from wmx_ros2_package.motions.recorded_motion import Description, RecordedMotion

CYCLES = 0.002
"""Two of the engine, s."""


class Told:
    """A held engine whose axes 0 and 1 are on, and what is told of its motions."""

    def __init__(self) -> None:
        self.held = HeldEngine().servo_on(0, 1)
        self.events: list[Begin | End] = []
        self.ledger = MotionLedger("/node", self.events.append, clock=lambda: self.now())
        self.motion = RecordedMotion(self.held.motion, self.ledger)

    def now(self) -> float:
        return self.held.status().time

    def arrives_in_time(self) -> None:
        """The newest motion lasts until its arrival, and is over then."""
        begin = [event for event in self.events if isinstance(event, Begin)][-1]
        assert begin.arrival is not None
        left = begin.arrival - self.now()
        axes = list(begin.axes)
        if left > 2.0 * CYCLES:
            before = self.held.after(left - CYCLES)
            assert (before.op_state[axes] != OperationState.IDLE).any(), "it still moves"
        after = self.held.after(begin.arrival + CYCLES - self.now())
        assert (after.op_state[axes] == OperationState.IDLE).all(), "it has arrived"
        self.ledger.watch(self.held.after(1.0))
        ends = [event for event in self.events if isinstance(event, End)]
        assert ends[-1].id == begin.id
        assert ends[-1].reason is EndReason.ARRIVED
        known = [(f, t) for f, t in zip(ends[-1].final, begin.targets, strict=True) if t == t]
        assert all(final == pytest.approx(target, abs=1e-9) for final, target in known)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.mark.parametrize("target", [1.0, -0.037, 12.5, 1e-4])
@pytest.mark.parametrize("kind", ProfileType, ids=lambda kind: kind.name.lower())
def test_a_move_from_rest(told: Told, kind: ProfileType, target: float) -> None:
    told.motion.move_absolute([replace(position_move(target=target), profile=shaped(kind))])
    told.arrives_in_time()


FROM_REST_ALONE = ProfileType.CONSTANT_DEC, ProfileType.PARABOLIC_VELOCITY


@pytest.mark.parametrize("target", [5.0, 1.2, -2.0])
@pytest.mark.parametrize(
    "kind",
    [kind for kind in ProfileType if kind not in FROM_REST_ALONE],
    ids=lambda kind: kind.name.lower(),
)
def test_a_move_that_takes_over(told: Told, kind: ProfileType, target: float) -> None:
    told.motion.move_absolute([position_move(target=3.0)])
    told.held.after(0.3137)
    told.motion.move_absolute([replace(position_move(target=target), profile=shaped(kind))])
    told.arrives_in_time()


def test_a_velocity_with_a_duration(told: Told) -> None:
    described = Description(kind=MotionKind.VELOCITY, ids={0: UUID(int=1)})
    with told.motion.described(described):
        told.motion.jog([velocity_move(run_time=1.5)])
    told.arrives_in_time()


def test_a_line_and_a_spline(told: Told) -> None:
    told.motion.move_linear(
        LinearMove(axes=(0, 1), targets=(1.0, -0.4), velocity=2.0, acc=10.0, dec=5.0)
    )
    told.arrives_in_time()
    points = np.array([[1.0, -0.4], [0.6, 0.0], [0.7, 0.3]])
    times = np.array([0.0, 0.5, 1.25])
    told.motion.move_spline(SplineMove(axes=(0, 1), times=times, positions=points))
    told.arrives_in_time()


def test_it_holds_for_the_motion_that_nodes_have(told: Told) -> None:
    motion: Motion = told.motion
    motion.move_relative([position_move(target=0.25)])
    told.arrives_in_time()


def test_what_goes_on_for_ever_arrives_nowhere(told: Told) -> None:
    """Not where the first of its splines ends, though it may be given up there."""
    there_and_back = SplineMove(
        axes=(0,), times=np.array([0.0, 0.5, 1.0]), positions=np.array([[0.0], [0.2], [0.0]])
    )
    described = Description(
        kind=MotionKind.TRAJECTORY, ids={0: UUID(int=1)}, targets={0: np.nan}, lasts=np.inf
    )
    with told.motion.described(described):
        told.motion.move_spline(there_and_back)
    told.ledger.finish(UUID(int=1))
    told.ledger.watch(told.held.after(2.0))
    begin, end = told.events
    assert isinstance(begin, Begin)
    assert np.isnan(begin.targets[0])
    assert begin.arrival is None
    assert isinstance(end, End)
    assert end.reason is EndReason.STOPPED
