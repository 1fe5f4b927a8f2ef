"""What a search for home consists of: steps, what each waits for, and what ended it."""

from collections.abc import Callable, Generator
from enum import Enum, auto
from typing import NamedTuple

from .drive import Drive
from .planner import Rates, change, move
from .profile import Profile

Plan = Callable[[float, float], Profile]
"""The profile that takes over from a position and a velocity."""


class Watched(Enum):
    """What a condition is about."""

    MOTOR = auto()
    ERROR = auto()
    TIME = auto()


class Condition(NamedTuple):
    """When a step ends: something passes `level`, upwards if `above`, else downwards."""

    watched: Watched
    level: float
    above: bool = True

    def passed(self, position: float) -> bool:
        """Return whether a motor at `position` has passed the level."""
        return position > self.level if self.above else position < self.level

    def comes(self, drive: Drive, time: float) -> float:
        """Return when it is first true, from `time` on, s."""
        if self.watched is Watched.TIME:
            return max(time, self.level)
        motor = self.watched is Watched.MOTOR
        curve = drive.actual_from(time) if motor else drive.error_from(time)
        return time + (curve.first_above if self.above else curve.first_below)(self.level)


class Step(NamedTuple):
    """Follow `plan`, or move on as before; it ends with the first of `until`, or at rest."""

    plan: Plan | None
    until: tuple[Condition, ...] = ()


class Found(NamedTuple):
    """What ended a step, where (u), and when (s)."""

    condition: Condition | None
    position: float
    time: float


class HomingFailed(Exception):
    """Home cannot be found; the text is the reason."""


Search = Generator[Step, Found, float]
"""Yields steps, is sent what ended each, and returns where home is, u."""


def run(way: int, rates: Rates, *until: Condition) -> Step:
    """Run with `rates` in the direction `way` until one of `until`."""
    return Step(
        lambda position, velocity: change(
            position, velocity, way * rates.velocity, up=rates.up, down=rates.down
        ),
        until,
    )


def to(place: float, rates: Rates) -> Plan:
    """Return the way to `place` with `rates`."""
    return lambda position, velocity: move(position, velocity, place, rates)
