"""When a trigger is true, or the condition of an event or of a buffer."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..engine.clock import CYCLE
from .enums import member
from .progress import Progress
from .runtime import Runtime

NEAR = 0.5
"""u, within which a position counts as equal to another."""
_CYCLE = 1000.0 * CYCLE
"""ms."""
_AT_REST = "InPos", "PosSET", "DelayedPosSET", "CommandDistributedEnd"
Condition = Callable[[Runtime, Any], bool]
"""Gets the arguments of the condition."""

_REACHED: dict[str, Callable[[Progress, float], bool]] = {
    "RemainingTime": lambda of, ms: of.remaining_time <= ms + 1e-6,
    "RemainingDistance": lambda of, way: of.remaining_distance <= way + 1e-9,
    "DistanceToTarget": lambda of, way: of.remaining_distance <= way + 1e-9,
    # A time has elapsed one cycle earlier than one would count.
    "CompletedTime": lambda of, ms: of.completed_time >= ms - _CYCLE - 1e-6,
    "CompletedDistance": lambda of, way: of.completed_distance >= way - 1e-9,
}
"""Whether a motion has got to a time or a distance, by the names that all enums have for it."""


def triggered(trigger: Any, of: Progress) -> bool:
    """Return whether `trigger` is true of a motion; of an axis at rest, everything is over."""
    if not of.moving:
        return True
    kind = member("TriggerType", trigger.triggerType)
    return kind in _REACHED and _REACHED[kind](of, float(trigger.triggerValue))


def _limit(kind: str, a: Any) -> float:
    return float(a.timeMilliseconds if kind.endswith("Time") else a.distance)


def _reached_in_event(kind: str, runtime: Runtime, a: Any) -> bool:
    of = Progress(runtime, a.axis)
    return of.moving and _REACHED[kind](of, _limit(kind, a))


def _reached_in_buffer(kind: str, runtime: Runtime, a: Any) -> bool:
    # What lies ahead is true a cycle sooner than for triggers and events, and what is over a cycle
    # later: the command behind it is in force in the cycle itself.
    ahead = _CYCLE if kind.endswith("Time") else 0.0
    return _REACHED[kind](Progress(runtime, a.axis), _limit(kind, a) + ahead)


OF_EVENTS: dict[str, Condition] = {
    "EqualPos": lambda r, a: abs(r.position(a.axis) - a.pos) <= NEAR + 1e-9,
    "GreaterPos": lambda r, a: r.position(a.axis) > a.pos,
    "LessPos": lambda r, a: r.position(a.axis) < a.pos,
    **{kind: partial(_reached_in_event, kind) for kind in _REACHED},
    **{kind: lambda r, a: r.idle(a.axis) for kind in _AT_REST},
}
"""By the names of CoreMotionEventInputType."""
OF_BUFFERS: dict[str, Condition] = {
    "NeverTrue": lambda r, a: False,
    "AlwaysTrue": lambda r, a: True,
    "IOInput": lambda r, a: bool(r.io.input_bit(a.byteAddress, a.bitAddress)) != bool(a.invert),
    "IOOutput": lambda r, a: bool(r.io.output_bit(a.byteAddress, a.bitAddress)) != bool(a.invert),
    "OpState": lambda r, a: int(r.status.op_state[a.axis]) == a.opState,
    **{kind: partial(_reached_in_buffer, kind) for kind in _REACHED},
    "DecelerationStarted": lambda r, a: Progress(r, a.axis).slows_down_within(CYCLE),
    **{kind: lambda r, a: r.idle(a.axis) for kind in (*_AT_REST, "AxisIdle")},
    "MotionStarted": lambda r, a: not r.waits(a.axis),
    "MotionStartedOverrideReady": lambda r, a: not r.waits(a.axis),
}
"""By the names of ApiBufferConditionType."""
