"""Runs programs and compares the logs that they write with those of the real engine (`traces`).

Each program runs in a process of its own, as fast as it can be computed.
"""

import multiprocessing
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from math import ceil
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, cast

from ..sdk.not_simulated import NotSimulated
from ..sdk.program import MODULE, run
from ..sdk.runtime import Runtime
from .comparable import before_the_next, other_program, raced
from .traces import Trace, ends_moving, first_difference, read_trace, without_cruises

_UNKNOWN = re.compile(r"NameError: name '([A-Z]\w+)'")
"""How a program ends that uses a class which is not there."""
CUT = "as far as the log there goes"
LIMIT = 90.0
"""Engine time that a program may take, s."""
# From one without threads: what is forked beside them may wait for ever for a lock that they held.
_OTHER_PROCESSES = multiprocessing.get_context("forkserver")
TIMEOUT = 120.0
"""Real time that it may take, s."""


class Outcome(NamedTuple):
    """What became of one program."""

    program: str
    verdict: str
    """equal, different, not comparable, not simulated, or no log."""
    detail: str = ""


def compare(program: Path) -> Outcome:
    """Run `program` and compare its logs with those beside it."""
    with tempfile.TemporaryDirectory() as folder:
        logs, missing = Path(folder), NotSimulated(lambda _: None)
        runtime = Runtime(fast=True, limit=LIMIT)
        ended = _ended(program, logs, missing, runtime)
        if missing.names:
            return Outcome(program.name, "not simulated", ", ".join(missing.names))
        written = [path for path in logs.iterdir() if (program.parent / path.name).exists()]
        if not written:
            return Outcome(program.name, "no log", ended)
        jogs = "StartJog" in program.read_text(errors="replace")
        notes = []
        for path in written:
            ours, theirs = read_trace(path), before_the_next(read_trace(program.parent / path.name))
            verdict, note = _judge(ours, theirs, jogs=jogs, acted=runtime.acted)
            if verdict == "different" and (unknown := _UNKNOWN.match(ended)):
                return Outcome(program.name, "not simulated", unknown[1])
            if verdict != "equal":
                return Outcome(program.name, verdict, f"{note} {ended}".strip())
            notes.append(note)
    return Outcome(program.name, "equal", " ".join([*filter(None, notes), ended]).strip())


def _tell_outcome(answer: Connection, program: Path) -> None:
    """Send the outcome of `program`. Ctrl-C ends this process, and its parent says so."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.alarm(ceil(TIMEOUT) + 5)  # where nobody is left who would end it
    answer.send(compare(program))


def _ended(program: Path, logs: Path, missing: NotSimulated, runtime: Runtime) -> str:
    """Run `program`; what it ended with, if not as it should."""
    try:
        with open(os.devnull, "w") as to, redirect_stdout(to), redirect_stderr(to):
            run(program, fast=True, logs=logs, missing=missing, to_rest=True, runtime=runtime)
    except SystemExit as ended_early:
        return str(ended_early)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _judge(ours: Trace, theirs: Trace, *, jogs: bool, acted: bool) -> tuple[str, str]:
    """Return the verdict about two logs, and a note on it."""
    differences = [first_difference(ours, theirs)]
    if jogs:
        # Where a cruise ends is seen no sharper than the decimals of a log let it be.
        differences = [
            first_difference(without_cruises(ours, here), without_cruises(theirs, there))
            for here, there in ((0, 0), (0, 1), (1, 0), (0, 2), (2, 0))
        ]
    if None in differences:
        return "equal", CUT if ends_moving(theirs) else ""
    reason = other_program(ours, theirs) or raced(ours, theirs, jogs=jogs, acted=acted)
    if reason:
        return "not comparable", reason
    return "different", str(differences[0])


def programs(folder: Path) -> Iterator[Path]:
    """Return the programs of `folder` that import the SDK."""
    for path in sorted(folder.glob("*.py")):
        if MODULE in path.read_text(errors="replace"):
            yield path


def outcomes(folder: Path, processes: int) -> Iterator[Outcome]:
    """Return what becomes of every program, in order. Who closes this early ends those that run."""
    _OTHER_PROCESSES.set_forkserver_preload([__name__])
    running: set[BaseProcess] = set()
    with ThreadPoolExecutor(processes) as pool:
        try:
            yield from pool.map(partial(_outcome, running), programs(folder))
        finally:
            for process in [*running]:
                process.kill()


def _outcome(running: set[BaseProcess], program: Path) -> Outcome:
    """Compare `program` in a process of its own, and end that where it is not done in time."""
    answer, theirs = _OTHER_PROCESSES.Pipe(duplex=False)
    process = _OTHER_PROCESSES.Process(target=_tell_outcome, args=(theirs, program))
    with answer:
        with theirs:
            process.start()
        running.add(process)
        try:
            if answer.poll(TIMEOUT):
                return cast(Outcome, answer.recv())
            return Outcome(program.name, "no log", f"not done within {TIMEOUT:g} s")
        except EOFError:
            return Outcome(program.name, "no log", "its process has ended")
        finally:
            process.kill()
            process.join()
            running.remove(process)
