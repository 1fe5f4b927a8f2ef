"""When the input of an event of CoreMotion is true."""

from collections.abc import Callable
from typing import Any

from .progress import Progress
from .runtime import Runtime

NEAR = 0.5
"""u, within which a position counts as equal to another."""


def _of(runtime: Runtime, arguments: Any) -> Progress:
    return Progress(runtime, arguments.axis)


CONDITIONS: dict[str, Callable[[Runtime, Any], bool]] = {
    "EqualPos": lambda r, a: abs(r.position(a.axis) - a.pos) <= NEAR + 1e-9,
    "GreaterPos": lambda r, a: r.position(a.axis) > a.pos,
    "LessPos": lambda r, a: r.position(a.axis) < a.pos,
    "RemainingTime": lambda r, a: (
        _of(r, a).moving and _of(r, a).remaining_time <= a.timeMilliseconds + 1e-6
    ),
    "RemainingDistance": lambda r, a: (
        _of(r, a).moving and _of(r, a).remaining_distance <= a.distance + 1e-9
    ),
    "DistanceToTarget": lambda r, a: (
        _of(r, a).moving and _of(r, a).remaining_distance <= a.distance + 1e-9
    ),
    "CompletedTime": lambda r, a: (
        _of(r, a).moving and _of(r, a).completed_time >= a.timeMilliseconds - 1.0 - 1e-6
    ),
    "CompletedDistance": lambda r, a: (
        _of(r, a).moving and _of(r, a).completed_distance >= a.distance - 1e-9
    ),
    "InPos": lambda r, a: r.idle(a.axis),
    "PosSET": lambda r, a: r.idle(a.axis),
    "DelayedPosSET": lambda r, a: r.idle(a.axis),
    "CommandDistributedEnd": lambda r, a: r.idle(a.axis),
}
"""By the names of CoreMotionEventInputType; each gets the arguments of its input."""
