"""A client that looks for a machine where there is none."""

from threading import Event, Thread

import pytest
from domain import Domain
from waits import WAIT_TIMEOUT

from wmx_ros2_package.client import Closed, Machine
from wmx_ros2_package.client.session import Session


def test_a_machine_that_is_looked_for_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its node would be in the graph for 20 s after a process that ends meanwhile."""
    empty = Domain()
    machine, raised = Machine(domain=empty.number, timeout=1e6), list[Exception]()
    begun, connect = Event(), Session.connect

    def begin(session: Session) -> None:
        begun.set()
        connect(session)

    monkeypatch.setattr(Session, "connect", begin)

    def look() -> None:
        try:
            machine.open()
        except Exception as error:
            raised.append(error)

    looking = Thread(target=look, daemon=True)
    looking.start()
    assert begun.wait(WAIT_TIMEOUT)
    machine.close()
    looking.join(WAIT_TIMEOUT)
    empty.release()
    assert [type(error) for error in raised] == [Closed]
