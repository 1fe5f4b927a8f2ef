"""Where a new trajectory begins when axes move already, so that it takes over without a jolt.

Planning takes a while, and the axes move on. So the plan begins where they will be a little later,
and when it is done the spline is cut to where they are by then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..drivers.errors import CommandRefused
from ..drivers.values import Floats, MotionStatus
from . import watch
from .goal import Joints, Start
from .outcome import Ended, Ending
from .plan import Plan
from .runs import Run

SMOOTH = 0.03
"""A spline that takes over has no points in its first so many seconds: it is not known to a cycle
when an engine starts it, and what is gained or lost then is made up for in this time."""
COMMAND_CYCLES = 1
"""A command comes into force the cycle after."""
LATEST = 0.03
"""How late a spline may take over from a motion and still be led up to, s."""


class TooLate(Exception):
    """The axes have moved on too far for what was planned: nothing was commanded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Where the joints of a server are at a communication cycle."""

    start: Start
    cycle: int
    moving: bool


def present(
    status: MotionStatus, joints: Joints, columns: Sequence[int] | None = None
) -> Beginning:
    """That of a sample, for a trajectory of the joints in `columns`, or of all."""
    axes = list(joints.axes)
    velocity = status.velocity_cmd[axes]
    return Beginning(
        start=Start(
            actual=status.actual_pos[axes],
            position=status.pos_cmd[axes],
            velocity=velocity,
        ),
        cycle=status.cycle,
        moving=bool(velocity[slice(None) if columns is None else list(columns)].any()),
    )


def ahead(
    status: MotionStatus,
    joints: Joints,
    columns: Sequence[int],
    leaders: Sequence[tuple[Plan, int]],
    cycle_time: float,
    lead: float,
) -> Beginning:
    """That of `lead` s later, as `leaders` have it: plans, and the cycles in which they began.

    Axes that rest begin where they are.
    """
    now = present(status, joints, columns)
    if not now.moving:
        return now
    cycle = status.cycle + round(lead / cycle_time)
    position, velocity = now.start.position.copy(), now.start.velocity.copy()
    acceleration = np.zeros_like(position)
    for plan, first_cycle in leaders:
        time = np.array([(cycle - first_cycle) * cycle_time])
        led = list(plan.columns)
        position[led] = plan.curve.at(time)[0]
        velocity[led] = 0.0
        if time[0] < plan.duration:
            velocity[led] = plan.curve.at(time, 1)[0]
            acceleration[led] = plan.curve.at(time, 2)[0]
    start = Start(
        actual=now.start.actual, position=position, velocity=velocity, acceleration=acceleration
    )
    return Beginning(start=start, cycle=cycle, moving=now.moving)


def require_led(
    status: MotionStatus, leaders: Sequence[tuple[Plan, int]], cycle_time: float
) -> None:
    """Ended when axes do not follow the plans that began in those cycles: they were stopped, say.

    For plans that nobody else watches any more.
    """
    for plan, first_cycle in leaders:
        now = (status.cycle - first_cycle) * cycle_time
        reason = watch.unfit(status, plan.names, plan.axes)
        if not reason and any(r.begin + watch.SHOWN < now < r.end - watch.SHOWN for r in plan.runs):
            reason = watch.interrupted(status, plan.names, plan.axes)
        if reason:
            raise Ended(Ending.OFF_PATH, reason)


def require_in_time(
    cycle: int, now: int, cycle_time: float, refusal: CommandRefused | None = None
) -> None:
    """TooLate, because of `refusal`, when what was meant for `cycle` is only ready in `now`."""
    if (now - cycle) * cycle_time > LATEST:
        raise TooLate from refusal


def cut(
    run: Run, status: MotionStatus, axes: tuple[int, ...], beginning: Beginning, cycle_time: float
) -> tuple[Floats, Floats]:
    """Times and positions of `run`, which begins at `beginning`, from where the axes are now.

    A plan that begins later than now is led up to. TooLate for one that should have begun.
    """
    require_in_time(beginning.cycle, status.cycle, cycle_time)
    late = (status.cycle + COMMAND_CYCLES - beginning.cycle) * cycle_time
    times = run.times - late
    kept = times > SMOOTH
    kept[-1] = True
    here = status.pos_cmd[list(axes)] + status.velocity_cmd[list(axes)] * (
        COMMAND_CYCLES * cycle_time
    )
    return (
        np.concatenate([[0.0], np.maximum(times[kept], cycle_time)]),
        np.vstack([here, run.positions[kept]]),
    )
