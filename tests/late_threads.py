"""Delays the work of new threads, as a busy machine does: tests that need it at once fail."""

import threading
import zlib

from wmx_core.clock import STEADY

BLOCK = bytes(1 << 20)


def begin_late(seconds: float) -> None:
    """Let each thread of this process be busy for `seconds` before it does its work."""
    run = threading.Thread.run

    def run_late(thread: threading.Thread) -> None:
        end = STEADY.now() + seconds
        while STEADY.now() < end:
            zlib.crc32(BLOCK)  # not a sleep: held time would go on, as past one that waits
        run(thread)

    threading.Thread.run = run_late  # type: ignore[method-assign]
