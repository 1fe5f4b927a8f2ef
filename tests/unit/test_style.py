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
