"""Programs forked from a process that has imported what the nodes are made of.

Each is a process of its own that runs what `main` runs, and ends as it does. What it leaves out is
what Python does before `main`, which takes half a second of processor time; tests of that start
programs as their users do, see `system.Place`.
"""

import atexit
import faulthandler
import json
import os
import runpy
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from wmx_ros2_package.node.discovery import VARIABLE_OF, variable

CAN_FORK = variable() == VARIABLE_OF["libfastdds.so"]
"""With Fast DDS 2, that of Humble and Jazzy, a forked process crashes as it ends."""

_POLL_PERIOD = 0.01
"""s."""
_NO_THREADS = {"OPENBLAS_NUM_THREADS": "1"}
"""Only the thread that forks is in the child; numpy starts others."""


class Forked:
    """A program of the package or a file of Python, with arguments; to be used like a Popen."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], output: Path
    ) -> None:
        self._name = Path(command[0]).name
        self._code: int | None = None
        self.pid: int = _nursery().ask([command, dict(environment), str(output)])

    def poll(self) -> int | None:
        if self._code is None:
            self._code = _nursery().ask(self.pid)
        return self._code

    def wait(self, timeout: float = float("inf")) -> int:
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self._name, timeout)
            time.sleep(_POLL_PERIOD)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(9)


class _Nursery:
    """The process that forks; it ends with this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            env=os.environ | _NO_THREADS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._one_at_a_time = threading.Lock()

    def ask(self, question: Any) -> Any:
        """A new process's id for what it is to be; for its id its exit code once it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._one_at_a_time:
            print(json.dumps(question), file=self._process.stdin, flush=True)
            return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """It ends as soon as nobody can ask it any more."""
        for pipe in self._process.stdin, self._process.stdout:
            assert pipe is not None
            pipe.close()
        self._process.wait()


@cache
def _nursery() -> _Nursery:
    nursery = _Nursery()
    atexit.register(nursery.close)
    return nursery


# The process that forks


def _serve() -> None:
    for module in _modules():
        with suppress(ModuleNotFoundError):  # without control_msgs
            import_module(module)
    for line in sys.stdin:
        question = json.loads(line)
        answer = _exit_code(question) if isinstance(question, int) else _fork(*question)
        print(json.dumps(answer), flush=True)


def _modules() -> list[str]:
    """What the nodes are made of."""
    package = "wmx_ros2_package"
    nodes = import_module(f"{package}.executables").NODES
    return [f"{package}.commands.bringup", *(f"{package}.{module}" for module in nodes.values())]


def _exit_code(pid: int) -> int | None:
    if pid not in _ended:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            _ended[pid] = os.waitstatus_to_exitcode(status)
    return _ended.get(pid)


_ended: dict[int, int] = {}
"""The exit codes of processes that have ended."""


def _fork(command: list[str], environment: dict[str, str], output: str) -> int:
    with open(os.devnull) as nothing, open(output, "wb") as file:
        pid = os.fork()
        if pid == 0:
            os.dup2(nothing.fileno(), 0)
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            _become(command, environment)
    _ended.pop(pid, None)
    return pid


def _become(command: list[str], environment: dict[str, str]) -> None:
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    faulthandler.enable()
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    code = 0
    try:
        if command[0].endswith(".py"):
            runpy.run_path(command[0], run_name="__main__")
        else:
            programs = import_module("wmx_ros2_package.programs")
            code = programs.run(Path(command[0]).name)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    import_module("wmx_ros2_package.programs").end(code)


if __name__ == "__main__":
    _serve()
