"""A motion under way: its progress in a terminal, and how it ended."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Motion, Result


def follow(out: Terminal, motion: Motion, what: str) -> Result:
    """Wait for the end of a motion, and draw how far it is once it takes longer than a second.

    Ctrl-C cancels it: the axes slow down, and KeyboardInterrupt goes on when they rest. Raises as
    `Motion.wait` does when it ended before its target.
    """
    canceled = False
    try:
        with out.progress(what, lambda: motion.progress):
            try:
                return motion.wait()
            except KeyboardInterrupt:
                motion.cancel()  # before anything is printed, which may wait or fail
                canceled = True
                raise
    except KeyboardInterrupt:
        if not canceled:  # one came before the wait, or another one before the axes were told
            motion.cancel()
        with suppress(OSError):
            out.say(f"\n{what}: interrupted, the axes slow down")
        motion.wait()
        raise
