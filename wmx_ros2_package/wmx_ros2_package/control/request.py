"""Makes a request of each motion that a client asks for, and of it the value of its begin.

A motion is what moves as one: each axis of a position, velocity or jog command is a motion of its
own, the axes of a trajectory are one motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import inf, isfinite, isnan, nan
from uuid import UUID, uuid4

from wmx_core.values import MotionStatus, OperationState, PositionMove, TorqueMove, VelocityMove

from ..executables import IN_USER_UNITS

NO_ID = UUID(int=0)


class MotionKind(IntEnum):
    """The kind of a motion, numbered as in BeginMotion."""

    POSITION = 1
    VELOCITY = 2
    EFFORT = 3
    TRAJECTORY = 4
    HOLD = 5
    STOP = 6
    JOG = 7
    HOMING = 8
    STREAM = 9
    GEARING = 10


WITHOUT_ARRIVAL = MotionKind.HOMING, MotionKind.HOLD, MotionKind.STREAM, MotionKind.GEARING
"""Whose end is not known in advance."""


class EndReason(IntEnum):
    """Why a motion ended, numbered as in EndMotion."""

    ARRIVED = 1
    STOPPED = 2
    REPLACED = 3
    CANCELED = 4
    ALARM = 5
    LIMIT = 6
    SERVO_OFF = 7
    EMERGENCY_STOP = 8
    LEASE_EXPIRED = 9
    OWNER_LOST = 10
    ENGINE_LOST = 11
    NODE_ENDED = 12
    REFUSED = 13
    TIMED_OUT = 14
    NOT_ARRIVED = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRequest:
    """One motion that a client asks for."""

    kind: MotionKind
    axes: tuple[int, ...]
    asked_at: float
    """When its client asked for it, s of the steady clock; a later stop of an axis refuses it."""
    purpose: str = ""
    """Why its node moves the axes: one purpose of a node does not take over from another."""
    id: UUID = NO_ID
    """The id of its client, or NO_ID for a new one."""
    names: tuple[str, ...] = ()
    """The names of the actuators or joints on `axes`; empty where the client uses numbers."""
    targets: tuple[float, ...] = ()
    """Where the axes will end, u; NaN where only the engine has it, empty for all of them."""
    by: tuple[float, ...] = ()
    """How far a relative move goes, u, parallel to the axes; see `aimed`."""
    lasts: float | None = None
    """How long the whole motion takes the engine, s, where it needs several commands to it, inf
    without end: it is open until it is released. None where only the engine knows it."""
    run_time: float = 0.0
    """After how many s of the steady clock the motion ends by itself; 0 for never."""
    renewable: bool = False
    """Whether `run_time` is a lease that the client renews: when it ends is not known, and it ends
    as LEASE_EXPIRED where it is not renewed."""
    is_timed: bool = False
    """Whether its moves have times, which the override leaves alone: its client gave them, or its
    node leads the override itself."""
    limit: str = ""
    """The limit that its target is, in words: the end there is called LIMIT, not ARRIVED."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """A motion has begun; an `End` with the same id follows."""

    id: UUID
    source: str
    """The fully qualified name of the node that commanded it."""
    kind: MotionKind
    axes: tuple[int, ...]
    names: tuple[str, ...] = ()
    time: float
    """s of the steady clock."""
    initial: tuple[float, ...]
    """The commanded positions, u, parallel to `axes`."""
    targets: tuple[float, ...]
    """Where the axes will end, u; NaN for a motion without end."""
    arrival: float | None
    """When it will end, s of the steady clock; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A motion has ended, or a request was refused and never began."""

    id: UUID
    source: str
    axes: tuple[int, ...]
    names: tuple[str, ...] = ()
    time: float
    final: tuple[float, ...]
    """Where the motors were, u, parallel to `axes`; NaN where that is not known."""
    reason: EndReason
    code: int = 0
    """The vendor's or the drive's error code, 0 for none."""
    message: str = ""
    replaced_by: UUID = NO_ID


def is_in_user_units(source: str) -> bool:
    """Whether the motions of the node `source` are in the user units of the axes."""
    return source.rpartition("/")[2] in IN_USER_UNITS


def unit_of_event(source: str, unit: str) -> str:
    """The unit in which the node `source` tells of an axis, whose user unit is `unit`."""
    return "rad" if unit == "deg" and not is_in_user_units(source) else unit


def requests_of(
    kind: MotionKind,
    moves: Sequence[PositionMove | VelocityMove | TorqueMove],
    asked_at: float,
    purpose: str = "",
    *,
    relative: bool = False,
) -> list[MotionRequest]:
    """One request for each of `moves`, with the target or the run time that the move has.

    The targets of `relative` moves are how far they go.
    """
    return [
        MotionRequest(
            kind=kind,
            axes=(move.axis,),
            asked_at=asked_at,
            purpose=purpose,
            targets=(move.target,) if isinstance(move, PositionMove) and not relative else (),
            by=(move.target,) if isinstance(move, PositionMove) and relative else (),
            run_time=0.0 if isinstance(move, PositionMove) else move.run_time,
            renewable=not isinstance(move, PositionMove) and move.run_time > 0.0,
        )
        for move in moves
    ]


def aimed(request: MotionRequest, before: MotionStatus) -> MotionRequest:
    """Return `request`, a relative one with the targets of its axes that rest `before` it.

    The status after it may show such an axis at rest: it has arrived already, or not begun yet. Of
    an axis that moves the engine alone knows where that ends.
    """
    if not request.by:
        return request
    targets = tuple(
        float(before.pos_cmd[axis]) + by if before.op_state[axis] == OperationState.IDLE else nan
        for axis, by in zip(request.axes, request.by, strict=True)
    )
    return replace(request, targets=targets)


def begin_of(request: MotionRequest, status: MotionStatus, source: str, now: float) -> Begin:
    """The begin of `request`, with what `status` shows of its end where the request has none."""
    axes = request.axes
    if request.lasts is not None:
        arrival = status.time_in(request.lasts)
    else:
        arrival = status.time_in(max(float(status.remaining[axis]) for axis in axes))
        if request.limit or not isfinite(arrival):  # its node may end it, or end it before
            arrival = min(status.time + (request.run_time or inf), arrival)
    targets = request.targets or (nan,) * len(axes)
    ends = isfinite(arrival) and not request.renewable
    if ends:  # a motion without end has no target
        shown = zip(targets, axes, strict=True)
        targets = tuple(float(status.target[axis]) if isnan(t) else t for t, axis in shown)
    return Begin(
        id=request.id if request.id.int else uuid4(),
        source=source,
        kind=request.kind,
        axes=axes,
        names=request.names,
        time=now,
        initial=tuple(float(status.pos_cmd[axis]) for axis in axes),
        targets=targets,
        arrival=arrival if ends and request.kind not in WITHOUT_ARRIVAL else None,
    )
