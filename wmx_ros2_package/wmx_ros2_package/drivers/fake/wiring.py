"""Wires of the simulated machine, by which inputs follow outputs, as a gripper's switch does.

Modelled: each wire has a delay, to the cycle, that carries everything: a pulse shorter than the
delay arrives as a pulse, later. An inverted wire is on while its output is off. Several inputs may
follow one output; an input follows one output at most.

Not modelled: bounce, and a slave that drops out: its bits switch as if it were there, like those
that belong to no slave.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

from ..values import IO_BYTES
from .agenda import Agenda
from .clock import CYCLES_PER_SECOND
from .yaml_records import Limits

WIRES = Limits(0, 1000, "wires")


class Bit(NamedTuple):
    """A bit of the I/O image, which files write as text: "2.0" is bit 0 of byte 2."""

    byte: int
    bit: int

    @classmethod
    def from_text(cls, text: str) -> "Bit":
        """The bit that `text` names; ValueError with the rule when it names none."""
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


class Wiring:
    """Carries what outputs become along `wires`; `arrive` is called with an input's new value."""

    def __init__(
        self, wires: Sequence[Wire], agenda: Agenda, arrive: Callable[[Bit, bool], None]
    ) -> None:
        """The outputs are off, and have been for long."""
        self._agenda = agenda
        self._arrive = arrive
        self._sent = dict.fromkeys(wires, False)
        for wire in wires:
            arrive(wire.input, wire.inverted)

    def follow(self, outputs: bytearray) -> None:
        """The outputs are `outputs` from now on."""
        for wire, sent in self._sent.items():
            value = bool(outputs[wire.output.byte] >> wire.output.bit & 1)
            if value is not sent:
                self._sent[wire] = value
                arrive = partial(self._arrive, wire.input, value is not wire.inverted)
                self._agenda.add(wire.cycles, arrive)
