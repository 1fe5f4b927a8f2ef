"""`python3 -m wmx_sim` and `python3 -m wmx_sim.compare`, given what is not there."""

import subprocess
import sys
from pathlib import Path

import pytest

from wmx_sim import __main__ as runner
from wmx_sim.compare import __main__ as compare
from wmx_sim.compare import programs


@pytest.mark.parametrize(
    ("main", "missing", "kind"), [(runner.main, "no.py", "file"), (compare.main, "no", "folder")]
)
def test_what_is_not_there_is_said_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: object,
    missing: str,
    kind: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["wmx_sim", str(tmp_path / missing)])
    assert callable(main)
    assert main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.endswith(f"there is no {kind} {tmp_path / missing}")


def test_logs_that_have_no_folder_are_refused_before_the_program_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program, logs = tmp_path / "program.py", tmp_path / "logs"
    program.write_text("print('ran')")
    monkeypatch.setattr(sys, "argv", ["wmx_sim", str(program), "--logs", str(logs)])
    assert runner.main() == 2
    assert capsys.readouterr() == ("", f"wmx_sim: there is no folder {logs}\n")


@pytest.mark.parametrize("name", ["wmx_sim", "wmx3_sim"])
def test_it_runs_under_its_name_and_the_former_one(tmp_path: Path, name: str) -> None:
    program = tmp_path / "program.py"
    program.write_text("import WMX3ApiPython\nprint('ran')\n")
    done = subprocess.run(
        [sys.executable, "-m", name, str(program), "--fast"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert done.stderr == "wmx_sim: 0.000 s of engine time; no axis was switched on\n"


@pytest.mark.parametrize("name", ["wmx_sim.compare", "wmx3_sim.compare"])
def test_programs_are_compared_under_both_names(tmp_path: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", name, str(tmp_path)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("0 programs:")


@pytest.mark.long
def test_a_program_that_hangs_keeps_no_other_from_being_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "TIMEOUT", 10.0)
    sdk = "import WMX3ApiPython\n"
    (tmp_path / "a.py").write_text(sdk + "import threading\nthreading.Event().wait()")
    (tmp_path / "b.py").write_text(sdk + "raise ValueError('it ran')")
    (tmp_path / "c.py").write_text(sdk + "import os\nos._exit(3)")
    first, second, third = programs.outcomes(tmp_path, 1)
    assert first == ("a.py", "no log", "not done within 10 s")
    assert second == ("b.py", "no log", "ValueError: it ran")
    assert third == ("c.py", "no log", "its process has ended")


def test_the_former_name_can_be_imported() -> None:
    code = (
        "import wmx3_sim\nfrom wmx3_sim.run import run\nfrom wmx3_sim.runtime import Runtime\n"
        "import wmx_sim.sdk.program\nassert run is wmx_sim.sdk.program.run is wmx3_sim.run.run"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
