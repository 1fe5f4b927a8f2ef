"""Clears away what keeps every ROS program of a machine from starting.

Fast DDS keeps its ports as files of shared memory. A process that dies between making such a file
and giving it its size, which are two calls one after the other, leaves it empty, and from then on
whoever opens that port waits for ever, whatever its domain.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PLACE = Path("/dev/shm")
PORTS = "fastdds_port*", "fastrtps_port*"
AT_LEAST = 10.0
"""An empty file of this age, s, has lost its maker."""


def clear_half_made_ports(place: Path = PLACE) -> list[Path]:
    """Remove the files that nobody will finish, and say which."""
    return [path for path in _half_made(place) if _removed(path)]


def _half_made(place: Path) -> Iterator[Path]:
    latest = time.time() - AT_LEAST
    for pattern in PORTS:
        for path in place.glob(pattern):
            if path.suffix or path.name.endswith(("_el", "_sl")):
                continue  # locks, which are empty by nature
            with suppress(OSError):
                state = path.stat()
                if state.st_size == 0 and state.st_mtime < latest:
                    yield path


def _removed(path: Path) -> bool:
    with suppress(OSError):  # somebody else's file, or gone already
        path.unlink()
        return True
    return False
