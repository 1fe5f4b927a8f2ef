"""Trajectories that are repeated; for ever in parts, planned before they are due."""

from dataclasses import replace
from math import pi, sin

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_core.values import MotionStatus, SplineMove
from wmx_ros2_package.actuators.command import REPEAT_FOREVER, Command, CommandType, Point
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.trajectories import RULES, EndlessRepeat, goal_of
from wmx_ros2_package.trajectories.goal import Start
from wmx_ros2_package.trajectories.plan import Plan, require_plan
from wmx_ros2_package.trajectories.segments import MOST_POINTS
from wmx_ros2_package.trajectories.take_over import COMMAND_CYCLES, cut, departure_now
from wmx_ros2_package.validation import BadRequest

ACTUATORS = {"fan": Actuator(name="fan", axis=0), "belt": Actuator(name="belt", axis=1)}
POINT = Point(time=1.0, positions=(0.1,))
POINTS = 40
STEP = 0.025
"""Between two points, s: one swing in a second."""


def endless(positions: list[float]) -> Command:
    points = tuple(Point(time=STEP * (i + 1), positions=(p,)) for i, p in enumerate(positions))
    return Command(name="fan", type=CommandType.TRAJECTORY, points=points, repeat=REPEAT_FOREVER)


SWINGS = endless([0.5 * sin(2.0 * pi * (i + 1) / POINTS) for i in range(POINTS)])
PAUSES = endless([*(0.5 * sin(2.0 * pi * (i + 1) / 20) for i in range(20)), *[0.0] * 20])


def planned(command: Command, start: Start | MotionStatus) -> Plan:
    """A part of `command`, from `start` on."""
    goal, joints = goal_of([command], ACTUATORS)
    if isinstance(start, MotionStatus):
        start = departure_now(start, joints).start
    return require_plan(goal, joints, start, RULES)


@pytest.mark.parametrize("late", [0, 1, 4, 30])
def test_a_part_takes_over_without_a_jolt(late: int) -> None:
    """So many cycles later than it was planned for."""
    held, span = HeldEngine().servo_on(0), EndlessRepeat([SWINGS]).span
    first = planned(SWINGS, held.status())
    [segment] = first.segments
    second = planned(SWINGS, first.start_at(span))
    held.motion.move_spline(SplineMove(axes=(0,), times=segment.times, positions=segment.positions))
    begins = held.status().cycle + round(span * 1000)
    now = held.after(span)
    foreseen = first.start_at(span)
    assert now.pos_cmd[0] == pytest.approx(foreseen.position[0], abs=1e-6)
    assert now.velocity_cmd[0] == pytest.approx(foreseen.velocity[0], abs=1e-4)
    before = held.after(late * 0.001) if late else now
    times, positions = cut(second.segments[0], before, (0,), begins, 0.001)
    held.motion.move_spline(SplineMove(axes=(0,), times=times, positions=positions))
    top = 0.5 * 2.0 * pi
    speeds = [float(before.velocity_cmd[0])]
    for _ in range(200):
        status = held.after(0.001)
        speeds.append(float(status.velocity_cmd[0]))
    steepest = np.abs(np.diff(speeds)).max()
    assert steepest < 1.5 * top * 2.0 * pi * 0.001, "no more than the swing itself, and a little"
    # This engine takes commands up at once, so that all is as late as others take.
    swings = 0.5 * sin(2.0 * pi * (status.cycle - begins + COMMAND_CYCLES) * 0.001)
    assert status.pos_cmd[0] == pytest.approx(swings, abs=1e-4)


def test_where_it_pauses_nothing_is_followed() -> None:
    made = planned(PAUSES, HeldEngine().servo_on(0).status())
    assert len(made.segments) > 1
    moves, pauses = 0.2, 0.75
    assert made.segment_at(moves) is made.segments[0]
    assert made.segment_at(pauses) is None
    stands = made.start_at(pauses)
    assert (stands.position[0], stands.velocity[0]) == (pytest.approx(0.0, abs=1e-6), 0.0)


@pytest.mark.parametrize("count", [1, 2, 40, 199, 200, 400, 500])
def test_a_part_has_whole_repetitions_and_goes_on_long_after_the_next_takes_over(
    count: int,
) -> None:
    command = endless([0.5 * sin(2.0 * pi * (i + 1) / count) for i in range(count)])
    period = STEP * count
    cycle = EndlessRepeat([command])
    [part] = cycle.part()
    assert cycle.span == pytest.approx(round(cycle.span / period) * period)
    left = [point for point in part.points if point.time > cycle.span + 1e-9]
    assert len(left) >= 8
    assert len(part.points) <= MOST_POINTS
    assert part.repeat == 0


def test_a_part_ends_at_rest() -> None:
    points = tuple(Point(time=i, positions=(0.1,), velocities=(0.3,)) for i in (1.0, 2.0))
    command = Command(name="fan", type=CommandType.TRAJECTORY, points=points, repeat=REPEAT_FOREVER)
    [part] = EndlessRepeat([command]).part()
    assert part.points[-1].velocities == (0.0,)
    assert {point.velocities for point in part.points[:-1]} == {(0.3,)}


def test_one_with_more_points_than_two_parts_have_is_refused() -> None:
    with pytest.raises(BadRequest, match="must have 500 or fewer"):
        EndlessRepeat([endless([0.0] * 501)])


def dense(count: int, period: float) -> Command:
    points = tuple(Point(time=period * (i + 1) / count, positions=(0.0,)) for i in range(count))
    return Command(name="fan", type=CommandType.TRAJECTORY, points=points, repeat=REPEAT_FOREVER)


@pytest.mark.parametrize(
    ("count", "period", "least"), [(100, 0.19, 1.0), (250, 0.2, 0.5), (1, 0.002, 1.0)]
)
def test_a_part_leads_long_enough_to_be_paused(count: int, period: float, least: float) -> None:
    endless = EndlessRepeat([dense(count, period)])
    assert endless.span >= least
    assert len(endless.part()[0].points) <= MOST_POINTS


@pytest.mark.parametrize(
    ("count", "period", "most"), [(251, 0.2, 250), (400, 0.3, 333), (1, 0.0005, 0)]
)
def test_one_whose_parts_cannot_be_long_enough_is_refused(
    count: int, period: float, most: int
) -> None:
    with pytest.raises(BadRequest, match=rf"are {count} in {period:g} s: .* {most} or fewer"):
        EndlessRepeat([dense(count, period)])
    if most:
        EndlessRepeat([dense(most, period)])


def repeated(*points: Point, times: int = 0, name: str = "fan") -> Command:
    return Command(name=name, type=CommandType.TRAJECTORY, points=points, repeat=times)


def test_a_point_that_ends_one_repetition_begins_the_next() -> None:
    away = repeated(Point(time=0.0, positions=(0.0,)), POINT, Point(time=2.0, positions=(0.0,)))
    goal, _ = goal_of([replace(away, repeat=3)], ACTUATORS)
    assert goal.times == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert goal.positions == [[0.0], [0.1], [0.0], [0.1], [0.0], [0.1], [0.0]]


def test_all_repetitions_together_may_have_1000_points() -> None:
    points = [replace(POINT, time=float(i)) for i in range(500)]
    goal, _ = goal_of([repeated(*points, times=2)], ACTUATORS)
    assert len(goal.times) == 999, "the last of the first repetition begins the second"


OPEN = Point(time=0.0, positions=(0.0,)), POINT


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ([repeated()], "points of 'fan' is empty"),
        ([repeated(*[POINT] * 501, times=2)], "501 points of 'fan', 2 times: must be 1000 in all"),
        ([repeated(replace(POINT, positions=()))], "point 0 of 'fan' has 0 positions: must have 1"),
        ([repeated(replace(POINT, velocities=(1.0, 2.0)))], "has 2 velocities: must have 1, or"),
        ([repeated(replace(POINT, accelerations=(1.0, 2.0)))], "has 2 accelerations: must have 1"),
        ([repeated(*OPEN, times=2)], "the last point of 'fan' is 0.1 from the first"),
        ([repeated(*OPEN, times=REPEAT_FOREVER)], "the last point of 'fan' is 0.1 from the first"),
        ([repeated(POINT, times=-2)], "repeat of 'fan' is -2: must be -1"),
        (
            [repeated(POINT), repeated(replace(POINT, time=2.0), name="belt")],
            "points of 'belt' have other times than those of 'fan'",
        ),
        ([repeated(POINT), repeated(POINT, name="belt", times=2)], "repeat of 'belt' is 2: must"),
    ],
)
def test_what_breaks_a_rule_of_trajectories_is_refused(
    commands: list[Command], reason: str
) -> None:
    with pytest.raises(BadRequest, match=reason):
        goal_of(commands, ACTUATORS)
