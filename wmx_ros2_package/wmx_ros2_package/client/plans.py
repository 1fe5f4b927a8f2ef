"""What commands would do: steps that are tried on a copy of the machine, where nothing moves.

plan = machine.plan(move({"axis_0": 1.0}, velocity=0.5), move({"axis_0": 0.0}))
print(plan.accepted, plan.message, plan.axes["axis_0"].torque)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands
from wmx_ros2_message.srv import PlanMotion

from wmx_core.values import Floats

from ..control.request import EndReason, MotionKind
from ..messages.motions import uuid_message
from .axes import Axes
from .checked import made
from .commands import (
    Key,
    Targets,
    continuous_command,
    numbered,
    position_commands,
    trajectory_commands,
)
from .errors import NotReady, refusal
from .session import Session

PLAN_TIMEOUT = 20.0
"""How much longer a dry run may take to answer than other requests: some may wait before it, s."""
WITH_TARGET = MotionKind.POSITION, MotionKind.TRAJECTORY
"""What arrives, if there is time enough; others go on as long as is computed."""


@dataclass(frozen=True, slots=True)
class Step:
    """Commands that begin in the same cycle: the fields of ActuatorCommand, by axis."""

    commands: Mapping[Key, Mapping[str, Any]]


def move(
    targets: Targets,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    duration: float | None = None,
) -> Step:
    """Moves to `targets` (u), by number or name of their axes; options as `Axis.move`."""
    if not isinstance(targets, Mapping):
        raise ValueError(f"targets is {targets!r}: must name the axes, such as {{0: 1.0}}")
    by_key = dict[Key, float](targets.items())
    return Step(position_commands(by_key, velocity, acceleration, duration))


def follow(
    axes: Sequence[Key],
    times: Sequence[float],
    positions: Sequence[Sequence[float]],
    *,
    velocities: Sequence[Sequence[float]] | None = None,
    repeat: int = 1,
) -> Step:
    """One trajectory of `axes` together, as `Axes.follow`."""
    return Step(trajectory_commands(axes, times, positions, velocities, repeat))


def jog(
    axis: Key,
    velocity: float,
    *,
    acceleration: float | None = None,
    duration: float | None = None,
) -> Step:
    """A run at `velocity` (u/s), as `Axis.jog`; without `duration` as long as is computed."""
    command = continuous_command(ActuatorCommand.VELOCITY, velocity, duration, acceleration)
    return Step({axis: command})


def exert(axis: Key, effort: float, *, duration: float | None = None) -> Step:
    """An effort (N*m or N), as `Axis.exert`."""
    return Step({axis: continuous_command(ActuatorCommand.EFFORT, effort, duration)})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMotion:
    """A motion; times are s from the begin of the first step."""

    step: int
    kind: MotionKind
    names: tuple[str, ...]
    axes: tuple[int, ...]
    begin: float
    end: float
    """inf where it has not ended in the time that was computed."""
    reason: EndReason | None
    """How it would end; None where it has not."""
    message: str
    final: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAxis:
    """What one axis would do: greatest values without sign; u, u/s, u/s^2, u/s^3, percent."""

    name: str
    axis: int
    settled: float
    """When its motor is in position, s; inf where it is not."""
    low: float
    high: float
    velocity: float
    acceleration: float
    jerk: float
    """The greatest finite one; inf where there is none, for the acceleration only jumps."""
    torque: float
    following_error: float
    limits: tuple[tuple[float, str], ...]
    """What it meets, and when (s)."""
    path: Floats
    """Commanded positions at the `times` of the plan."""
    motor: Floats
    """Where its motor is then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What steps would do, or why one of them would be refused."""

    accepted: bool
    message: str
    """As the refusal would have it, or when all would be at rest."""
    refused_step: int
    """Which step would be refused, from 0; -1 for none."""
    exact: bool
    """True when computed by the simulated engine itself; else from the state of a real one."""
    duration: float
    """Until the last motion has ended, s; inf where it has not."""
    motions: tuple[PlannedMotion, ...]
    axes: Mapping[str, PlannedAxis]
    """By name."""
    times: Floats
    """Of the paths, s from the begin."""

    @property
    def arrives(self) -> bool:
        """Whether every motion would begin and end as it is meant to, in what was computed."""
        return self.accepted and all(
            motion.reason is EndReason.ARRIVED
            or (motion.reason is None and motion.kind not in WITH_TARGET)
            for motion in self.motions
        )


def plan_of(session: Session, axes: Axes, steps: Sequence[Step], **options: Any) -> Plan:
    """What `steps` of `axes` would do; `options` are fields of PlanMotion.

    NotReady without an engine.
    """
    name = session.description.actuator
    asked = []
    system = uuid_message(session.system_id())
    for step in steps:
        by_number = numbered((axes[key].number, key, each) for key, each in step.commands.items())
        named = {name(axis): fields for axis, fields in by_number.items()}
        commands = [
            made(ActuatorCommand, name=each, system_id=system, **fields)
            for each, fields in named.items()
        ]
        asked.append(ActuatorCommands(commands=commands))
    session.require_one_system()
    timeout = session.link.timeout + PLAN_TIMEOUT
    response = session.link.call_once(
        PlanMotion, "wmx/motion/plan", timeout=timeout, steps=asked, **options
    )
    if isinstance(error := refusal(response.message), NotReady):
        raise error
    return Plan(
        accepted=response.accepted,
        message=response.message,
        refused_step=response.refused_step,
        exact=response.exact,
        duration=response.duration,
        motions=tuple(_motion(each) for each in response.motions),
        axes={each.name: _axis(each) for each in response.axes},
        times=np.array(response.times),
    )


def _motion(message: Any) -> PlannedMotion:
    return PlannedMotion(
        step=message.step,
        kind=MotionKind(message.type),
        names=tuple(message.names),
        axes=tuple(message.axes),
        begin=message.begin,
        end=message.end,
        reason=EndReason(message.reason) if message.reason else None,
        message=message.message,
        final=tuple(message.final_position),
    )


def _axis(message: Any) -> PlannedAxis:
    same = ("name", "axis", "settled", "low", "high", "velocity", "acceleration", "jerk", "torque")
    values = {name: getattr(message, name) for name in same}
    if message.acceleration and not message.jerk:  # a trapezoid
        values["jerk"] = inf
    return PlannedAxis(
        **values,
        following_error=message.following_error,
        limits=tuple(zip(message.limit_times, message.limits, strict=True)),
        path=np.array(message.path),
        motor=np.array(message.motor),
    )
