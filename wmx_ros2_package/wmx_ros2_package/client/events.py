"""The begin, the end and the result of each motion, of whichever node and client, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ..control.request import NO_ID, EndReason, MotionKind
from ..messages.motions import uuid
from ..messages.times import seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionEvent:
    """What the begin and the end of a motion have in common.

    Positions are in SI units for joints, else in the axis's user unit.
    """

    id: UUID
    time: float
    """When it happened, s since the epoch (or of simulated time)."""
    source: str
    """The fully qualified name of the node that commanded the motion."""
    axes: tuple[int, ...]
    names: tuple[str, ...]
    """Of the actuators or joints, parallel to `axes`; empty where the source has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionBegin(MotionEvent):
    """A motion has begun; one `MotionEnd` with the same id follows."""

    kind: MotionKind
    initial: tuple[float, ...]
    """The commanded positions as it began, parallel to `axes`."""
    targets: tuple[float, ...]
    """Where the axes will end; NaN for a motion without end."""
    arrival: float | None
    """When it will end, s as `time`; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionEnd(MotionEvent):
    """A motion has ended, or (REFUSED) a command was refused and never began."""

    final: tuple[float, ...]
    """Where the motors were at the end, parallel to `axes`; NaN where that is not known."""
    reason: EndReason
    code: int
    """The vendor's or the drive's error code, 0 for none."""
    message: str
    """The reason in words."""
    replaced_by: UUID = NO_ID
    """With REPLACED: the motion that took over."""


Event = MotionBegin | MotionEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a motion ended, by the first of its axes that did not arrive."""

    reason: EndReason
    message: str = ""
    """The reason in words."""
    code: int = 0
    """The vendor's or the drive's error code, 0 for none."""
    ends: tuple[MotionEnd, ...] = ()
    """One for each axis, or one for all axes of a trajectory."""

    @property
    def arrived(self) -> bool:
        """Whether every axis reached its target, its motor as well."""
        return self.reason is EndReason.ARRIVED

    @property
    def positions(self) -> dict[int, float]:
        """Where the motors were in the end, u, by their axes; not of what never began.

        NaN where that is not known: of joints whose node has died.
        """
        return {
            axis: position
            for end in self.ends
            for axis, position in zip(end.axes, end.final, strict=False)  # one REFUSED has none
        }


def result_of(ends: tuple[MotionEnd, ...]) -> Result:
    """The result of a motion of which each axis ended so."""
    worst = next((end for end in ends if end.reason is not EndReason.ARRIVED), ends[0])
    return Result(reason=worst.reason, message=worst.message, code=worst.code, ends=ends)


def begin_of(message: Any) -> MotionBegin:
    """The event that a BeginMotion holds."""
    return MotionBegin(
        **_common(message),
        kind=MotionKind(message.type),
        initial=tuple(message.initial_position),
        targets=tuple(message.target_position),
        arrival=seconds(message.expected_arrival) or None,
    )


def end_of(message: Any) -> MotionEnd:
    """The event that an EndMotion holds."""
    return MotionEnd(
        **_common(message),
        final=tuple(message.final_position),
        reason=EndReason(message.reason),
        code=message.error_code,
        message=message.message,
        replaced_by=uuid(message.replaced_by),
    )


def _common(message: Any) -> dict[str, Any]:
    return {
        "id": uuid(message.command_id),
        "time": seconds(message.header.stamp),
        "source": message.source,
        "axes": tuple(message.axes),
        "names": tuple(message.names),
    }
