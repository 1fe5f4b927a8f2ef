"""The begin and the end of motions, as values; `wmx_ros2_message` has them as messages."""

from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

NO_ID = UUID(int=0)


class MotionKind(IntEnum):
    """What kind of motion it is, numbered as in BeginMotion."""

    POSITION = 1
    VELOCITY = 2
    EFFORT = 3
    TRAJECTORY = 4
    HOLD = 5
    STOP = 6
    JOG = 7
    HOMING = 8
    STREAM = 9


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """A motion has begun; an `End` with the same id follows."""

    id: UUID
    source: str
    """Fully qualified name of the node that ordered it."""
    kind: MotionKind
    axes: tuple[int, ...]
    names: tuple[str, ...] = ()
    """Of actuators or joints, parallel to `axes`; empty where the source has none."""
    time: float
    """Of the steady clock, s."""
    initial: tuple[float, ...]
    """Commanded positions, u, parallel to `axes`."""
    targets: tuple[float, ...]
    """Where the axes will end, u; NaN for a motion without end."""
    arrival: float | None
    """When it will end, s of the steady clock; None for a motion without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A motion has ended, or a command was refused and never began."""

    id: UUID
    source: str
    axes: tuple[int, ...]
    names: tuple[str, ...] = ()
    time: float
    final: tuple[float, ...]
    """Commanded positions, u, parallel to `axes`."""
    reason: EndReason
    code: int = 0
    """The vendor's or the drive's error code, 0 for none."""
    message: str = ""
    replaced_by: UUID = NO_ID
