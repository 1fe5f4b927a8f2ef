"""The package stands alone: it names what it imports, and holds what it reads."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "wmx_ros2_package"
KEY_OF = {
    "argcomplete": "python3-argcomplete",
    "hypothesis": "python3-hypothesis",
    "matplotlib": "python3-matplotlib",
    "msgpack": "python3-msgpack",
    "numpy": "python3-numpy",
    "pytest": "python3-pytest",
    "rich": "python3-rich",
    "scipy": "python3-scipy",
    "xdist": "python3-pytest-xdist",
    "yaml": "python3-yaml",
}
"""Where rosdep's name is not that of the module."""
OURS = PACKAGE.name, "wmx_core", "wmx_sim", "wmx3", "wmx3_sim"
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


NOT_IMPORTED = {
    "robot_state_publisher": "launch files start it",
    "ros2launch": "people type `ros2 launch`",
    "scipy": "tests take it where it is installed",
    "tf2_msgs": "its message is imported by its name where a base publishes tf",
    "xdist": "the Makefile runs several tests at a time with it",
}
"""What package.xml names beside the modules that are imported, and why."""
PLACES = *(PACKAGE / name for name in OURS), TOP / "launch"


def named(kinds: str) -> set[str]:
    """What package.xml asks for, of these kinds."""
    text = (PACKAGE / "package.xml").read_text()
    return set(re.findall(rf"<(?:{kinds})(?: [^>]*)?>([^<]+)<", text))


def keys(modules: Iterable[str]) -> set[str]:
    """What rosdep calls these modules."""
    return {KEY_OF.get(module, module) for module in modules}


@pytest.mark.parametrize("folder", PLACES, ids=lambda folder: folder.name)
def test_it_names_what_is_imported(folder: Path) -> None:
    modules = {*imported(folder)}
    assert modules
    others = modules - {*sys.stdlib_module_names, *OURS, *OPTIONAL}
    assert sorted(keys(others) - named("depend|exec_depend")) == []


def test_it_names_nothing_else() -> None:
    imports = {module for folder in (*PLACES, TOP / "tests") for module in imported(folder)}
    asked = named("depend|exec_depend|test_depend") - {"wmx_ros2_message"}
    assert sorted(asked - keys({*imports, *NOT_IMPORTED})) == []
    assert sorted({*NOT_IMPORTED} & imports) == []


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
    cmake = (TOP / "wmx_sdk_binding" / "CMakeLists.txt").read_text()
    found["CMakeLists.txt"] = re.findall(r"^project\(.* VERSION (\S+)", cmake, re.MULTILINE)
    assert len({*map(tuple, found.values())}) == 1, found


@pytest.mark.skipif(not shutil.which("colcon"), reason="there is no colcon")
def test_a_workspace_finds_three_packages() -> None:
    """What the tests compile for themselves has files of CMake too, and is no package."""
    command = ["colcon", "--log-base", "/dev/null", "list", "--names-only", "--base-paths", TOP]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["wmx_ros2_message", "wmx_ros2_package", "wmx_sdk_binding"]


@pytest.mark.parametrize(
    "program", [*TOP.glob("benchmarks/*.py"), *TOP.glob("examples/**/*.py")], ids=lambda p: p.stem
)
def test_what_programs_beside_it_take_of_it_is_there(program: Path) -> None:
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
            module = import_module(node.module or "")
            for alias in node.names:
                assert hasattr(module, alias.name) or find_spec(f"{node.module}.{alias.name}")
