"""What a program has before anything heavy is imported: its signals and its streams."""

import signal
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
