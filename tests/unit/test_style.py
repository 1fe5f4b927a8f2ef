"""What no tool of `make lint` looks for."""

import ast
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_nothing_that_old_numpy_lacks() -> None:
    """`np.dtype[...]` and `np.ndarray[...]` outside quotes need NumPy 1.22; Humble has 1.21."""
    found = [
        f"{path.relative_to(TOP)}:{node.lineno}"
        for folder in ("wmx_ros2_package", "tests")
        for path in (TOP / folder).glob("**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("np.dtype", "np.ndarray")
    ]
    assert found == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their names alone."""
    names = [path.name for path in (TOP / "tests").glob("**/test_*.py")]
    assert sorted(name for name in {*names} if names.count(name) > 1) == []


def test_who_asks_for_the_time_is_handed_a_clock() -> None:
    """But for what waits for files of other programs before there is a node."""
    asked = {"time": {"monotonic", "monotonic_ns", "time_ns", "sleep"}}
    asked["threading"] = {"Event", "Condition", "Timer"}
    package = TOP / "wmx_ros2_package" / "wmx_ros2_package"
    rooms = "control", "node_base", "nodes", "client", "recordings"
    found = []
    for path in {*package.glob("**/*.py")} - {package / "node_base" / "discovery.py"}:
        if path.relative_to(package).parts[0] in rooms:
            for node in ast.walk(ast.parse(path.read_text())):
                names: set[str] = set()
                if isinstance(node, ast.Attribute):
                    names = {node.attr} & asked.get(ast.unparse(node.value), set())
                elif isinstance(node, ast.ImportFrom):
                    names = {each.name for each in node.names} & asked.get(node.module or "", set())
                found += [f"{path.relative_to(package)}: {name}" for name in names]
    assert sorted(found) == []
