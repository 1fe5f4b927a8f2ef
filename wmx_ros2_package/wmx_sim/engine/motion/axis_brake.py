"""The brake of a simulated axis, and the load that pulls its motor where nothing holds it.

A drive with a brake has torque first, then its brake opens, then the servo is on. When a servo goes
off by a command, the drive holds the motor until the brake does; where it loses its torque, by an
alarm or because its network or its power is gone, the load falls until the brake has closed.
"""

from collections.abc import Iterator
from math import copysign, inf

from wmx_core.profile_types import MoveProfile
from wmx_core.values import OperationState

from .axis_motion import Act, AxisMotion
from .limits import Limit
from .profile import hold
from .shaped_move import shaped_change


class AxisBrake(AxisMotion):
    """An axis that moves, and that a brake may hold while its servo is off."""

    _stuck_brake: bool | None = None
    """Whether the brake stays shut, or open, whatever the drive does; None: it works."""
    _brake_closes_at = inf
    """When the brake holds a motor that has lost its torque."""

    @property
    def _comes_on_after(self) -> float:
        """How long the servo takes to come on, s."""
        brake = self._model.brake_release_time if self._model.brake else 0.0
        return self._model.servo_on_time + brake

    def _lose_torque(self, time: float) -> None:
        """Open the loop without a drive that holds the motor until its brake does."""
        if self._servo_on and self._model.brake:
            self._brake_closes_at = time + self._model.brake_engage_time
        self._switch_off(time)

    def _stick_brake(self, time: float, *, shut: bool | None) -> None:
        """The brake stays shut or open, or works again (None)."""
        self._stuck_brake = shut
        self._drive.jam(time, jammed=shut is True)
        if self._servo_on:
            return
        if self._held_by_brake:
            self._close_brake(time)
        elif self._op_state is OperationState.IDLE:
            self._fall(time)

    @property
    def _held_by_brake(self) -> bool:
        """Whether a brake holds the motor of a servo that is off."""
        if self._stuck_brake is not None:
            return self._stuck_brake
        return self._model.brake and self._brake_closes_at == inf

    def _close_brake(self, time: float) -> None:
        self._brake_closes_at = inf
        if self._op_state is OperationState.STOP and self._stuck_brake is None:
            return  # a motor that turns is held once it rests, where nothing falls any more
        if self._held_by_brake:
            self._follow(time, hold(self._drive.at(time).position), OperationState.IDLE)

    def _fall(self, time: float) -> None:
        """Let the load pull a motor that nothing holds, up to the top speed of the drive."""
        scale, load = self._drive.scale, self._model.load
        rate = load * scale.counts_per_revolution / scale.counts_per_unit
        if rate == 0.0 or self._servo_on or self._held_by_brake:
            return
        speed = copysign(self._drive.top_speed, rate)
        rates = {"acc": abs(rate), "dec": abs(rate)}
        profile = shaped_change(*self.commanded(time), speed, **rates, shape=MoveProfile())
        self._follow(time, profile, OperationState.IDLE)

    # What a brake adds to how an axis moves

    def _events(self, time: float) -> Iterator[tuple[float, Act]]:
        yield from super()._events(time)
        yield self._brake_closes_at, self._close_brake

    def _come_on(self, time: float) -> None:
        self._brake_closes_at = inf
        super()._come_on(time)

    def _become_idle(self, time: float) -> None:
        super()._become_idle(time)
        self._fall(time)

    def _means_to_meet(self, limit: Limit) -> bool:
        """A load that falls passes every limit: no command of a servo that is off stops it."""
        return (not self._servo_on and self._model.load != 0.0) or super()._means_to_meet(limit)
