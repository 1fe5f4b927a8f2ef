"""The process of a simulated engine: ``python -m <this module> DEVICE_PATH SOCKET LOCK``.

LOCK is the descriptor of the lock that makes it the engine there, see `engine_lock`. It returns
once the engine takes devices, and continues as a daemon. Where an engine cannot start, the reply
with the error is its standard output. Its later output, such as a traceback, goes to a log file
beside the socket, which is removed at a clean end.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from wmx_core.errors import WmxError

from ..engine.engine import SimulatedEngine
from .codec import pack, reply_of
from .engine_lock import EngineLock
from .engine_server import EngineServer
from .starting import machine_at

FIRST_DEVICE_TIMEOUT = 10.0
"""An engine whose starter died before attaching ends by itself after this time, s."""


def main(device_path: str, lock: EngineLock) -> None:
    """Serve the engine at `device_path`, of which `lock` is held, until its last device closes."""

    def end() -> None:
        # The last device's connection closes with the process: its client, which waits for that,
        # can rely on it then that nothing of the engine is left.
        os._exit(0)

    try:
        server = EngineServer(SimulatedEngine(machine_at(device_path)), lock, at_end=end)
    except WmxError as error:
        sys.stdout.buffer.write(pack(reply_of(error)))
        sys.exit(1)
    if os.fork():
        os._exit(0)
    os.setsid()
    lock.write_holder()
    # The node that starts the engine blocks it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    os.chdir("/")
    with lock.log.open("w") as file, suppress(OSError):
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    unused = threading.Timer(FIRST_DEVICE_TIMEOUT, server.end_if_unused)
    unused.daemon = True
    unused.start()
    server.serve()
    end()  # unless the thread of the last device has done it


if __name__ == "__main__":
    main(sys.argv[1], EngineLock(Path(sys.argv[2]), int(sys.argv[3])))
