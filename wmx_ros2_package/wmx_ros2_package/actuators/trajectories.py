"""Trajectories of actuators: points that are repeated, and led through by the engine's splines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, inf

import numpy as np

from ..control.request import MotionKind, MotionRequest
from ..trajectories.goal import Goal, Joints, Rules
from ..trajectories.plan import Plan
from ..trajectories.segments import MOST_POINTS
from ..validation import MOST_REASONS, BadRequest
from .command import REPEAT_FOREVER, Command, Point
from .description import Actuator

AHEAD = 8
"""A spline's end bends what is so many points before it by less than 0.3 ** 8."""
PART = 200
"""About how many points a part of an endless trajectory has, unless it is too short then."""
SPAN, SHORTEST_SPAN = 1.0, 0.5
"""For how long a part leads at least, s: where its points are few enough, and otherwise.

A part changes its pace before the next one is planned, and takes its time for that.
"""
SAME = 1e-6
"""How far the end of a repeated trajectory may be from its first point, rad or m."""
RULES = Rules()


def goal_of(commands: Sequence[Command], actuators: Mapping[str, Actuator]) -> tuple[Goal, Joints]:
    """The goal of TRAJECTORY commands, and the joints it is for; BadRequest if they break a rule.

    Those of one message are followed together, so their points have the same times. Of what is
    repeated for ever it is the first part.
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
        commands = EndlessRepeat(commands).part()
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
    return goal, joints


def request_of(
    commands: Sequence[Command], plan: Plan, asked_at: float, purpose: str
) -> MotionRequest:
    """The one motion of TRAJECTORY commands, which were planned as `plan`."""
    forever = commands[0].repeat == REPEAT_FOREVER
    return MotionRequest(
        kind=MotionKind.TRAJECTORY,
        axes=plan.axes,
        names=plan.names,
        asked_at=asked_at,
        purpose=purpose,
        id=commands[0].id,
        targets=() if forever else tuple(plan.target.tolist()),
        lasts=inf if forever else plan.duration,
    )


class EndlessRepeat:
    """A trajectory that is repeated for ever, as parts that take over from each other.

    A part ends at rest, as the engine's splines do, but the next one takes over long before:
    `AHEAD` points, by which what the end bends has faded.
    """

    def __init__(self, commands: Sequence[Command]) -> None:
        points = len(commands[0].points)
        self._commands = commands
        self._period = period = commands[0].points[-1].time
        ahead = ceil(AHEAD / points)
        least, wanted = (
            ceil(seconds / period) if period > 0.0 else 1 for seconds in (SHORTEST_SPAN, SPAN)
        )
        most = MOST_POINTS // (least + ahead)
        if points > most:
            rule = f"what is repeated for ever must have {most} or fewer in that time"
            asked = f"points of {commands[0].name!r} are {points} in {period:g} s"
            raise BadRequest([f"{asked}: {rule}"])
        self._takes_over = min(max(wanted, PART // points - ahead), MOST_POINTS // points - ahead)
        """After how many repetitions the next part takes over."""
        self._repetitions = self._takes_over + ahead

    @property
    def span(self) -> float:
        """When the next part takes over, s in each part."""
        return self._takes_over * self._period

    def part(self) -> list[Command]:
        """The commands of one part."""
        return [
            replace(command, points=self._points(command), repeat=0) for command in self._commands
        ]

    def _points(self, command: Command) -> tuple[Point, ...]:
        points = _repeated(replace(command, repeat=self._repetitions))
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
        points += [replace(point, time=point.time + i * period) for point in again]
    return points


def _columns(rows: Sequence[Sequence[Point]], name: str) -> list[list[float]]:
    """One row a point with one number an actuator, as goals have them."""
    return [
        [number for point in points for number in getattr(point, name)]
        for points in zip(*rows, strict=True)
    ]
