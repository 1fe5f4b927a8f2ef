"""Format, style, types and layers, judged by the versions of the tools that are pinned."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PINS = dict(re.findall(r"^([\w-]+)==(\S+)$", (TOP / "constraints.txt").read_text(), re.MULTILINE))

CHECKS = {
    "style": ("ruff", "-m", "ruff", "check"),
    "format": ("ruff", "-m", "ruff", "format", "--check", "--diff"),
    "types": ("mypy", "-m", "mypy"),
    "layers": ("import-linter", "-c", "from importlinter.cli import *; lint_imports_command()"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_style(check: str) -> None:
    tool, *command = CHECKS[check]
    try:
        installed = metadata.version(tool)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{tool} is not installed")
    if installed != PINS[tool]:
        pytest.skip(f"{tool} is {installed}, the code is written for {PINS[tool]}")
    done = subprocess.run([sys.executable, *command], cwd=TOP, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
