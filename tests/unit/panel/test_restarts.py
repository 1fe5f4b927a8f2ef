"""A panel that is killed is started again; one that is told to end, or refuses to start, is not."""

import os
import signal
import sys
from pathlib import Path
from threading import Thread

import pytest
from waits import eventually

from wmx_ros2_package.panel import command, restarts
from wmx_ros2_package.panel.restarts import REFUSED, SHORT, run_again

KILLED = "import os; os.kill(os.getpid(), 9)"
WAITS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(60)"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, own_signals: None) -> None:
    monkeypatch.setattr(restarts, "PAUSE", 0.0)


def program(code: str, *words: str) -> list[str]:
    return [sys.executable, "-S", "-c", code, *words]


def test_what_is_killed_is_started_again_until_it_ends_by_itself(tmp_path: Path) -> None:
    count = tmp_path / "count"
    code = (
        "import os, pathlib, sys; p = pathlib.Path(sys.argv[1])\n"
        "n = int(p.read_text()) + 1 if p.exists() else 1\n"
        "p.write_text(str(n)); n < 3 and os.kill(os.getpid(), 9)"
    )
    assert run_again(program(KILLED), program(code, str(count))) == 0
    assert count.read_text() == "3"


@pytest.mark.parametrize("code", [0, REFUSED, 1])
def test_what_ends_at_once_by_itself_is_not_started_again(code: int) -> None:
    assert run_again(program(f"raise SystemExit({code})"), program(KILLED)) == code


def test_what_an_error_ends_later_is_started_again() -> None:
    times = iter([0.0, SHORT + 1.0, 0.0, 0.0])
    failing, fine = program("raise SystemExit(1)"), program("")
    assert run_again(failing, fine, clock=lambda: next(times)) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_both(tmp_path: Path, number: signal.Signals) -> None:
    started = tmp_path / "started"

    def end() -> None:
        eventually(started.exists, "it runs")
        os.kill(os.getpid(), number)

    thread = Thread(target=end)
    thread.start()
    code = run_again(program(WAITS, str(started)), program(KILLED))
    thread.join()
    assert code in (0, 1), "what Python makes of a signal"


def test_the_panel_opens_a_browser_only_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a token it is not served there, should it not be started again.
    given: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["wmx_panel", "--open", "--restart", "--host", "0.0.0.0"])
    monkeypatch.setattr(command, "run_again", lambda *both: given.extend(both) or 7)
    assert command.main() == 7
    again = [sys.executable, "wmx_panel", "--host", "0.0.0.0"]
    assert given == [[*again[:2], "--open", *again[2:]], again]
