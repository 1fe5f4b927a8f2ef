"""How the speed of a base changes: as fast as its limits allow, and no faster; pure.

A speed is changed in steps of a known time. Without a limit of its own a change takes a given time
whatever its size, as the vendor's profiles with an acceleration time do, so that both wheels are
done together. With a jerk limit the acceleration is led to where the speed, when the acceleration
has faded again, is the one that was commanded.
"""

from dataclasses import dataclass
from math import copysign, inf, sqrt


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedLimits:
    """Of the speed ahead (m) or the turning rate (rad); 0 is no limit."""

    velocity: float = 0.0
    """Per second."""
    acceleration: float = 0.0
    """Per second squared, while it becomes faster."""
    deceleration: float = 0.0
    """Per second squared, while it becomes slower; 0 for that of acceleration."""
    jerk: float = 0.0
    """Per second cubed."""

    def clipped(self, velocity: float) -> float:
        """`velocity`, no faster than allowed."""
        most = self.velocity or inf
        return max(-most, min(most, velocity))


class Speed:
    """One speed that follows its command."""

    def __init__(self, limits: SpeedLimits, *, acc_time: float, dec_time: float) -> None:
        """Changes without a limit take `acc_time` or, slowing down, `dec_time` seconds."""
        self.velocity = 0.0
        self.acceleration = 0.0
        self.target = 0.0
        self._limits = limits
        self._acc_time = acc_time
        self._dec_time = dec_time
        self._change = 0.0

    def set_target(self, velocity: float, override: float = 1.0) -> None:
        """Change from now on to the part `override` of what the limits leave of `velocity`."""
        target = self._limits.clipped(velocity) * override
        if target != self.target:
            self.target = target
            self._change = abs(target - self.velocity)

    def reset(self) -> None:
        """It has been stopped by something else."""
        self.velocity = self.acceleration = self.target = self._change = 0.0

    def step(self, elapsed: float) -> float:
        """The velocity after `elapsed` seconds more."""
        missing = self.target - self.velocity
        most = self._most_acceleration(missing)
        if self._limits.jerk:
            self._step_with_jerk(missing, most, elapsed)
        else:
            change = min(most * elapsed, abs(missing))
            self.velocity = (
                self.target
                if change == abs(missing)
                else (self.velocity + copysign(change, missing))
            )
        return self.velocity

    def _most_acceleration(self, missing: float) -> float:
        limits = self._limits
        slower = self.velocity * missing < 0.0
        if slower:
            limit, its_time = limits.deceleration or limits.acceleration, self._dec_time
        else:
            limit, its_time = limits.acceleration, self._acc_time
        if limit:
            return limit
        return self._change / its_time if its_time else inf

    def _step_with_jerk(self, missing: float, most: float, elapsed: float) -> None:
        """Lead the acceleration to the one from which it fades just when the speed is reached.

        In steps of T the acceleration a fades over a change of a^2 / (2 j) + a T / 2.
        """
        growth = self._limits.jerk * elapsed
        at_once = missing / elapsed
        if abs(at_once) <= min(most, growth) and abs(at_once - self.acceleration) <= growth:
            self.velocity, self.acceleration = self.target, at_once
            return
        fading = growth / 2.0
        wanted = sqrt(fading * fading + 2.0 * self._limits.jerk * abs(missing)) - fading
        wanted = copysign(min(wanted, most), missing)
        self.acceleration += max(-growth, min(growth, wanted - self.acceleration))
        self.velocity += self.acceleration * elapsed
