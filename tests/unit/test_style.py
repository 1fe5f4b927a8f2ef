"""Format, style, types and layers, judged by the versions of the tools that are pinned."""

import ast
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PINS = {
    name: pinned
    for file in ("constraints.txt", "wheels/kilted.txt")
    for name, pinned in re.findall(r"^([\w-]+)==(\S+)$", (TOP / file).read_text(), re.MULTILINE)
}

CHECKS = {
    "style": (["ruff"], "-m", "ruff", "check"),
    "format": (["ruff"], "-m", "ruff", "format", "--check", "--diff"),
    # The rclpy of Jazzy says the types of hardly anything.
    "types": (["mypy", "ros-rclpy"], "-m", "mypy"),
    "layers": (["import-linter"], "-c", "from importlinter.cli import *; lint_imports_command()"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_style(check: str) -> None:
    tools, *command = CHECKS[check]
    for tool in tools:
        try:
            installed = metadata.version(tool)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{tool} is not installed")
        if installed != PINS[tool]:
            pytest.skip(f"{tool} is {installed}, the code is checked with {PINS[tool]}")
    done = subprocess.run([sys.executable, *command], cwd=TOP, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_that_old_numpy_lacks() -> None:
    """`np.dtype[...]` and `np.ndarray[...]` outside quotes need NumPy 1.22; Humble has 1.21."""
    found = [
        f"{path.relative_to(TOP)}:{node.lineno}"
        for path in (TOP / "wmx_ros2_package/wmx_ros2_package").glob("**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("np.dtype", "np.ndarray")
    ]
    assert found == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their names alone."""
    names = [path.name for path in (TOP / "tests").glob("**/test_*.py")]
    assert sorted(name for name in {*names} if names.count(name) > 1) == []
