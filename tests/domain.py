"""ROS domains that nobody else on this machine has, neither a test run nor a running system."""

import socket
from contextlib import ExitStack, suppress

_HIGHEST = 101
"""The ports of higher domains may be taken by outgoing connections."""
_PARTICIPANTS = 16
"""How many participants of a domain are looked for: one for each process, from 0 on, unless those
before it have ended."""


class Domain:
    """A domain of this process's own, until it is released or the process ends."""

    def __init__(self) -> None:
        self._claim = socket.socket(socket.AF_UNIX)
        for number in range(_HIGHEST, 0, -1):
            with suppress(OSError):
                self._claim.bind(f"\0wmx_ros2_test_domain_{number}")
                if is_free(number):
                    self.number = number
                    return
                self._claim.close()
                self._claim = socket.socket(socket.AF_UNIX)
        self._claim.close()
        raise RuntimeError("all ROS domains are taken by other programs on this machine")

    def release(self) -> None:
        self._claim.close()


def is_free(number: int) -> bool:
    """Whether no DDS participant of the domain lives on this machine, by the UDP ports they have.

    Those of the RTPS standard: one that all of a domain listen on, and two for each of them.
    """
    first = 7400 + 250 * number
    ports = [first, *range(first + 10, first + 10 + 2 * _PARTICIPANTS)]
    with ExitStack() as sockets:
        for port in ports:
            probe = sockets.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            try:
                probe.bind(("", port))
            except OSError:
                return False
    return True
