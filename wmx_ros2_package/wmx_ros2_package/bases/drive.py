"""Drives a base: from velocity commands that come now and then to those of its two wheels.

When whoever sends the commands is dead, the wheels slow down within the timeout. The engine is told
when the speed changes, and long before the lease of a steady one is over (`streams`): twice the
timeout, after which it stops the wheels by itself, for this process is dead then.
"""

from collections.abc import Sequence

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.interface import Motion
from ..drivers.values import CommandMode, MotionStatus, OperationState, VelocityMove
from ..streams import SHOWN, VelocityStream
from .differential import Base, Twist, Wheels
from .speed import Speed

STANDING = Wheels(0.0, 0.0)
LEASES = 2.0
"""For how many timeouts the engine keeps a speed by itself; a late node does not end it."""
GENTLEST = 1e-3
"""rad/s^2: an engine needs some deceleration."""
_STATES = {
    CommandMode.POSITION: OperationState.JOG,
    CommandMode.VELOCITY: OperationState.VELOCITY,
}


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
        dec_time: float,
    ) -> None:
        """`go_on` is called every `period` seconds; a command holds for `timeout` seconds."""
        self._base = base
        self._axes = list(axes)
        self._linear = linear
        self._angular = angular
        self._period = period
        self._timeout = timeout
        self._braking_time = max(dec_time, period)
        self._mode = CommandMode.POSITION
        self._now = 0.0
        self._stream = self._new_stream()
        self._heard = -timeout
        self._sent_at = 0.0
        self._sent = STANDING
        self._to_stop = False

    @property
    def moving(self) -> bool:
        """Whether the wheels were last told to turn."""
        return self._sent != STANDING

    def want(self, now: float, twist: Twist) -> None:
        """Drive at `twist`, until the next command or for as long as one holds."""
        self._heard = now
        self._linear.want(twist.linear)
        self._angular.want(twist.angular)
        if twist == (0.0, 0.0) and not self.moving:
            self._stream = self._new_stream()  # a stop was noticed: the next one begins anew

    def begin_anew(self, now: float, reason: str) -> None:
        """The wheels stand, whatever was commanded: the commands have to pause, too."""
        self._now = now
        self._rest()
        self._to_stop = False
        self._stream.begin_anew(reason)

    def end(self, now: float, reason: str) -> None:
        """Let the wheels be stopped if they turn; the commands have to pause."""
        moved = self.moving or self._to_stop
        self.begin_anew(now, reason)
        self._to_stop = moved

    def go_on(self, now: float, status: MotionStatus, motion: Motion) -> str:
        """Let the wheels do what is wanted by now; what there is to say of it, if anything.

        CommandRefused by the engine, or when a wheel was stopped by something else: then both are
        stopped, and the commands have to pause.
        """
        self._now = now
        said = ""
        if self._to_stop:
            self._stop(motion)
        if now - self._heard >= self._timeout and self._wants_to_move():
            self._linear.want(0.0)
            self._angular.want(0.0)
            said = f"No command for {self._timeout:g} s: the base slows down"
        twist = Twist(self._linear.step(self._period), self._angular.step(self._period))
        wheels = self._base.wheels(twist)
        try:
            self._require_running(now, status)
            kept = wheels == self._sent
            if not kept or (self.moving and now - self._sent_at >= self._timeout / 2.0):
                self._order(now, wheels, status, motion)
        except CommandRefused as error:
            self._to_stop = self.moving  # else whatever moves the wheels is somebody else's
            self._rest()
            self._stream.pause(self._axes, str(error))
            if self._to_stop:
                self._stop(motion)
            raise
        return said

    def _stop(self, motion: Motion) -> None:
        """A stop that is refused is tried again in the next period."""
        motion.stop(self._axes)
        self._to_stop = False

    def _wants_to_move(self) -> bool:
        return bool(self._linear.target or self._angular.target)

    def _rest(self) -> None:
        self._linear.reset()
        self._angular.reset()
        self._sent = STANDING

    def _require_running(self, now: float, status: MotionStatus) -> None:
        """Refuse to go on with one wheel when the other was stopped."""
        if now <= self._sent_at + SHOWN:
            return
        for axis, velocity in zip(self._axes, self._sent, strict=True):
            if velocity and status.op_state[axis] != _STATES[self._mode]:
                detail = f"the wheel on axis {axis} was stopped by something else"
                raise CommandRefused(ErrorCode.NotIdleState, detail)

    def _order(self, now: float, wheels: Wheels, status: MotionStatus, motion: Motion) -> None:
        if not self.moving:
            self._look_at_mode(status)
        moves = [
            self._move(axis, after, before)
            for axis, after, before in zip(self._axes, wheels, self._sent, strict=True)
        ]
        give = motion.jog if self._mode is CommandMode.POSITION else motion.move_velocity
        self._stream.command(moves, status, give)
        self._sent, self._sent_at = wheels, now

    def _move(self, axis: int, velocity: float, before: float) -> VelocityMove:
        """In one period from the velocity `before`; the end of a lease brakes as parameters say."""
        change = abs(velocity - before) / self._period
        braking = max(abs(velocity), abs(before)) / self._braking_time
        return VelocityMove(
            axis=axis,
            velocity=velocity,
            acc=max(change, GENTLEST),
            dec=max(change, braking, GENTLEST),
        )

    def _look_at_mode(self, status: MotionStatus) -> None:
        """The wheels are commanded by position or by velocity, whichever their parameters say."""
        modes = {int(status.command_mode[axis]) for axis in self._axes}
        for mode in _STATES:
            if modes == {mode}:
                if mode is not self._mode:
                    self._mode = mode
                    self._stream = self._new_stream()
                return
        detail = "both wheels must be in position mode, or both in velocity mode"
        raise CommandRefused(ErrorCode.NotPosMode, detail)

    def _new_stream(self) -> VelocityStream:
        return VelocityStream(
            _STATES[self._mode], timeout=LEASES * self._timeout, clock=lambda: self._now
        )
