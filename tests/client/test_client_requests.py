"""What must not be sent twice is sent once, however long a node takes to answer a new client."""

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import system as systems
from rclpy.node import Node
from stand_in import stand_in
from std_srvs.srv import SetBool

from wmx_ros2_package.client import Machine
from wmx_ros2_package.client.link import RESEND_PERIOD, Link

SLOW = 1.5 * RESEND_PERIOD
"""How long a node takes that answers late, s."""


@pytest.fixture
def link() -> Iterator[Link]:
    """A client that no service has answered yet."""
    with systems.place() as place:
        link = Link("", place.domain, 30.0)
        yield link
        link.close()


def test_an_emergency_stop_is_released_once(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []

    def estop(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        taken.append(request.data)
        if not request.data:
            time.sleep(SLOW)
        response.success = True
        return response

    def offer(node: Node) -> None:
        node.create_service(SetBool, "wmx/engine/estop", estop)

    machine = Machine()
    monkeypatch.setattr(machine, "_session_or_none", SimpleNamespace(link=link))
    with stand_in(link.domain, "wmx_engine_node", offer):
        machine.release()
        link.call(SetBool, "wmx/engine/estop", data=True)
    assert taken == [False, True]
