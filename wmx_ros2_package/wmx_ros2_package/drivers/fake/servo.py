"""The servo model: how an axis follows its command.

A drive in position mode closes a proportional position loop of gain K (1/s) around an ideal
velocity loop, helped by velocity feedforward g (0 to 1). With the command c(t), the actual
position x(t) and the following error e = c - x:

    x' = K e + g c'        hence        e' = (1 - g) c' - K e

For a polynomial command c = p + v s + a s^2/2 + j s^3/6 this is solved exactly, T = 1/K:

    e(s) = (1 - g) E(s) + (e0 - (1 - g) E(0)) exp(-s/T)
    E(s) = T v(s) - T^2 a(s) + T^3 j

so a steady speed v is followed (1 - g) v / K behind, the textbook following error of a
proportional position loop. Where there is no position loop (servo off, velocity mode) the
command is the actual position: g = 1 and e0 = 0.

Torque is that of inertia and friction, in percent of rated torque (motor encoder counts n):

    100 n'' / rated_acceleration + coulomb tanh(n' / n_0) + viscous n' / n_rated

with n_0 a thousandth of rated speed, so that friction has a direction but no step at rest.
"""

from typing import NamedTuple

import numpy as np

from ..values import Floats

RATED_SPEED = 3000.0 / 60.0
"""Motor revolutions per second at rated speed: 3000 rpm, the common rating of small servos."""


class Course(NamedTuple):
    """What each axis follows at the moment: one polynomial piece an axis, arrays (axes,)."""

    start: Floats
    """Engine time at which the piece begins, s."""
    position: Floats
    velocity: Floats
    acceleration: Floats
    jerk: Floats
    error: Floats
    """Following error at the start, u."""
    feedforward: Floats
    """Velocity feedforward g; 1 where the command is the actual position."""

    def of(self, axis: int) -> "Course":
        """The course of one axis, arrays (1,) that are views of these."""
        return Course(*(array[axis : axis + 1] for array in self))


class Followed(NamedTuple):
    """Command and feedback at one time, arrays (axes,) in u, u/s and u/s^2."""

    position: Floats
    velocity: Floats
    error: Floats
    actual_velocity: Floats
    actual_acceleration: Floats


def follow(course: Course, time: float, gain: Floats) -> Followed:
    """Command and feedback at engine time `time`, for position loops of `gain` (1/s)."""
    start, p, v, a, j, e0, g = course
    s = time - start
    position = p + s * (v + s * (a / 2 + s * j / 6))
    velocity = v + s * (a + s * j / 2)
    acceleration = a + s * j
    lag = 1.0 / gain
    lagging = (1.0 - g) * lag
    steady = lagging * (velocity - lag * (acceleration - lag * j))
    steady_at_start = lagging * (v - lag * (a - lag * j))
    error = steady + (e0 - steady_at_start) * np.exp(-s * gain)
    actual_velocity = gain * error + g * velocity
    actual_acceleration = gain * (velocity - actual_velocity) + g * acceleration
    return Followed(position, velocity, error, actual_velocity, actual_acceleration)
