"""Keys as they are pressed: a terminal without lines and echo, as long as a block lasts."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .failures import wrong

ARROWS = {b"\x1b[C": "+", b"\x1b[D": "-", b"\x1b[A": "faster", b"\x1b[B": "slower"}
LONGEST = 30
"""Bytes read at a time: a held key sends 3 bytes thirty times a second, of which none is cut."""


@contextmanager
def keys() -> Iterator[Callable[[float], str]]:
    """Yield a function that waits for a key, s at most, and returns it; empty without one.

    Right and left are `+` and `-`, up and down `faster` and `slower`. Ctrl-C still interrupts.
    A Failure where standard input is no terminal.
    """
    if not sys.stdin.isatty():
        raise wrong(
            "holding a key needs a terminal, and standard input is none",
            remedy="wmx jog AXIS --velocity V --for SECONDS",
        )
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        yield lambda seconds: _key(file, seconds)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _key(file: int, seconds: float) -> str:
    readable, _, _ = select.select([file], [], [], seconds)
    if not readable:
        return ""
    pressed = os.read(file, LONGEST)
    if not pressed:
        raise wrong("the terminal has gone")
    for sequence, meaning in ARROWS.items():
        if pressed.endswith(sequence):
            return meaning
    return pressed[-1:].decode(errors="replace")
