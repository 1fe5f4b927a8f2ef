"""Processes of our own execute no file of the folder in which they are started."""

import subprocess
import sys
from pathlib import Path

import pytest

from wmx_core.module_command import NOT_FROM_HERE, module_command

MODULE = "import json, sys; print(json.dumps([__name__, *sys.argv[1:]]))"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of the name of a library; beside it a module."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "json.py").write_text("raise SystemExit('foreign')")
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "ours.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(modules))
    monkeypatch.chdir(folder)
    return folder


def printed(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip()


def test_the_folder_has_a_file_that_is_not_meant() -> None:
    assert printed([sys.executable, "-m", "ours"]) == "foreign"


@pytest.mark.parametrize("version", [sys.version_info, (3, 10)], ids=["this Python", "3.10"])
def test_a_module_runs_with_its_words(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version_info", version)
        command = module_command("ours", "a word", "-x")
    assert printed(command) == '["__main__", "a word", "-x"]'


def test_a_program_in_words_does_not_import_it() -> None:
    assert printed([sys.executable, "-c", NOT_FROM_HERE + MODULE, "a"]) == '["__main__", "a"]'
