"""The servo model: computes how a motor follows each setpoint that its drive is given.

In position mode a drive closes a proportional position loop of gain K (1/s) around an ideal
velocity loop, helped by velocity feedforward g (0 to 1). With the command c(t), the motor's
position x(t) and the following error e = c - x it requests the velocity

    u = K e + g c'

and gets it, x' = u, hence e' = (1 - g) c' - K e. For a cubic command c this is solved exactly,
with T = 1/K:

    e(s) = E(s) + (e0 - E(0)) exp(-K s)        E = (1 - g) (T c' - T^2 c'' + T^3 c''')

so a steady speed v is followed (1 - g) v / K behind, the textbook following error of a
proportional position loop.

Torque is that of inertia and friction, in percent of rated torque (motor encoder counts n):

    100 n'' / rated_acceleration + coulomb tanh(n' / n_0) + viscous n' / n_rated

with n_0 a thousandth of rated speed, so that friction has a direction but no step at rest. What
the torque limit leaves after friction bounds the acceleration, and MaxMotorSpeed the velocity:
where the loop requests more, the motor speeds up or slows down evenly, or keeps its top speed,
until the loop requests less again. A motor that stands against a mechanical end stays there
until the loop pulls it away.

In torque mode a constant torque M acts against friction alone, J x'' = M - C sign(x') - B x',
which a decay towards the speed (M - C) / B solves; a motor that the torque cannot move stands.

Every response is one `Curve` that holds for a while: `ServoResponse`.
"""

from math import copysign, inf
from typing import NamedTuple

from .curve import Curve

RATED_SPEED = 3000.0 / 60.0
"""Motor revolutions per second at rated speed: 3000 rpm, the common rating of small servos."""
_CLOSE = 1e-9
"""Velocities that differ by less of the top speed are equal: bounds meet only to rounding."""
_NO_TIME = 1e-6
"""Velocities that the torque limit makes equal within this, s, are equal too."""
_UNSEEN = 1e-4
"""No motor gets to its top speed in less, s: a tenth of a cycle, which no status shows."""
_LEAST = 1e-6
"""Percent of rated torque that a limit of nothing leaves: a profile needs an acceleration."""
_NEGLIGIBLE = 1e-3
"""Viscous friction that nowhere exceeds this is none, percent of rated torque: the decay towards
a final speed beyond all bounds is the difference of numbers too large to differ."""


class Motor(NamedTuple):
    """What a drive and its motor can do, in user units."""

    gain: float
    """Of the position loop, K in 1/s."""
    feedforward: float
    """Of velocity, g from 0 to 1."""
    top_speed: float
    """u/s, from MaxMotorSpeed and the gear ratio."""
    inertia: float
    """Percent of rated torque per u/s^2."""
    coulomb: float
    """Percent of rated torque."""
    viscous: float
    """Percent of rated torque per u/s."""

    def acceleration(self, torque_limit: float) -> float:
        """Return what `torque_limit` (%) leaves after friction, u/s^2; at least a hundredth."""
        friction = self.coulomb + self.viscous * self.top_speed
        torque = max(torque_limit - friction, torque_limit / 100.0, _LEAST)
        return min(torque / self.inertia, self.top_speed / _UNSEEN)


class ServoResponse(NamedTuple):
    """Command and following error from now on, and for how many seconds that holds."""

    command: Curve
    error: Curve = Curve(0.0)
    holds: float = inf
    static_torque: float = 0.0
    """Torque beside that of motion, percent of rated torque: what a mechanical end balances, or
    in torque mode all there is."""


def standing_response(
    command: Curve, position: float, holds: float, static_torque: float
) -> ServoResponse:
    """Return the response of a motor that stands, whatever the command."""
    return ServoResponse(command, command.minus(Curve(position)), holds, static_torque)


def position_response(
    command: Curve,
    position: float,
    velocity: float,
    motor: Motor,
    acceleration: float,
    duration: float = inf,
) -> ServoResponse:
    """Return how a closed position loop responds to a cubic `command`, from the state of the motor.

    `acceleration` is the largest that the torque limit allows, u/s^2. What happens after
    `duration` seconds is not looked for.
    """
    requested = _requested_now(command, position, motor)
    wanted = max(-motor.top_speed, min(motor.top_speed, requested))
    close = _close(motor, acceleration)
    if abs(wanted - velocity) > 2 * close:
        return _ramp(command, position, velocity, wanted, motor, acceleration)
    if abs(requested) > motor.top_speed + close:
        return _at_top_speed(command, position, wanted, motor, close)
    error = _following_error(command, command.p - position, motor)
    actual = command.minus(error)
    speed = actual.slope()
    rate = speed.slope()
    if abs(rate.at(0.0)) > acceleration * (1 + _CLOSE):
        fastest = copysign(motor.top_speed, rate.at(0.0))
        if velocity / fastest >= 1.0:
            return _at_top_speed(command, position, fastest, motor, close)
        return _ramp(command, position, velocity, velocity + rate.at(0.0), motor, acceleration)
    holds = min(
        _first_outside(speed, motor.top_speed + 2 * close, duration),
        _first_outside(rate, acceleration * (1 + 2 * _CLOSE), duration),
    )
    return ServoResponse(command, error, holds)


def steady_error(velocity: float, motor: Motor) -> float:
    """Return the following error of a closed position loop at a steady `velocity` (u/s), u."""
    return (1.0 - motor.feedforward) * velocity / motor.gain


def requested_velocity(command: Curve, position: float, motor: Motor) -> Curve:
    """Return the velocity that a closed position loop requests of a standing motor."""
    return _requested(command, Curve(position), motor)


def torque_response(torque: float, position: float, velocity: float, motor: Motor) -> ServoResponse:
    """Return the response to a constant `torque` (percent, signed) in torque mode."""
    sense = copysign(1.0, velocity) if velocity else copysign(1.0, torque)
    driving = torque - sense * motor.coulomb
    slowed_down = velocity != 0.0 and sense * driving < 0.0
    if slowed_down and abs(velocity) <= _close(motor, abs(driving) / motor.inertia):
        return torque_response(torque, position, 0.0, motor)
    if velocity == 0.0 and sense * driving <= 0.0:
        return ServoResponse(Curve(position), static_torque=torque)
    if abs(velocity) >= motor.top_speed and sense * driving >= 0.0:
        friction = motor.coulomb + motor.viscous * motor.top_speed
        limited = sense * min(sense * torque, friction)
        return ServoResponse(Curve(position, sense * motor.top_speed), static_torque=limited)
    if motor.viscous * motor.top_speed > _NEGLIGIBLE:
        final = driving / motor.viscous
        rate = motor.viscous / motor.inertia
        decay = (final - velocity) / rate
        actual = Curve(position - decay, final, d=decay, rate=rate)
    else:
        actual = Curve(position, velocity, driving / motor.inertia)
    speed = actual.slope().times(sense)
    holds = min(speed.first_below(0.0), speed.first_above(motor.top_speed))
    return ServoResponse(actual, holds=holds, static_torque=torque)


def _close(motor: Motor, acceleration: float) -> float:
    """Velocities that differ by less are equal, as `acceleration` makes them in no time."""
    return max(_CLOSE * motor.top_speed, _NO_TIME * acceleration)


def _requested(command: Curve, actual: Curve, motor: Motor) -> Curve:
    """Return the velocity that the position loop requests."""
    error = command.minus(actual)
    return error.times(motor.gain).plus(command.slope().times(motor.feedforward))


def _first_outside(curve: Curve, width: float, duration: float) -> float:
    """Return the first s within `duration` at which `curve` is beyond -`width` or `width`."""
    if curve.stays_within(width, duration):
        return inf
    return min(curve.first_above(width, duration), curve.first_below(-width, duration))


def _requested_now(command: Curve, position: float, motor: Motor) -> float:
    """Return what `_requested` is at once, of a motor at `position`; a cubic `command`."""
    return motor.gain * (command.p - position) + motor.feedforward * command.v


def _following_error(command: Curve, error: float, motor: Motor) -> Curve:
    lag = 1.0 / motor.gain
    factor = (1.0 - motor.feedforward) * lag
    _, v, a, j, _, _ = command
    steady = factor * (v - lag * a + lag * lag * j)
    return Curve(steady, factor * (a - lag * j), factor * j, 0.0, error - steady, motor.gain)


def _ramp(
    command: Curve,
    position: float,
    velocity: float,
    wanted: float,
    motor: Motor,
    acceleration: float,
) -> ServoResponse:
    """Change speed evenly until it is what the loop requests, or the top speed."""
    sense = copysign(1.0, wanted - velocity)
    actual = Curve(position, velocity, sense * acceleration)
    speed = actual.slope().times(sense)
    too_fast = speed.minus(_requested(command, actual, motor).times(sense))
    as_requested = max(
        too_fast.first_above(_close(motor, acceleration)), speed.first_above(-motor.top_speed)
    )
    holds = min(as_requested, speed.first_above(motor.top_speed))
    return ServoResponse(command, command.minus(actual), holds)


def _at_top_speed(
    command: Curve, position: float, velocity: float, motor: Motor, close: float
) -> ServoResponse:
    """Keep the top speed until the loop requests noticeably less."""
    actual = Curve(position, velocity)
    requested = _requested(command, actual, motor).times(copysign(1.0, velocity))
    holds = requested.first_below(motor.top_speed - 2 * close)
    return ServoResponse(command, command.minus(actual), holds)
