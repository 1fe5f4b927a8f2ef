"""A test that has the machine for itself, and those of other processes that wait for it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from patience import eventually
from turns import FOLDER, Turns

OTHER = """
import sys
from pathlib import Path
from turns import Turns

folder, how = sys.argv[1:]
turns = Turns(Path(folder))
if how == "together":
    with turns.together():
        print("in", flush=True)
        sys.stdin.readline()
else:
    with turns.together(), turns.alone():
        print("in", flush=True)
        sys.stdin.readline()
"""


class Others:
    """Processes with tests of theirs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def start(self, how: str) -> subprocess.Popen[str]:
        path = str(Path(__file__).parents[1])
        self._started.append(
            subprocess.Popen(
                [sys.executable, "-c", OTHER, str(self.folder), how],
                env={"PYTHONPATH": path, FOLDER: str(self.folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return self._started[-1]

    def end(self) -> None:
        for process in self._started:
            with process:
                tell_to_go_on(process)


def tell_to_go_on(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    with suppress(OSError):  # it has ended
        os.write(process.stdin.fileno(), b"\n")


def is_in(process: "subprocess.Popen[str]") -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == "in\n"


def waits(process: "subprocess.Popen[str]") -> bool:
    """Whether it has come to a lock that somebody else holds."""
    blocked = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and f" {process.pid} " in line for line in blocked)


def is_at_the_door(process: "subprocess.Popen[str]") -> bool:
    """Whether it wants to be alone, and is the next."""
    locks = Path("/proc/locks").read_text().splitlines()
    return any("->" not in line and f" WRITE {process.pid} " in line for line in locks)


@pytest.fixture
def others(tmp_path: Path) -> Iterator[Others]:
    others = Others(tmp_path)
    yield others
    others.end()


def test_tests_run_beside_each_other(others: Others) -> None:
    with Turns(others.folder).together():
        assert is_in(others.start("together"))


def test_one_that_is_alone_keeps_others_waiting(others: Others) -> None:
    turns = Turns(others.folder)
    with turns.together():
        with turns.alone():
            other = others.start("together")
            eventually(lambda: waits(other), "it waits")
        assert is_in(other)


def test_one_waits_until_others_are_over_and_lets_no_more_begin(others: Others) -> None:
    turns = Turns(others.folder)
    with turns.together():
        alone = others.start("alone")
        eventually(lambda: is_at_the_door(alone), "it waits for this one")
        late = others.start("together")
        eventually(lambda: waits(late), "it waits for the one that waits")
    assert is_in(alone)
    tell_to_go_on(alone)
    assert is_in(late)


def test_two_that_want_to_be_alone_come_one_after_the_other(others: Others) -> None:
    turns = Turns(others.folder)
    with turns.together():
        other = others.start("alone")
        tell_to_go_on(other)  # so that it is not alone for long
        eventually(lambda: is_at_the_door(other), "it waits for this one")
        with turns.alone():
            assert is_in(other), "it was first"


def test_one_does_not_wait_for_ever(others: Others) -> None:
    turns = Turns(others.folder, patience=0.1)
    with turns.together():
        assert is_in(others.start("together"))
        with turns.alone():
            pass
