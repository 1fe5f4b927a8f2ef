"""What the page of parameters takes back, whatever ends meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.client import NotAnswered
from wmx_ros2_package.diagnosis.parameter_changes import Change
from wmx_ros2_package.panel.pages import parameters


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


def test_a_file_has_what_is_in_force_when_it_is_saved(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name has that time, and others may have changed it since the list was read."""
    in_force, saved = ["at first"], list[str]()
    acts: dict[str, Callable[[], Awaitable[Any]]] = {}
    button = ui.button

    def note(text: str, *, on_click: Any = None, **options: Any) -> ui.button:
        acts[text] = on_click
        return button(text, on_click=on_click, **options)

    async def run(*_: object) -> dict[int, dict[str, str]]:
        return {}

    def export() -> str:
        if not in_force:
            raise NotAnswered("wmx/params/export does not answer")
        return in_force[-1]

    async def save() -> None:
        frame: Any = Frame()
        frame.link.machine = SimpleNamespace(parameters=SimpleNamespace(export=export))
        frame.panel = SimpleNamespace(files=SimpleNamespace(run=run))
        with client:
            parameters.build(frame)
        await acts["Read again"]()
        in_force.append("changed since")
        await acts["Save as a file"]()
        in_force.clear()
        await acts["Save as a file"]()

    monkeypatch.setattr(ui, "button", note)
    monkeypatch.setattr(ui.download, "content", lambda text, *_: saved.append(text))
    asyncio.run(save())
    assert saved == ["changed since"], "nor is a file of another time saved where none is read"
