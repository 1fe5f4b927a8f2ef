"""`python -m wmx3_sim` and `python -m wmx3_sim.compare`, given what is not there."""

import sys
from pathlib import Path

import pytest

from wmx3_sim import __main__ as runner
from wmx3_sim import compare


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
    monkeypatch.setattr(sys, "argv", ["wmx3_sim", str(tmp_path / missing)])
    assert callable(main)
    assert main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.endswith(f"there is no {kind} {tmp_path / missing}")


def test_a_program_that_is_there_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text("import WMX3ApiPython\n")
    monkeypatch.setattr(sys, "argv", ["wmx3_sim", str(program), "--fast"])
    assert runner.main() == 0
