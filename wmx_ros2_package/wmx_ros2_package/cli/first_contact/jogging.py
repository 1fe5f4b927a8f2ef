"""A step that jogs the axis in the ways of which no public source says whether they are taken."""

from dataclasses import replace
from typing import Any

from wmx_core.errors import WmxError
from wmx_core.values import CommandMode, VelocityMove

from .session import Facts, Probe

RUN_TIME = 0.5
"""Of a jog that another one takes over half-way, s."""
SPEEDING_UP = 0.2
"""How long an axis takes from rest to its velocity, s, where it is looked at how it speeds up."""
APART = 5
"""Cycles between two samples of which a rate is taken."""
LOOKED_AT = 0.2
"""How long after an override the axis is looked at, s: full speed takes 0.1 s."""


def jogs(probe: Probe, facts: Facts) -> None:
    """A jog with a run time over one with a run time, and overrides of jogs down to 0."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    facts["one over another"] = _over_another(probe, axis)
    probe.go(axis, 0.0)
    for name, mode in (("jog", CommandMode.POSITION), ("velocity", CommandMode.VELOCITY)):
        facts[f"a {name} that speeds up"] = _speeding_up(probe, axis, mode)
        probe.go(axis, 0.0)
    for name, run_time in (("a jog", 0.0), ("a jog with a run time", 2.0)):
        facts[f"{name}, overridden"] = _overridden(probe, axis, run_time)
        probe.go(axis, 0.0)


def _jog(probe: Probe, axis: int, share: float, run_time: float) -> VelocityMove:
    """With a share of the velocity at which `JOG_TIME` keeps within the distance."""
    slow = probe.slow_jog(axis)
    return replace(slow, velocity=share * slow.velocity, run_time=run_time)


def _over_another(probe: Probe, axis: int) -> dict[str, Any]:
    probe.motion.jog([_jog(probe, axis, 1.0, RUN_TIME)])
    probe.clock.sleep(RUN_TIME / 2.0)
    second = _jog(probe, axis, 0.5, RUN_TIME)
    began = probe.clock.now()
    try:
        probe.motion.jog([second])
    except WmxError as error:
        probe.rest(axis)
        return {"refused": str(error)}
    probe.clock.sleep(LOOKED_AT)
    velocity = float(probe.motion.status().velocity_cmd[axis])
    probe.rest(axis)
    return {
        "commanded, u/s": second.velocity,
        f"after {LOOKED_AT} s, u/s": velocity,
        "commanded, s": RUN_TIME,
        "took, s": probe.clock.now() - began,
    }


def _speeding_up(probe: Probe, axis: int, mode: CommandMode) -> dict[str, float]:
    """How hard a timed command speeds up from 90 % to 100 %: by its rate, or ten times as hard.

    Its time to speed up is that from rest, see `wmx3.commands.Times`.
    """
    first, second = _jog(probe, axis, 0.9, 2.0), _jog(probe, axis, 1.0, 1.0)
    acc = second.velocity / SPEEDING_UP
    first, second = replace(first, acc=acc), replace(second, acc=acc)
    probe.choose_mode(axis, mode)
    start = probe.motion.jog if mode is CommandMode.POSITION else probe.motion.move_velocity
    try:
        start([first])
        probe.clock.sleep(2.0 * SPEEDING_UP)
        start([second])
        seen = [probe.motion.status()]
        while seen[-1].time < seen[0].time + SPEEDING_UP:
            status = probe.motion.status()
            if status.cycle > seen[-1].cycle:
                seen.append(status)
        probe.motion.stop([axis])
        probe.rest(axis)
    finally:
        probe.choose_mode(axis, CommandMode.POSITION)
    rates = [
        (later.velocity_cmd[axis] - earlier.velocity_cmd[axis]) / (later.time - earlier.time)
        for earlier, later in zip(seen, seen[APART:], strict=False)
    ]
    return {"commanded, u/s^2": acc, "greatest read, u/s^2": float(max(rates, default=0.0))}


def _overridden(probe: Probe, axis: int, run_time: float) -> dict[str, Any]:
    """What becomes of the velocity at 50, 0 and 100 %, or the refusal of each."""
    move = _jog(probe, axis, 1.0, run_time)
    found: dict[str, Any] = {"commanded, u/s": move.velocity}
    probe.motion.jog([move])
    probe.clock.sleep(LOOKED_AT)
    for percent in (50.0, 0.0, 100.0):
        try:
            probe.motion.set_override(axis, percent)
        except WmxError as error:
            found[f"{percent:g} %"] = str(error)
            continue
        probe.clock.sleep(LOOKED_AT)
        status = probe.motion.status()
        found[f"{percent:g} %, u/s"] = float(status.velocity_cmd[axis])
        found[f"{percent:g} %, state"] = int(status.op_state[axis])
    probe.motion.stop([axis])
    probe.rest(axis)
    return found
