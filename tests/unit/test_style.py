"""What no tool of `make lint` looks for."""

import ast
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_nothing_that_old_numpy_lacks() -> None:
    """`np.dtype[...]` and `np.ndarray[...]` outside quotes need NumPy 1.22; Humble has 1.21."""
    texts = {
        path: text
        for folder in ("wmx_ros2_package", "tests")
        for path in (TOP / folder).glob("**/*.py")
        if re.search(r"np\.(dtype|ndarray)\[", text := path.read_text())
    }
    assert texts, "within quotes they are used"
    found = [
        f"{path.relative_to(TOP)}:{node.lineno}"
        for path, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("np.dtype", "np.ndarray")
    ]
    assert found == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their names alone."""
    names = [path.name for path in (TOP / "tests").glob("**/test_*.py")]
    assert sorted(name for name in {*names} if names.count(name) > 1) == []


OF_THE_MACHINE = {
    "wmx_core/clock.py",
    "wmx_ros2_package/node_base/discovery.py",  # files of other programs, before there is a node
    "wmx_ros2_package/trajectories/kept_yaml.py",  # locks of other programs
    "wmx_ros2_package/cli/terminal.py",  # what a person sees move
    "wmx_ros2_package/cli/first_contact/call_log.py",  # how long calls take on this machine
    "wmx_ros2_package/cli/first_contact/other_process.py",
    "wmx_ros2_package/cli/first_contact/read_only.py",
}
"""What asks this machine for the time."""


def test_who_asks_for_the_time_is_handed_a_clock() -> None:
    """But for the panel, and what holds the time."""
    asked = {"time": {"monotonic", "monotonic_ns", "time_ns", "sleep"}}
    asked["threading"] = {"Event", "Condition", "Timer"}
    found = set()
    for room in "wmx_core", "wmx3", "wmx_ros2_package":
        for path in (TOP / "wmx_ros2_package" / room).glob("**/*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names: set[str] = set()
                if isinstance(node, ast.Attribute):
                    names = {node.attr} & asked.get(ast.unparse(node.value), set())
                elif isinstance(node, ast.ImportFrom):
                    names = {each.name for each in node.names} & asked.get(node.module or "", set())
                if names:
                    found.add(str(path.relative_to(TOP / "wmx_ros2_package")))
    others = "wmx_ros2_package/panel/", "wmx_ros2_package/testing/"
    assert {path for path in found if not path.startswith(others)} == OF_THE_MACHINE
