"""ROS domains that no other test run on this machine has."""

import socket
from contextlib import suppress

_HIGHEST = 101
"""The ports of higher domains may be taken by outgoing connections."""


class Domain:
    """A domain of this process's own, until it is released or the process ends."""

    def __init__(self) -> None:
        self._claim = socket.socket(socket.AF_UNIX)
        for number in range(_HIGHEST, 0, -1):
            with suppress(OSError):
                self._claim.bind(f"\0wmx_ros2_test_domain_{number}")
                self.number = number
                return
        self._claim.close()
        raise RuntimeError("all ROS domains are taken by other test runs")

    def release(self) -> None:
        self._claim.close()
