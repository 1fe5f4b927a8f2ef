"""A gripper that one output bit closes: which commands it takes, and where it is; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from ..drivers.errors import CommandRefused
from ..validation import BadRequest, bit

TOLERANCE = 0.01
"""How far beyond open and closed a command may lie, of the way between the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gripper:
    """The positions of its joints, m or rad; it takes no others."""

    opened: float
    closed: float

    def __post_init__(self) -> None:
        if self.opened == self.closed:
            rule = "must not be that of gripper_open_value, too"
            raise BadRequest([f"gripper_close_value is {self.closed}: {rule}"])

    def position(self, *, closed: bool) -> float:
        """Where its joints are."""
        return self.closed if closed else self.opened

    def closes(self, positions: Sequence[float]) -> bool:
        """Whether a command to `positions` closes it: those that are nearer to closed do.

        BadRequest where there is none, they contradict each other, or one is out of reach.
        """
        if not positions:
            raise BadRequest(["the command has no position: must have one"])
        wanted = {self._closes(position) for position in positions}
        if len(wanted) > 1:
            raise BadRequest([f"positions {list(positions)} must all be open or all be closed"])
        return wanted.pop()

    def _closes(self, position: float) -> bool:
        way = (position - self.opened) / (self.closed - self.opened)
        if not (isfinite(way) and -TOLERANCE <= way <= 1.0 + TOLERANCE):
            low, high = sorted((self.opened, self.closed))
            raise BadRequest([f"position is {position}: must be {low:g} to {high:g}"])
        return way >= 0.5


def require_address(name: str, address: Sequence[int]) -> None:
    """BadRequest unless the parameter `name` is the byte and the bit of an input or output."""
    if len(address) != 2:
        raise BadRequest([f"{name} is {list(address)}: must be [byte, bit]"])
    try:
        bit(*address)
    except CommandRefused as error:
        raise BadRequest([f"{name}: {error.detail}"]) from None
