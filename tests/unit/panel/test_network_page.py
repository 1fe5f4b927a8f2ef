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

from wmx_ros2_package.panel.pages import network


class Frame:
    """Of a page without a machine, whose orders are carried out at once."""

    def __init__(self) -> None:
        self.asked = MagicMock(
            **{"register.return_value": b"\1", "read_object.return_value": b"\2"}
        )
        self.link = SimpleNamespace(connected=SimpleNamespace(network=self.asked))
        self.acts: dict[str, Callable[[], Awaitable[Any]]] = {}
        self.orders: list[str] = []

    def on_click(self, button: ui.button, act: Callable[[], Awaitable[Any]]) -> ui.button:
        self.acts[button.text] = act
        return button

    def button(self, label: str, *_: Any, **options: Any) -> ui.button:
        return ui.button(label, **options)

    async def order(self, what: str, work: Callable[[], Any]) -> None:
        self.orders.append(what)
        work()


def fields(client: Client, label: str) -> list[ui.input]:
    inputs = [each for each in client.elements.values() if isinstance(each, ui.input)]
    return [each for each in inputs if each.props.get("label") == label]


def test_each_order_and_each_answer_names_the_master(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Frame()
    frame: Any = made
    button = ui.button

    def note(text: str, *, on_click: Any = None, **options: Any) -> ui.button:
        made.acts[text] = on_click
        return button(text, on_click=on_click, **options)

    async def act() -> None:
        with client:
            network.build(frame)
        [master] = fields(client, "Master")
        [value] = fields(client, "New value")
        master.value, value.value = "1", "7"
        for name in "Hot connect", "Reset counters", "Read register", "Write object", "Read object":
            await made.acts[name]()

    monkeypatch.setattr(ui, "button", note)
    asyncio.run(act())
    assert made.orders == [
        "start hot connect of master 1",
        "reset the statistics of master 1",
        "write 0x7 to object 0x1018:01 of slave 0 of master 1",
    ]
    assert made.asked.hot_connect.mock_calls == made.asked.reset_statistics.mock_calls == [call(1)]
    texts = [each.text for each in client.elements.values() if isinstance(each, ui.label)]
    assert "register 0x130 of slave 0 of master 1: 01  (0x1, 1)" in texts
    assert "0x1018:01 of slave 0 of master 1: 02  (0x2, 2)" in texts
