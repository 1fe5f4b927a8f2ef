"""How a machine is opened, without a system."""

from threading import Event, Thread
from typing import Any

import pytest

from wmx_ros2_package.client import Machine, machine


def test_two_threads_that_open_a_machine_get_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two would be closed by nobody, and its motions would end by no stop."""
    made: list[object] = []
    second_made = Event()
    client = Machine()
    second = Thread(target=client.open)

    class Session:
        connected = False

        def __init__(self, *_: Any, **__: Any) -> None:
            made.append(self)
            if len(made) == 1:
                second.start()
                second_made.wait(0.05)
            else:
                second_made.set()

        def connect(self) -> None:
            self.connected = True

        def close(self) -> None:
            made.remove(self)

    monkeypatch.setattr(machine, "Session", Session)
    client.open()
    second.join()
    assert len(made) == 1
    client.close()
    assert made == []
