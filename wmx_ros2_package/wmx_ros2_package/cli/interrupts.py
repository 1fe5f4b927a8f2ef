"""What asks a command to end: Ctrl-C, a signal, a terminal that is closed."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
AGAIN = 0.01
"""How long after it was lost an interrupt comes again, s: what has lost it has ended by then."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let each of INTERRUPTS raise KeyboardInterrupt in the block, from now on.

    Python drops an exception of a destructor, as rclpy's futures have one, and goes on as if nobody
    had asked. So an interrupt that meets one comes again.
    """
    before = sys.unraisablehook

    def see(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            before(lost)

    for number in INTERRUPTS:
        # A terminal that is closed ends nothing where that is ignored, as `nohup` asks for.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    sys.unraisablehook = see
    try:
        yield
    finally:
        sys.unraisablehook = before


def die_of_interrupt() -> None:
    """Die of SIGINT, so that the shell of a script goes on to no other command.

    It would take Ctrl-C for answered otherwise, and go on to the next motion. Process 1 of a
    container returns from here: no signal ends it by itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no interrupt keep the block from its end, such as one more while axes are stopped."""
    before = [(number, signal.signal(number, signal.SIG_IGN)) for number in INTERRUPTS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
