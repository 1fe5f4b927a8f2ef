"""How an axis finds its home, step by step.

Each home type is a generator: it yields what to do next and until when, gets what ended that,
and returns where home is. The axis then slows down, moves to home plus the home shift, which it
has overrun, and names that place the home position.

    CurrentPos              where the command is
    HS, LS                  the switch coming on, searched fast; the feedback of that cycle
    ZPulse                  the next Z pulse, searched slowly; latched exactly, like all of them
    HSZPulse                the switch as above, then the next Z pulse the same way
    HSReverseZPulse,        the switch as above, back until it is off, then the next Z pulse
    LSReverseZPulse         that way
    MechanicalEndDetection  slowly until the following error exceeds PosDiff for the given time

A switch that is on at the start is first left, backwards and slowly, by the reverse distance.
Where the limit switch in the homing direction comes before the home switch, the axis turns back,
passes the home switch, continues by the reverse distance and begins again. The vendor's manual
describes the limits, the shift and the switch that is on at the start (pages "Home Parameters",
"Limit Switches During Homing"); which search is fast and which slow it leaves to figures that
are not public, and is chosen here as drives commonly do it.
"""

from collections.abc import Callable, Generator
from math import ceil, floor, inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import RATE_RANGE
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import HomeType

from .drive import Drive
from .homing_steps import (
    Condition,
    Found,
    HomingFailed,
    Plan,
    Search,
    Step,
    Watched,
    run,
    to,
)
from .limits import Limit, Limits
from .planner import even_rates
from .scale import Span

_HOME_SWITCH_TYPES = HomeType.HS, HomeType.HS_Z_PULSE, HomeType.HS_REVERSE_Z_PULSE
_LIMIT_SWITCH_TYPES = HomeType.LS, HomeType.LS_REVERSE_Z_PULSE


class Homing:
    """The search for home of one axis, whose home switch is on within `home_switch`."""

    def __init__(
        self, p: AxisParameters, drive: Drive, limits: Limits, home_switch: Span, home_time: float
    ) -> None:
        self._p = p
        self._slow = even_rates(
            p.homing_velocity_slow, p.homing_velocity_slow_acc, p.homing_velocity_slow_dec
        )
        self._fast = even_rates(
            p.homing_velocity_fast, p.homing_velocity_fast_acc, p.homing_velocity_fast_dec
        )
        self._shift = even_rates(p.home_shift_velocity, p.home_shift_acc, p.home_shift_dec)
        self._drive = drive
        self._limits = limits
        self._switch = home_switch
        self._home_time = home_time
        self.way = -1 if p.home_direction else 1
        """The homing direction."""
        self._meets_limit = True
        """Whether the search may still run into its limit switch: not beyond the home switch."""

    def search(self, start: Found) -> Search:
        """Return the search of the axis's home type; refused where the machine lacks its marks."""
        kind = self._p.home_type
        searches: dict[HomeType, Callable[[Found], Search]] = {
            HomeType.CURRENT_POS: self._current_position,
            HomeType.Z_PULSE: self._next_z_pulse,
            HomeType.HS: self._home_switch,
            HomeType.HS_Z_PULSE: self._home_switch_then_z_pulse,
            HomeType.HS_REVERSE_Z_PULSE: self._home_switch_then_back_to_z_pulse,
            HomeType.LS: self._limit_switch,
            HomeType.LS_REVERSE_Z_PULSE: self._limit_switch_then_back_to_z_pulse,
            HomeType.MECHANICAL_END_DETECTION: self._mechanical_end,
        }
        if kind in (HomeType.TOUCH_PROBE, HomeType.HS_TOUCH_PROBE):
            raise CommandRefused(ErrorCode.TouchProbeDetectionUnsupported)
        if kind not in searches:
            detail = f"home type {kind.name} is not simulated"
            raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
        self._require_means(kind)
        return searches[kind](start)

    @property
    def moves(self) -> bool:
        """Whether the search moves the axis."""
        return self._p.home_type is not HomeType.CURRENT_POS

    @property
    def own_limit(self) -> Limit | None:
        """The limit switch that this home type deals with itself."""
        kind = self._p.home_type
        if kind is HomeType.MECHANICAL_END_DETECTION:
            deals_with_it = self._p.mechanical_end_ignores_limit_switch
        else:
            deals_with_it = kind not in (HomeType.CURRENT_POS, HomeType.Z_PULSE)
        return self._limits.hard[self.way] if deals_with_it else None

    def leaves(self, position: float) -> bool:
        """Return whether the search begins backwards: its switch is on at `position`."""
        kind = self._p.home_type
        if kind not in _HOME_SWITCH_TYPES + _LIMIT_SWITCH_TYPES:
            return False
        switch = self._switch if kind in _HOME_SWITCH_TYPES else self._limit_span()
        return switch.low <= position <= switch.high

    def meets(self, limit: Limit) -> bool:
        """Return whether `limit` is for what the search does now, and not a limit to it."""
        return limit is self.own_limit and self._meets_limit

    def to_home(self, home: float) -> Plan:
        """Return the way to home plus the home shift, and that place."""
        return to(home + self.way * self._p.home_shift_distance, self._shift)

    # The searches

    def _current_position(self, start: Found) -> Search:
        if self._home_time > 0.0:
            yield Step(None, (Condition(Watched.TIME, start.time + self._home_time),))
        return self._drive.at(start.time).command

    def _next_z_pulse(self, start: Found) -> Search:
        return (yield from self._z_pulse(start, self.way))

    def _home_switch(self, start: Found) -> Search:
        return (yield from self._reach_home_switch(start)).position

    def _home_switch_then_z_pulse(self, start: Found) -> Search:
        found = yield from self._reach_home_switch(start)
        return (yield from self._z_pulse(found, self.way))

    def _home_switch_then_back_to_z_pulse(self, start: Found) -> Search:
        yield from self._reach_home_switch(start)
        found = yield run(-self.way, self._slow, self._leaving(self._switch, -self.way))
        return (yield from self._z_pulse(found, -self.way))

    def _limit_switch(self, start: Found) -> Search:
        return (yield from self._reach_limit_switch(start)).position

    def _limit_switch_then_back_to_z_pulse(self, start: Found) -> Search:
        yield from self._reach_limit_switch(start)
        off = self._leaving(self._limit_span(), -self.way)
        found = yield run(-self.way, self._slow, off)
        return (yield from self._z_pulse(found, -self.way))

    def _mechanical_end(self, start: Found) -> Search:
        p = self._p
        far = Condition(Watched.ERROR, self.way * p.mechanical_end_error, self.way > 0)
        near = far._replace(above=not far.above)
        if p.mechanical_end_torque_limit > 0.0:
            self._drive.limit_torque(start.time, p.mechanical_end_torque_limit)
        step = run(self.way, self._slow, far)
        while True:
            found = yield step
            held = Condition(Watched.TIME, found.time + p.mechanical_end_milliseconds / 1000.0)
            found = yield Step(None, (held, near))
            if found.condition is held:
                return found.position
            step = Step(None, (far,))

    # Their parts

    def _leave(self, start: Found, switch: Span, most: float) -> Generator[Step, Found, None]:
        """Go back until `switch` is off, where it is on, and on by the reverse distance."""
        if not switch.low <= start.position <= switch.high:
            return
        yield from self._back_off(start, switch, most)

    def _back_off(self, start: Found, switch: Span, most: float) -> Generator[Step, Found, None]:
        too_far = self._beyond(start.position - self.way * (most or inf), -self.way)
        found = yield run(-self.way, self._slow, self._leaving(switch, -self.way), too_far)
        if found.condition is too_far:
            raise HomingFailed(f"the switch is still on after {most:g} backwards")
        back = self.way * self._p.homing_reverse_distance
        yield Step(to(found.position - back, self._slow))

    def _reach_home_switch(self, start: Found) -> Generator[Step, Found, Found]:
        yield from self._leave(start, self._switch, self._p.max_reverse_distance_from_home_switch)
        ahead = self._entering(self._switch, self.way)
        behind = self._leaving(self._switch, self.way).passed(start.position)
        reached = ahead._replace(level=self.way * inf) if behind else ahead
        limit = self._entering(self._limit_span(), self.way)
        found = yield run(self.way, self._fast, reached, limit)
        if found.condition is not limit:
            self._meets_limit = False
            return found
        most = self._p.max_reverse_distance_from_limit_switch
        too_far = self._beyond(found.position - self.way * (most or inf), -self.way)
        found = yield run(-self.way, self._fast, self._entering(self._switch, -self.way), too_far)
        if found.condition is too_far:
            raise HomingFailed(f"no home switch within {most:g} back from the limit switch")
        yield from self._back_off(found, self._switch, 0.0)
        found = yield run(self.way, self._fast, ahead, limit)
        if found.condition is limit:
            raise HomingFailed("the home switch is gone")
        self._meets_limit = False
        return found

    def _reach_limit_switch(self, start: Found) -> Generator[Step, Found, Found]:
        switch = self._limit_span()
        yield from self._leave(start, switch, self._p.max_reverse_distance_from_limit_switch)
        return (yield run(self.way, self._fast, self._entering(switch, self.way)))

    def _z_pulse(self, start: Found, way: int) -> Search:
        """Return the next Z pulse; there is one each revolution of the motor."""
        first, revolution = self._drive.z_pulse, self._drive.scale.revolution
        turns = (start.position - first) / revolution
        pulse = first + revolution * (floor(turns) + 1 if way > 0 else ceil(turns) - 1)
        yield run(way, self._slow, self._beyond(pulse, way))
        return pulse

    def _beyond(self, place: float, way: int) -> Condition:
        return Condition(Watched.MOTOR, place, way > 0)

    def _entering(self, switch: Span, way: int) -> Condition:
        return self._beyond(switch.low if way > 0 else switch.high, way)

    def _leaving(self, switch: Span, way: int) -> Condition:
        return self._beyond(switch.high if way > 0 else switch.low, way)

    def _limit_span(self) -> Span:
        """Return where the limit switch in the homing direction is on."""
        level = self._limits.hard[self.way].level
        return Span(level, inf) if self.way > 0 else Span(-inf, level)

    # What it takes

    def _require_means(self, kind: HomeType) -> None:
        p = self._p
        if kind in _HOME_SWITCH_TYPES:
            if self._switch.low == self._switch.high:
                self._refuse(ErrorCode.HomeSwitchDetectionUnsupported, "there is no home switch")
        elif kind in _LIMIT_SWITCH_TYPES:
            if not self._limits.present(self.way):
                detail = "there is no limit switch in the homing direction"
                self._refuse(ErrorCode.LimitSwitchDetectionUnsupported, detail)
        elif kind is HomeType.MECHANICAL_END_DETECTION and p.mechanical_end_error == 0.0:
            detail = "MechanicalEndDetectionPosDiff = 0: must be > 0"
            self._refuse(ErrorCode.ParamOutOfRange, detail)
        for names, rates in (
            (("HomingVelSlow", "HomingVelSlowAcc", "HomingVelSlowDec"), self._slow),
            (("HomingVelFast", "HomingVelFastAcc", "HomingVelFastDec"), self._fast),
            (("HomeShiftVel", "HomeShiftAcc", "HomeShiftDec"), self._shift),
        ):
            values = rates.velocity, rates.up.rate, rates.down.rate
            for name, value in zip(names, values, strict=True):
                low, high = RATE_RANGE
                if not low <= value <= high:
                    detail = f"{name} = {value}: must be within {low:g} to {high:g}"
                    self._refuse(ErrorCode.ParamOutOfRange, detail)

    def _refuse(self, code: ErrorCode, detail: str) -> None:
        raise CommandRefused(code, f"homing: {detail}")
