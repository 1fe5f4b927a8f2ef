"""Kills and suspends the programs of a system."""

import os
import signal
import time
from collections.abc import Callable, Sequence

from system import System

KILL, STOP = signal.SIGKILL, signal.SIGSTOP
ENGINE = "engine"
SUSPENSION, LONG_SUSPENSION = 3.0, 30.0
"""How long what is suspended hangs, s: less than an answer may take, and more."""
_STARTED = {"wmx_engine_node": "Communication started"}


class FaultInjection:
    """Faults of what runs in `system`; a node that is killed starts again as it was."""

    def __init__(self, system: System, settings: Sequence[str], ros: Sequence[str] = ()) -> None:
        self._system = system
        self._settings = settings
        self._ros = ros

    def inject(self, victim: str, number: signal.Signals, hangs: float = SUSPENSION) -> None:
        """Kill a node, or the engine's process, or suspend it so long that it `hangs` (s)."""
        place = self._system.place
        if victim == ENGINE:
            [pid] = place.engine_pids()
            _signal(lambda sent: os.kill(pid, sent), number, hangs)
            return
        [process] = [p for p in place.processes if p.name == victim and p.running()]
        _signal(process.send_signal, number, hangs)
        if number == KILL:
            process.wait()
            place.processes.remove(process)
            start = time.monotonic()
            started = _STARTED.get(victim, f"{victim} is ready")
            place.start(victim, *self._settings, ros=self._ros).says(started)
            # A new engine node is not ready at first: the others stop what they move, and follow.
            self._system.client.ready["wmx/core_motion/ready"].first(start, lambda m: m.data)


def _signal(send: Callable[[int], None], number: signal.Signals, hangs: float) -> None:
    send(number)
    if number == STOP:
        time.sleep(hangs)
        send(signal.SIGCONT)
