"""What is wrong and what helps, in the terms of the panel."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wmx_ros2_package import panel
from wmx_ros2_package.client import MachineError, NoSystem, NotAnswered, Refused
from wmx_ros2_package.panel.advice import (
    NOT_ANSWERED,
    NOT_CONNECTED,
    OVERVIEW,
    PAUSED,
    advice,
    words,
)


@pytest.mark.parametrize(
    ("error", "what", "help"),
    [
        (NoSystem("no system is found", remedy="make run"), "no system is found", NOT_CONNECTED),
        (
            NotAnswered("it does not answer", remedy="wmx doctor"),
            "it does not answer",
            NOT_ANSWERED,
        ),
        (Refused("its servo is off", remedy="wmx on 0"), "its servo is off", OVERVIEW),
        (Refused("it is paused", code=-4, remedy="wmx resume"), "it is paused", PAUSED),
        (MachineError("it is no axis"), "it is no axis", ""),
        (ValueError("target: nothing is given"), "target: nothing is given", ""),
        (OSError(2, "No such file", "a.xml"), "a.xml: No such file", ""),
        (KeyError(), "KeyError", ""),
    ],
)
def test_no_command_of_a_terminal_is_shown(error: Exception, what: str, help: str) -> None:
    assert words(error) == what
    assert advice(error) == help


IN_A_TERMINAL = re.compile(r"\b(?:make|wmx|ros2|pip|bringup) [a-z]")
START = "Start one in a terminal:  make run ROBOT=arm"
"""What no page can do: there is no system."""


def texts_of_pages() -> Iterator[str]:
    """What pages may show: every text of the panel but docstrings, and but its command line."""
    folder = Path(panel.__file__).parent
    for path in {*folder.rglob("*.py")} - {folder / "command.py"}:
        nodes = [*ast.walk(ast.parse(path.read_text()))]
        said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        remedies = {
            id(each.value)
            for node in nodes
            if isinstance(node, ast.Call)
            for each in node.keywords
            if each.arg == "remedy"  # which `advice` takes the place of
        }
        for node in nodes:
            if isinstance(node, ast.Constant) and id(node) not in said | remedies:
                yield str(node.value)


def test_no_page_says_what_to_type_but_where_nothing_runs() -> None:
    texts = [*texts_of_pages()]
    assert START in texts
    assert [text for text in texts if IN_A_TERMINAL.search(text)] == [START]
