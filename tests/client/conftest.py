"""Machines for the tests of the client library."""

from collections.abc import Iterator
from typing import Any

import pytest
from system import System
from wmx_ros2_message.srv import ExplainAxes

from wmx_ros2_package.client import Machine
from wmx_ros2_package.client.link import Link


@pytest.fixture
def machine(system: System) -> Iterator[Machine]:
    """The system as a program uses it; every axis is on, at rest and without an alarm."""
    with Machine(domain=system.place.domain, timeout=30.0) as machine:
        machine.release()
        machine.axes.stop()
        system.client.eventually(lambda: machine.status().at_rest.all(), "all axes rest")
        machine.axes.clear()
        machine.axes.on()
        yield machine


@pytest.fixture
def others_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system has found another one by now, of which its client knows nothing yet."""
    call = Link.call

    def answer(link: Link, kind: Any, *given: Any, **fields: Any) -> Any:
        response = call(link, kind, *given, **fields)
        if kind is ExplainAxes:
            response.other_systems = True
        return response

    monkeypatch.setattr(Link, "call", answer)
