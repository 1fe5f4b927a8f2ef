"""The process of `file_reader`: does what it is asked for, one thing after the other."""

from __future__ import annotations

import os
import resource
import signal
import sys
from multiprocessing.connection import Connection

NOT_READ = "it cannot be read: the process that reads files has ended over it"
MOST_MEMORY = 3 << 30
"""Bytes of addresses that the process may use, most of which are those of libraries."""
NICE = 5
"""Whatever else this computer does comes first."""


def main() -> None:
    """Answer until the connection, whose number is the argument, is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the panel, and that ends this
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(int(sys.argv[1])) as connection:
        while True:
            try:
                work, arguments = connection.recv()
            except EOFError:
                return
            try:
                answer = True, work(*arguments)
            except (MemoryError, RecursionError) as error:
                answer = False, f"it cannot be read: {type(error).__name__}"
            except OSError as error:
                answer = False, error.strerror or str(error)
            except Exception as error:  # whatever a file makes of its reader
                answer = False, str(error) or type(error).__name__
            connection.send(answer)


if __name__ == "__main__":
    main()
