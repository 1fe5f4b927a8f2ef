"""Where the machine has things, in the user units of an axis.

Positions are user units (u). The machine itself is measured in encoder counts n from where it
stood at power-up: n = origin + scale x, with scale = polarity numerator / denominator of the gear
ratio. When gear ratio or polarity change the motor stays where it is, and so does zero; homing
moves the origin. Switches and mechanical ends are where the machine has them, whatever a user
unit is; the positive one is the one that positive motion runs into.
"""

from typing import NamedTuple


class Span(NamedTuple):
    """From where to where something is, u; without extent where `low` is above `high`."""

    low: float
    high: float


class Scale(NamedTuple):
    """The user units of an axis at one time."""

    counts_per_unit: float
    """Encoder counts in a user unit, less than 0 against the machine's direction."""
    counts_per_revolution: float
    origin: float = 0.0
    """Where zero is, encoder counts."""

    def mark(self, revolutions: float) -> float:
        """Return where the machine's `revolutions` is, u."""
        return (revolutions * self.counts_per_revolution - self.origin) / self.counts_per_unit

    def span(self, one: float, other: float) -> Span:
        """Return what lies between two places of the machine, given in revolutions, u."""
        return Span(*sorted((self.mark(one), self.mark(other))))

    @property
    def resolution(self) -> float:
        """One encoder count, u."""
        return 1.0 / abs(self.counts_per_unit)

    @property
    def revolution(self) -> float:
        """One revolution of the motor, u."""
        return self.counts_per_revolution / abs(self.counts_per_unit)
