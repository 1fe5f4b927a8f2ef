"""Drives a base: from velocity commands that come now and then to those of its two wheels.

When the commands stop coming, the wheels slow down within the timeout. The engine is commanded when
the speed changes, and long before the run time of a steady one is over: twice the timeout, after
which the engine stops the wheels by itself, for this process is dead then.
"""

from collections.abc import Sequence
from math import inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, MotionStatus, OperationState, VelocityMove

from .differential import Base, Twist, Wheels
from .speed import Speed

STANDING = Wheels(0.0, 0.0)
AT_REST = Twist(0.0, 0.0)
RUN_TIME = 2.0
"""For how many timeouts the engine keeps a speed by itself; a late node does not end it."""
GENTLEST = 1e-3
"""rad/s^2: an engine needs some deceleration."""
SLOWEST = 1e-6
"""rad/s: a wheel that is commanded to be slower stands, for engines refuse next to nothing."""
STATES = {
    CommandMode.POSITION: OperationState.JOG,
    CommandMode.VELOCITY: OperationState.VELOCITY,
}
"""What a wheel does that follows a velocity, by what commands it."""


class BaseDrive:
    """The wheels on `axes`, left and right; times are those of the steady clock, s."""

    def __init__(
        self,
        base: Base,
        axes: Sequence[int],
        linear: Speed,
        angular: Speed,
        *,
        period: float,
        timeout: float,
        acc_time: float,
        dec_time: float,
        latency: float,
    ) -> None:
        """`step` is called every `period` seconds; a command holds for `timeout` seconds.

        A status shows a command after `latency` seconds at the latest.
        """
        self._base = base
        self._axes = list(axes)
        self._linear = linear
        self._angular = angular
        self._period = period
        self._timeout = timeout
        self._speeding_up_time = max(acc_time, period)
        self._braking_time = max(dec_time, period)
        self._latency = latency
        self.mode = CommandMode.POSITION
        """What commands the wheels: their parameters decide."""
        self._heard = -inf
        self._asked = AT_REST
        self._commanded_at = -inf
        self._commanded = STANDING

    @property
    def moving(self) -> bool:
        """Whether the wheels were commanded to turn."""
        return self._commanded != STANDING

    def set_target(self, now: float, twist: Twist) -> None:
        """Drive at `twist`, until the next command or for as long as one holds."""
        self._heard, self._asked = now, twist

    def reset(self) -> None:
        """The wheels are being stopped, whatever was commanded."""
        self._asked = AT_REST
        self._linear.reset()
        self._angular.reset()
        self._commanded = STANDING

    def brake_without_commands(self, now: float) -> bool:
        """Slow down where no command has come in time; whether that begins now."""
        if self._asked == AT_REST or now - self._heard < self._timeout:
            return False
        self._asked = AT_REST
        return True

    def step(self, now: float, status: MotionStatus, override: float) -> list[VelocityMove]:
        """What the engine is to be commanded now, one move for each wheel; nothing if nothing.

        `override` is the part of the speed that is asked for which the system allows; another one
        is another twist. CommandRefused where a wheel does not follow: then both have to be
        stopped.
        """
        self._linear.set_target(self._asked.linear, override)
        self._angular.set_target(self._asked.angular, override)
        twist = Twist(self._linear.step(self._period), self._angular.step(self._period))
        wheels = Wheels(*(v if abs(v) >= SLOWEST else 0.0 for v in self._base.wheels(twist)))
        self._require_following(now, status)
        due = self.moving and now - self._commanded_at >= self._timeout / 2.0
        if wheels == self._commanded and not due:
            return []
        if not self.moving:
            self._choose_mode(status)
        pairs = zip(self._axes, wheels, self._commanded, strict=True)
        moves = [self._move(axis, after, before) for axis, after, before in pairs]
        self._commanded, self._commanded_at = wheels, now
        return moves

    def _require_following(self, now: float, status: MotionStatus) -> None:
        """Refuse to go on with one wheel when the other was stopped."""
        if now <= self._commanded_at + self._latency:
            return
        for axis, velocity in zip(self._axes, self._commanded, strict=True):
            if velocity and status.op_state[axis] != STATES[self.mode]:
                detail = f"the wheel on axis {axis} was stopped by something else"
                raise CommandRefused(ErrorCode.NotIdleState, detail)

    def _move(self, axis: int, velocity: float, before: float) -> VelocityMove:
        """In one period from the velocity `before`; the end of a lease brakes by its parameters.

        At a steady speed only a wheel that has fallen behind speeds up, as one whose drive is weak:
        it may take as long as from rest.
        """
        change = abs(velocity - before) / self._period
        fastest = max(abs(velocity), abs(before))
        speeding_up, braking = fastest / self._speeding_up_time, fastest / self._braking_time
        return VelocityMove(
            axis=axis,
            velocity=velocity,
            acc=max(change or speeding_up, GENTLEST),
            dec=max(change, braking, GENTLEST),
            run_time=RUN_TIME * self._timeout,
            in_steps=True,
        )

    def _choose_mode(self, status: MotionStatus) -> None:
        """The wheels are commanded by position or by velocity, by their parameters."""
        modes = {int(status.command_mode[axis]) for axis in self._axes}
        for mode in STATES:
            if modes == {mode}:
                self.mode = mode
                return
        detail = "both wheels must be in position mode, or both in velocity mode"
        raise CommandRefused(ErrorCode.NotPosMode, detail)
