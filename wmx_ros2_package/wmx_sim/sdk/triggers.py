"""When a trigger comes true."""

from collections.abc import Mapping
from typing import Any

from .progress import Progress


def holds_for(enums: Mapping[str, Any], trigger: Any, of: Progress) -> bool:
    """Return whether `trigger` is true of a motion; of an axis at rest, everything is over."""
    kinds, value = enums["TriggerType"], float(trigger.triggerValue)
    kind = trigger.triggerType
    if not of.moving:
        return True
    if kind == kinds.RemainingTime:
        return of.remaining_time <= value + 1e-6
    if kind in (kinds.RemainingDistance, kinds.DistanceToTarget):
        return of.remaining_distance <= value + 1e-9
    if kind == kinds.CompletedTime:
        return of.completed_time >= value - 1.0 - 1e-6
    if kind == kinds.CompletedDistance:
        return of.completed_distance >= value - 1e-9
    return False
