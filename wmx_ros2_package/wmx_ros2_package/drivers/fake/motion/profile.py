"""Motion profiles as pure functions of time.

A profile is a tuple of segments, each a polynomial of the time since its own start:

    position      p + v s + a s^2 / 2 + j s^3 / 6
    velocity      v + a s + j s^2 / 2

Its last segment lasts for ever (duration inf) and holds the final state, so that a profile
can be evaluated at any time. Trapezoidal profiles start from any position and velocity and
take the shortest time that the limits allow: `acc` bounds speeding up and `dec` bounds slowing
down, in either direction of travel. When the start is too fast to stop before the target, or
moves away from it, the axis first stops with `dec` and then comes back.
"""

from collections.abc import Iterator
from math import copysign, inf, sqrt
from typing import NamedTuple

from .curve import Curve


class Segment(NamedTuple):
    """A polynomial piece: `duration` in s, the rest in u, u/s, u/s^2 and u/s^3."""

    duration: float
    position: float
    velocity: float
    acceleration: float = 0.0
    jerk: float = 0.0

    def at(self, s: float) -> tuple[float, float]:
        """Position and velocity `s` seconds after the start of the segment."""
        p, v, a, j = self[1:]
        return p + s * (v + s * (a / 2 + s * j / 6)), v + s * (a + s * j / 2)

    def after(self, s: float) -> "Segment":
        """What is left of the segment `s` seconds after its start."""
        acceleration = self.acceleration + s * self.jerk
        return Segment(self.duration - s, *self.at(s), acceleration, self.jerk)


Profile = tuple[Segment, ...]


def duration(profile: Profile) -> float:
    """Seconds from the start of `profile` to the start of its final, endless segment."""
    return sum(segment.duration for segment in profile[:-1])


def at(profile: Profile, time: float) -> tuple[float, float]:
    """Position and velocity `time` seconds after the start of `profile`."""
    for segment in profile:
        if time < segment.duration:
            return segment.at(time)
        time -= segment.duration
    raise ValueError("a profile ends with an endless segment")


def superposed(one: Profile, other: Profile) -> Profile:
    """The sum of two profiles, with a segment for every stretch on which both are polynomials."""
    rest_of_one, rest_of_other = iter(one), iter(other)
    a, b = next(rest_of_one), next(rest_of_other)
    segments: list[Segment] = []
    while True:
        length = min(a.duration, b.duration)
        segments.append(Segment(length, *(x + y for x, y in zip(a[1:], b[1:], strict=True))))
        if length == inf:
            return tuple(segments)
        a = a.after(length) if a.duration > length else next(rest_of_one)
        b = b.after(length) if b.duration > length else next(rest_of_other)


def extremes(profile: Profile) -> Iterator[float]:
    """Positions between the least and the greatest of which `profile` stays while it moves."""
    for segment in profile:
        yield segment.position
        if segment.duration < inf:
            curve = Curve(*segment[1:])
            for turn in curve.slope().sign_changes(segment.duration):
                yield curve.at(turn)


def hold(position: float) -> Profile:
    """Rest at `position`."""
    return (Segment(inf, position, 0.0),)


def to_rest(position: float, velocity: float, dec: float) -> Profile:
    """Slow down from `velocity` to rest."""
    return to_velocity(position, velocity, 0.0, acc=dec, dec=dec)


def to_velocity(
    position: float, velocity: float, target: float, *, acc: float, dec: float
) -> Profile:
    """Change from `velocity` to the velocity `target` and keep it.

    A change of direction slows down to rest with `dec` first and speeds up with `acc` then.
    """
    if velocity * target < 0.0:
        stop = _ramp(position, velocity, 0.0, dec)
        return (*stop, *to_velocity(_end(stop, position), 0.0, target, acc=acc, dec=dec))
    ramp = _ramp(position, velocity, target, acc if abs(target) > abs(velocity) else dec)
    return (*ramp, Segment(inf, _end(ramp, position), target))


def to_position(
    position: float,
    velocity: float,
    target: float,
    *,
    max_velocity: float,
    acc: float,
    dec: float,
) -> Profile:
    """Move to `target` and rest there, no faster than `max_velocity` (a positive magnitude).

    The peak of a move too short to reach `max_velocity` follows from the distance d being that
    of speeding up and slowing down: peak^2 = (2 d + v^2 / acc) / (1 / acc + 1 / dec).
    """
    distance = target - position
    stopping = velocity * abs(velocity) / (2 * dec)
    if velocity != 0.0 and (velocity * distance <= 0.0 or abs(stopping) > abs(distance)):
        stop = _ramp(position, velocity, 0.0, dec)
        back = to_position(
            _end(stop, position), 0.0, target, max_velocity=max_velocity, acc=acc, dec=dec
        )
        return (*stop, *back)

    speed = abs(velocity)
    peak = sqrt((2 * abs(distance) + speed * (speed / acc)) / (1 / acc + 1 / dec))
    cruise = copysign(min(max_velocity, max(peak, speed)), distance)
    change_rate = dec if speed > max_velocity else acc
    change = _ramp(position, velocity, cruise, change_rate)
    # Reckoned from zero: far from it, rounded positions would spoil the time of a slow move.
    change_distance = _end(_ramp(0.0, velocity, cruise, change_rate), 0.0)
    slow_down_distance = cruise * abs(cruise) / (2 * dec)
    cruise_distance = distance - change_distance - slow_down_distance
    cruising: Profile = ()
    if cruise != 0.0 and cruise_distance / cruise > 0.0:
        start = _end(change, position)
        cruising = (Segment(cruise_distance / cruise, start, cruise),)
    slow_down = _ramp(target - slow_down_distance, cruise, 0.0, dec)
    return (*change, *cruising, *slow_down, *hold(target))


def _ramp(position: float, velocity: float, target: float, rate: float) -> Profile:
    """One segment from `velocity` to `target` at `rate`, or none where they are equal."""
    change = target - velocity
    if change == 0.0:
        return ()
    return (Segment(abs(change) / rate, position, velocity, copysign(rate, change)),)


def _end(profile: Profile, position: float) -> float:
    """Where `profile` leaves the axis, or `position` if it has no segment."""
    return profile[-1].at(profile[-1].duration)[0] if profile else position
