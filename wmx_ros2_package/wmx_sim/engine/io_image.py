"""The image of digital inputs and outputs, as the engine exchanges it with the I/O slaves.

Modelled
- 8000 bytes each way, bit 0 the lowest of its byte; an output is in force as soon as it is set.
- Inputs are what the machine's wires make of the outputs, as a gripper's switch does, and off
  without a wire. Several may follow one output, and each follows one at most. A wire has a delay,
  to the cycle, that carries everything: a pulse shorter than the delay arrives as a pulse, later.
  An inverted wire is on while its output is off.
- An input that is forced has the value it is forced to, whatever its wire carries, until it is
  released.
- When the communication stops, the watchdogs of the I/O slaves switch all outputs off, here at
  once; they stay off when it starts again, until they are set.

Not modelled: bounce, the cycle that a real output takes to its terminal, and what a slave that
drops out does to its bytes: they switch as if it were there, like those that belong to no slave.
"""

from collections.abc import Callable, Sequence
from functools import partial

from wmx_core.io_range import bit_of, require_bits, require_block
from wmx_core.values import IO_BYTES

from .event_queue import EventQueue
from .machine.wires import Bit, Wire


class IoImage:
    """Input and output bytes 0..7999; carries out `interface.Io`.

    Raises CommandRefused: IOAddressOutOfRange for a byte outside the image, IOSizeOutOfRange for
    a block that is empty or ends outside it, ArgumentOutOfRange for a bit outside 0..7.
    """

    def __init__(
        self, wires: Sequence[Wire], events: EventQueue, inputs_changed: Callable[[bytes], None]
    ) -> None:
        """The outputs are off, and have been for long.

        `inputs_changed` is called with all inputs, at the cycle in which some are written.
        """
        self._outputs = bytearray(IO_BYTES)
        self._inputs = bytearray(IO_BYTES)
        self._wired = bytearray(IO_BYTES)
        """The values of the wires."""
        self._forced = bytearray(IO_BYTES)
        """Which inputs are forced."""
        self._events = events
        self._inputs_changed = inputs_changed
        self._sent = dict.fromkeys(wires, False)
        """What was sent along each wire last."""
        for wire in wires:
            self._arrive(wire.input, wire.inverted)

    # interface.Io

    def input_bytes(self, address: int, length: int) -> bytes:
        """Return `length` input bytes from `address` on."""
        return bytes(self._inputs[_block(address, length)])

    def output_bytes(self, address: int, length: int) -> bytes:
        """Return `length` output bytes from `address` on, as last set."""
        return bytes(self._outputs[_block(address, length)])

    def set_output_bytes(self, address: int, data: bytes) -> None:
        """Set output bytes from `address` on, in one cycle."""
        self._outputs[_block(address, len(data))] = data
        self._send()

    def input_bit(self, address: int, bit: int) -> bool:
        """Return one input."""
        return _get(self._inputs, address, bit)

    def output_bit(self, address: int, bit: int) -> bool:
        """Return one output, as last set."""
        return _get(self._outputs, address, bit)

    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None:
        """Set one output; its neighbours in the byte keep their values."""
        _put(self._outputs, address, bit, value=value)
        self._send()

    def input_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
        """Return several inputs, each an (address, bit)."""
        return tuple(self.input_bit(*bit) for bit in bits)

    def set_output_bits(self, bits: Sequence[tuple[int, int, bool]]) -> None:
        """Set several outputs, each an (address, bit, value), in one cycle, or none."""
        outputs = bytearray(self._outputs)
        for address, bit, value in bits:
            _put(outputs, address, bit, value=value)
        self._outputs[:] = outputs
        self._send()

    # What happens to it

    def stop_communication(self) -> None:
        """The outputs go off."""
        self.set_output_bytes(0, bytes(IO_BYTES))

    def force_input_bytes(self, address: int, data: bytes) -> None:
        """Hold input bytes from `address` on at `data` until they are released."""
        block = _block(address, len(data))
        self._forced[block] = b"\xff" * len(data)
        self._inputs[block] = data
        self._inputs_changed(bytes(self._inputs))

    def force_input_bit(self, address: int, bit: int, *, value: bool) -> None:
        """Hold one input at `value` until it is released."""
        _put(self._forced, address, bit, value=True)
        _put(self._inputs, address, bit, value=value)
        self._inputs_changed(bytes(self._inputs))

    def release_input_bit(self, address: int, bit: int) -> None:
        """Let one input have the value of its wire."""
        _put(self._forced, address, bit, value=False)
        self._settle(Bit(address, bit))

    def _send(self) -> None:
        """Send along the wires what the outputs have become."""
        for wire, sent in self._sent.items():
            value = bit_of(self._outputs, *wire.output)
            if value is not sent:
                self._sent[wire] = value
                arrive = partial(self._arrive, wire.input, value is not wire.inverted)
                self._events.add(wire.cycles, arrive)

    def _arrive(self, wired: Bit, value: bool) -> None:
        """A wire carries `value` to an input."""
        _put(self._wired, wired.byte, wired.bit, value=value)
        self._settle(wired)

    def _settle(self, settled: Bit) -> None:
        """Let one input have the value of its wire, unless it is forced."""
        byte, bit = settled.byte, settled.bit
        if not _get(self._forced, byte, bit):
            _put(self._inputs, byte, bit, value=_get(self._wired, byte, bit))
            self._inputs_changed(bytes(self._inputs))


def _get(image: bytearray, address: int, bit: int) -> bool:
    require_bits([(address, bit)])
    return bit_of(image, address, bit)


def _put(image: bytearray, address: int, bit: int, *, value: bool) -> None:
    require_bits([(address, bit)])
    mask = 1 << bit
    image[address] = image[address] | mask if value else image[address] & ~mask


def _block(address: int, length: int) -> slice:
    require_block(address, length)
    return slice(address, address + length)
