"""The package stands alone: it names what it imports, and holds what it reads."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "wmx_ros2_package"
KEY_OF = {
    "matplotlib": "python3-matplotlib",
    "argcomplete": "python3-argcomplete",
    "msgpack": "python3-msgpack",
    "numpy": "python3-numpy",
    "rich": "python3-rich",
    "yaml": "python3-yaml",
}
"""Where rosdep's name is not that of the module."""
OURS = PACKAGE.name, "wmx_core", "wmx_sim", "wmx3"
OPTIONAL = "fastapi", "mcap", "nicegui", "pytest", "starlette", "uvicorn"
"""What an error names where it is missing: for recordings, for tests of programs, and for the panel
(what serves it comes with NiceGUI, which is an extra of setup.py)."""


def imported(folder: Path) -> Iterator[str]:
    """The top-level modules that the files of a folder import, absolutely and by name."""
    for path in folder.glob("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield node.module.partition(".")[0]


@pytest.mark.parametrize(
    ("folder", "kinds"),
    [
        (PACKAGE / PACKAGE.name, "depend|exec_depend"),
        (PACKAGE / "wmx_core", "depend|exec_depend"),
        (PACKAGE / "wmx_sim", "depend|exec_depend"),
        (PACKAGE / "wmx3", "depend|exec_depend"),
        (TOP / "launch", "depend|exec_depend"),
    ],
    ids=["package", "core", "simulator", "vendor", "launch"],
)
def test_it_names_what_is_imported(folder: Path, kinds: str) -> None:
    text = (PACKAGE / "package.xml").read_text()
    named = set(re.findall(rf"<(?:{kinds})(?: [^>]*)?>([^<]+)<", text))
    modules = {*imported(folder)} - {*sys.stdlib_module_names, *OURS, *OPTIONAL}
    assert modules
    assert sorted({KEY_OF.get(module, module) for module in modules} - named) == []


def test_all_but_the_tests_is_inside() -> None:
    """Tools that copy the package alone lose what a link outside leads to."""
    links = [path for path in PACKAGE.rglob("*") if path.is_symlink()]
    outside = [link.name for link in links if not link.resolve().is_relative_to(PACKAGE)]
    assert outside == ["tests"]


@pytest.mark.parametrize("package", ["wmx_ros2_message", "wmx_ros2_package", "wmx_sdk_binding"])
def test_each_package_has_the_licence(package: str) -> None:
    """Each is given away alone, and the licence asks to go with it."""
    assert (TOP / package / "LICENSE").read_text() == (TOP / "LICENSE").read_text()


def test_all_packages_have_one_version() -> None:
    found = {}
    for package in "wmx_ros2_message", "wmx_ros2_package", "wmx_sdk_binding":
        text = (TOP / package / "package.xml").read_text()
        found[package] = re.findall(r"<version>(.+)</version>", text)
        changes = (TOP / package / "CHANGELOG.rst").read_text()
        found[f"changes of {package}"] = re.findall(r"^(\d\S+) \(", changes, re.MULTILINE)[:1]
    setup = (PACKAGE / "setup.py").read_text()
    found["setup.py"] = re.findall(r'^    version="(.+)",$', setup, re.MULTILINE)
    assert len({*map(tuple, found.values())}) == 1, found


@pytest.mark.skipif(not shutil.which("colcon"), reason="there is no colcon")
def test_a_workspace_finds_three_packages() -> None:
    """What the tests compile for themselves has files of CMake too, and is no package."""
    command = ["colcon", "--log-base", "/dev/null", "list", "--names-only", "--base-paths", TOP]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["wmx_ros2_message", "wmx_ros2_package", "wmx_sdk_binding"]
