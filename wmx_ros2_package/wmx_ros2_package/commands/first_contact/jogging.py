"""A step that jogs the axis in the ways of which no public source says whether they are taken."""

import time
from typing import Any

from ...drivers.errors import WmxError
from ...drivers.values import VelocityMove
from .bench import Bench, Facts

RUN_TIME = 0.5
"""Of a jog that another one takes over half-way, s."""
LOOKED_AT = 0.2
"""How long after an override the axis is looked at, s: full speed takes 0.1 s."""


def jogs(bench: Bench, facts: Facts) -> None:
    """A jog with a run time over one with a run time, and overrides of jogs down to 0."""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    facts["one over another"] = _over_another(bench, axis)
    bench.go(axis, 0.0)
    for name, run_time in (("a jog", 0.0), ("a jog with a run time", 2.0)):
        facts[f"{name}, overridden"] = _overridden(bench, axis, run_time)
        bench.go(axis, 0.0)


def _jog(bench: Bench, axis: int, share: float, run_time: float) -> VelocityMove:
    """So slow that two seconds keep within the distance."""
    velocity = share * min(bench.settings.velocity, bench.settings.distance / 4.0)
    acc = bench.acceleration
    return VelocityMove(axis=axis, velocity=velocity, acc=acc, dec=acc, run_time=run_time)


def _over_another(bench: Bench, axis: int) -> dict[str, Any]:
    bench.motion.jog([_jog(bench, axis, 1.0, RUN_TIME)])
    time.sleep(RUN_TIME / 2.0)
    second = _jog(bench, axis, 0.5, RUN_TIME)
    began = time.monotonic()
    try:
        bench.motion.jog([second])
    except WmxError as error:
        bench.rest(axis)
        return {"refused": str(error)}
    time.sleep(LOOKED_AT)
    velocity = float(bench.motion.status().velocity_cmd[axis])
    bench.rest(axis)
    return {
        "ordered, u/s": second.velocity,
        f"after {LOOKED_AT} s, u/s": velocity,
        "ordered, s": RUN_TIME,
        "took, s": time.monotonic() - began,
    }


def _overridden(bench: Bench, axis: int, run_time: float) -> dict[str, Any]:
    """What becomes of the velocity at 50, 0 and 100 %, or the refusal of each."""
    move = _jog(bench, axis, 1.0, run_time)
    found: dict[str, Any] = {"ordered, u/s": move.velocity}
    bench.motion.jog([move])
    time.sleep(LOOKED_AT)
    for percent in (50.0, 0.0, 100.0):
        try:
            bench.motion.set_override(axis, percent)
        except WmxError as error:
            found[f"{percent:g} %"] = str(error)
            continue
        time.sleep(LOOKED_AT)
        status = bench.motion.status()
        found[f"{percent:g} %, u/s"] = float(status.velocity_cmd[axis])
        found[f"{percent:g} %, state"] = int(status.op_state[axis])
    bench.motion.stop([axis])
    bench.rest(axis)
    return found
