"""What tests of the client library wait for."""

from collections.abc import Callable
from typing import Any

from ros import eventually

from wmx_ros2_package.client import Machine


def until(machine: Machine, condition: Callable[[], Any], what: str) -> Any:
    """What `condition` gives once it is true, by the clock of `machine`."""
    return eventually(condition, what, clock=machine.clock)
