"""Starts each planned profile on one axis, then does what is due: next segment, limit, servo.

The axis follows profiles (`profile_player`) with its drive (`drive`), which keep its column of the
`SharedState` up to date. Nothing runs in the background: `advance` carries out the next thing that
is due, exactly at the time it was due: the result does not depend on how often the status is read.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, wraps
from math import inf, nan
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import (
    IO_BYTES,
    REST_VELOCITY,
    CommandMode,
    LimitType,
    OperationState,
    PositionMove,
    VelocityMove,
)

from ..clock import cycle_after
from ..machine.description import AxisModel
from .curve import Curve
from .drive import Drive
from .group import Group
from .limits import Limit, Limits
from .planner import rest
from .profile import Profile, duration, hold, slowing_down, way
from .profile_player import AtRest, ProfilePlayer
from .ramps import Ramp
from .scale import Span
from .shared_state import SharedState

SETTLING_TIME = 1.0
"""How long a servo that is to go off at rest waits for the motor to settle, s."""
_NO_INPUTS = bytes(IO_BYTES)
_NO_SWITCH = Span(inf, -inf)
_ALWAYS_ON = Span(-inf, inf)
_SERVO_OFF_AT_REST = LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF
_SLOWLY = LimitType.SLOW_DEC, LimitType.SLOW_DEC_SERVO_OFF


A = TypeVar("A", bound="AxisMotion")
P = ParamSpec("P")
T = TypeVar("T")
Act = Callable[[float], None]
"""Something that an axis does at a time."""


def acting(
    act: "Callable[Concatenate[A, float, P], T]",
) -> "Callable[Concatenate[A, float, P], T]":
    """Make `act` update when the axis has its next event."""

    @wraps(act)
    def and_schedule(self: A, time: float, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result = act(self, time, *args, **kwargs)
        self.schedule(time)
        return result

    return and_schedule


class AxisMotion:
    """Axis `index` of an engine; times are engine seconds, lengths user units."""

    def __init__(
        self,
        index: int,
        model: AxisModel,
        parameters: AxisParameters,
        column: SharedState,
        *,
        vendor_rules: bool = False,
    ) -> None:
        """With `vendor_rules` see `SimulatedEngine`."""
        self.group: Group | None = None
        """The axes that it moves together with."""
        self._index = index
        self._model = model
        self.column = column
        """What it writes of the shared state."""
        self._parameters = parameters
        self._vendor_rules = vendor_rules
        self._drive = Drive(model, parameters, column)
        self._player = ProfilePlayer(self._drive, self._lead)
        self._limits = Limits(model, self._drive)
        self._inputs = _NO_INPUTS
        self._stuck_home_switch: bool | None = None
        self._stop_dec = parameters.quick_stop_dec
        self._stop_ramp: Ramp | None = None
        self._target = 0.0
        self._servo_on_at = inf
        self._servo_off_at = inf
        self._off_at_rest = False
        self._awaits_motor = False
        """Whether the motion is over when the motor has come to rest."""
        self._runs_until = inf
        """When the motion ends by itself unless there is another command."""
        self._move: PositionMove | VelocityMove | None = None
        self._gear: Gear | None = None
        """That by which it follows another axis."""
        self._gears: list[Gear] = []
        """Those by which others follow it."""
        self._act: Act = self._become_idle
        self._apply(parameters)
        self._follow(0.0, hold(0.0), OperationState.IDLE)
        self.schedule(0.0)

    def commanded(self, time: float) -> tuple[float, float]:
        """Return commanded position and velocity, from which a new motion takes over."""
        now = self._drive.at(time)
        return now.command, now.command_velocity

    def passes(self, time: float, position: float) -> tuple[float, float]:
        """Return where it is commanded to be, u, and in how many s it may pass `position`.

        It may when its command, as it is known now, gets to the other side, or becomes another one.
        """
        command = self._drive.command_from(time)
        here = command.at(0.0)
        due = self.column.next_event.item()
        known = min(self._player.known_until, due, self._drive.changes_at) - time
        beyond = here > position
        passes = (command.first_below if beyond else command.first_above)(position, known)
        return here, min(passes, known)

    @acting
    def stop_with_group(self, time: float, profile: Profile) -> None:
        """Follow `profile` to rest, as the others of the group do."""
        self._follow(time, profile, OperationState.STOP, self._stopped)

    @acting
    def engage(self, time: float, master: "AxisMotion", ratio: float) -> None:
        """Follow `master` by a gear from now on; both rest."""
        here, there = self.commanded(time)[0], master.commanded(time)[0]
        self._set_state(OperationState.SYNC)
        self._stop_dec, self._stop_ramp = self._parameters.quick_stop_dec, None
        self.connect(Gear(self, master, ratio, here - ratio * there))
        self._player.shadow(time, Curve(here), inf)

    def connect(self, gear: "Gear") -> None:
        """Have `gear`, of which this is the slave, without a motion by it."""
        self._gear = gear
        gear.master._gears.append(gear)

    def _lead(self, time: float, course: Curve, duration: float) -> None:
        """Let those that follow this axis follow a segment of its profile as it begins."""
        for slave, _, ratio, apart in [*self._gears]:  # a limit ends the gear of a slave
            slave._follow_segment(time, course.times(ratio).plus(Curve(apart)), duration)

    @acting
    def _follow_segment(self, time: float, course: Curve, duration: float) -> None:
        self._player.shadow(time, course, duration)
        self._stop_at_a_limit(time, course, duration)

    @acting
    def lose_master(self, time: float) -> None:
        """Slow down: the master is commanded no longer."""
        self._quick_stop(time)

    def moves_with(self, other: "AxisMotion") -> bool:
        """Whether both move as one group, or one follows the other."""
        in_group = self.group is not None and self.group is other.group
        return in_group or any(other in gear[:2] for gear in (self._gear, *self._gears) if gear)

    def _disengage(self) -> None:
        if self._gear is not None:
            self._gear.master._gears.remove(self._gear)
            self._gear = None

    @acting
    def advance(self, time: float) -> None:
        """Carry out what is due next, at `time`."""
        self._act(time)

    # What is due, and when

    def schedule(self, time: float) -> None:
        """Update when the next event is due."""
        self.column.next_event[...], self._act = min(self._events(time), key=lambda event: event[0])

    def _events(self, time: float) -> Iterator[tuple[float, Act]]:
        """Return the events of this axis, with their times; they are handled once a cycle."""
        drive = self._drive
        yield self._player.segment_end, self._enter_segment
        yield self._runs_until, self._stop
        yield self._servo_on_at, self._come_on
        yield self._servo_off_at, self._switch_off
        yield drive.changes_at, self._change_drive
        if self._awaits_motor:
            yield cycle_after(time + self._rests_in(time)), self._stopped
        duration = min(self._player.known_until, drive.changes_at) - time
        if changing := self._limits.changing():
            command, actual = drive.command_from(time), drive.actual_from(time)
            for limit in changing:
                at = limit.next_look(time, command, actual, duration)
                yield at, partial(self._see_limit, limit)
        if excess := self._excessive_error():
            error = drive.error_from(time)
            at = min(error.first_above(excess, duration), error.first_below(-excess, duration))
            yield cycle_after(time + at), self._see_excessive_error

    def _enter_segment(self, time: float) -> None:
        segment = self._player.upcoming
        if not self._stop_at_a_limit(time, segment.curve, segment.duration):
            self._player.next_segment()

    def _stop_at_a_limit(self, time: float, course: Curve, duration: float) -> bool:
        """Return whether a limit that is on has stopped the axis, as `course` goes further its way.

        It came on while the command went the other way, or rested.
        """
        if self._op_state is OperationState.STOP:
            return False
        for limit in self._limits.in_the_way(course, duration):
            if not self._means_to_meet(limit):
                self._stop_by(limit, time)
                return True
        return False

    def _see_limit(self, limit: Limit, time: float) -> None:
        now = self._drive.at(time)
        came_on = limit.look(time, now)
        towards = limit.direction * now.command_velocity > 0.0
        if not came_on or not towards or limit.type is LimitType.NONE:
            return
        if not self._means_to_meet(limit):
            self._stop_by(limit, time)

    def _stop_by(self, limit: Limit, time: float) -> None:
        p = self._parameters
        if limit.type is LimitType.SERVO_OFF:
            # The command goes back to the motor, which may be within the limit.
            limit.latched = limit in self._limits.soft.values()
            self._switch_off(time)
            self._place_limits()
            return
        self._off_at_rest |= self._servo_on and limit.type in _SERVO_OFF_AT_REST
        self._halt(time, p.ls_slow_dec if limit.type in _SLOWLY else p.ls_dec)

    def _means_to_meet(self, _limit: Limit) -> bool:
        """Return whether a limit is what the motion is for, and does not limit it."""
        return False

    def _excessive_error(self) -> float:
        """Return the following error that is too large now, or 0 for none."""
        p = self._parameters
        if not (p.following_error_stopped or p.following_error_moving):
            return 0.0
        if not self._servo_on or self.column.following_error_alarm:
            return 0.0
        at_rest = self._op_state is OperationState.IDLE
        return p.following_error_stopped if at_rest else p.following_error_moving

    def _see_excessive_error(self, time: float) -> None:
        self.column.following_error_alarm[...] = True
        if self._parameters.following_error_type == 1:
            self._quick_stop(time)

    def _change_drive(self, time: float) -> None:
        self._drive.change(time)
        if self._op_state is OperationState.IDLE:
            self._settle(time)

    def _forget_home(self) -> None:
        self.column.home_done[...] = False
        self._place_limits()

    # How it does it

    def _follow(
        self, time: float, profile: Profile, state: OperationState, at_rest: AtRest | None = None
    ) -> None:
        """Follow `profile` from `time` on; `at_rest` is called when it has come to rest."""
        self._set_state(state)
        if profile[-1].velocity == 0.0:
            self.column.target[...] = profile[-1].position
            self.column.ends_at[...] = time + duration(profile)
        self._player.follow(time, profile, at_rest or self._become_idle)

    def _halt(
        self, time: float, dec: float, path_dec: float | None = None, down: Ramp | None = None
    ) -> None:
        """Slow down with `dec`; together with others along the path, with `path_dec` or its own."""
        if self.group:
            self.group.stop(time, path_dec)
        else:
            self._slow_down(time, dec, down)

    def _stop(self, time: float) -> None:
        """Slow down as the motion does by itself."""
        self._halt(time, self._stop_dec, down=self._stop_ramp)

    def _quick_stop(self, time: float) -> None:
        dec = self._parameters.quick_stop_dec
        self._halt(time, dec, dec)

    def _slow_down(self, time: float, dec: float, down: Ramp | None = None) -> None:
        """Stop with `dec`, or `down`, whatever the axis does.

        No stop makes an earlier one gentler. An axis in torque mode changes to position mode, and
        slows down from the velocity that its motor has.
        """
        if self._op_state is OperationState.STOP:
            dec = max(dec, self._stop_dec)
        self._stop_dec = dec
        if self._in_torque_mode and self._vendor_rules:
            self._end_torque(time)
            return
        at_rest: AtRest = self._stopped
        if self._in_torque_mode:
            self._apply(replace(self._parameters, command_mode=CommandMode.POSITION))
            self._drive.close(time, CommandMode.POSITION)
            at_rest = self._await_motor
        profile = self._rest(time, self._bounded(down or Ramp(rate=dec)))
        self._follow(time, profile, OperationState.STOP, at_rest)

    def _rest(self, time: float, down: Ramp) -> Profile:
        """Slow down to rest with `down`, or as the axis does already, where that is less far.

        A new ramp begins without acceleration: in the middle of a smooth one it is longer.
        """
        profile, own = rest(*self.commanded(time), down), self._slowing_down(time)
        return own if own and way(own) < way(profile) else profile

    def _bounded(self, ramp: Ramp) -> Ramp:
        """Return `ramp`, in velocity mode no steeper than the torque limit allows."""
        if self._parameters.command_mode is CommandMode.VELOCITY and self._servo_on:
            return ramp.at_most(self._drive.top_acceleration)
        return ramp

    def _slowing_down(self, time: float) -> Profile:
        """Return how the axis comes to rest by itself, where it only becomes slower till then."""
        since, profile = self._player.course
        return slowing_down(profile, time - since) if self._player.segment_end < inf else ()

    def _end_torque(self, time: float) -> None:
        """Let the motor coast in torque mode; for the vendor's engine the axis is idle."""
        self._drive.set_torque(time, 0.0)
        self._stopped(time)

    def _await_motor(self, _time: float) -> None:
        """The command rests; the motion is over when the motor does, too."""
        self._awaits_motor = True

    def _stopped(self, time: float) -> None:
        self._awaits_motor = False
        if self._off_at_rest:
            self._switch_off_settled(time)
        else:
            self._become_idle(time)

    def _become_idle(self, time: float) -> None:
        self.group = None
        self._set_state(OperationState.IDLE)
        self._settle(time)

    def _settle(self, time: float) -> None:
        """Compute when the motor will have been in position for long enough."""
        p, error = self._parameters, self._drive.error_from(time)
        in_position = error.first_within(self._reached_width(p.in_pos_width))
        delay = p.delayed_pos_set_milliseconds / 1000.0
        held = error.first_within(self._reached_width(p.delayed_pos_set_width)) + delay
        rests = 0.0 if self._vendor_rules else self._rests_in(time)
        self.column.settled_at[...] = time + max(in_position, held, rests)

    def _reached_width(self, width: float) -> float:
        """Return `width`, or half an encoder count for 0, to which a motor only comes nearer."""
        return width or self._drive.scale.resolution / 2.0

    def _rests_in(self, time: float) -> float:
        """After how many seconds the motor rests."""
        return self._drive.actual_from(time).slope().first_within(self._rest_speed)

    @property
    def _rest_speed(self) -> float:
        """How fast a motor may be that rests, u/s."""
        return max(self._drive.rest_speed, 0.0 if self._vendor_rules else REST_VELOCITY)

    def _come_on(self, time: float) -> None:
        self._servo_on_at = inf
        self.column.servo_on[...] = True
        if any(limit.latched for limit in self._limits):
            for limit in self._limits:
                limit.latched = False
            self._place_limits()
        self._close_loop(time)

    def _close_loop(self, time: float) -> None:
        """Close the loop of the command mode where the motor is; one that turns slows down.

        In torque mode it coasts.
        """
        self._drive.close(time, self._parameters.command_mode)
        self._player.clear()  # from where the motor is, not from where the command was
        if self._in_torque_mode:
            if abs(self._drive.at(time).velocity) <= self._rest_speed:
                self._become_idle(time)
            else:
                self._set_state(OperationState.STOP)
                self._await_motor(time)
        else:
            self._slow_down(time, self._parameters.quick_stop_dec)

    def _hold_here(self, time: float) -> None:
        """Close the loop of the command mode around the place where the motor is now."""
        place = self._drive.at(time).position
        self._drive.close(time, self._parameters.command_mode)
        self._follow(time, hold(place), OperationState.IDLE)

    def _switch_off_settled(self, time: float) -> None:
        """Switch off when the motor has followed its command to rest, or takes too long to."""
        settled = self._drive.error_from(time).first_within(
            self._reached_width(self._parameters.in_pos_width)
        )
        self._servo_off_at = time + min(settled, SETTLING_TIME)

    def _switch_off(self, time: float) -> None:
        """Open the loop; a turning motor is braked with the quick stop deceleration."""
        self._servo_on_at = self._servo_off_at = inf
        self._off_at_rest = False
        if not self._servo_on:
            return
        for gear in [*self._gears]:
            gear.slave.lose_master(time)
        self.column.servo_on[...] = False
        if self._parameters.clear_home_done_on_servo_off:
            self._forget_home()
        group, self.group = self.group, None
        self._drive.close(time, None)
        self._player.clear()
        # A brake has nothing of the stop of a motion before it.
        self._stop_dec, self._stop_ramp = 0.0, None
        self._slow_down(time, self._parameters.quick_stop_dec)
        if group:
            group.stop(time)

    def _run_until(self, time: float, slowing_down: float = 0.0) -> None:
        """End the motion by itself at `time`, and then slow down for so long."""
        self._runs_until = time
        self.column.ends_at[...] = time + slowing_down

    def _set_state(self, state: OperationState) -> None:
        self._disengage()
        self._runs_until = inf
        self._awaits_motor = False
        self.column.op_state[...] = state
        self.column.settled_at[...] = inf
        self.column.target[...] = nan
        self.column.ends_at[...] = inf

    def _apply(self, parameters: AxisParameters) -> None:
        self._parameters = parameters
        self.column.command_mode[...] = parameters.command_mode
        self._place_limits()

    def _place_limits(self) -> None:
        column, limits = self.column, self._limits
        limits.configure(self._parameters, self._inputs, homed=bool(column.home_done))
        column.positive_ls[...] = limits.hard[+1].level
        column.negative_ls[...] = limits.hard[-1].level
        column.positive_soft_limit[...] = limits.soft[+1].level
        column.negative_soft_limit[...] = limits.soft[-1].level
        column.home_switch_low[...], column.home_switch_high[...] = self._home_switch()

    def _home_switch(self) -> Span:
        """Return where the home switch is on."""
        if self._stuck_home_switch is not None:
            return _ALWAYS_ON if self._stuck_home_switch else _NO_SWITCH
        return self._drive.scale.span(self._model.home_switch_from, self._model.home_switch_to)

    @property
    def _op_state(self) -> OperationState:
        return OperationState(self.column.op_state.item())

    @property
    def _servo_on(self) -> bool:
        return bool(self.column.servo_on)

    @property
    def _in_torque_mode(self) -> bool:
        """Whether torque is what the motor is controlled by."""
        return self._servo_on and self._parameters.command_mode is CommandMode.TORQUE


class Gear(NamedTuple):
    """By which `slave` is at `ratio` times the position of `master`, and `apart` u from there."""

    slave: AxisMotion
    master: AxisMotion
    ratio: float
    apart: float
