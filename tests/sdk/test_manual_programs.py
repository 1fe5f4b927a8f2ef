"""What the manual shows a new user runs over the simulated SDK, and over the binding to it."""

import ctypes
import runpy
import sys
import time
from pathlib import Path

import pytest
from manual_programs import CHAPTERS, program
from sdk_headers import build

from wmx_sim.sdk.module import build as build_sdk
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.program import run
from wmx_sim.sdk.runtime import Runtime


def nothing_missing() -> NotSimulated:
    return NotSimulated(lambda line: pytest.fail(line))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_over_the_simulated_sdk(tmp_path: Path, chapter: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(program(chapter))
    run(file, fast=True, logs=tmp_path, limit=120.0, missing=nothing_missing())


@pytest.mark.process  # compiles, the first time
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_over_the_binding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chapter: str) -> None:
    """Which hands each call to the simulated SDK, behind the declarations for C++."""
    if lacking := build.missing():
        pytest.skip(lacking)
    file, runtime = tmp_path / "program.py", Runtime(fast=True, limit=120.0, newer=True)
    file.write_text(program(chapter))
    binding = build.binding(build.EDITIONS[-1])
    library = ctypes.PyDLL(str(build.built(build.EDITIONS[-1]) / "sdk" / "lib" / "libwmx3api.so"))
    library.stand_in_connect(ctypes.py_object(build_sdk(runtime, nothing_missing())))
    monkeypatch.setitem(sys.modules, "WMX3ApiPython", binding)
    monkeypatch.setattr(time, "sleep", runtime.sleep)
    runpy.run_path(str(file), run_name="__main__")
