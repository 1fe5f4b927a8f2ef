"""Every command of motion is tried with the engine in a process of its own, each time."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from wmx_core.interface import Motion

HERE = Path(__file__).parent


def marked() -> Iterator[str]:
    """The commands that tests are marked to try."""
    for path in HERE.glob("test_contract_motion_*.py"):
        for test in vars(import_module(path.stem)).values():
            for mark in getattr(test, "pytestmark", ()):
                yield from mark.args if mark.name == "over_process" else ()


def test_there_is_one_test_for_each_command() -> None:
    commands = {name for name in vars(Motion) if not name.startswith("_")} - {"status"}
    assert sorted(marked()) == sorted(commands)
