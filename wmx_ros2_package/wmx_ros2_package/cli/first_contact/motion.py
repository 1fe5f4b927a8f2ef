"""Steps that move the axes that were named, within the distance that was allowed."""

from collections import Counter
from dataclasses import replace
from math import pi, sqrt
from typing import Any

import numpy as np

from wmx_core.errors import WmxError
from wmx_core.values import MotionStatus, OperationState, SplineMove, VelocityMove

from .session import Facts, Probe, Unable

MOST_AXES = 8
JOG_TIME = 0.3
"""s."""
SPLINE_POINTS = 1000
LEAST_FIRST_STEP = 2e-6
"""u; the engine takes nearer points than 1e-6 u for one."""
OVERRIDDEN = 2.0
"""How long a move takes at least whose velocity is overridden, s."""


def one_axis(probe: Probe, facts: Facts) -> None:
    """There and back: whether the motion is the one that was commanded."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    _there(probe, axis, facts)
    _back_overridden(probe, axis, facts)
    s = probe.settings
    jog = VelocityMove(
        axis=axis,
        velocity=min(s.velocity, s.distance),  # so that it ends within the distance
        acc=probe.acceleration,
        dec=probe.acceleration,
        run_time=JOG_TIME,
    )
    began = probe.clock.now()
    probe.motion.jog([jog])
    probe.rest(axis)
    facts[f"a jog with a run time of {JOG_TIME} s, s"] = probe.clock.now() - began
    probe.go(axis, 0.0)


def _there(probe: Probe, axis: int, facts: Facts) -> None:
    """To the end of the distance, looked at on the way."""
    way = probe.settings.distance
    fastest = following = 0.0
    states: set[int] = set()
    begin = probe.motion.status()
    probe.motion.move_absolute([probe.move(axis, way)])

    def arrived(status: MotionStatus) -> bool:
        nonlocal fastest, following
        fastest = max(fastest, abs(float(status.velocity_cmd[axis])))
        following = max(following, abs(float(status.following_error[axis])))
        states.add(int(status.op_state[axis]))
        # A command starts in one of the next cycles: an axis that rests may not have begun.
        begun = len(states) > 1 or status.pos_cmd[axis] != begin.pos_cmd[axis]
        return bool(begun and status.op_state[axis] == OperationState.IDLE)

    end = probe.wait(arrived, probe.longest_move)
    facts |= {
        "operation states": sorted(states),
        "cycles": end.cycle - begin.cycle,
        "fastest, u/s": fastest,
        "commanded, u/s": probe.settings.velocity,
        "off target, u": float(end.pos_cmd[axis]) - probe.homes[axis] - way,
        "largest following error, u": following,
    }


def _back_overridden(probe: Probe, axis: int, facts: Facts) -> None:
    """Back, at half the velocity from where it is reached, and with a pause.

    Slow enough to take OVERRIDDEN at least: time to look.
    """
    slow = min(probe.settings.velocity, probe.settings.distance / OVERRIDDEN)

    def wait_for(velocity: float) -> MotionStatus:
        """The velocity in force, or what there is when it does not come."""
        deadline = probe.clock.now() + OVERRIDDEN / 4.0
        return probe.wait(
            lambda status: (
                abs(abs(status.velocity_cmd[axis]) - velocity) < 0.01 * slow
                or probe.clock.now() > deadline
            )
        )

    probe.motion.move_absolute([replace(probe.move(axis, 0.0), velocity=slow)])
    facts["on the way back, u/s"] = float(wait_for(slow).velocity_cmd[axis])
    probe.motion.set_override(axis, 50.0)
    facts["overridden to 50 %, u/s"] = float(wait_for(slow / 2.0).velocity_cmd[axis])
    probe.motion.set_override(axis, 0.0)
    facts["waits in state"] = int(wait_for(0.0).op_state[axis])
    probe.motion.set_override(axis, 100.0)
    probe.rest(axis)


def stops(probe: Probe, facts: Facts) -> None:
    """A second process stops the axis in the cycle in which it is commanded, again and again."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    other = probe.other_process()
    refusals: Counter[str] = Counter()
    after, missed, longest = 0, 0, 0.0
    for turn in range(probe.settings.rounds):
        way = probe.settings.distance if turn % 2 == 0 else 0.0
        if turn % 4 < 2:
            other.command("stop", axis)
        probe.motion.move_absolute([probe.move(axis, way)])
        commanded = probe.clock.now()
        if turn % 4 >= 2:
            other.command("stop", axis)
        began, ended, refused = other.answer()
        refusals.update([refused] if refused else [])
        longest = max(longest, 1e3 * (ended - began))
        if began > commanded and not refused:
            after += 1
            probe.clock.sleep(probe.driver.status_latency)  # one before may show neither of both
            state = probe.motion.status().op_state[axis]
            missed += state not in (OperationState.IDLE, OperationState.STOP)
        facts |= {
            "rounds": turn + 1,
            "stops that began after the move had been commanded": after,
            "of these, the axis moved on": missed,
            "refusals": dict(refusals),
            "longest stop, ms": longest,
        }
        probe.motion.stop([axis])
        probe.rest(axis)
    probe.go(axis, 0.0)


def together(probe: Probe, facts: Facts) -> None:
    """Whether axes that are commanded by one list start in the same cycle."""
    axes = probe.settings.axes
    if len(axes) < 2:
        raise Unable("needs two axes: --axes 0,1")
    probe.ready(*axes)
    apart, largest = 0, 0.0
    facts["axes"] = axes
    for turn in range(20):
        way = probe.settings.distance if turn % 2 == 0 else 0.0
        probe.motion.move_absolute([probe.move(axis, way) for axis in axes])
        first = probe.wait(lambda s: (s.op_state[list(axes)] == OperationState.POS).any())
        apart += not (first.op_state[list(axes)] == OperationState.POS).all()
        probe.clock.sleep(0.05)
        ways = [float(w) for w in _ways(probe, probe.motion.status(), axes, way)]
        largest = max(largest, max(ways) - min(ways))
        facts |= {"starts seen apart": apart, "largest difference on the way, u": largest}
        probe.rest(*axes)


def splines(probe: Probe, facts: Facts) -> None:
    """Splines at the limits: axes, points, one that takes over another."""
    axes = probe.settings.axes[:MOST_AXES]
    probe.ready(*axes)
    seconds = max(2.0, 8.0 * probe.settings.distance / probe.settings.velocity)
    facts["axes"] = axes
    far = 0.5 * probe.settings.distance
    for points in (2, 3, min(SPLINE_POINTS, int(pi * sqrt(far / LEAST_FIRST_STEP) / 2.0))):
        times = np.linspace(0.0, seconds, points)
        ways = far * (1.0 - np.cos(pi * times / seconds)) / 2.0
        here = probe.motion.status().pos_cmd[list(axes)]
        positions = here + np.outer(ways, np.ones(len(axes)))
        move = SplineMove(axes=axes, times=times, positions=positions)
        facts[f"{points} points"] = _follow(probe, move)
        _return(probe, axes)
    facts["one takes over another"] = _take_over(probe, axes, far, seconds)
    _return(probe, axes)


def _return(probe: Probe, axes: tuple[int, ...]) -> None:
    for axis in axes:
        probe.go(axis, 0.0)


def _follow(probe: Probe, move: SplineMove) -> dict[str, Any]:
    try:
        probe.motion.move_spline(move)
    except WmxError as error:
        return {"refused": str(error)}
    began = probe.clock.now()
    end = probe.rest(*move.axes)
    off = end.pos_cmd[list(move.axes)] - move.positions[-1]
    return {
        "commanded, s": float(move.times[-1]),
        "took, s": probe.clock.now() - began,
        "off the last point, u": float(abs(off).max()),
    }


def _take_over(probe: Probe, axes: tuple[int, ...], far: float, seconds: float) -> dict[str, Any]:
    start = probe.motion.status().pos_cmd[list(axes)]
    way = np.array([start, start + far / 4.0, start + far / 2.0])
    times = np.array([0.0, seconds / 2.0, seconds])
    probe.motion.move_spline(SplineMove(axes=axes, times=times, positions=way))
    probe.clock.sleep(seconds / 3.0)
    before = probe.motion.status()
    here = before.pos_cmd[list(axes)]
    onward = np.array([here, here + far / 8.0, start])
    facts = _follow(probe, SplineMove(axes=axes, times=times, positions=onward))
    return {"speed before, u/s": float(before.velocity_cmd[axes[0]]), **facts}


def _ways(probe: Probe, status: MotionStatus, axes: tuple[int, ...], way: float) -> list[float]:
    """How far each axis has come on its way, u."""
    base = 0.0 if way else probe.settings.distance
    return [abs(float(status.pos_cmd[axis]) - probe.homes[axis] - base) for axis in axes]
