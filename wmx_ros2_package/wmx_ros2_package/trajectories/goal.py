"""What a client asks for, in numbers, and who is asked: the values that goals are judged by."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from wmx_core.values import Floats

STOPPING_TIME = 0.25
"""How long what ends in motion takes to rest, and a stop at most, unless a node has another, s."""
Rows = Sequence[Sequence[float]]
"""One row a point, one number a joint; as a client sent them, so of any length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTolerance:
    """How far one joint may be from where it should be (u, u/s, u/s^2).

    0 leaves what is the default, -1 allows any difference.
    """

    name: str
    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A trajectory and how well it is to be followed, as a client sent it."""

    joint_names: Sequence[str]
    times: Sequence[float]
    """Of the points, s since the start."""
    positions: Rows
    velocities: Rows
    """One row a point, empty where none is given; `accelerations` in the same way."""
    accelerations: Rows
    effort: bool = False
    """Whether any point asks for an effort other than zero."""
    several_degrees: bool = False
    """Whether it asks for joints with several degrees of freedom."""
    starts_in: float = 0.0
    """When it is to start, s from now; 0 without a time from the client."""
    path_tolerance: Sequence[JointTolerance] = ()
    goal_tolerance: Sequence[JointTolerance] = ()
    goal_time_tolerance: float = 0.0
    """How late the joints may settle, s; 0 leaves what is the default, below 0 allows any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joints:
    """The joints that a server leads, and how far, fast and hard each may go (u, u/s, u/s^2).

    Where there is no limit, it is infinite. `axes` are their numbers on the engine.
    """

    names: tuple[str, ...]
    axes: tuple[int, ...]
    lower: Floats
    upper: Floats
    top_speed: Floats
    top_acceleration: Floats | float = inf

    def columns(self, names: Sequence[str]) -> tuple[int, ...]:
        """The places of the joints of these names."""
        return tuple(self.names.index(name) for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a server lets its clients ask for."""

    start_tolerance: float = 0.01
    """How far from the first point the joints may be at the start, u."""
    spline_tolerance: float = 1e-4
    """How far from the goal's curve the engine's splines may be, u."""
    still_velocity: float = 0.01
    """A velocity at the last point, or at the first while the joints stand, that counts as none,
    u/s: MoveIt Servo ends with 5e-5, its task constructor with 1e-4."""
    allow_end_in_motion: bool = False
    """A goal may end with a velocity: a window of a stream, which the next one replaces."""
    stopping_time: float = STOPPING_TIME
    """How long the joints take to rest where none replaces it, s."""
    allow_partial: bool = False
    """A goal may leave joints out; they stay where they are."""
    allow_unnamed: bool = False
    """A goal may leave out the names; its columns are the joints in the server's order."""
    late_start: float = 1.0
    """How far in the past a start may be, s; the goal then starts at once."""
    early_goal: float = 60.0
    """How far in the future a start may be, s."""
    unlimited_speed: float = inf
    """How fast a joint without a limit may go, u/s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where the joints of a server are when a trajectory begins, each (joints,).

    `actual` is where the motors are, the rest what they are commanded to (u, u/s, u/s^2).
    """

    actual: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats

    def at_rate(self, rate: float, change: float = 0.0) -> "Start":
        """That of a plan of full pace which is carried out at a rate, s on its path for each s.

        The rate increases by `change` in each s: that is a part of the acceleration of the joints.
        """
        velocity = self.velocity / rate
        acceleration = (self.acceleration - velocity * change) / rate**2
        return replace(self, velocity=velocity, acceleration=acceleration)

    def of(self, columns: Sequence[int]) -> "Start":
        """That of some of the joints."""
        chosen = list(columns)
        return Start(
            actual=self.actual[chosen],
            position=self.position[chosen],
            velocity=self.velocity[chosen],
            acceleration=self.acceleration[chosen],
        )
