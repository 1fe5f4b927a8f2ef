"""What asks a command to end reaches it, or waits where axes are being stopped."""

import signal
import subprocess
import sys
import threading
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.cli import wmx
from wmx_ros2_package.cli.interrupts import INTERRUPTS, interruptible, undisturbed
from wmx_ros2_package.cli.progress import follow
from wmx_ros2_package.cli.terminal import Terminal

pytestmark = pytest.mark.usefixtures("own_signals")


class Dropping:
    """An object that is interrupted as it goes."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_an_interrupt_that_a_destructor_has_dropped_comes_again() -> None:
    reached = []

    def work() -> None:
        with interruptible():
            Dropping()
            reached.append(True)
            threading.Event().wait(10.0)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached


def test_what_nohup_starts_outlives_its_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with interruptible():
        signal.raise_signal(signal.SIGHUP)


@pytest.mark.parametrize("number", INTERRUPTS)
def test_what_is_undisturbed_comes_to_its_end(number: signal.Signals) -> None:
    ended = []

    def work() -> None:
        with interruptible():
            with undisturbed():
                signal.raise_signal(number)
                ended.append(True)
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert ended


class Unread(StringIO):
    """A stream whose reader has gone, as `tee` has after the Ctrl-C that both get."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_axes_are_stopped_before_anybody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    ends = iter((KeyboardInterrupt(), None))

    def wait() -> None:
        done.append("wait")
        if error := next(ends):
            raise error

    motion: Any = SimpleNamespace(wait=wait, cancel=lambda: done.append("cancel"), progress=0.0)
    monkeypatch.setattr(sys, "stdout", Unread())
    with pytest.raises(KeyboardInterrupt):
        follow(Terminal(as_json=True), motion, "axis_0")
    monkeypatch.setattr(wmx, "_run", lambda _, out: follow(out, motion, "axis_0"))
    ends = iter((KeyboardInterrupt(), None))
    assert wmx.main(["move"]) == 130
    assert done == ["wait", "cancel", "wait"] * 2


def test_another_interrupt_keeps_no_axis_from_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the first came before anything was waited for."""
    done: list[str] = []
    interrupts = [True, True]

    def interrupted(what: str) -> None:
        done.append(what)
        if interrupts and interrupts.pop():
            raise KeyboardInterrupt

    motion: Any = SimpleNamespace(
        wait=lambda: interrupted("wait"), cancel=lambda: interrupted("cancel"), progress=0.0
    )
    with pytest.raises(KeyboardInterrupt):
        follow(Terminal(as_json=True), motion, "axis_0")
    assert done == ["wait", "cancel", "cancel", "wait"]
    done.clear()
    interrupts.append(True)
    out = Terminal(as_json=True)
    monkeypatch.setattr(out, "progress", lambda *_: interrupted("progress"))
    with pytest.raises(KeyboardInterrupt):
        follow(out, motion, "axis_0")
    assert done == ["progress", "cancel", "wait"]


def test_what_was_printed_for_nobody_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Unread())
    assert wmx.main(["--version"]) == 141


STARTS = """
import os, signal, sys, time
from wmx_ros2_package import entry_points
def importing(name):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)
entry_points.import_module = importing
sys.argv = sys.argv[1:]
entry_points.main()
"""
"""A program that is asked to end while it starts."""


@pytest.mark.parametrize(
    ("name", "code"),
    [("wmx", -signal.SIGINT), ("wmx_demo", -signal.SIGINT), ("bringup", 0), ("wmx_io_node", 0)],
)
def test_a_command_that_has_not_begun_has_done_nothing(name: str, code: int) -> None:
    """So that a script does not go on to what it should follow."""
    done = subprocess.run([sys.executable, "-c", STARTS, name])
    assert done.returncode == code
