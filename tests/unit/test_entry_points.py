"""What a program has before anything heavy is imported: its signals and its streams."""

import signal
import subprocess
import sys
from typing import Any

import pytest

from wmx_ros2_package.cli import wmx
from wmx_ros2_package.entry_points import run


@pytest.mark.usefixtures("own_signals")
@pytest.mark.parametrize("ignored", [False, True])
def test_a_terminal_that_is_closed_ends_a_program_unless_that_is_ignored(
    monkeypatch: pytest.MonkeyPatch, ignored: bool
) -> None:
    """As `nohup` asks for."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    found: list[Any] = []

    def main() -> int:
        found.extend(map(signal.getsignal, (signal.SIGHUP, signal.SIGTERM)))
        return 0

    monkeypatch.setattr(wmx, "main", main)
    assert run("wmx") == 0
    at_hangup, at_end = found
    assert at_hangup is (signal.SIG_IGN if ignored else at_end)
    assert callable(at_end)


WRITING = """
import os, sys, threading, traceback
from wmx_ros2_package import entry_points

reader, writer = os.pipe()
os.dup2({writer}, {log})
os.close(writer)

class Panel:
    def main():
        if {goes}:
            os.close(reader)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return 0

def work():
    try:
        raise ValueError("nobody reads this")
    except ValueError:
        traceback.print_exc(file={{1: sys.stdout, 2: sys.stderr}}[{log}])
    os.write(3 - {log}, b"went on")

if not {goes}:
    os.close(reader)
sys.modules["wmx_ros2_package.panel.command"] = Panel
sys.argv = ["wmx_panel"]
entry_points.main()
"""


@pytest.mark.parametrize("log", [1, 2])
@pytest.mark.parametrize(
    ("writer", "goes"),
    [
        ("writer", False),
        ("writer", True),
        ("os.open('/dev/full', os.O_WRONLY)", False),
    ],
    ids=["the reader has gone", "the reader goes", "the disk is full"],
)
def test_a_thread_goes_on_where_its_log_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, writer: str, goes: bool, log: int
) -> None:
    """As `tee` ends by the Ctrl-C that the nodes get, too, and launch may be killed."""
    monkeypatch.setenv("RCUTILS_LOGGING_USE_STDOUT", "1" if log == 1 else "0")
    program = WRITING.format(writer=writer, goes=goes, log=log)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "went on")
