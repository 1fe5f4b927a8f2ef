"""Runs the package's executables.

Each handles signals before it imports what it runs, which takes a second.
"""

import ctypes
import io
import os
import signal
import stat
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from .cli.interrupts import die_of_interrupt
from .executables import (
    ALIASES,
    COMMANDS,
    CONTROL_MSGS_MISSING,
    ELSEWHERE,
    NODES,
    SERVING,
    lacks_control_msgs,
)

INTERRUPTED = 128 + signal.SIGINT
"""The exit code of a command that was asked to end before what it was asked for was done."""
NO_ROS = "it needs ROS 2 and the messages of this package; `wmx doctor` says more"


def main() -> NoReturn:
    """Run the program by whose name this process was started."""
    name = Path(sys.argv[0]).name
    end(run(name))


def run(name: str) -> int:
    """Run the program `name`; its exit code."""
    if name in ELSEWHERE:
        from .diagnosis.typed_commands import as_typed

        exit_code, text = ELSEWHERE[name]
        print(f"{name}: {as_typed(text)}", file=sys.stderr)
        return exit_code
    if name in ALIASES:
        sys.argv[1:1] = [ALIASES[name]]
        name = "wmx"
    module = {**NODES, **COMMANDS}[name]
    _end_at_once(0 if name in NODES or name in SERVING else INTERRUPTED)
    _open_missing_streams()
    if name in NODES or name in SERVING:
        _never_wait_for_the_log()
    try:
        program = import_module(f"{__package__}.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __package__:
            raise
        text = (
            CONTROL_MSGS_MISSING
            if lacks_control_msgs(error)
            else f"{error.name} is missing: {NO_ROS}"
        )
        print(f"{name}: {text}", file=sys.stderr)
        return 1
    if name in NODES:
        from .node_base.kind import Kinds
        from .node_base.runner import run as run_nodes

        return run_nodes({name: program.KIND}, others=Kinds())
    code: int = program.main()
    return code


def end(code: int) -> NoReturn:
    """End the process at once, with its nodes gone, without taking the rest of it apart.

    For that Python and the middleware need a third of a second, half of it processor time, and
    the middleware may hang.
    """
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):  # its reader has gone, or it is closed
            stream.flush()
    ctypes.CDLL(None).fflush(None)  # what the C library has kept back
    _leave(code)


def _leave(code: int) -> NoReturn:
    if code == INTERRUPTED:
        die_of_interrupt()
    os._exit(code)


def _end_at_once(code: int) -> None:
    """From now on SIGINT, SIGTERM and SIGHUP end it quietly, until something better handles them.

    Nothing has begun before the program is imported, so nothing has to be stopped. The exit `code`
    is that with which they end it later.
    """

    def end_now(_number: int, _frame: FrameType | None) -> None:
        _leave(code)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_now)
    # So does that of a terminal which is closed, unless it is ignored, as `nohup` asks for.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, end_now)


def _open_missing_streams() -> None:
    """Let a program that was started without some of them read nothing, and write into nothing."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            file = os.open(os.devnull, os.O_RDWR)
            if file != number:
                os.dup2(file, number)
                os.close(file)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, buffering=1, closefd=False))  # noqa: SIM115


def _never_wait_for_the_log() -> None:
    """Let lines of the log be lost rather than time, where nobody takes them.

    The log is written with Python's lock held. A terminal after Ctrl-S, or a pipe whose reader
    stands, kept every thread waiting, and with it each stop. What is opened anew does not wait,
    and nothing changes for the shell, whose terminal it is as well. Where the reader has gone, or
    the disk is full, the thread that wrote ended, and with it all that it served.
    """
    _never_wait_for(2, "stderr")
    if os.environ.get("RCUTILS_LOGGING_USE_STDOUT") == "1":
        _never_wait_for(1, "stdout")


def _never_wait_for(number: int, name: str) -> None:
    if stat.S_ISFIFO(os.fstat(number).st_mode) or os.isatty(number):
        with suppress(OSError):  # of another user, as after sudo or su
            own = os.open(f"/proc/self/fd/{number}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            os.dup2(own, number)
            os.close(own)
    stream = io.TextIOWrapper(
        _Lossy(number, "w", closefd=False), errors="backslashreplace", write_through=True
    )
    setattr(sys, name, stream)


class _Lossy(io.FileIO):
    """A file that loses what it cannot write, or cannot write at once."""

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        try:
            written = super().write(data)
        except OSError:
            return size
        return size if written is None else written
