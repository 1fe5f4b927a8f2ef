"""Wires of the simulated machine as its description names them, by which inputs follow outputs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from wmx_core.values import IO_BYTES

from ..clock import CYCLES_PER_SECOND
from .yaml_records import Limits

WIRES = Limits(0, 1000, "wires")


class Bit(NamedTuple):
    """A bit of the I/O image, which files write as text: "2.0" is bit 0 of byte 2."""

    byte: int
    bit: int

    @classmethod
    def from_text(cls, text: str) -> "Bit":
        """Return the bit that `text` names; ValueError with the rule when it names none."""
        match = re.fullmatch("([0-9]{1,4})[.]([0-7])", text)
        if match is None or int(match[1]) >= IO_BYTES:
            raise ValueError(f'must be "byte.bit", "0.0" to "{IO_BYTES - 1}.7"')
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.byte}.{self.bit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """An input that follows an output."""

    output: Bit
    input: Bit
    delay: Annotated[float, Limits(0, 60, "s")] = 0.0
    """From the output to the input, s; rounded to whole communication cycles."""
    inverted: bool = False

    @property
    def cycles(self) -> int:
        """The delay in communication cycles."""
        return round(self.delay * CYCLES_PER_SECOND)


def require_one_wire_an_input(wires: Sequence[Wire], where: str) -> None:
    """Refuse, with a ValueError, two wires to one input."""
    first: dict[Bit, int] = {}
    for i, wire in enumerate(wires):
        if first.setdefault(wire.input, i) != i:
            taken = f"{where}[{first[wire.input]}]"
            raise ValueError(
                f"{where}[{i}].input = '{wire.input}': is the input of {taken} already"
            )
