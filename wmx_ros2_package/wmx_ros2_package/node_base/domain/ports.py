"""Which programs of this computer are in a ROS domain, by the UDP ports that they listen on.

DDS computes them from the domain (DDSI-RTPS 2.2, 9.6.1): one that all programs share, and two of
each. The kernel knows them at once, however busy the computer is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

FIRST_PORT, PORTS = 7400, 250
"""The first port of domain 0, and how many ports a domain has."""
TABLES = Path("/proc/net/udp"), Path("/proc/net/udp6")
OPEN_FILES = Path("/proc/self/fd")
PORT, INODE = 1, 9
"""The columns of a table: address and port, and the socket."""


def udp_sockets(tables: tuple[Path, ...] = TABLES) -> Mapping[int, int]:
    """Return the port of each UDP socket of this computer; none where that is unknown."""
    ports: dict[int, int] = {}
    for table in tables:
        with suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                columns = line.split()
                ports[int(columns[INODE])] = int(columns[PORT].rpartition(":")[2], 16)
    return ports


def own_sockets(open_files: Path = OPEN_FILES) -> set[int]:
    """Return the sockets of this process."""
    found = set()
    with suppress(OSError):
        for each in open_files.iterdir():
            with suppress(OSError):  # it has just been closed
                kind, _, inode = os.readlink(each).partition(":")
                if kind == "socket":
                    found.add(int(inode.strip("[]")))
    return found


def ports_of(domain: int) -> range:
    """Return the ports of a ROS domain."""
    first = FIRST_PORT + PORTS * domain
    return range(first, first + PORTS)
