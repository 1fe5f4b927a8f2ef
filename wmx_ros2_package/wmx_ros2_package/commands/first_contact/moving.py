"""Steps that move the axes that were named, within the distance that was allowed."""

import time
from collections import Counter
from math import pi, sqrt
from typing import Any

import numpy as np

from ...drivers.errors import WmxError
from ...drivers.values import MotionStatus, OperationState, SplineMove, VelocityMove
from .bench import Bench, Unable
from .other_process import OtherProcess

MOST_AXES = 8
JOG_TIME = 0.3
"""s."""
SPLINE_POINTS = 1000
LEAST_FIRST_STEP = 2e-6
"""u; the engine takes nearer points than 1e-6 u for one."""


def one_axis(bench: Bench) -> dict[str, Any]:
    """There and back: is the motion the one that was ordered?"""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    way = bench.settings.distance
    seen: list[MotionStatus] = []
    bench.motion.move_absolute([bench.move(axis, way)])
    began = time.monotonic()
    while not seen or seen[-1].op_state[axis] != OperationState.IDLE or len(seen) < 5:
        seen.append(bench.motion.status())
        if time.monotonic() - began > 60.0:
            raise Unable("the axis does not arrive within a minute")
    facts = {
        "operation states": sorted({int(status.op_state[axis]) for status in seen}),
        "cycles": seen[-1].cycle - seen[0].cycle,
        "fastest, u/s": max(abs(float(status.velocity_cmd[axis])) for status in seen),
        "ordered, u/s": bench.settings.velocity,
        "off target, u": float(seen[-1].pos_cmd[axis]) - bench.homes[axis] - way,
        "largest following error, u": max(abs(float(s.following_error[axis])) for s in seen),
    }
    bench.motion.move_absolute([bench.move(axis, 0.0)])
    time.sleep(0.1)
    bench.motion.set_override(axis, 50.0)
    time.sleep(0.1)
    facts["overridden to 50 %, u/s"] = float(bench.motion.status().velocity_cmd[axis])
    bench.motion.set_override(axis, 0.0)
    facts["waits in state"] = int(bench.motion.status().op_state[axis])
    bench.motion.set_override(axis, 100.0)
    bench.rest(axis)
    s = bench.settings
    jog = VelocityMove(
        axis=axis,
        velocity=min(s.velocity, s.distance),  # so that it ends within the distance
        acc=bench.acceleration,
        dec=bench.acceleration,
        run_time=JOG_TIME,
    )
    began = time.monotonic()
    bench.motion.jog([jog])
    bench.rest(axis)
    facts[f"a jog with a run time of {JOG_TIME} s, s"] = time.monotonic() - began
    bench.go(axis, 0.0)
    return facts


def stops(bench: Bench) -> dict[str, Any]:
    """A second process stops the axis in the cycle in which it is commanded, again and again."""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    other = OtherProcess(bench.settings.device_path)
    refusals: Counter[str] = Counter()
    missed, after, took = 0, 0, []
    try:
        for turn in range(bench.settings.rounds):
            way = bench.settings.distance if turn % 2 == 0 else 0.0
            if turn % 4 < 2:
                other.tell("stop", axis)
            bench.motion.move_absolute([bench.move(axis, way)])
            ordered = time.monotonic()
            if turn % 4 >= 2:
                other.tell("stop", axis)
            began, ended, refused = other.answer()
            refusals.update([refused] if refused else [])
            took.append(1e3 * (ended - began))
            if began > ordered and not refused:
                after += 1
                state = bench.motion.status().op_state[axis]
                missed += state not in (OperationState.IDLE, OperationState.STOP)
            bench.motion.stop([axis])
            bench.rest(axis)
    finally:
        other.end()
    bench.go(axis, 0.0)
    return {
        "rounds": bench.settings.rounds,
        "stops that began after the move had been ordered": after,
        "of these, the axis moved on": missed,
        "refusals": dict(refusals),
        "longest stop, ms": max(took, default=0.0),
    }


def together(bench: Bench) -> dict[str, Any]:
    """Do axes that are ordered by one list start in the same cycle?"""
    axes = bench.settings.axes
    if len(axes) < 2:
        raise Unable("needs two axes: --axes 0,1")
    bench.ready(*axes)
    apart, offsets = 0, []
    for turn in range(20):
        way = bench.settings.distance if turn % 2 == 0 else 0.0
        bench.motion.move_absolute([bench.move(axis, way) for axis in axes])
        first = bench.wait(lambda s: (s.op_state[list(axes)] == OperationState.POS).any())
        apart += not (first.op_state[list(axes)] == OperationState.POS).all()
        time.sleep(0.05)
        ways = [float(w) for w in _ways(bench, bench.motion.status(), axes, way)]
        offsets.append(max(ways) - min(ways))
        bench.rest(*axes)
    return {
        "axes": axes,
        "starts seen apart": apart,
        "largest difference on the way, u": max(offsets),
    }


def splines(bench: Bench) -> dict[str, Any]:
    """Splines at the limits: axes, points, one that takes over another."""
    axes = bench.settings.axes[:MOST_AXES]
    bench.ready(*axes)
    seconds = max(2.0, 8.0 * bench.settings.distance / bench.settings.velocity)
    facts: dict[str, Any] = {"axes": axes}
    far = 0.5 * bench.settings.distance
    for points in (2, 3, min(SPLINE_POINTS, int(pi * sqrt(far / LEAST_FIRST_STEP) / 2.0))):
        times = np.linspace(0.0, seconds, points)
        ways = far * (1.0 - np.cos(pi * times / seconds)) / 2.0
        here = bench.motion.status().pos_cmd[list(axes)]
        positions = here + np.outer(ways, np.ones(len(axes)))
        move = SplineMove(axes=axes, times=times, positions=positions)
        facts[f"{points} points"] = _follow(bench, move)
        _return(bench, axes)
    facts["one takes over another"] = _take_over(bench, axes, far, seconds)
    _return(bench, axes)
    return facts


def _return(bench: Bench, axes: tuple[int, ...]) -> None:
    for axis in axes:
        bench.go(axis, 0.0)


def _follow(bench: Bench, move: SplineMove) -> dict[str, Any]:
    try:
        bench.motion.move_spline(move)
    except WmxError as error:
        return {"refused": str(error)}
    began = time.monotonic()
    end = bench.rest(*move.axes)
    off = end.pos_cmd[list(move.axes)] - move.positions[-1]
    return {
        "ordered, s": float(move.times[-1]),
        "took, s": time.monotonic() - began,
        "off the last point, u": float(abs(off).max()),
    }


def _take_over(bench: Bench, axes: tuple[int, ...], far: float, seconds: float) -> dict[str, Any]:
    start = bench.motion.status().pos_cmd[list(axes)]
    way = np.array([start, start + far / 4.0, start + far / 2.0])
    times = np.array([0.0, seconds / 2.0, seconds])
    bench.motion.move_spline(SplineMove(axes=axes, times=times, positions=way))
    time.sleep(seconds / 3.0)
    before = bench.motion.status()
    here = before.pos_cmd[list(axes)]
    onward = np.array([here, here + far / 8.0, start])
    facts = _follow(bench, SplineMove(axes=axes, times=times, positions=onward))
    return {"speed before, u/s": float(before.velocity_cmd[axes[0]]), **facts}


def _ways(bench: Bench, status: MotionStatus, axes: tuple[int, ...], way: float) -> list[float]:
    """How far each axis has come on its way, u."""
    base = 0.0 if way else bench.settings.distance
    return [abs(float(status.pos_cmd[axis]) - bench.homes[axis] - base) for axis in axes]
