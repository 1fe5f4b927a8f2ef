"""What breaks a rule of the seam is refused before the SDK is asked, by every engine's own rule."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine

from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver
from wmx_core.values import IO_BYTES, REGISTER_SPACE

Order = Callable[[Any], Any]
"""Takes whatever has the Protocols of the seam: a driver, or a `HeldEngine`."""
REFUSED: dict[str, Order] = {
    "position nan": lambda d: d.motion.set_position(0, nan),
    "position inf": lambda d: d.motion.set_position(0, -inf),
    "position 1e16": lambda d: d.motion.set_position(0, 1e16),
    "numerator 0": lambda d: d.motion.set_gear_ratio(0, 0.0, 1.0),
    "numerator nan": lambda d: d.motion.set_gear_ratio(0, nan, 1.0),
    "denominator 0": lambda d: d.motion.set_gear_ratio(0, 1.0, 0.0),
    "denominator 1e16": lambda d: d.motion.set_gear_ratio(0, 1.0, 1e16),
    "polarity 0": lambda d: d.motion.set_polarity(0, 0),
    "polarity 5": lambda d: d.motion.set_polarity(0, 5),
    "input bit 9": lambda d: d.io.input_bit(0, 9),
    "input byte -1": lambda d: d.io.input_bit(-1, 0),
    "output bit 8": lambda d: d.io.output_bit(0, 8),
    "output byte -1": lambda d: d.io.output_bit(-1, 0),
    "byte 99999 set": lambda d: d.io.set_output_bit(99999, 0, value=True),
    "bit -1 set": lambda d: d.io.set_output_bit(0, -1, value=True),
    "second bit 8": lambda d: d.io.input_bits([(0, 0), (0, 8)]),
    "second bit set": lambda d: d.io.set_output_bits([(0, 0, True), (IO_BYTES, 0, True)]),
    "input block": lambda d: d.io.input_bytes(IO_BYTES - 1, 2),
    "output block": lambda d: d.io.output_bytes(0, 0),
    "block set": lambda d: d.io.set_output_bytes(-1, b"1"),
    "index read": lambda d: d.ecat.read_sdo(0, 0, -1, 0, 4),
    "index 0x10000 read": lambda d: d.ecat.read_sdo(0, 0, 0x10000, 0, 4),
    "subindex read": lambda d: d.ecat.read_sdo(0, 0, 0x1000, 256, 4),
    "index written": lambda d: d.ecat.write_sdo(0, 0, -1, 0, b"1"),
    "subindex written": lambda d: d.ecat.write_sdo(0, 0, 0x1000, -1, b"1"),
    "register -1": lambda d: d.ecat.read_register(0, 0, -1, 1),
    "registers beyond": lambda d: d.ecat.read_register(0, 0, REGISTER_SPACE - 1, 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_sdk_is_not_asked(vendor: CheckedSdk, driver: Driver, name: str) -> None:
    """And the refusal is that of the simulated engine, to the word."""
    with pytest.raises(CommandRefused) as refused:
        REFUSED[name](driver)
    assert vendor.calls == []
    with pytest.raises(CommandRefused) as simulated:
        REFUSED[name](HeldEngine(1))
    assert str(refused.value) == str(simulated.value)
