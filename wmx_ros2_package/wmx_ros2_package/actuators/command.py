"""The commands of clients to an actuator, as values; `wmx_ros2_message` has them as messages."""

from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from ..control.request import NO_ID

REPEAT_FOREVER = -1


class CommandType(IntEnum):
    """The kinds of commands, numbered as in ActuatorCommand."""

    POSITION = 1
    VELOCITY = 2
    EFFORT = 3
    TRAJECTORY = 4
    HOLD = 5
    STOP = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a trajectory, in rad or m and per second; arrays of one element, or empty."""

    time: float
    """From the start of the trajectory, s."""
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()
    accelerations: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An ActuatorCommand; zeros stand for defaults, as there."""

    name: str
    type: int
    value: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0
    duration: float = 0.0
    """s."""
    points: tuple[Point, ...] = ()
    repeat: int = 0
    decelerate: bool = False
    id: UUID = NO_ID

    @property
    def is_continuous(self) -> bool:
        """Whether it goes on until its duration is over, or it is stopped."""
        return self.type in (CommandType.VELOCITY, CommandType.EFFORT)
