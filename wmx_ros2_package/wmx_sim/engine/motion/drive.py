"""One drive with its motor: it follows its setpoint, and writes its place to the shared state."""

from math import copysign, inf, ulp
from typing import NamedTuple

from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import CommandMode

from ..clock import CYCLE, ROUNDING
from ..machine.description import AxisModel
from .curve import Curve
from .scale import Scale
from .servo import (
    RATED_SPEED,
    Motor,
    ServoResponse,
    position_response,
    requested_velocity,
    standing_response,
    steady_error,
    torque_response,
)
from .shared_state import SharedState

UNLIMITED_SPEED = 2 * RATED_SPEED
"""Top speed where the parameters give none, rev/s: 6000 rpm, that of many small servos."""
_CHANGES_AT_ONCE = 300
"""How often a motor may change the way it moves by itself in next to no time."""
_CHANGES_OF_AN_ORDER = 6
"""What each setpoint adds to that, up to the same number again: a curved one has its own."""
_CALM = 0.02
"""A motor that has used them up changes no more often than this, s, whatever its numbers are: the
engine has other things to do."""
_NEAR_AN_END = 1e-6
"""Encoder counts beyond a mechanical end that are none: numbers near a new zero are not exact."""


class State(NamedTuple):
    """Command and motor at one time, u and u/s."""

    command: float
    command_velocity: float
    position: float
    velocity: float


class Drive:
    """A drive, which writes to `column` of the shared state; times are engine seconds."""

    def __init__(self, model: AxisModel, parameters: AxisParameters, column: SharedState) -> None:
        self.changes_at = inf
        """When the motor begins to move in another way by itself."""
        self._model = model
        self._column = column
        self._controls: CommandMode | None = None
        """Nothing while the servo is off: the setpoint is the velocity of a turning motor then."""
        self._since = 0.0
        self._setpoint = self._command = self._error = Curve(0.0)
        self._setpoint_until = inf
        self._torque = 0.0
        self._frozen = False
        self._jammed = False
        self.scale = Scale(1.0, model.counts_per_revolution)
        self.torque_limit = self._own_torque_limit = inf
        """The most torque, percent of rated torque."""
        self._shortest = ROUNDING
        """How long a response holds at least, s: longer with each of many short ones in a row, of
        which there is no end where rounding hides which bound the motor is at."""
        self._calm_from = -inf
        """When all the changes up to now would have happened at their slowest."""
        self.configure(0.0, parameters)

    # Commands

    def set_setpoint(self, time: float, setpoint: Curve, duration: float = inf) -> None:
        """Follow `setpoint`: the position, or in velocity mode and with the servo off its slope.

        Another setpoint comes in `duration` seconds at the latest.
        """
        now = self._advance_to(time)
        self._setpoint = setpoint
        self._setpoint_until = time + duration
        self._calm_from -= _CHANGES_OF_AN_ORDER * _CALM
        self._replan(time, now.position, now.velocity)

    def set_torque(self, time: float, torque: float) -> None:
        """Turn with `torque`, percent of rated torque, signed."""
        now = self._advance_to(time)
        self._torque = torque
        self._replan(time, now.position, now.velocity)

    def close(self, time: float, mode: CommandMode | None) -> None:
        """Control what `mode` is about from now on, or nothing; the motor turns on as it does.

        The command of a position loop begins as far ahead of a turning motor as it would be if the
        motor had followed it at this velocity.
        """
        now = self._advance_to(time)
        self._controls = mode
        self._torque = 0.0
        lag = steady_error(now.velocity, self._motor) if mode is CommandMode.POSITION else 0.0
        self._setpoint = Curve(now.position + lag, now.velocity)
        self._setpoint_until = inf
        self._replan(time, now.position, now.velocity)

    def configure(self, time: float, parameters: AxisParameters) -> None:
        """Put `parameters` in force; the motor stays where it is, its number changes."""
        p, model = parameters, self._model
        ratio = self.scale.counts_per_unit / p.counts_per_unit
        self.scale = self.scale._replace(counts_per_unit=p.counts_per_unit)
        counts_per_unit = abs(p.counts_per_unit)
        rated_speed = RATED_SPEED * model.counts_per_revolution / counts_per_unit
        top_speed = (p.max_motor_speed / 60.0 or UNLIMITED_SPEED) / RATED_SPEED * rated_speed
        self._motor = Motor(
            gain=model.position_gain,
            feedforward=min(p.velocity_feedforward_gain / 100.0, 1.0),
            top_speed=top_speed,
            inertia=100.0 * counts_per_unit / model.rated_acceleration,
            coulomb=model.coulomb_friction,
            viscous=model.viscous_friction / rated_speed,
        )
        self._own_torque_limit = min(
            p.max_torque_limit, p.positive_torque_limit, p.negative_torque_limit
        )
        self.torque_limit = self._own_torque_limit
        self._column.creep[...] = rated_speed / 1000.0
        now = self._advance_to(time)
        self._setpoint = self._setpoint.times(ratio)
        self._update_hard_stops()
        self._replan(time, now.position * ratio, now.velocity * ratio)

    def limit_torque(self, time: float, limit: float | None) -> None:
        """Turn with at most `limit` percent of rated torque; None for that of the parameters."""
        now = self._advance_to(time)
        own = self._own_torque_limit
        self.torque_limit = own if limit is None else min(limit, own)
        self._replan(time, now.position, now.velocity)

    def renumber(self, time: float, shift: float) -> None:
        """Add `shift` to the number of every position; nothing moves."""
        now = self._advance_to(time)
        origin = self.scale.origin - shift * self.scale.counts_per_unit
        self.scale = self.scale._replace(origin=origin)
        self._setpoint = self._setpoint._replace(p=self._setpoint.p + shift)
        self._update_hard_stops()
        self._replan(time, now.position + shift, now.velocity)

    def place(self, time: float, position: float) -> None:
        """Let the motor stand at `position`; its numbers stay what they are."""
        self._advance_to(time)
        self._setpoint = Curve(position)
        self._replan(time, position, 0.0)

    def freeze(self, time: float, *, frozen: bool) -> None:
        """Let the encoder show one position for ever, or again what it is."""
        now = self._advance_to(time)
        self._frozen = frozen
        self._replan(time, now.position, now.velocity)

    def jam(self, time: float, *, jammed: bool) -> None:
        """Let a brake hold the motor whatever its torque, or let go of it."""
        now = self._advance_to(time)
        self._jammed = jammed
        self._replan(time, now.position, 0.0 if jammed else now.velocity)

    def change(self, time: float) -> None:
        """Carry out what `changes_at` announced: another response, or an end that was run into."""
        now = self._advance_to(time)
        self._calm_from = max(self._calm_from, time - _CHANGES_AT_ONCE * _CALM) + _CALM
        end = self._end_at(now.position)
        if end and end * now.velocity > 0.0:
            self._replan(time, self._ends.high if end > 0 else self._ends.low, 0.0)
        else:
            self._replan(time, now.position, now.velocity)

    # Status

    def at(self, time: float) -> State:
        """Command and motor at `time`, up to which nothing changes any more."""
        s = time - self._since
        command, velocity = self._command.at(s), self._command.slope().at(s)
        error, error_rate = self._error.at(s), self._error.slope().at(s)
        return State(command, velocity, command - error, velocity - error_rate)

    @property
    def top_speed(self) -> float:
        """The most the motor can do, u/s."""
        return self._motor.top_speed

    @property
    def top_acceleration(self) -> float:
        """The most the torque limit leaves after friction, u/s^2."""
        return self._motor.acceleration(self.torque_limit)

    @property
    def rest_speed(self) -> float:
        """The speed up to which the motor counts as at rest, u/s.

        It is one encoder count a cycle, and at most a thousandth of rated speed.
        """
        return min(self.scale.resolution / CYCLE, float(self._column.creep))

    def command_from(self, time: float) -> Curve:
        """Return the command from `time` on."""
        return self._command.after(time - self._since)

    def actual_from(self, time: float) -> Curve:
        """Return the motor's position from `time` on."""
        return self._command.minus(self._error).after(time - self._since)

    def error_from(self, time: float) -> Curve:
        """Return the following error from `time` on."""
        return self._error.after(time - self._since)

    @property
    def z_pulse(self) -> float:
        """Where one of the Z pulses is, u; there is one each `revolution`."""
        return self.scale.mark(self._model.z_pulse)

    # How it does it

    def _advance_to(self, time: float) -> State:
        """Return where command and motor are at `time`, from which on all curves begin."""
        s = time - self._since
        self._setpoint = self._setpoint.after(s)
        self._command, command, velocity = self._command.moved(s)
        self._error, error, error_rate = self._error.moved(s)
        self._since = time
        return State(command, velocity, command - error, velocity - error_rate)

    def _replan(self, time: float, position: float, velocity: float) -> None:
        """Compute what the motor does from `time` on, from `position` and `velocity`."""
        self._command, self._error, holds, static_torque = self._response(position, velocity)
        holds = min(holds, self._runs_into_an_end())
        self.changes_at = max(time + max(holds, self._shortest), self._calm_from)
        self._shortest = min(2.0 * self._shortest, CYCLE) if holds < CYCLE / 10.0 else ROUNDING
        self._write(static_torque)

    def _runs_into_an_end(self) -> float:
        """Return in how many seconds the motor runs into an end; one beyond an end stands there.

        A motor that stands beyond an end stays there.
        """
        low, high = self._ends
        if low == -inf and high == inf:
            return inf
        command, error = self._command, self._error
        actual = command.minus(error)
        rounding = self._rounding(command.p, command.d, error.p, error.d, actual.p)
        here = actual.at(0.0)
        into_high = actual.first_above(max(high, here) + rounding) if high < inf else inf
        into_low = actual.first_below(min(low, here) - rounding) if low > -inf else inf
        return min(into_high, into_low)

    def _response(self, position: float, velocity: float) -> ServoResponse:
        end = self._end_at(position)
        setpoint = self._setpoint
        if self._controls is CommandMode.POSITION:
            if self._frozen:
                return standing_response(setpoint, position, inf, 0.0)
            if self._jammed:
                return self._pressing(setpoint, position)
            if end:
                requested = requested_velocity(setpoint, position, self._motor).times(end)
                if requested.at(0.0) >= 0.0:
                    pressing = end * self.torque_limit
                    noticeable = self._motor.gain * self._rounding(setpoint.p, position)
                    return standing_response(
                        setpoint, position, requested.first_below(-noticeable), pressing
                    )
            duration = max(0.0, self._setpoint_until - self._since)
            return position_response(
                setpoint, position, velocity, self._motor, self.top_acceleration, duration
            )
        here = Curve(position)
        if self._frozen:
            return ServoResponse(here)
        if self._controls is CommandMode.TORQUE:
            if self._jammed or end * self._torque > 0.0:
                return ServoResponse(here, static_torque=self._torque)
            return torque_response(self._torque, position, velocity, self._motor)
        if self._jammed:
            return ServoResponse(here)
        into = setpoint.slope().times(end)
        if end and into.at(0.0) >= 0.0:
            presses = self._controls is CommandMode.VELOCITY and into.p
            pressing = end * self.torque_limit if presses else 0.0
            return ServoResponse(here, holds=into.first_below(0.0), static_torque=pressing)
        return ServoResponse(setpoint._replace(p=position))

    def _pressing(self, setpoint: Curve, position: float) -> ServoResponse:
        """Return the response of a motor that presses against its brake with all of its torque.

        It does so where the loop requests more than an encoder count.
        """
        count = self._motor.gain * self.scale.resolution
        requested = requested_velocity(setpoint, position, self._motor)
        now = requested.at(0.0)
        if abs(now) <= count:
            holds = min(requested.first_above(count), requested.first_below(-count))
            return standing_response(setpoint, position, holds, 0.0)
        sense = copysign(1.0, now)
        holds = requested.times(sense).first_below(count)
        return standing_response(setpoint, position, holds, sense * self.torque_limit)

    def _rounding(self, *numbers: float) -> float:
        """Return the error of a position that is computed from `numbers`, u."""
        return max(4.0 * ulp(max(map(abs, numbers))), _NEAR_AN_END * self.scale.resolution)

    def _end_at(self, position: float) -> int:
        """Return the side of the mechanical end that the motor stands at, 1 or -1, or 0."""
        if position >= self._ends.high:
            return 1
        return -1 if position <= self._ends.low else 0

    def _update_hard_stops(self) -> None:
        self._ends = self.scale.span(self._model.negative_end, self._model.positive_end)

    def _write(self, static_torque: float) -> None:
        column = self._column
        column.start[...] = self._since
        column.rate[...] = self._error.rate if self._error.d else self._command.rate
        column.static_torque[...] = static_torque
        # In torque mode the torque is the commanded one, not what the motion takes.
        commanded = self._controls is CommandMode.TORQUE
        motor = (
            self._motor._replace(inertia=0.0, coulomb=0.0, viscous=0.0)
            if commanded
            else self._motor
        )
        column.inertia[...], column.coulomb[...], column.viscous[...] = motor[3:]
        (p, v, a, j, d, _), (q, w, b, k, e, _) = self._command, self._error
        column.course[...] = (p, q), (v, w), (a / 2.0, b / 2.0), (j / 6.0, k / 6.0), (d, e)
