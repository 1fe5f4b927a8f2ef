"""The ports of a slave, from the registers of its controller (ETG.1000.4, 6)."""

from types import SimpleNamespace
from typing import Any

from wmx_ros2_package.client.network import Network, Port

REGISTERS = {
    (0x0007, 1): [0b11_01_10_11],
    (0x0110, 2): [0b1001_0000, 0b1010_0110],
    (0x0300, 8): [10, 11, 12, 13, 14, 15, 16, 17],
    (0x0310, 4): [20, 21, 22, 23],
}
"""Ports 0, 1 and 3 are there; at port 1 is no cable, so that it is closed, and what is told of a
signal at each is the opposite of what is told of its loop."""


def test_the_ports_of_a_slave_are_read_bit_by_bit() -> None:
    asked: list[tuple[int, int]] = []

    def call(_kind: Any, _service: str, **of: Any) -> Any:
        asked.append((of["master_id"], of["slave_id"]))
        return SimpleNamespace(data=REGISTERS[of["reg_address"], of["length"]])

    session: Any = SimpleNamespace(call=call)
    assert [*Network(session).ports(3, master=1)] == [
        Port(number=0, link=True, open=True, invalid_frames=10, rx_errors=11, lost_links=20),
        Port(number=1, link=False, open=False, invalid_frames=12, rx_errors=13, lost_links=21),
        Port(number=3, link=True, open=True, invalid_frames=16, rx_errors=17, lost_links=23),
    ]
    assert {*asked} == {(1, 3)}
