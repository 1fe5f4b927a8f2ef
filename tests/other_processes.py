"""Other processes: clients of a simulated engine, and the engine itself."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import circles
import pytest
from waits import eventually

ENDED = FileNotFoundError, ProcessLookupError
"""What /proc says of a process, or of a thread, that has just ended."""
CLIENT = """
import os, sys
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
def begin(runtime):
    global driver
    os.environ["XDG_RUNTIME_DIR"] = runtime
    driver = open_driver("fake")
for line in sys.stdin:
    try:
        print(repr(eval(line)), flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
"""


class Client:
    """Another process with a driver, which evaluates what it is asked."""

    def __init__(self) -> None:
        circles.require_mark()
        self._asked = 0
        """How much it has been told that it has not answered yet."""
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLIENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, expression: str) -> None:
        assert self.process.stdin is not None
        self._asked += 1
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        self._asked -= 1
        return self.process.stdout.readline().strip()

    def ask(self, expression: str) -> str:
        self.tell(expression)
        return self.answer()

    def begin(self) -> None:
        """Have a driver that has no device yet, in the present runtime directory."""
        assert self.ask(f"begin({os.environ['XDG_RUNTIME_DIR']!r})") == "None"

    def serves(self) -> bool:
        """Whether it could begin again, without a device."""
        if self.process.poll() is not None or self._asked or "T" in _states(self.process.pid):
            return False
        return self.ask("driver.engine.close_device()") == "None"

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def engine_processes(runtime: Path) -> list[int]:
    """The processes of engines whose sockets are in `runtime`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if f"{runtime}/".encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again at what another process does; it must come true."""
    eventually(condition, "what another process does")


def kill(process: int) -> None:
    """Kill the process, and wait until it holds no file and no lock any more.

    It does until its last thread has ended, for a moment after /proc shows no command line of it.
    """
    os.kill(process, signal.SIGKILL)

    wait_until(lambda: set(_states(process)) <= {"Z", "X"})


def suspend(process: int) -> None:
    """Suspend the process, and wait for that: its threads run on for a moment after the signal."""
    os.kill(process, signal.SIGSTOP)
    wait_until(lambda: set(_states(process)) == {"T"})


def _states(process: int) -> list[str]:
    """The states of its threads that have not ended, as proc(5) names them."""
    found = []
    with suppress(*ENDED):
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(*ENDED):
                stat = Path(f"/proc/{process}/task/{thread}/stat").read_text()
                found.append(stat.rpartition(")")[2].split()[0])
    return found


@contextmanager
def suspended(process: int) -> Iterator[None]:
    """The process is suspended inside, and goes on afterwards."""
    suspend(process)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def own_shared_memory(options: str = "rw") -> list[str]:
    """What a command begins with that shares no memory with other programs; `options` of mount."""
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    words += [f'mount -t tmpfs -o {options} none /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no shared memory of its own for a program: unshare may not make namespaces")
    return words
