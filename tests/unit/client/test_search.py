"""How long a system is looked for: as long as one can be there, by what the kernel knows."""

import socket

import pytest

from wmx_ros2_package.client.search import LOCAL, SUBNET, Search
from wmx_ros2_package.node_base.domain.ports import own_sockets, ports_of, udp_sockets

DOMAIN = 33
PORT = ports_of(DOMAIN)[10]
ALONE = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


class Computer:
    """The sockets of a computer, of which this client gets numbers 1 and 2."""

    def __init__(self, environment: dict[str, str], *, before: dict[int, int]) -> None:
        self.sockets = dict(before)
        self.own = {1, 2}
        self.search = Search(environment, lambda: dict(self.sockets), lambda: self.own)

    def join(self, first: int = PORT + 2) -> None:
        self.sockets |= {1: first, 2: first + 1}
        self.search.join(DOMAIN)


@pytest.mark.parametrize(
    ("environment", "seconds", "says"),
    [
        (ALONE, LOCAL, "no other computer is asked"),
        ({"ROS_LOCALHOST_ONLY": "1"}, LOCAL, "no other computer is asked"),
        (ALONE | {"ROS_STATIC_PEERS": "10.0.0.2"}, SUBNET, "none on another has answered"),
        ({}, SUBNET, "none on another has answered"),
    ],
)
def test_where_no_program_runs_the_search_ends_early(
    environment: dict[str, str], seconds: float, says: str
) -> None:
    computer = Computer(environment, before={7: ports_of(DOMAIN + 1)[10]})
    computer.join()
    assert not computer.search.hopeless(seconds - 0.01, 0, to_stop=False)
    assert says in computer.search.hopeless(seconds, 0, to_stop=False)
    assert bool(computer.search.hopeless(seconds, 0, to_stop=True)) is (seconds == LOCAL)
    assert not computer.search.hopeless(seconds, 1, to_stop=False)  # a node is discovered
    computer.sockets[9] = PORT  # a program starts
    assert not computer.search.hopeless(9.9, 0, to_stop=False)


@pytest.mark.parametrize("environment", [ALONE, {}])
def test_a_program_on_this_computer_is_waited_for(environment: dict[str, str]) -> None:
    for process in (7, 1):  # another process, or a system in the process of this client
        computer = Computer(environment, before={process: PORT})
        computer.own |= {process}
        computer.join()
        assert not computer.search.hopeless(9.9, 0, to_stop=False)


def test_what_is_unknown_ends_no_search() -> None:
    """Another middleware has other ports, a discovery server any; a table may be unreadable."""
    for environment, first in (ALONE, 20_000), (ALONE | {"ROS_DISCOVERY_SERVER": "x"}, PORT):
        computer = Computer(environment, before={})
        computer.join(first)
        assert not computer.search.hopeless(9.9, 0, to_stop=False)
    assert not Search(ALONE, dict, set).hopeless(9.9, 0, to_stop=False)


def test_the_sockets_of_this_computer() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        numbers = {number for number, at in udp_sockets().items() if at == port}
        assert numbers & own_sockets()
    assert not numbers & own_sockets()
