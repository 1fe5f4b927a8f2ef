"""Kernel locks on axes: exclusive, readable, and gone with their owner."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wmx_ros2_package.drivers.axis_locks import AxisLocks

Open = Callable[[str], AxisLocks]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "machine.axes"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    every: list[AxisLocks] = []

    def open_locks(name: str) -> AxisLocks:
        every.append(AxisLocks(path, name))
        return every[-1]

    yield open_locks
    for locks in every:
        locks.close()


def test_the_first_holds_the_axis_and_the_second_is_told_who(opened: Open) -> None:
    one, other = opened("/one (jog)"), opened("/other")
    assert one.take(3)
    assert not other.take(3)
    assert other.owner(3) == f"/one (jog), process {os.getpid()}"
    assert other.take(4), "its neighbour is free"
    assert one.owners(range(128)) == {4: f"/other, process {os.getpid()}"}


def test_what_is_given_back_is_free(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    one.take(0)
    one.give_back(0)
    assert other.owner(0) is None
    assert other.take(0)


def test_what_is_kept_is_told_until_it_is_given_back(opened: Open) -> None:
    one, other = opened("/one" * 200), opened("/other")
    one.take(5)
    assert not other.is_kept(5)
    one.keep(5, kept=True)
    assert other.is_kept(5)
    assert (other.owner(5) or "").startswith("/one/one")
    one.keep(5, kept=False)
    assert not other.is_kept(5)
    one.keep(5, kept=True)
    one.give_back(5)
    assert other.take(5)
    assert not one.is_kept(5)


def test_what_one_holds_itself_it_may_take_again(opened: Open) -> None:
    one = opened("/one")
    assert one.take(127)
    assert one.take(127)
    assert one.owner(127) is None, "nobody else"


@pytest.mark.parametrize("name", ["ä" * 500, "", "/zero\0byte"])
def test_any_name_can_be_told(opened: Open, name: str) -> None:
    one, other = opened(name), opened("/other")
    one.take(5)
    one.take(6)
    assert name[:50] in str(other.owner(5))
    assert other.owner(7) is None, "and does not reach into the record of another axis"


def test_the_last_to_close_removes_the_file(opened: Open, path: Path) -> None:
    one, other = opened("/one"), opened("/other")
    one.take(0)
    one.close()
    assert path.exists()
    assert other.owner(0) is None
    other.close()
    assert not path.exists()
    other.close()


def test_a_file_that_is_not_ours_is_not_removed(opened: Open, path: Path) -> None:
    one = opened("/one")
    path.unlink()
    other = opened("/other")
    one.close()
    assert path.exists()
    other.take(0)


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        AxisLocks(path, "/one")
    assert not (tmp_path / "elsewhere").exists()


HOLDER = """
import sys
from pathlib import Path
from wmx_ros2_package.drivers.axis_locks import AxisLocks
locks = AxisLocks(Path(sys.argv[1]), "/holder")
print(locks.take(2), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process, which holds axis 2."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate()


def test_a_killed_process_holds_nothing(
    holder: "subprocess.Popen[str]", opened: Open, path: Path
) -> None:
    mine = opened("/mine")
    assert mine.owner(2) == f"/holder, process {holder.pid}"
    assert not mine.take(2)
    holder.kill()
    holder.wait()
    assert mine.owner(2) is None
    assert mine.take(2)
    mine.close()
    assert not path.exists(), "nor leaves anything behind"


def test_a_process_that_hangs_holds_what_it_held(
    holder: "subprocess.Popen[str]", opened: Open
) -> None:
    mine = opened("/mine")
    holder.send_signal(signal.SIGSTOP)
    assert not mine.take(2)
    holder.send_signal(signal.SIGCONT)
    holder.kill()
    holder.wait()
    assert mine.take(2)


CHURN = """
import sys
from pathlib import Path
from wmx_ros2_package.drivers.axis_locks import AxisLocks
for round in range(300):
    locks = AxisLocks(Path(sys.argv[1]), "/churn")
    if locks.take(0):
        locks.give_back(0)
    locks.close()
"""


def test_many_may_come_and_go_at_once(path: Path) -> None:
    """Who opens while the last closes must not be left with a file that nobody else opens."""
    churners = [subprocess.Popen([sys.executable, "-c", CHURN, str(path)]) for _ in range(3)]
    assert [churner.wait(60) for churner in churners] == [0, 0, 0]
    assert not path.exists()
    one, other = AxisLocks(path, "/one"), AxisLocks(path, "/other")
    assert one.take(0)
    assert not other.take(0)
    one.close()
    other.close()
