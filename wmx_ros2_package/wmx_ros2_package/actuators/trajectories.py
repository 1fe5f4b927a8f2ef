"""Trajectories of actuators: points that are repeated, and led through by the engine's splines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from ..drivers.values import Floats, MotionStatus, SplineMove
from ..trajectories.check import check_goal
from ..trajectories.goal import Goal, Joints, Rules, Start
from ..trajectories.plan import Plan, check_plan
from ..trajectories.plan import plan as plan_goal
from ..trajectories.runs import MOST_POINTS, Run
from ..validation import MOST_REASONS, BadRequest
from .command import REPEAT_FOREVER, Command, Point
from .description import Actuator

AHEAD = 8
"""A spline's end bends what is so many points before it by less than 0.3 ** 8."""
PART = 200
"""About how many points a part of an endless trajectory has."""
NEAREST = 0.02
"""A point that is nearer than this, s, is left out when a part takes over."""
SAME = 1e-6
"""How far the end of a repeated trajectory may be from its first point, rad or m."""
RULES = Rules()


def start_of(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], status: MotionStatus
) -> Start:
    """Where the axes of `commands` are, in their order."""
    axes = [actuators[command.name].axis for command in commands]
    return Start(
        actual=status.actual_pos[axes],
        position=status.pos_cmd[axes],
        velocity=status.velocity_cmd[axes],
    )


def run_at(made: Plan, time: float) -> Run | None:
    """What the axes follow `time` s after the begin of `made`; None where they stand."""
    return next((run for run in made.runs if run.begin <= time < run.end), None)


def start_at(made: Plan, time: float) -> Start:
    """Where the axes will be `time` s after the begin of `made`."""
    run = run_at(made, time)
    if run is None:
        position = made.curve.at(np.array([time]))[0]
        return Start(actual=position, position=position, velocity=np.zeros_like(position))
    when = np.array([time - run.begin])
    position = run.curve.at(when)[0]
    return Start(actual=position, position=position, velocity=run.curve.at(when, 1)[0])


def same_start(one: Start, other: Start) -> bool:
    """Whether what was planned from `one` is right from `other`, too."""
    return all(
        bool((abs(a - b) <= SAME).all())
        for a, b in ((one.position, other.position), (one.velocity, other.velocity))
    )


def begun_late(made: Plan, late: float, position: Floats) -> SplineMove:
    """The first run of `made`, which the axes begin at `position`, `late` s after its begin.

    What is so near that the axes would have to jump is left out.
    """
    run = made.runs[0]
    left = run.times - late > NEAREST
    left[-1] = True
    return SplineMove(
        axes=made.axes,
        times=np.concatenate([[0.0], run.times[left] - late]),
        positions=np.vstack([position, run.positions[left]]),
    )


def trajectory(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], start: Start
) -> Plan:
    """What the engine does for TRAJECTORY commands from `start` on; BadRequest when it cannot.

    Those of one message are followed together, so their points have the same times.
    """
    reasons = [reason for command in commands for reason in _wrong(command)]
    first = commands[0]
    for command in commands[1:]:
        if [p.time for p in command.points] != [p.time for p in first.points]:
            reasons.append(
                f"points of {command.name!r} have other times than those of {first.name!r}: "
                "trajectories that start together must have the same times"
            )
        if command.repeat != first.repeat:
            reasons.append(
                f"repeat of {command.name!r} is {command.repeat}: must be {first.repeat}"
            )
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    if first.repeat == REPEAT_FOREVER:
        commands = Cycle(commands).part(0.0)
    chosen = [actuators[command.name] for command in commands]
    rows = [_repeated(command) for command in commands]
    goal = Goal(
        joint_names=[command.name for command in commands],
        times=[point.time for point in rows[0]],
        positions=_columns(rows, "positions"),
        velocities=_columns(rows, "velocities"),
        accelerations=_columns(rows, "accelerations"),
    )
    joints = Joints(
        names=tuple(actuator.name for actuator in chosen),
        axes=tuple(actuator.axis for actuator in chosen),
        lower=np.array([actuator.position_min for actuator in chosen]),
        upper=np.array([actuator.position_max for actuator in chosen]),
        top_speed=np.array([actuator.velocity_max for actuator in chosen]),
    )
    if reasons := check_goal(goal, joints, start, RULES):
        raise BadRequest(reasons)
    made = plan_goal(goal, joints, start)
    if reasons := check_plan(made, joints, RULES):
        raise BadRequest(reasons)
    return made


class Cycle:
    """A trajectory that is repeated for ever, as parts that take over from each other.

    A part ends at rest, as the engine's splines do, but the next one takes over long before:
    `AHEAD` points, by which what the end bends has faded.
    """

    def __init__(self, commands: Sequence[Command]) -> None:
        points = len(commands[0].points)
        self._commands = commands
        self.period = commands[0].points[-1].time
        ahead = ceil(AHEAD / points)
        self.takes_over = max(1, PART // points - ahead)
        """After how many repetitions the next part takes over."""
        self._repetitions = self.takes_over + ahead
        if self._repetitions * points > MOST_POINTS:
            raise BadRequest(
                [
                    f"points of {commands[0].name!r} are {points}: what is repeated for ever must "
                    f"have {MOST_POINTS // 2} or fewer"
                ]
            )

    def part(self, elapsed: float) -> list[Command]:
        """The commands from `elapsed` (s) in a repetition on."""
        return [
            replace(command, points=self._points(command, elapsed), repeat=0)
            for command in self._commands
        ]

    def _points(self, command: Command, elapsed: float) -> tuple[Point, ...]:
        points = [
            replace(point, time=point.time - elapsed)
            for point in _repeated(replace(command, repeat=self._repetitions))
            if elapsed == 0.0 or point.time - elapsed > NEAREST
        ]
        last = points[-1]
        points[-1] = replace(
            last,
            velocities=(0.0,) * len(last.velocities),
            accelerations=(0.0,) * len(last.accelerations),
        )
        return tuple(points)


def _wrong(command: Command) -> list[str]:
    where = f"of {command.name!r}"
    if not command.points:
        return [f"points {where} is empty: a trajectory must have a point"]
    if len(command.points) * max(1, command.repeat) > MOST_POINTS:
        return [
            f"{len(command.points)} points {where}, {command.repeat} times: "
            f"must be {MOST_POINTS} in all at most"
        ]
    reasons = [
        f"point {i} {where} has {len(point.positions)} positions: must have 1"
        for i, point in enumerate(command.points)
        if len(point.positions) != 1
    ]
    reasons += [
        f"point {i} {where} has {len(numbers)} {name}: must have 1, or none"
        for i, point in enumerate(command.points)
        for name, numbers in (
            ("velocities", point.velocities),
            ("accelerations", point.accelerations),
        )
        if len(numbers) > 1
    ]
    if command.repeat == REPEAT_FOREVER or command.repeat > 1:
        begin, end = command.points[0], command.points[-1]
        if begin.time == 0.0 and not reasons:
            away = abs(end.positions[0] - begin.positions[0])
            if away > SAME:
                reasons.append(
                    f"the last point {where} is {away:g} from the first: "
                    "a trajectory that is repeated must end where it begins"
                )
    if command.repeat < REPEAT_FOREVER:
        reasons.append(f"repeat {where} is {command.repeat}: must be -1 (for ever), 0 or more")
    return reasons


def _repeated(command: Command) -> list[Point]:
    """The points of all repetitions, without those that would come twice."""
    period = command.points[-1].time
    again = [point for point in command.points if point.time > 0.0]
    points = list(command.points)
    for i in range(1, max(1, command.repeat)):
        points += [
            Point(
                time=point.time + i * period,
                positions=point.positions,
                velocities=point.velocities,
                accelerations=point.accelerations,
            )
            for point in again
        ]
    return points


def _columns(rows: Sequence[Sequence[Point]], name: str) -> list[list[float]]:
    """One row a point with one number an actuator, as goals have them."""
    return [
        [number for point in points for number in getattr(point, name)]
        for points in zip(*rows, strict=True)
    ]
