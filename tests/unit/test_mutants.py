"""The changes with which scripts/mutants.py asks whether the tests would notice."""

import ast
import runpy
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
ENGINE = TOP / "wmx_ros2_package/wmx_sim/engine"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(TOP / "scripts/mutants.py"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a < b", ["(a <= b)"]),
        ("é = a - b", ["é = (a + b)"]),
        ("if a and not b:\n    c()", ["if (a or (not b)):\n    c()", "if a and (b):\n    c()"]),
        ("x += y", ["pass"]),
        ("agenda.clear()", ["pass"]),
        ("v = 2.5", ["v = (3.5)"]),
        ("v: Literal[3] = True", ["v: Literal[3] = (False)"]),
        ('"""Words with 3 of < and +."""', []),
        ("raise ValueError(a + b)", []),
        ("c = a if b else 'é'", ["c = ('é' if b else a)"]),
    ],
)
def test_one_place_says_something_else(script: dict[str, Any], old: str, new: list[str]) -> None:
    made = [mutant.text for mutant in script["mutants"](Path("file.py"), old)]
    expected = [ast.unparse(ast.parse(text)) for text in new]
    assert {ast.unparse(ast.parse(text)) for text in made} >= set(expected)
    assert bool(made) is bool(new)


def test_every_mutant_of_the_engine_is_another_program(script: dict[str, Any]) -> None:
    count = 0
    for path in (ENGINE / "motion").glob("*.py"):
        text = path.read_text()
        whole = ast.unparse(ast.parse(text))
        for mutant in list(script["mutants"](path, text))[::7]:
            assert ast.unparse(ast.parse(mutant.text)) != whole, mutant
            count += 1
    assert count > 100
