"""Wires of the simulated machine as they run: inputs follow outputs, as a gripper's switch does.

Modelled: each wire has a delay, to the cycle, that carries everything: a pulse shorter than the
delay arrives as a pulse, later. An inverted wire is on while its output is off. Several inputs may
follow one output; an input follows one output at most.

Not modelled: bounce, and a slave that drops out: its bits switch as if it were there, like those
that belong to no slave.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..event_queue import EventQueue
from ..machine.wires import Bit, Wire


class Wiring:
    """Carries what outputs become along `wires`; `arrive` is called with an input's new value."""

    def __init__(
        self, wires: Sequence[Wire], events: EventQueue, arrive: Callable[[Bit, bool], None]
    ) -> None:
        """The outputs are off, and have been for long."""
        self._events = events
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
                self._events.add(wire.cycles, arrive)
