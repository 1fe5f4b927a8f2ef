"""The panel stops what it moves before its process ends, and ends in time."""

import os
import signal
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from waits import eventually

from wmx_ros2_package.panel import ending
from wmx_ros2_package.panel.ending import SIGNALS, run_until_signal


@pytest.fixture
def done(own_signals: None) -> list[str]:
    """What has come about, with handlers that end the process at once, as those of its start."""
    done: list[str] = []
    for number in SIGNALS:
        signal.signal(number, lambda *_: done.append("ended at once"))
    return done


@pytest.mark.parametrize("number", SIGNALS)
def test_the_machine_is_left_before_the_process_ends(done: list[str], number: int) -> None:
    uvicorn = pytest.importorskip("uvicorn", reason="NiceGUI is not installed")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Nothing is asked for."""

    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_level="error"))

    def end() -> None:
        eventually(lambda: server.started, "it serves")
        os.kill(os.getpid(), number)

    Thread(target=end, daemon=True).start()
    run_until_signal(server, lambda: done.append("left"))
    assert done == ["left"]


def test_a_panel_outlives_its_terminal_where_that_was_asked_for(done: list[str]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    server: Any = SimpleNamespace(run=lambda: None, handle_exit=lambda *_: None)
    run_until_signal(server, lambda: None)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_machine_that_is_not_left_in_time_does_not_keep_the_process(
    done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "END_TIMEOUT", 0.01)
    server: Any = SimpleNamespace(run=lambda: done.append("ran"), handle_exit=lambda *_: None)
    run_until_signal(server, lambda: Event().wait(60.0))
    assert done == ["ran"]
