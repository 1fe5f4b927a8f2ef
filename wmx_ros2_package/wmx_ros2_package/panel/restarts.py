"""A program that is started again when a signal or an error has ended it."""

from __future__ import annotations

import logging
import signal
import subprocess
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import Any

REFUSED = 2
"""The exit code of a program that does not start, for a reason that stays."""
PAUSE = 1.0
"""How long after its end it is started again, s."""
SHORT = 5.0
"""A program that has ended by an error after less, s, would do so again."""
END_WITH_PARENT = "setpriv", "--pdeathsig", "TERM"
"""Has the kernel end the program behind it when the process that started it is killed."""
_log = logging.getLogger("wmx_panel")


def run_again(
    first: Sequence[str],
    again: Sequence[str],
    *,
    pause: Callable[[float], object] = sleep,
    clock: Callable[[], float] = monotonic,
) -> int:
    """Run `first`, and `again` each time that a signal or an error has ended it; its exit code.

    SIGINT and SIGTERM end the program, which has a session of its own, and this.
    """
    running: list[subprocess.Popen[bytes]] = []
    ended: list[int] = []

    def end(number: int, _: Any) -> None:
        ended.append(number)
        for process in running:
            process.send_signal(number)

    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, end)
    command = first
    while True:
        began = clock()
        running[:] = [subprocess.Popen([*END_WITH_PARENT, *command], start_new_session=True)]
        if ended:  # while it was started
            running[0].send_signal(ended[-1])
        code = running[0].wait()
        lasted = clock() - began
        if ended or code in (0, REFUSED) or (code > 0 and lasted < SHORT):
            return max(code, 0)
        _log.warning("it has ended (%d), and is started again", code)
        pause(PAUSE)
        if ended:
            return 0
        command = again
