"""Where a new trajectory begins when axes move already, so that it takes over without a jolt.

Planning takes a while, and the axes move on. So the plan begins where they will be a little later,
and when it is ready its first spline is cut to where they are by then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from wmx_core.values import Floats, MotionStatus, OperationState

from .goal import Joints, Start
from .plan import Plan
from .segments import SAME_POINT, Segment

SMOOTH = 0.03
"""A spline that takes over has no points in its first so many seconds: it is not known to a cycle
when an engine starts it, and what is gained or lost then is made up for in this time."""
COMMAND_CYCLES = 1
"""A command comes into force the cycle after."""
LATEST = 0.03
"""How late a spline may take over from a motion and still be led up to, s."""
SAME = 1e-6
"""How far a joint may have moved since a plan was made for it to be right still, u and u/s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Where the joints of a server are at the communication cycle in which a plan begins."""

    start: Start
    cycle: int
    moving: bool


def departure_now(
    status: MotionStatus, joints: Joints, columns: Sequence[int] | None = None
) -> Departure:
    """The departure at `status` of a trajectory of the joints in `columns`, or of all."""
    axes = list(joints.axes)
    velocity = status.velocity_cmd[axes]
    return Departure(
        start=Start(
            actual=status.actual_pos[axes],
            position=status.pos_cmd[axes],
            velocity=velocity,
            acceleration=np.zeros_like(velocity),
        ),
        cycle=status.cycle,
        moving=bool(velocity[slice(None) if columns is None else list(columns)].any()),
    )


def ahead(
    status: MotionStatus,
    joints: Joints,
    columns: Sequence[int],
    leading: Sequence[tuple[Plan, int]],
    cycle_time: float,
    lead: float,
) -> Departure:
    """The departure `lead` s later, with the axes where the plans that are `leading` have them.

    Each plan comes with the cycle in which it began. Axes that rest begin where they are.
    """
    now = departure_now(status, joints, columns)
    if not now.moving:
        return now
    cycle = status.cycle + round(lead / cycle_time)
    position, velocity = now.start.position.copy(), now.start.velocity.copy()
    acceleration = np.zeros_like(position)
    for plan, first_cycle in leading:
        led = [joints.axes.index(axis) for axis in plan.axes]
        at = plan.start_at((cycle - first_cycle) * cycle_time)
        position[led], velocity[led], acceleration[led] = at.position, at.velocity, at.acceleration
    start = Start(
        actual=now.start.actual, position=position, velocity=velocity, acceleration=acceleration
    )
    return Departure(start=start, cycle=cycle, moving=True)


def same_start(one: Start, other: Start) -> bool:
    """Whether what was planned from `one` is right from `other`, too."""
    return all(
        bool((np.abs(a - b) <= SAME).all())
        for a, b in ((one.position, other.position), (one.velocity, other.velocity))
    )


def is_late(cycle: int, now: int, cycle_time: float) -> bool:
    """Whether a spline that was to begin in `cycle` is ready too late, in the cycle `now`."""
    return (now - cycle) * cycle_time > LATEST


def cycle_of_begin(
    opening: Segment,
    axes: tuple[int, ...],
    commanded: int,
    status: MotionStatus,
    cycle_time: float,
) -> int:
    """The cycle in which the spline `opening` of `axes` began, commanded after cycle `commanded`.

    On a busy machine that may be later than the next one. What takes over needs it, and the engine
    shows how much of the spline is left, s.
    """
    chosen = list(axes)
    left = float(status.remaining[chosen].max())
    earliest, latest = commanded + COMMAND_CYCLES, status.cycle + COMMAND_CYCLES
    if (status.op_state[chosen] == OperationState.IDLE).all():
        return latest
    if not isfinite(left):
        return earliest
    begun = status.cycle + round((left - float(opening.times[-1])) / cycle_time)
    return min(max(begun, earliest), latest)


def cut(
    segment: Segment, status: MotionStatus, axes: tuple[int, ...], cycle: int, cycle_time: float
) -> tuple[Floats, Floats]:
    """Times and positions of `segment`, which begins in `cycle`, from where the axes are now.

    Where it is to begin later than now, the way to its first points is led up to.
    """
    late = (status.cycle + COMMAND_CYCLES - cycle) * cycle_time
    times = segment.times - late
    kept = times > SMOOTH
    kept[-1] = True
    here = status.pos_cmd[list(axes)] + status.velocity_cmd[list(axes)] * (
        COMMAND_CYCLES * cycle_time
    )
    return led_from(here, np.maximum(times[kept], cycle_time), segment.positions[kept])


def led_from(here: Floats, times: Floats, positions: Floats) -> tuple[Floats, Floats]:
    """Times and positions of a spline from `here` on, without points that are at `here`.

    The last point stays: `is_nothing` tells where it is `here` as well.
    """
    far = np.abs(positions - here).max(axis=1) >= SAME_POINT
    far[-1] = True
    first = int(np.argmax(far))
    return (
        np.concatenate([[0.0], times[first:]]),
        np.vstack([here, positions[first:]]),
    )


def is_nothing(positions: Floats) -> bool:
    """Whether a spline through `positions` has nothing to lead the axes along."""
    return len(positions) == 2 and bool(np.abs(np.diff(positions, axis=0)).max() < SAME_POINT)
