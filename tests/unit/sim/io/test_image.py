"""The I/O image: what is set is read, neighbours stay, and each refusal has its code."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import IO_BYTES
from wmx_sim.engine.event_queue import EventQueue
from wmx_sim.engine.io_image import IoImage

addresses = st.integers(0, IO_BYTES - 1)
bits = st.integers(0, 7)


def new_image() -> IoImage:
    """An image without wires."""
    return IoImage((), EventQueue(), lambda _: None)


def test_everything_is_off_at_first() -> None:
    image = new_image()
    assert image.input_bytes(0, IO_BYTES) == image.output_bytes(0, IO_BYTES) == bytes(IO_BYTES)


@given(addresses, st.binary(min_size=1, max_size=300))
def test_a_block_changes_its_bytes_and_no_others(address: int, data: bytes) -> None:
    data = data[: IO_BYTES - address]
    image = new_image()
    image.set_output_bytes(address, data)
    rest = bytes(IO_BYTES - address - len(data))
    assert image.output_bytes(0, IO_BYTES) == bytes(address) + data + rest
    assert image.input_bytes(0, IO_BYTES) == bytes(IO_BYTES)


@given(addresses, bits, st.integers(0, 255), st.booleans())
def test_a_bit_leaves_its_neighbours(address: int, bit: int, before: int, value: bool) -> None:
    image = new_image()
    image.set_output_bytes(address, bytes([before]))
    image.set_output_bit(address, bit, value=value)
    after = [image.output_bit(address, each) for each in range(8)]
    assert after == [value if each == bit else bool(before >> each & 1) for each in range(8)]


def test_bit_0_is_the_lowest() -> None:
    image = new_image()
    image.set_output_bit(5, 0, value=True)
    image.set_output_bit(6, 7, value=True)
    assert image.output_bytes(5, 2) == b"\x01\x80"


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


def test_what_was_read_does_not_change_later() -> None:
    image = new_image()
    before = image.output_bytes(0, 1)
    image.set_output_bytes(0, b"\xff")
    assert before == b"\x00"


ADDRESS, SIZE, ARGUMENT = (
    ErrorCode.IOAddressOutOfRange,
    ErrorCode.IOSizeOutOfRange,
    ErrorCode.ArgumentOutOfRange,
)


@pytest.mark.parametrize(
    ("order", "code", "rule"),
    [
        (lambda io: io.input_bytes(-1, 1), ADDRESS, "byte -1: must be 0 to 7999"),
        (lambda io: io.output_bytes(8000, 1), ADDRESS, "byte 8000: must be 0 to 7999"),
        (lambda io: io.set_output_bytes(8000, b"1"), ADDRESS, "byte 8000: must be 0 to 7999"),
        (lambda io: io.force_input_bytes(-1, b"1"), ADDRESS, "byte -1: must be 0 to 7999"),
        (lambda io: io.input_bit(8000, 0), ADDRESS, "byte 8000: must be 0 to 7999"),
        (lambda io: io.output_bit(-1, 0), ADDRESS, "byte -1: must be 0 to 7999"),
        (
            lambda io: io.set_output_bit(8000, 0, value=True),
            ADDRESS,
            "byte 8000: must be 0 to 7999",
        ),
        (lambda io: io.input_bytes(0, 0), SIZE, "0 bytes from byte 0 on: must be 1 to 8000"),
        (lambda io: io.output_bytes(0, -1), SIZE, "-1 bytes from byte 0 on: must be 1 to 8000"),
        (lambda io: io.input_bytes(7999, 2), SIZE, "2 bytes from byte 7999 on: must be 1 to 1"),
        (lambda io: io.set_output_bytes(3, b""), SIZE, "0 bytes from byte 3 on: must be 1 to 7997"),
        (
            lambda io: io.set_output_bytes(7999, b"12"),
            SIZE,
            "2 bytes from byte 7999 on: must be 1 to 1",
        ),
        (lambda io: io.input_bit(0, 8), ARGUMENT, "bit 8: must be 0 to 7"),
        (lambda io: io.output_bit(0, -1), ARGUMENT, "bit -1: must be 0 to 7"),
        (lambda io: io.set_output_bit(0, 8, value=True), ARGUMENT, "bit 8: must be 0 to 7"),
        (lambda io: io.force_input_bit(0, -1, value=True), ARGUMENT, "bit -1: must be 0 to 7"),
        (lambda io: io.release_input_bit(8000, 0), ADDRESS, "byte 8000: must be 0 to 7999"),
        (lambda io: io.release_input_bit(0, 8), ARGUMENT, "bit 8: must be 0 to 7"),
    ],
)
def test_refusals(order: Callable[[IoImage], object], code: ErrorCode, rule: str) -> None:
    image = new_image()
    with pytest.raises(CommandRefused) as refused:
        order(image)
    assert str(refused.value) == f"Error={code.value} ({code.name}): {rule}"
    assert image.output_bytes(0, IO_BYTES) == image.input_bytes(0, IO_BYTES) == bytes(IO_BYTES)
