"""The kinematics of a base on two driven wheels, and where it is; pure.

With the wheel radius R and the distance L between the wheels, the base's speed v (m/s, forwards)
and turning rate w (rad/s, to the left), the wheels turn with (rad/s, forwards)

    left = (2 v - w L) / (2 R)      right = (2 v + w L) / (2 R)

While the ratio of the two does not change the base drives on a circle. `Odometry` adds up such
arcs exactly, from how far the wheels have turned: nothing is lost between two samples however far
apart they are, and no error of time gets in.
"""

from dataclasses import dataclass
from functools import partial
from math import cos, isfinite, sin
from typing import NamedTuple

from wmx_core.units import RPM

WHEEL_UNITS = {"rad/s": 1.0, "rpm": RPM}
"""Of the velocity of a wheel's axis, and how many rad its user unit is then."""
JUMP = 0.5
"""rad; a wheel that turned further than its speeds show, by more, had its position set."""
NEIGHBOURS = 0.1
"""Samples that are no further apart, s of the engine, show by their speeds how far a wheel can have
turned."""
SAMPLE_RATE = 2.0 / NEIGHBOURS
"""Hz; at this rate of samples none is further from the one before, though it be late: unless the
clock of a simulated engine is faster."""


class Twist(NamedTuple):
    """How a base moves."""

    linear: float
    """m/s, forwards."""
    angular: float
    """rad/s, to the left."""


class Wheels(NamedTuple):
    """Something of each wheel: rad or rad/s, positive forwards."""

    left: float
    right: float


class Pose(NamedTuple):
    """Where a base is."""

    x: float
    """m."""
    y: float
    """m."""
    yaw: float
    """rad, not wrapped: it also counts the turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The measures of a base."""

    wheel_radius: float
    """m."""
    wheel_distance: float
    """From wheel to wheel, m."""

    def wheels(self, twist: Twist) -> Wheels:
        """The speeds of the wheels at `twist`."""
        ahead = twist.linear / self.wheel_radius
        across = twist.angular * self.wheel_distance / (2.0 * self.wheel_radius)
        return Wheels(ahead - across, ahead + across)

    def twist(self, wheels: Wheels) -> Twist:
        """How the base moves at the speeds of `wheels`; or how far, where they are angles."""
        return Twist(
            self.wheel_radius * (wheels.right + wheels.left) / 2.0,
            self.wheel_radius * (wheels.right - wheels.left) / self.wheel_distance,
        )


def after_arc(pose: Pose, way: Twist) -> Pose:
    """`pose` after an arc of `way.linear` metres that turned it by `way.angular` radians.

    The chord of an arc is its length times sin(a) / a with half its angle a, and points half way
    between the headings before and after it.
    """
    half = way.angular / 2.0
    # Below 1e-8 the series 1 - a^2 / 6 is 1 to the last bit.
    chord = way.linear * (sin(half) / half if abs(half) > 1e-8 else 1.0)
    heading = pose.yaw + half
    return Pose(
        pose.x + chord * cos(heading), pose.y + chord * sin(heading), pose.yaw + way.angular
    )


class Odometry:
    """Adds up where a base is from samples of its wheels."""

    def __init__(self, base: Base) -> None:
        self.pose = Pose(0.0, 0.0, 0.0)
        """Where it is, from where it stood at the first sample."""
        self._base = base
        self._angles: Wheels | None = None
        self._speeds = Wheels(0.0, 0.0)
        self._time = 0.0
        self._resumed = False

    def resume(self) -> None:
        """An engine is there again, the same one or another.

        What the wheels turned in between counts. Only wheels that both stand at exactly 0 are those
        of encoders that restart: how far they turned is not known.
        """
        self._resumed = True

    def update(self, time: float, angles: Wheels, speeds: Wheels) -> Pose:
        """Where the base is at `time` (s of the engine), when the wheels are at `angles` (rad)."""
        if not all(map(isfinite, (*angles, *speeds))):
            return self.pose
        if self._angles is not None:
            turned = Wheels(*(now - then for now, then in zip(angles, self._angles, strict=True)))
            began_anew = self._resumed and angles == (0.0, 0.0)
            if not began_anew:
                shown = self._as_turned(time, turned, speeds)
                self.pose = after_arc(self.pose, self._base.twist(shown))
        self._time, self._angles, self._speeds = time, angles, speeds
        self._resumed = False
        return self.pose

    def _as_turned(self, time: float, turned: Wheels, speeds: Wheels) -> Wheels:
        """How far the wheels turned; by its speeds for one whose position was set by a client."""
        elapsed = time - self._time
        if self._resumed or not 0.0 <= elapsed <= NEIGHBOURS:
            return turned
        return Wheels(*map(partial(_likely, elapsed), turned, self._speeds, speeds))


def _likely(elapsed: float, turned: float, before: float, now: float) -> float:
    """How far a wheel turned that had these speeds at both ends, rad.

    It may have changed its speed, or stopped, at any time in between.
    """
    least, most = min(0.0, before, now) * elapsed - JUMP, max(0.0, before, now) * elapsed + JUMP
    return turned if least <= turned <= most else (before + now) / 2.0 * elapsed
