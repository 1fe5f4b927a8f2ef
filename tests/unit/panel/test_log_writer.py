"""Nothing of the panel waits for its log: a terminal that is held holds up no stop."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from unittest.mock import MagicMock

import pytest

from wmx_ros2_package.panel import command, log_writer
from wmx_ros2_package.panel.log_writer import MOST_LINES, LogWriter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that is full: what writes to it waits until something reads it."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"." * 4096)
    os.set_blocking(write, True)
    yield read, write
    os.close(read)  # the thread that writes has the other end as long as it waits


def test_what_logs_waits_for_no_terminal(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What there is room for is written when it is read again, and nothing is lost then."""
    read, write = pipe
    monkeypatch.setattr(log_writer, "FLUSH_TIMEOUT", 30.0)
    writer = LogWriter(write)

    def log(first: int, last: int) -> None:
        for number in range(first, last):
            writer.handle(logging.makeLogRecord({"msg": f"line {number}"}))

    held = Thread(target=log, args=(0, MOST_LINES + 2), daemon=True)
    held.start()
    held.join(30.0)
    assert not held.is_alive(), "it waits for the terminal"

    def until(last: str) -> list[str]:
        text = b""
        while last.encode() not in text:
            text += os.read(read, 4096)
        return text.decode().strip(".").split("\n")[:-1]

    assert until(f"line {MOST_LINES - 1}\n")[:2] == ["line 0", "line 1"]
    log(5000, 5001)
    writer.flush()
    os.set_blocking(read, False)
    assert os.read(read, 1 << 16).endswith(b"line 5000\n"), "the end of the process waits for that"


def test_the_panel_and_its_server_log_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel import server

    logs, serves = MagicMock(), MagicMock(side_effect=OSError("it ends here"))
    monkeypatch.setattr(logging, "basicConfig", logs)
    monkeypatch.setattr(server.uvicorn, "Config", serves)
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)
    monkeypatch.setattr(command.Address, "require_free", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["wmx_panel"])
    assert command.main() == 2
    [handler] = logs.call_args.kwargs["handlers"]
    assert isinstance(handler, LogWriter)
    assert serves.call_args.kwargs["log_config"] is None
