"""Runs a program for the vendor's SDK over a simulated engine of its own."""

import runpy
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from .module import build
from .not_simulated import NotSimulated, on_stderr
from .runtime import Runtime

MODULE = "WMX3ApiPython"


def run(
    program: Path,
    *,
    fast: bool,
    logs: Path,
    limit: float = 3600.0,
    missing: NotSimulated | None = None,
    to_rest: bool = False,
    runtime: Runtime | None = None,
    arguments: Sequence[str] = (),
) -> None:
    """Run `program`, whose logs go to the folder `logs`; `missing` notes what is not simulated.

    It finds the modules beside it, and `arguments` in sys.argv, as where Python alone runs it. With
    `to_rest` logs continue until nothing moves. A `runtime` that is given can be read then.

    Whatever the program raises is raised, after its logs were written, by Ctrl-C at once.
    """
    runtime = runtime or Runtime(fast=fast, limit=limit)
    module = build(runtime, missing or on_stderr())
    runtime.folder, runtime.logs_to_rest = logs, to_rest
    with _in_place(module, runtime), _started_as(program, arguments):
        try:
            runpy.run_path(str(program), run_name="__main__")
        except KeyboardInterrupt:
            runtime.close()  # at once: a jog would go on for as long as logs may
            raise
        finally:
            runtime.end()


@contextmanager
def _started_as(program: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Let sys.path and sys.argv be those that Python gives to `program`."""
    path, argv = [*sys.path], sys.argv
    sys.path.insert(0, str(program.resolve().parent))
    sys.argv = [str(program), *arguments]
    try:
        yield
    finally:
        sys.path[:], sys.argv = path, argv


@contextmanager
def _in_place(module: ModuleType, runtime: Runtime) -> Iterator[None]:
    """Return `import WMX3ApiPython` finds `module`, and a sleep lets the engine's time pass."""
    before, sleep = sys.modules.get(MODULE), time.sleep
    sys.modules[MODULE] = module
    time.sleep = runtime.sleep  # type: ignore[assignment]
    try:
        yield
    finally:
        time.sleep = sleep
        if before is None:
            del sys.modules[MODULE]
        else:
            sys.modules[MODULE] = before
