"""What the page of parameters takes back, whatever ends meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.diagnosis.parameter_changes import Change
from wmx_ros2_package.panel.pages import parameters


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(ui.page("")) as client:
        yield client
    client.delete()


class Frame:
    """Of a page without a machine, whose orders are carried out when the test has them so."""

    def __init__(self) -> None:
        self.link = SimpleNamespace(machine=None, problem="", status=None, actuators=[])
        self.uploads: list[list[Change]] = []
        self.acts: dict[str, Callable[[], Awaitable[Any]]] = {}
        self.answered = asyncio.Event()

    def on_click(
        self, button: ui.button, act: Callable[[], Awaitable[Any]], **_: object
    ) -> ui.button:
        self.acts[button.text] = act
        return button

    def show_on(self, *_: object) -> None: ...

    async def order(self, *_: object) -> Any:
        await self.answered.wait()
        return SimpleNamespace(done=True)


def changes(name: str) -> list[Change]:
    return [Change(axis=0, name=name, old="0", new="1")]


def test_undo_forgets_what_it_has_taken_back_and_nothing_else(client: Client) -> None:
    async def undo_twice() -> list[list[Change]]:
        made = Frame()
        frame: Any = made
        with client:
            parameters.build(frame)
        frame.uploads += [changes("A"), changes("B")]
        clicks = [asyncio.ensure_future(made.acts["Undo"]()) for _ in range(2)]
        await asyncio.sleep(0)
        frame.uploads.append(changes("C"))  # an upload that was under way has ended
        made.answered.set()
        await asyncio.gather(*clicks)
        return made.uploads

    assert asyncio.run(undo_twice()) == [changes("A"), changes("C")]
