"""What a dry run is asked for, a `Trial`, and what comes of it, an `Outcome`."""

from collections.abc import Sequence
from dataclasses import dataclass

from wmx_core.values import Floats

from ..actuators.command import Command
from ..control.request import Begin, End

USUAL = 60.0
"""How long is computed by default, s of the motion."""
Step = Sequence[Command]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The steps that are tried: each is commands that begin in the same cycle."""

    steps: Sequence[Step]
    line: bool = False
    """Whether the POSITIONs of a step lead along a straight line."""
    longest: float = USUAL
    """How long is computed at most, s of the motion."""
    samples: int = 0
    """The greatest number of times in the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A motion; times are s from the begin of the first step."""

    step: int
    begin: Begin
    begins: float
    end: End | None
    """None where it has not ended."""
    ends: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """The extremes of one axis, without signs; u, u/s..., percent of rated torque."""

    name: str
    axis: int
    settled: float
    """When its motor is in position, s from the begin; inf where it is not."""
    low: float
    high: float
    velocity: float
    acceleration: float
    jerk: float
    torque: float
    following_error: float
    limits: tuple[tuple[float, str], ...]
    """When it meets what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a trial."""

    exact: bool
    duration: float
    """s; inf where a motion has not ended."""
    longest: float
    """How long was computed at most, s."""
    motions: tuple[Tried, ...]
    axes: tuple[Peaks, ...]
    times: Floats
    """(samples,), s from the begin."""
    paths: Floats
    """Commanded positions, (samples, axes)."""
    motors: Floats
    """Where the motors are, (samples, axes)."""
