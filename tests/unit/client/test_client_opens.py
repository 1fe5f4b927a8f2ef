"""How a machine is opened, without a system."""

from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.client import Closed, Machine, discovery, machine
from wmx_ros2_package.client.link import Link, Publisher


def test_two_threads_that_open_a_machine_get_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two would be closed by nobody, and its motions would end by no stop."""
    made: list[object] = []
    second_made = Event()
    client = Machine()
    second = Thread(target=client.open)

    class Session:
        connected = False

        def __init__(self, *_: Any, **__: Any) -> None:
            self.link = SimpleNamespace(is_forked=False, require_other_thread=lambda: None)
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


def test_a_fork_stops_and_closes_nothing_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = SimpleNamespace(node=None, domain=0, namespace="/", is_current=False)
    monkeypatch.setattr(discovery, "RosThread", lambda *_: ros)
    sent: list[object] = []
    closed: list[object] = []

    class Session:
        connected = True
        motions = SimpleNamespace(axes=[0])

        def __init__(self, *_: Any, **__: Any) -> None:
            self.link = Link("", None, 1.0)

        def connect(self) -> None:
            pass

        def close(self) -> None:
            closed.append(self)

    monkeypatch.setattr(machine, "Session", Session)
    client = Machine().open()
    topic = Publisher(SimpleNamespace(publish=sent.append), client.ros.require_unforked)
    with monkeypatch.context() as fork:
        fork.setattr("os.getpid", lambda: -1)
        with client:
            pass
        for request in (client.ros.require_open, lambda: topic.publish(None)):
            with pytest.raises(Closed, match="fork"):
                request()
        assert (closed, sent) == ([], [])
    client.close()
    assert len(closed) == 1
