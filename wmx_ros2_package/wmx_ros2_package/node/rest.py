"""Brings axes to rest before a node lets go of them, and says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..drivers.errors import CommandRefused
from ..drivers.interface import Motion
from ..drivers.standstill import busy_axes, come_to_rest

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger

STOP_TIMEOUT = 5.0
"""How long a node that ends, or ends the communication, waits for axes to slow down, s."""


def bring_to_rest(motion: Motion, axes: Iterable[int] | None, log: RcutilsLogger) -> None:
    """Stop `axes`, or all, and wait until they rest, for STOP_TIMEOUT at most.

    A stop that is refused is logged: it must not keep the rest of an exit from happening.
    """
    try:
        if busy_axes(motion, axes).size:
            log.info(f"Slowing the axes down, for {STOP_TIMEOUT:g} s at most")
        if not come_to_rest(motion, STOP_TIMEOUT, axes):
            log.error(f"Axes still move {STOP_TIMEOUT} s after they were stopped")
    except CommandRefused as error:
        log.error(f"Stopping the axes: {error}")
