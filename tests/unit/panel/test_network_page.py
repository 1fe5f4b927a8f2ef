"""The page of the EtherCAT network: what is done and shown names its master."""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, call

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.client import NotAnswered
from wmx_ros2_package.panel.description import ANSWER_TIMEOUT
from wmx_ros2_package.panel.pages import network


def fields(client: Client, label: str) -> list[ui.input]:
    inputs = [each for each in client.elements.values() if isinstance(each, ui.input)]
    return [each for each in inputs if each.props.get("label") == label]


def test_each_order_and_each_answer_names_the_master(
    client: Client, frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates: list[Callable[[], Awaitable[None]]] = []
    monkeypatch.setattr(ui, "timer", lambda _, update: updates.append(update))
    answers: dict[str, Any] = {"state.side_effect": NotAnswered("no answer")}
    answers |= {"register.return_value": b"\1", "read_object.return_value": b"\2"}
    asked = MagicMock(**answers)
    frame.link = SimpleNamespace(connected=SimpleNamespace(network=asked))

    async def act() -> None:
        with client:
            network.build(frame)
        [master] = fields(client, "Master")
        [value] = fields(client, "New value")
        master.value, value.value = "1", "7"
        for name in "Hot connect", "Reset counters", "Read register", "Write object", "Read object":
            await frame.acts[name]()

    asyncio.run(act())
    for _, work in frame.orders:
        work()
    assert [what for what, _ in frame.orders] == [
        "start hot connect of master 1",
        "reset the statistics of master 1",
        "write 0x7 to object 0x1018:01 of slave 0 of master 1",
    ]
    asyncio.run(updates[0]())
    asked.state.assert_called_once_with(1, timeout=ANSWER_TIMEOUT)
    assert asked.hot_connect.mock_calls == asked.reset_statistics.mock_calls == [call(1)]
    texts = [each.text for each in client.elements.values() if isinstance(each, ui.label)]
    assert "register 0x130 of slave 0 of master 1: 01  (0x1, 1)" in texts
    assert "0x1018:01 of slave 0 of master 1: 02  (0x2, 2)" in texts
