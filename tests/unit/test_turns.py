"""A test that has the machine for itself, and those of other processes that wait for it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import eventually
from turns import Turns

OTHER = """
import sys
from pathlib import Path
from turns import Turns

door, room, how = sys.argv[1:]
turns = Turns(Path(door), Path(room))
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
        self.places = folder / "door", folder / "room"
        for place in self.places:
            place.touch()
        self._started: list[subprocess.Popen[str]] = []

    def start(self, how: str) -> subprocess.Popen[str]:
        path = str(Path(__file__).parents[1])
        self._started.append(
            subprocess.Popen(
                [sys.executable, "-c", OTHER, *map(str, self.places), how],
                env={"PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return self._started[-1]

    def end(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.communicate("\n", timeout=30.0)


def is_in(process: "subprocess.Popen[str]") -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == "in\n"


def waits(process: "subprocess.Popen[str]") -> bool:
    """Whether it has come to a lock that somebody else holds."""
    blocked = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and f" {process.pid} " in line for line in blocked)


@pytest.fixture
def others(tmp_path: Path) -> Iterator[Others]:
    others = Others(tmp_path)
    yield others
    others.end()


def test_tests_run_beside_each_other(others: Others) -> None:
    with Turns(*others.places).together():
        assert is_in(others.start("together"))


def test_one_that_is_alone_keeps_others_waiting(others: Others) -> None:
    turns = Turns(*others.places)
    with turns.together():
        with turns.alone():
            other = others.start("together")
            eventually(lambda: waits(other), "it waits")
        assert is_in(other)


def test_one_waits_until_others_are_over_and_lets_no_more_begin(others: Others) -> None:
    turns = Turns(*others.places)
    with turns.together():
        alone = others.start("alone")
        eventually(lambda: waits(alone), "it waits for this one")
        late = others.start("together")
        eventually(lambda: waits(late), "it waits for the one that waits")
    assert is_in(alone)
    alone.communicate("\n", timeout=30.0)
    assert is_in(late)


def test_two_that_want_to_be_alone_come_one_after_the_other(others: Others) -> None:
    turns = Turns(*others.places)
    with turns.together():
        other = others.start("alone")
        assert other.stdin is not None
        other.stdin.write("\n")  # so that it is not alone for long
        other.stdin.flush()
        eventually(lambda: waits(other), "it waits for this one")
        with turns.alone():
            assert is_in(other), "it was first"
