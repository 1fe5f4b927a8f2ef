"""Where a trajectory begins that takes over in motion, and how its first spline is cut."""

from dataclasses import replace

import numpy as np
import pytest
from held_engine import HeldEngine, position_move
from robot_goals import NAMES

from wmx_core.values import MotionStatus, SplineMove
from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules, Start
from wmx_ros2_package.trajectories.plan import Plan, require_plan
from wmx_ros2_package.trajectories.segments import Segment
from wmx_ros2_package.trajectories.take_over import (
    COMMAND_CYCLES,
    LATEST,
    SAME,
    SMOOTH,
    ahead,
    cut,
    departure_now,
    is_late,
    same_start,
)

CYCLE = 1e-3
JOINTS = Joints(
    names=NAMES[:2],
    axes=(1, 0),
    lower=np.full(2, -np.inf),
    upper=np.full(2, np.inf),
    top_speed=np.full(2, np.inf),
)


def planned(start: Start, *targets: float) -> Plan:
    """Both joints go from `start` through their targets, in 2 s."""
    count = len(targets)
    goal = Goal(
        joint_names=JOINTS.names,
        times=[2.0 * (i + 1) / count for i in range(count)],
        positions=[[target, -target] for target in targets],
        velocities=[[]] * count,
        accelerations=[[]] * count,
    )
    return require_plan(goal, JOINTS, start, Rules(spline_tolerance=1.0))


def follow(held: HeldEngine, plan: Plan, seconds: float) -> tuple[int, MotionStatus]:
    """The cycle in which the spline of `plan` begins, and the status after so long."""
    [segment] = plan.segments
    move = SplineMove(axes=plan.axes, times=segment.times, positions=segment.positions)
    held.motion.move_spline(move)
    return held.status().cycle, held.after(seconds)


# Departures


def test_joints_that_rest_depart_from_where_they_are_commanded_to_be(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 0.25), position_move(1, 0.5)])
    status = held.after(10.0)
    status = replace(status, actual_pos=status.actual_pos + 1e-3)
    departure = departure_now(status, JOINTS)
    assert departure.start.position.tolist() == [0.5, 0.25], "in the order of the joints"
    assert departure.start.actual == pytest.approx([0.501, 0.251], abs=1e-4)
    assert not departure.start.velocity.any()
    assert (departure.cycle, departure.moving) == (status.cycle, False)
    later = ahead(status, JOINTS, (0, 1), [], CYCLE, 0.05)
    assert (later.cycle, later.moving) == (status.cycle, False), "a lead changes nothing"


@pytest.mark.parametrize(("columns", "moving"), [(None, True), ((0,), False), ((1,), True)])
def test_joints_move_if_one_of_those_that_are_meant_does(
    held: HeldEngine, columns: tuple[int, ...] | None, *, moving: bool
) -> None:
    held.motion.move_absolute([position_move(0, 5.0)])
    assert departure_now(held.after(0.1), JOINTS, columns).moving is moving


@pytest.mark.parametrize("lead", [0.05, 0.15])
def test_joints_that_move_depart_from_where_their_plan_has_them_a_little_later(
    held: HeldEngine, lead: float
) -> None:
    plan = planned(departure_now(held.status(), JOINTS).start, 0.5, 1.0)
    first, status = follow(held, plan, 0.7)
    departure = ahead(status, JOINTS, (0, 1), [(plan, first)], CYCLE, lead)
    assert departure.moving
    assert departure.cycle == status.cycle + round(lead / CYCLE)
    then = held.after(lead)
    axes = list(JOINTS.axes)
    assert departure.start.position == pytest.approx(then.pos_cmd[axes], abs=1e-5)
    assert departure.start.velocity == pytest.approx(then.velocity_cmd[axes], abs=1e-3)
    assert np.abs(departure.start.acceleration).min() > 0.0
    assert departure.start.actual == pytest.approx(status.actual_pos[axes])


def test_what_no_plan_leads_departs_from_where_it_is(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 5.0)])
    status = held.after(0.1)
    departure = ahead(status, JOINTS, (0, 1), [], CYCLE, 0.05)
    assert departure.start.position.tolist() == status.pos_cmd[[1, 0]].tolist()
    assert departure.start.velocity.tolist() == status.velocity_cmd[[1, 0]].tolist()
    assert not departure.start.acceleration.any()


# What was planned, and whether it is right still


@pytest.mark.parametrize(("by", "expected"), [(0.5 * SAME, True), (2.0 * SAME, False)])
@pytest.mark.parametrize("what", ["position", "velocity"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_start_is_the_same_within_a_hair(
    what: str, by: float, sign: float, *, expected: bool
) -> None:
    zero = np.zeros(2)
    one = Start(actual=zero, position=zero, velocity=zero, acceleration=zero)
    other = replace(one, **{what: np.array([0.0, sign * by])})
    assert same_start(one, other) is expected
    assert same_start(other, one) is expected
    assert same_start(one, replace(one, actual=np.ones(2))), "what is commanded counts"


def test_what_is_ready_too_late() -> None:
    late = round(LATEST / CYCLE)
    assert not is_late(1000, 900, CYCLE)
    assert not is_late(1000, 1000 + late, CYCLE)
    assert is_late(1000, 1000 + late + 1, CYCLE)


# Splines that are cut


def segment(*times: float) -> Segment:
    """A spline of both joints, at 1 and -1 u/s, through points at `times`."""
    points = np.array([[time, -time] for time in times])
    zero = np.zeros(2)
    start = Start(actual=zero, position=zero, velocity=zero, acceleration=zero)
    curve = planned(start, 1.0)
    return Segment(begin=0.0, times=np.array(times), positions=points, curve=curve.curve, error=0.0)


def status_at(cycle: int) -> MotionStatus:
    """Both axes are at cycle `cycle` where the joints of `segment` are then, at their speed."""
    held = HeldEngine().servo_on()
    now = cycle * CYCLE
    there = {"pos_cmd": np.array([-now, now]), "velocity_cmd": np.array([-1.0, 1.0])}
    return replace(held.status(), cycle=cycle, **there)


@pytest.mark.parametrize("late", [-20, -1, 0, 10, 25])
def test_a_spline_is_cut_to_where_the_axes_are_and_keeps_its_times(late: int) -> None:
    """Each point is passed when it was planned to, however late the spline is commanded."""
    whole = segment(0.0, 0.1, 0.2, 0.3)
    status = status_at(late)
    times, positions = cut(whole, status, JOINTS.axes, 0, CYCLE)
    here = (late + COMMAND_CYCLES) * CYCLE
    assert times == pytest.approx([0.0, 0.1 - here, 0.2 - here, 0.3 - here])
    assert positions[:, 0] == pytest.approx([here, 0.1, 0.2, 0.3])
    assert positions[:, 1] == pytest.approx([-here, -0.1, -0.2, -0.3])


def test_points_that_are_past_or_too_near_are_left_out() -> None:
    whole = segment(0.0, 0.01, 0.03, 0.041, 0.1, 0.2)
    status = status_at(9)
    times, positions = cut(whole, status, JOINTS.axes, 0, CYCLE)
    assert positions[:, 0] == pytest.approx([0.01, 0.041, 0.1, 0.2])
    assert times[0] == 0.0
    assert times[1] > SMOOTH
    assert times == pytest.approx([0.0, 0.031, 0.09, 0.19])


@pytest.mark.parametrize("late", [295, 299, 320])
def test_the_last_point_stays_and_is_a_cycle_ahead_at_least(late: int) -> None:
    times, positions = cut(segment(0.0, 0.1, 0.3), status_at(late), JOINTS.axes, 0, CYCLE)
    assert positions[-1].tolist() == [0.3, -0.3]
    assert len(times) == 2
    assert times[1] == pytest.approx(max(CYCLE, 0.3 - (late + 1) * CYCLE))
