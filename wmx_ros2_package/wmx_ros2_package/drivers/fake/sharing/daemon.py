"""The process of a simulated engine: ``python -m <this module> DEVICE_PATH SOCKET LOCK``.

LOCK is the descriptor of the lock that makes it the engine there, see `claim`. Returns once the
engine takes devices and goes on as a daemon; an engine that cannot start is told on standard
output, see `encoding`. What it has to say later, a traceback say, stands in a log file beside the
socket, which is gone after a clean end.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from ...errors import WmxError
from ..engine import FakeEngine
from .claim import Claim
from .encoding import pack_error
from .host import Host
from .process import machine_at

FIRST_DEVICE_TIMEOUT = 10.0
"""An engine whose starter died before attaching ends by itself after this time, s."""


def main(device_path: str, claim: Claim) -> None:
    """Serve the engine at `device_path` by right of `claim` until its last device closes."""

    def end() -> None:
        # The last device's connection closes with the process, so that whoever waits for it
        # knows that nothing of the engine is left.
        os._exit(0)

    try:
        host = Host(FakeEngine(machine_at(device_path)), claim, at_end=end)
    except WmxError as error:
        sys.stdout.buffer.write(pack_error(error))
        sys.exit(1)
    if os.fork():
        os._exit(0)
    os.setsid()
    claim.sign()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # a node that starts it blocks it
    os.chdir("/")
    with claim.log.open("w") as file, suppress(OSError):
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    unused = threading.Timer(FIRST_DEVICE_TIMEOUT, host.end_if_unused)
    unused.daemon = True
    unused.start()
    host.serve()
    end()  # or the thread of the last device does it, whichever comes first


if __name__ == "__main__":
    main(sys.argv[1], Claim(Path(sys.argv[2]), int(sys.argv[3])))
