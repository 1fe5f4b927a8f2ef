"""ROS domains that no other test run on this machine has."""

import socket
from contextlib import suppress

_HIGHEST = 101
"""The ports of higher domains may be taken by outgoing connections."""


def reserve_domain() -> int:
    """A domain of this process's own, until it ends."""
    claim = socket.socket(socket.AF_UNIX)
    for domain in range(_HIGHEST, 0, -1):
        with suppress(OSError):
            claim.bind(f"\0wmx_ros2_test_domain_{domain}")
            claim.detach()
            return domain
    raise RuntimeError("all ROS domains are taken by other test runs")
