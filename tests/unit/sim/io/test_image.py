"""The I/O image: blocks of outputs, and inputs that a fault forces."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import IO_BYTES
from wmx_sim.engine.event_queue import EventQueue
from wmx_sim.engine.io_image import IoImage

addresses = st.integers(0, IO_BYTES - 1)


def new_image() -> IoImage:
    """An image without wires."""
    return IoImage((), EventQueue(), lambda _: None)


@given(addresses, st.binary(min_size=1, max_size=300))
def test_a_block_changes_its_bytes_and_no_others(address: int, data: bytes) -> None:
    data = data[: IO_BYTES - address]
    image = new_image()
    image.set_output_bytes(address, data)
    rest = bytes(IO_BYTES - address - len(data))
    assert image.output_bytes(0, IO_BYTES) == bytes(address) + data + rest
    assert image.input_bytes(0, IO_BYTES) == bytes(IO_BYTES)


def test_forced_inputs_are_read_and_leave_the_outputs() -> None:
    image = new_image()
    image.force_input_bytes(7998, b"\x0f\xf0")
    image.force_input_bit(7998, 0, value=False)
    image.force_input_bit(7998, 4, value=True)
    assert image.input_bytes(7998, 2) == b"\x1e\xf0"
    assert (image.input_bit(7998, 0), image.input_bit(7998, 4)) == (False, True)
    assert image.output_bytes(0, IO_BYTES) == bytes(IO_BYTES)


def test_released_inputs_without_a_wire_are_off() -> None:
    image = new_image()
    image.force_input_bytes(0, b"\xff\xff")
    image.release_input_bit(0, 3)
    assert image.input_bytes(0, 3) == b"\xf7\xff\x00"


@pytest.mark.parametrize(
    ("order", "code", "rule"),
    [
        (
            lambda io: io.force_input_bytes(-1, b"1"),
            ErrorCode.IOAddressOutOfRange,
            "byte -1: must be 0 to 7999",
        ),
        (
            lambda io: io.force_input_bit(0, -1, value=True),
            ErrorCode.ArgumentOutOfRange,
            "bit -1: must be 0 to 7",
        ),
        (
            lambda io: io.release_input_bit(8000, 0),
            ErrorCode.IOAddressOutOfRange,
            "byte 8000: must be 0 to 7999",
        ),
        (
            lambda io: io.release_input_bit(0, 8),
            ErrorCode.ArgumentOutOfRange,
            "bit 8: must be 0 to 7",
        ),
    ],
)
def test_refusals(order: Callable[[IoImage], object], code: ErrorCode, rule: str) -> None:
    image = new_image()
    with pytest.raises(CommandRefused) as refused:
        order(image)
    assert str(refused.value) == f"Error={code.value} ({code.name}): {rule}"
    assert image.output_bytes(0, IO_BYTES) == image.input_bytes(0, IO_BYTES) == bytes(IO_BYTES)
