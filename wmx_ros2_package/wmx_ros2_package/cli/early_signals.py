"""Ends a program that gets a signal while it still imports what it is made of.

Nothing has begun then, so nothing has to be stopped: SIGINT and SIGTERM end it quietly, with the
exit code that they end it with later. Imports next to nothing, so that it is in force soon.
"""

import os
import signal
from types import FrameType


def end_at_once() -> None:
    """From now on the signals end the process, until something better handles them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(0)
