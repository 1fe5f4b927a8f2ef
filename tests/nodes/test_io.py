"""wmx_io_node: every service, with the texts that clients match on."""

from typing import Any

import pytest
from ros import Client
from system import System

LAST = 7999


def outputs(client: Client, byte: int = 0, length: int = LAST + 1) -> bytes:
    return bytes(client.must("wmx/io/get_output_bytes", byte=byte, length=length).data)


@pytest.mark.parametrize(("byte", "bit"), [(0, 0), (LAST, 5)])
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


@pytest.mark.parametrize(("byte", "length"), [(10, 3), (0, LAST + 1)])
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


def test_bits_are_set_together_and_their_neighbours_stay(client: Client) -> None:
    client.must("wmx/io/set_output_bytes", byte=0, data=b"\xf0\x0f")
    client.must("wmx/io/set_bits", byte=[0, 1, 0], bit=[0, 7, 7], value=[1, 1, 0])
    assert outputs(client, 0, 2) == b"\x71\x8f"
    client.must("wmx/io/set_output_bytes", byte=0, data=bytes(2))
    answer = client.must("wmx/io/get_bits", byte=[0, LAST], bit=[0, 7])
    assert list(answer.value) == [0, 0]


ADDRESS = "Error=1550 (IOAddressOutOfRange)"
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("get_input_bit", {"byte": 8000}, f"GetInBitEx failed byte=8000 bit=0. {ADDRESS}"),
    ("get_output_bit", {"byte": 8000}, f"GetOutBitEx failed byte=8000 bit=0. {ADDRESS}"),
    (
        "get_input_bytes",
        {"byte": LAST, "length": 2},
        "GetInBytesEx failed byte=7999 length=2. Error=1551 (IOSizeOutOfRange)",
    ),
    (
        "get_output_bytes",
        {"byte": -1, "length": 1},
        f"GetOutBytesEx failed byte=-1 length=1. {ADDRESS}",
    ),
    ("get_output_bytes", {"length": 0}, "Invalid length: must be > 0"),
    (
        "set_output_bit",
        {"bit": 8, "value": 1},
        "SetOutBitEx failed byte=0 bit=8 value=1. Error=1555 (ArgumentOutOfRange)",
    ),
    ("set_output_bit", {"value": 2}, "Invalid value: must be 0 or 1"),
    (
        "set_output_bytes",
        {"byte": LAST, "data": b"\xff\xff"},
        "SetOutBytesEx failed byte=7999 length=2. Error=1551 (IOSizeOutOfRange)",
    ),
    ("set_output_bytes", {"data": b""}, "No data provided"),
    (
        "get_bits",
        {"byte": [0], "bit": [8]},
        "Failed to read bits. Error=1555 (ArgumentOutOfRange): bit 8: must be 0 to 7",
    ),
    ("get_bits", {"byte": [0], "bit": []}, "the arrays have [1, 0] elements: must be equal"),
    ("get_bits", {}, "0 bits: must be 1 to 1024"),
    (
        "set_bits",
        {"byte": [0], "bit": [0], "value": [2]},
        "value of bit 0.0 is 2: must be 0 or 1",
    ),
    (
        "set_bits",
        {"byte": [0, 0], "bit": [1, 1], "value": [0, 1]},
        "a bit is named more than once: must be at most once",
    ),
]


@pytest.mark.parametrize(("service", "fields", "rule"), REFUSED)
def test_what_breaks_a_rule_is_neither_read_nor_set(
    client: Client, service: str, fields: dict[str, Any], rule: str
) -> None:
    before = outputs(client)
    response = client.call(f"wmx/io/{service}", **fields)
    assert not response.success
    assert response.message.startswith(rule)
    assert not len(getattr(response, "data", b""))
    assert outputs(client) == before
