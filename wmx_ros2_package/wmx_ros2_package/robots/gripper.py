"""A gripper that one output bit closes: which commands it takes, and where it is; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite

from wmx_core.errors import CommandRefused
from wmx_core.io_range import require_bits

from ..validation import BadRequest

TOLERANCE = 0.01
"""How far beyond open and closed a command may lie, of the way between the two."""
POWER_OUTPUT, POWER_INPUT = (28, 113), (0, 1)
"""What switches the power of a gripper on, and confirms it, where its parameters name nothing else:
a byte of outputs and its value, and the byte and the bit of an input."""


class Jaws(Enum):
    """Where the jaws of a gripper are, as far as its output and its input show it."""

    OPEN = "open"
    CLOSED = "closed"
    BETWEEN = "neither open nor closed"
    """They were to close, and are not closed: on their way, or on an object."""


def jaws(*, output: bool, confirmed: bool | None) -> Jaws:
    """Where the jaws are with `output` set to close them, or not.

    `confirmed` is the input that is on while they are closed; None without one: then the output is
    all that there is to know.
    """
    if confirmed is None:
        return Jaws.CLOSED if output else Jaws.OPEN
    if confirmed:
        return Jaws.CLOSED
    return Jaws.BETWEEN if output else Jaws.OPEN


def joint_position(jaws: Jaws, opened: float, closed: float) -> float:
    """Where the joints of a gripper are; halfway where that is not measured."""
    return {Jaws.OPEN: opened, Jaws.CLOSED: closed, Jaws.BETWEEN: (opened + closed) / 2.0}[jaws]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gripper:
    """The positions of its joints, m or rad; it takes no others."""

    opened: float
    closed: float

    def __post_init__(self) -> None:
        if self.opened == self.closed:
            rule = "must not be that of gripper_open_value, too"
            raise BadRequest([f"gripper_close_value is {self.closed}: {rule}"])

    def position(self, jaws: Jaws) -> float:
        """Where its joints are, see `joint_position`."""
        return joint_position(jaws, self.opened, self.closed)

    def has_reached(self, positions: Sequence[float], jaws: Jaws, tolerance: float) -> bool:
        """Whether its joints are within `tolerance` of a command; never where they are between."""
        here = self.position(jaws)
        return jaws is not Jaws.BETWEEN and all(abs(p - here) <= tolerance for p in positions)

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
        require_bits([(address[0], address[1])])
    except CommandRefused as error:
        raise BadRequest([f"{name}: {error.detail}"]) from None
