"""A motion under way: its progress in a terminal, and how it ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Motion, Result

QUIET = 1.0
"""What ends sooner, s, shows no bar."""
PERIOD = 0.1


def follow(out: Terminal, motion: Motion, what: str) -> Result:
    """Wait for the end of a motion, and draw how far it is once it takes longer than a second.

    Ctrl-C cancels it: the axes slow down, and KeyboardInterrupt goes on when they rest. Raises as
    `Motion.wait` does when it ended before its target.
    """
    from ..client import NotAnswered

    try:
        if not out.live:
            return motion.wait()
        try:
            return motion.wait(QUIET)
        except NotAnswered:
            return _with_a_bar(out, motion, what)
    except KeyboardInterrupt:
        out.say(f"\n{what}: interrupted, the axes slow down")
        motion.cancel()
        motion.wait()
        raise


def _with_a_bar(out: Terminal, motion: Motion, what: str) -> Result:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=out.console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        while not motion.done:
            share = motion.progress
            if share == share:
                bar.update(task, completed=share)
            time.sleep(PERIOD)
        return motion.wait()
