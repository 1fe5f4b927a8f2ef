"""What the page of parameters takes back, whatever ends meanwhile."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.client import NotAnswered
from wmx_ros2_package.diagnosis.parameter_changes import Change
from wmx_ros2_package.panel.pages import parameters


@pytest.fixture
def frame(frame: Any) -> Any:
    """That of a page without a machine."""
    frame.link = SimpleNamespace(machine=None, problem="", status=None, actuators=[])
    frame.uploads = []
    frame.show_on = lambda *_: None
    return frame


def changes(name: str) -> list[Change]:
    return [Change(axis=0, name=name, old="0", new="1")]


def test_undo_forgets_what_it_has_taken_back_and_nothing_else(client: Client, frame: Any) -> None:
    async def undo_twice() -> None:
        answered = asyncio.Event()

        async def order(*_: object) -> Any:
            await answered.wait()
            return SimpleNamespace(done=True)

        frame.order = order
        with client:
            parameters.build(frame)
        frame.uploads += [changes("A"), changes("B")]
        clicks = [asyncio.ensure_future(frame.acts["Undo"]()) for _ in range(2)]
        await asyncio.sleep(0)
        frame.uploads.append(changes("C"))  # an upload that was under way has ended
        answered.set()
        await asyncio.gather(*clicks)

    asyncio.run(undo_twice())
    assert frame.uploads == [changes("A"), changes("C")]


def test_a_page_that_only_looks_reads_no_file(client: Client, frame: Any) -> None:
    """What is told of a file that is none of parameters may be the secret of another program."""
    asked = list[object]()

    async def run(*given: object) -> None:
        asked.append(given)

    async def preview() -> None:
        read = SimpleNamespace(parameters=SimpleNamespace(export=lambda: asked.append("export")))
        frame.link.machine = read
        frame.panel = SimpleNamespace(files=SimpleNamespace(run=run))
        frame.session = SimpleNamespace(viewer=True)
        with client:
            parameters.build(frame)
        await frame.acts["Preview"]()

    asyncio.run(preview())
    assert asked == []


def test_a_file_has_what_is_in_force_when_it_is_saved(
    client: Client, frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name has that time, and others may have changed it since the list was read."""
    in_force, saved = ["at first"], list[str]()

    async def run(*_: object) -> dict[int, dict[str, str]]:
        return {}

    def export() -> str:
        if not in_force:
            raise NotAnswered("wmx/params/export does not answer")
        return in_force[-1]

    async def save() -> None:
        frame.link.machine = SimpleNamespace(parameters=SimpleNamespace(export=export))
        frame.panel = SimpleNamespace(files=SimpleNamespace(run=run))
        with client:
            parameters.build(frame)
        await frame.acts["Read again"]()
        in_force.append("changed since")
        await frame.acts["Save as a file"]()
        in_force.clear()
        await frame.acts["Save as a file"]()

    monkeypatch.setattr(ui.download, "content", lambda text, *_: saved.append(text))
    asyncio.run(save())
    assert saved == ["changed since"], "nor is a file of another time saved where none is read"
