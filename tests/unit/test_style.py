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
    # files of other programs, before there is a node
    "wmx_ros2_package/node_base/domain/discovery.py",
    "wmx_ros2_package/trajectories/kept_yaml.py",  # locks of other programs
    "wmx_ros2_package/cli/terminal.py",  # what a person sees move
    "wmx_ros2_package/cli/first_contact/call_log.py",  # how long calls take on this machine
    "wmx_ros2_package/cli/first_contact/other_process.py",
    "wmx_ros2_package/cli/first_contact/read_only.py",
}
"""What asks this machine for the time."""


def asked(path: Path, names: dict[str, set[str]]) -> set[str]:
    """What a file takes of these `names` of modules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {node.attr} & names.get(node.value.id, set())
        elif isinstance(node, ast.ImportFrom):
            found |= {each.name for each in node.names} & names.get(node.module or "", set())
    return found


def test_who_asks_for_the_time_is_handed_a_clock() -> None:
    """But for the panel, and what holds the time."""
    names = {
        "time": {"monotonic", "monotonic_ns", "time_ns", "sleep"},
        "threading": {"Event", "Condition", "Timer"},
    }
    package = TOP / "wmx_ros2_package"
    found = {
        str(path.relative_to(package))
        for room in ("wmx_core", "wmx3", "wmx_ros2_package")
        for path in (package / room).glob("**/*.py")
        if asked(path, names)
    }
    others = "wmx_ros2_package/panel/", "wmx_ros2_package/testing/"
    assert {path for path in found if not path.startswith(others)} == OF_THE_MACHINE


THIRD_CIRCLE = "integration/", "panel/"
PANEL = "unit/panel/"
"""The panel asks this machine for the time, and so do its tests."""
OF_PROGRAMS = {
    "contract/engines.py",  # cycles of an engine that runs by itself
    "fault_injection.py",
    "joystick.py",
    "launches.py",
    "sdk/test_programs.py",  # whose time stands still
    "sdk_binding/test_binding_functions.py",  # two threads of C
    "system.py",
    "unit/sim/server/test_broken_connections.py",  # nothing comes by a socket for a while
    "unit/sim/server/test_faults_in_motion.py",
    "unit/sim/server/test_one_engine.py",
}
"""What tests programs and the C of other people, in real time."""


def test_no_test_sleeps() -> None:
    """It waits for what happens, by a clock that is handed to it: nothing replaces Python's."""
    names = {"time": {"monotonic", "monotonic_ns", "sleep"}, "STEADY": {"sleep"}}
    found = {
        str(path.relative_to(TOP / "tests"))
        for path in (TOP / "tests").glob("**/*.py")
        if asked(path, names)
    }
    assert {path for path in found if not path.startswith((*THIRD_CIRCLE, PANEL))} == OF_PROGRAMS
