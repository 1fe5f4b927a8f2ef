"""Io: the image of digital inputs and outputs, by bits and by bytes."""

from collections.abc import Callable

import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.interface import Io
from wmx_core.values import IO_BYTES

pytestmark = pytest.mark.over_process

ADDRESS, SIZE = ErrorCode.IOAddressOutOfRange, ErrorCode.IOSizeOutOfRange


@pytest.fixture
def outputs(backend: Backend) -> range:
    """Output bytes that may be set; all zero at first and in the end."""
    if backend.outputs is None:
        pytest.skip("no output byte of this machine may be set")
    clear(backend)
    return backend.outputs


def clear(backend: Backend) -> None:
    assert backend.outputs is not None
    backend.io.set_output_bytes(backend.outputs[0], bytes(len(backend.outputs)))


# Outputs


def test_output_bytes_are_as_last_set(backend: Backend, outputs: range) -> None:
    data = bytes((0xA5, 0x00, 0xFF, 0x3C)[: len(outputs)])
    backend.io.set_output_bytes(outputs[0], data)
    shown = backend.io.output_bytes(outputs[0], len(outputs))
    assert shown == data
    assert type(shown) is bytes
    clear(backend)
    assert backend.io.output_bytes(outputs[0], len(outputs)) == bytes(len(outputs))


def test_bytes_keep_their_neighbours(backend: Backend, outputs: range) -> None:
    if len(outputs) < 3:
        pytest.skip("needs three bytes")
    backend.io.set_output_bytes(outputs[0], b"\x11\x22\x33")
    backend.io.set_output_bytes(outputs[1], b"\xee")
    assert backend.io.output_bytes(outputs[0], 3) == b"\x11\xee\x33"
    assert backend.io.output_bytes(outputs[1], 2) == b"\xee\x33"


@pytest.mark.parametrize("bit", range(8))
def test_a_bit_keeps_its_neighbours(backend: Backend, outputs: range, bit: int) -> None:
    byte = outputs[0]
    for value, before, after in ((True, 0x00, 1 << bit), (False, 0xFF, 0xFF & ~(1 << bit))):
        backend.io.set_output_bytes(byte, bytes([before]))
        backend.io.set_output_bit(byte, bit, value=value)
        assert backend.io.output_bytes(byte, 1) == bytes([after])
        bits = [backend.io.output_bit(byte, each) for each in range(8)]
        assert bits == [bool(after >> each & 1) for each in range(8)], "bit 0 is the lowest"
        assert type(bits[0]) is bool
    clear(backend)


def test_setting_a_bit_again_changes_nothing(backend: Backend, outputs: range) -> None:
    for value in (True, True, False, False):
        backend.io.set_output_bit(outputs[0], 3, value=value)
        assert backend.io.output_bytes(outputs[0], 1) == (b"\x08" if value else b"\x00")


def test_outputs_last(backend: Backend, outputs: range) -> None:
    backend.io.set_output_bit(outputs[0], 6, value=True)
    backend.advance(0.1)
    assert backend.io.output_bit(outputs[0], 6)
    clear(backend)


def test_every_device_sees_the_same_outputs(backend: Backend, outputs: range) -> None:
    second = backend.open()
    second.engine.create_device(backend.path, "second")
    backend.io.set_output_bit(outputs[0], 1, value=True)
    assert second.io.output_bit(outputs[0], 1)
    second.io.set_output_bit(outputs[0], 1, value=False)
    assert not backend.io.output_bit(outputs[0], 1)


def test_a_handful_of_output_bits(backend: Backend, outputs: range) -> None:
    """Each keeps its neighbours, and may be anywhere."""
    first, last = outputs[0], outputs[-1]
    backend.io.set_output_bytes(first, b"\x81")
    backend.io.set_output_bits([(first, 0, False), (first, 3, True), (last, 6, True)])
    assert backend.io.output_bit(last, 6) is True
    assert backend.io.output_bytes(first, 1)[0] & ~0x40 == 0x88
    backend.io.set_output_bits([])
    assert backend.io.output_bytes(first, 1)[0] & ~0x40 == 0x88
    clear(backend)


# Inputs


def test_inputs_have_their_types(backend: Backend) -> None:
    shown = backend.io.input_bytes(0, 3)
    assert (type(shown), len(shown)) == (bytes, 3)
    assert type(backend.io.input_bit(0, 0)) is bool


@pytest.mark.parametrize("bit", [0, 3, 7])
def test_an_input_shows_as_a_bit_and_in_its_byte(backend: Backend, bit: int) -> None:
    byte = 2
    for value in (True, False):
        backend.play(simulation.force_input(byte, bit, value))
        assert backend.io.input_bytes(byte - 1, 3) == bytes([0, value << bit, 0])
        bits = [backend.io.input_bit(byte, each) for each in range(8)]
        assert bits == [value and each == bit for each in range(8)]
        assert backend.io.output_bytes(byte, 1) == b"\0", "which is no output"


def test_a_handful_of_input_bits(backend: Backend) -> None:
    backend.play(simulation.force_input(2, 3, True), simulation.force_input(5, 0, True))
    bits = [(2, 2), (2, 3), (5, 0), (5, 1), (0, 0)]
    assert backend.io.input_bits(bits) == (False, True, True, False, False)
    assert not any(backend.io.output_bit(*bit) for bit in bits), "which are no outputs"


# The image


def test_the_whole_image_can_be_read(backend: Backend) -> None:
    assert len(backend.io.input_bytes(0, IO_BYTES)) == IO_BYTES
    assert len(backend.io.output_bytes(0, IO_BYTES)) == IO_BYTES
    assert len(backend.io.input_bytes(IO_BYTES - 1, 1)) == 1
    assert backend.io.output_bit(IO_BYTES - 1, 7) in (False, True)


BLOCKS: dict[str, Callable[[Io, int, int], object]] = {
    "input": lambda io, address, length: io.input_bytes(address, length),
    "output": lambda io, address, length: io.output_bytes(address, length),
    "set": lambda io, address, length: io.set_output_bytes(address, bytes(max(0, length))),
}
BITS: dict[str, Callable[[Io, int, int], object]] = {
    "input": lambda io, address, bit: io.input_bit(address, bit),
    "output": lambda io, address, bit: io.output_bit(address, bit),
    "set": lambda io, address, bit: io.set_output_bit(address, bit, value=True),
    "inputs": lambda io, address, bit: io.input_bits([(0, 0), (address, bit)]),
    "set several": lambda io, address, bit: io.set_output_bits(
        [(0, 0, True), (address, bit, True)]
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_within_the_image(harmless: Backend, name: str) -> None:
    for address in (-1, IO_BYTES, 2**31):
        with harmless.refuses(ADDRESS):
            BLOCKS[name](harmless.io, address, 1)
    for address, length in ((0, 0), (IO_BYTES - 1, 2), (0, IO_BYTES + 1)):
        with harmless.refuses(SIZE):
            BLOCKS[name](harmless.io, address, length)


@pytest.mark.parametrize("name", BITS)
def test_a_bit_is_within_a_byte_of_the_image(harmless: Backend, name: str) -> None:
    for address in (-1, IO_BYTES, 2**31):
        with harmless.refuses(ADDRESS):
            BITS[name](harmless.io, address, 0)
    for bit in (-1, 8):
        with harmless.refuses(ErrorCode.ArgumentOutOfRange):
            BITS[name](harmless.io, 0, bit)


def test_a_refused_block_sets_nothing(harmless: Backend) -> None:
    with harmless.refuses(SIZE):
        harmless.io.set_output_bytes(IO_BYTES - 1, b"\xff\xff")
    assert harmless.io.output_bytes(IO_BYTES - 1, 1) == b"\x00"


def test_one_refused_bit_and_none_is_set(harmless: Backend) -> None:
    for wrong, code in (((IO_BYTES, 0), ADDRESS), ((0, 8), ErrorCode.ArgumentOutOfRange)):
        with harmless.refuses(code):
            harmless.io.set_output_bits([(3, 3, True), (*wrong, True)])
        assert harmless.io.output_bytes(3, 1) == b"\x00"
