"""What lasts longer than a second is shown in a terminal."""

import re
from collections.abc import Iterator
from io import StringIO
from threading import Event

import pytest
from rich.console import Console
from waits import eventually

from wmx_ros2_package.cli import terminal
from wmx_ros2_package.cli.terminal import Terminal


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[StringIO]:
    """What is drawn by a terminal in which a bar comes at once."""
    monkeypatch.setattr(terminal, "QUIET", 0.0)
    monkeypatch.setattr(terminal, "PERIOD", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    return StringIO()


def terminal_on(drawn: StringIO) -> Terminal:
    out = Terminal()
    out.__dict__["console"] = Console(file=drawn, force_terminal=True, width=80, color_system=None)
    return out


def wait_for(drawn: StringIO, pattern: str) -> None:
    eventually(lambda: re.search(pattern, drawn.getvalue()), f"{pattern} is drawn")


def test_a_bar_shows_how_far_it_is_and_goes(drawn: StringIO) -> None:
    share = float("nan")
    with terminal_on(drawn).progress("run[a].csv", lambda: share):
        wait_for(drawn, r"run\[a\].csv ━+ 0:00:0\d")
        share = 0.5
        wait_for(drawn, r"csv ━+╺━+ 0:00:0\d|csv ━+ +0:00:0\d")
    ended = drawn.getvalue()
    assert ended.endswith("\x1b[2K"), repr(ended[-40:])


def test_steps_are_counted_whatever_ends_them(drawn: StringIO) -> None:
    out = terminal_on(drawn)
    assert [*out.steps("checks", "abc")] == ["a", "b", "c"]
    steps = out.steps("checks", "abc")
    next(steps)
    steps.close()  # type: ignore[attr-defined]


def test_what_ends_soon_shows_no_bar(drawn: StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "QUIET", 60.0)
    with terminal_on(drawn).progress("loading"):
        pass
    assert drawn.getvalue() == ""


def test_where_nobody_watches_nothing_is_drawn(drawn: StringIO) -> None:
    out = Terminal(as_json=True)
    out.__dict__["console"] = Console(file=drawn, force_terminal=True)
    with out.progress("loading"):
        Event().wait(0.05)
    assert drawn.getvalue() == ""
