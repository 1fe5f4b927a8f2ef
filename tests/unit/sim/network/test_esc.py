"""The ESC registers, byte by byte where a master's software looks at them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.values import REGISTER_SPACE, EcState
from wmx_sim.engine.network.esc import EscState, registers

DRIVE = EscState(
    station_address=0x03E9,
    alias=0x0102,
    state=EcState.OP,
    requested=EcState.OP,
    links=(True, True),
    lost_links=(3, 4),
    receive_times=(1005, 0x01020304),
    system_time_delay=2010,
)


def word(image: bytes, address: int) -> int:
    return int.from_bytes(image[address : address + 2], "little")


def test_the_whole_register_space_of_a_drive_in_op() -> None:
    expected = bytearray(REGISTER_SPACE)
    for address, content in {
        0x0000: "98 01 0000",  # type, revision, build
        0x0004: "08 08 08 0f cc01",  # FMMUs, SyncManagers, RAM, ports, features
        0x0010: "e903 0201",  # station address and alias
        0x0100: "01c00700",  # DL control
        0x0110: "335a",  # DL status
        0x0120: "0800",  # AL control
        0x0130: "0800",  # AL status
        0x0310: "03 04",  # lost links
        0x0400: "c209",  # watchdog divider
        0x0410: "e803",  # watchdog time PDI
        0x0420: "e803",  # watchdog time process data
        0x0440: "0100",  # watchdog status
        0x0900: "ed030000 04030201",  # receive times of ports 0 and 1
        0x0928: "da070000",  # system time delay
    }.items():
        value = bytes.fromhex(content)
        expected[address : address + len(value)] = value
    assert registers(DRIVE) == expected


@pytest.mark.parametrize("port", [0, 1])
@pytest.mark.parametrize("link", [False, True])
def test_dl_status_shows_link_loop_and_communication_of_a_port(port: int, link: bool) -> None:
    other = not link
    status = word(
        registers(replace(DRIVE, links=(link, other) if port == 0 else (other, link))), 0x110
    )
    physical_link = bool(status & 1 << (4 + port))
    loop_closed = bool(status & 1 << (8 + 2 * port))
    communication = bool(status & 1 << (9 + 2 * port))
    assert (physical_link, loop_closed, communication) == (link, not link, link)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_lost_links_stop_at_255(upstream: int, downstream: int) -> None:
    image = registers(replace(DRIVE, lost_links=(upstream, downstream)))
    assert image[0x0310:0x0314] == bytes([min(upstream, 255), min(downstream, 255), 0, 0])
