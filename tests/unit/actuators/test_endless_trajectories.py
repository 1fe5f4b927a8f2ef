"""Parts of an endless trajectory: planned before they are due, from where the axes will be then."""

from math import pi, sin

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.actuators.command import REPEAT_FOREVER, Command, CommandType, Point
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.trajectories import (
    Cycle,
    begun_late,
    run_at,
    start_at,
    start_of,
    trajectory,
)
from wmx_ros2_package.drivers.values import SplineMove

ACTUATORS = {"fan": Actuator(name="fan", axis=0)}
POINTS = 40
STEP = 0.025
"""Between two points, s: one swing in a second."""


def endless(positions: list[float]) -> Command:
    points = tuple(Point(time=STEP * (i + 1), positions=(p,)) for i, p in enumerate(positions))
    return Command(name="fan", type=CommandType.TRAJECTORY, points=points, repeat=REPEAT_FOREVER)


SWINGS = endless([0.5 * sin(2.0 * pi * (i + 1) / POINTS) for i in range(POINTS)])
PAUSES = endless([*(0.5 * sin(2.0 * pi * (i + 1) / 20) for i in range(20)), *[0.0] * 20])


@pytest.mark.parametrize("late", [0.0, 0.004, 0.03])
def test_a_part_takes_over_without_a_jolt(late: float) -> None:
    held, cycle = HeldEngine().servo_on(0), Cycle([SWINGS])
    first = trajectory([SWINGS], ACTUATORS, start_of([SWINGS], ACTUATORS, held.status()))
    [run] = first.runs
    span = cycle.takes_over * cycle.period
    second = trajectory(cycle.part(0.0), ACTUATORS, start_at(first, span))
    held.motion.move_spline(SplineMove(axes=(0,), times=run.times, positions=run.positions))
    now = held.after(span)
    foreseen = start_at(first, span)
    assert now.pos_cmd[0] == pytest.approx(foreseen.position[0], abs=1e-6)
    assert now.velocity_cmd[0] == pytest.approx(foreseen.velocity[0], abs=1e-4)
    before = held.after(late) if late else now
    held.motion.move_spline(begun_late(second, late, before.pos_cmd[:1]))
    top = 0.5 * 2.0 * pi
    speeds = [float(before.velocity_cmd[0])]
    for _ in range(200):
        status = held.after(0.001)
        speeds.append(float(status.velocity_cmd[0]))
    steepest = np.abs(np.diff(speeds)).max()
    assert steepest < 3.0 * top * 2.0 * pi * 0.001, "no more than the swing itself, and a little"
    swings = 0.5 * sin(2.0 * pi * (span + late + 0.2))
    assert status.pos_cmd[0] == pytest.approx(swings, abs=0.005)


def test_where_it_pauses_nothing_runs() -> None:
    held = HeldEngine().servo_on(0)
    made = trajectory([PAUSES], ACTUATORS, start_of([PAUSES], ACTUATORS, held.status()))
    assert len(made.runs) > 1
    moves, pauses = 0.2, 0.75
    assert run_at(made, moves) is made.runs[0]
    assert run_at(made, pauses) is None
    stands = start_at(made, pauses)
    assert (stands.position[0], stands.velocity[0]) == (pytest.approx(0.0, abs=1e-6), 0.0)
