"""wmx_io_node: every service, with the texts that clients match on."""

import pytest
from ros import Client
from system import System

LAST = 7999

BAD_BITS = [
    (-1, 0, "Error=1550 (IOAddressOutOfRange)"),
    (LAST + 1, 0, "Error=1550 (IOAddressOutOfRange)"),
    (2**31 - 1, 0, "Error=1550 (IOAddressOutOfRange)"),
    (0, -1, "Error=1555 (ArgumentOutOfRange)"),
    (0, 8, "Error=1555 (ArgumentOutOfRange)"),
]
BAD_BLOCKS = [
    (-1, 1, "Error=1550 (IOAddressOutOfRange)"),
    (LAST + 1, 1, "Error=1550 (IOAddressOutOfRange)"),
    (LAST, 2, "Error=1551 (IOSizeOutOfRange)"),
    (0, LAST + 2, "Error=1551 (IOSizeOutOfRange)"),
]


def outputs(client: Client, byte: int = 0, length: int = LAST + 1) -> bytes:
    return bytes(client.must("wmx/io/get_output_bytes", byte=byte, length=length).data)


@pytest.mark.parametrize(("byte", "bit"), [(0, 0), (3, 7), (LAST, 5)])
def test_an_output_bit_is_set_and_its_neighbours_keep_their_values(
    client: Client, byte: int, bit: int
) -> None:
    before = outputs(client)
    for value in 1, 0:
        done = client.must("wmx/io/set_output_bit", byte=byte, bit=bit, value=value)
        assert done.message == f"Set output bit {byte}.{bit} = {value}"
        read = client.must("wmx/io/get_output_bit", byte=byte, bit=bit)
        assert (read.value, read.message) == (value, f"Output bit {byte}.{bit} = {value}")
        expected = bytearray(before)
        expected[byte] |= value << bit
        assert outputs(client) == bytes(expected)


@pytest.mark.parametrize(("byte", "length"), [(0, 1), (10, 3), (LAST, 1), (0, LAST + 1)])
def test_output_bytes_are_set_as_a_block(client: Client, byte: int, length: int) -> None:
    data = bytes(i % 251 for i in range(length))
    done = client.must("wmx/io/set_output_bytes", byte=byte, data=data)
    assert done.message == f"Set {length} output bytes from byte {byte}"
    read = client.must("wmx/io/get_output_bytes", byte=byte, length=length)
    assert bytes(read.data) == data
    assert read.message == f"Read {length} output bytes from byte {byte}"
    client.must("wmx/io/set_output_bytes", byte=byte, data=bytes(length))


def test_inputs_are_what_the_wires_say(system: System, client: Client) -> None:
    with system.place.engine() as engine:
        engine.call("io", "force_input_bytes", 2, b"\x81\x02")
    high = client.must("wmx/io/get_input_bit", byte=2, bit=7)
    assert (high.value, high.message) == (1, "Input bit 2.7 = 1")
    assert client.must("wmx/io/get_input_bit", byte=2, bit=6).value == 0
    block = client.must("wmx/io/get_input_bytes", byte=1, length=4)
    assert (bytes(block.data), block.message) == (
        b"\x00\x81\x02\x00",
        "Read 4 input bytes from byte 1",
    )


@pytest.mark.parametrize(("kind", "call"), [("input", "GetInBitEx"), ("output", "GetOutBitEx")])
@pytest.mark.parametrize(("byte", "bit", "error"), BAD_BITS)
def test_a_bit_outside_the_image_is_not_read(
    client: Client, kind: str, call: str, byte: int, bit: int, error: str
) -> None:
    message = client.refused(f"wmx/io/get_{kind}_bit", byte=byte, bit=bit)
    assert message.startswith(f"{call} failed byte={byte} bit={bit}. {error}")


@pytest.mark.parametrize(("kind", "call"), [("input", "GetInBytesEx"), ("output", "GetOutBytesEx")])
@pytest.mark.parametrize(("byte", "length", "error"), BAD_BLOCKS)
def test_a_block_outside_the_image_is_not_read(
    client: Client, kind: str, call: str, byte: int, length: int, error: str
) -> None:
    response = client.call(f"wmx/io/get_{kind}_bytes", byte=byte, length=length)
    assert not response.success
    assert response.message.startswith(f"{call} failed byte={byte} length={length}. {error}")
    assert not response.data


@pytest.mark.parametrize("kind", ["input", "output"])
@pytest.mark.parametrize("length", [0, -1, -(2**31)])
def test_a_block_without_length_is_not_read(client: Client, kind: str, length: int) -> None:
    message = client.refused(f"wmx/io/get_{kind}_bytes", byte=0, length=length)
    assert message == "Invalid length: must be > 0"


@pytest.mark.parametrize(("byte", "bit", "error"), BAD_BITS)
def test_a_bit_outside_the_image_is_not_set(
    client: Client, byte: int, bit: int, error: str
) -> None:
    before = outputs(client)
    message = client.refused("wmx/io/set_output_bit", byte=byte, bit=bit, value=1)
    assert message.startswith(f"SetOutBitEx failed byte={byte} bit={bit} value=1. {error}")
    assert outputs(client) == before


@pytest.mark.parametrize("value", [2, -1, 255, 2**31 - 1])
def test_a_bit_is_set_to_0_or_1_only(client: Client, value: int) -> None:
    message = client.refused("wmx/io/set_output_bit", byte=0, bit=0, value=value)
    assert message == "Invalid value: must be 0 or 1"
    assert outputs(client, 0, 1) == b"\0"


@pytest.mark.parametrize(("byte", "length", "error"), BAD_BLOCKS)
def test_a_block_outside_the_image_is_not_set(
    client: Client, byte: int, length: int, error: str
) -> None:
    before = outputs(client)
    message = client.refused("wmx/io/set_output_bytes", byte=byte, data=b"\xff" * length)
    assert message.startswith(f"SetOutBytesEx failed byte={byte} length={length}. {error}")
    assert outputs(client) == before


def test_no_bytes_are_not_set(client: Client) -> None:
    assert client.refused("wmx/io/set_output_bytes", byte=0, data=b"") == "No data provided"
