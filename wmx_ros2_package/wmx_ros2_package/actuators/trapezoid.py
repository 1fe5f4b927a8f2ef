"""How long a trapezoidal move takes, and how fast it must be to take a given time.

The textbook's trapezoid, from any velocity to rest at the target: an axis that is too fast to stop
before its target, or on its way in the other direction, slows down to rest and comes back, as
`docs/simulation-motion.md` describes of the engine. The engine makes each phase a whole number of
communication cycles, so its move may end a cycle or two later.
"""

from math import copysign, inf, sqrt

_HALVINGS = 60
"""How often an interval of speeds is halved: to far below the resolution of a float."""


def duration(
    distance: float, *, initial_velocity: float, velocity: float, acc: float, dec: float
) -> float:
    """How long a move by `distance` (u) takes, s.

    `initial_velocity` (u/s, signed) is that at its begin; `velocity` (u/s), `acc` and `dec` (u/s^2)
    are positive magnitudes.
    """
    way = abs(distance)
    speed = initial_velocity * copysign(1.0, distance)
    braking = speed * speed / (2.0 * dec)
    if speed < 0.0:
        return -speed / dec + _from_speed(way + braking, 0.0, velocity, acc, dec)
    if braking > way:
        return speed / dec + _from_speed(braking - way, 0.0, velocity, acc, dec)
    return _from_speed(way, speed, velocity, acc, dec)


def velocity_for(
    seconds: float,
    distance: float,
    *,
    initial_velocity: float,
    velocity: float,
    acc: float,
    dec: float,
) -> float:
    """The top speed, `velocity` (u/s) at most, with which a move takes `seconds`.

    ValueError with the shortest possible time when that is longer than `seconds`.
    """

    def takes(speed: float) -> float:
        return duration(
            distance, initial_velocity=initial_velocity, velocity=speed, acc=acc, dec=dec
        )

    shortest = takes(velocity)
    if shortest > seconds:
        raise ValueError(f"{seconds:.6g} s is too short: the move takes {shortest:.6g} s at least")
    low, high = 0.0, velocity
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if takes(middle) > seconds:
            low = middle
        else:
            high = middle
    return high


def _from_speed(way: float, speed: float, velocity: float, acc: float, dec: float) -> float:
    """How long a move takes that can stop before its end, s."""
    if velocity <= 0.0:
        return inf
    if speed > velocity:
        slowing = (speed * speed - velocity * velocity) / (2.0 * dec)
        rest = way - slowing - velocity * velocity / (2.0 * dec)
        return speed / dec + max(0.0, rest) / velocity
    peak = sqrt((2.0 * way + speed * speed / acc) / (1.0 / acc + 1.0 / dec))
    if peak <= velocity:
        return (peak - speed) / acc + peak / dec
    speeding_up = (velocity * velocity - speed * speed) / (2.0 * acc)
    slowing_down = velocity * velocity / (2.0 * dec)
    cruise = (way - speeding_up - slowing_down) / velocity
    return (velocity - speed) / acc + cruise + velocity / dec
