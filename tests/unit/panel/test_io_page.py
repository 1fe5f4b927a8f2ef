"""The page of inputs and outputs: it shows the states of now, or none."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from waits import WAIT_TIMEOUT

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.panel.pages import io


class Image:
    """Bits that are all on, read when the test says so."""

    def __init__(self) -> None:
        self.answers = Event()
        self.answers.set()

    def __getitem__(self, place: slice) -> bytes:
        self.answers.wait(WAIT_TIMEOUT)
        return b"\xff" * (place.stop - place.start)


def test_states_are_not_shown_as_those_of_now_while_their_node_is_silent(
    client: Client, frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A click on an output goes by the state that it shows."""
    updates: list[Callable[[], Awaitable[None]]] = []
    image = Image()
    monkeypatch.setattr(ui, "timer", lambda _, update: updates.append(update))
    frame.show_on = lambda *_: None
    machine = SimpleNamespace(io=SimpleNamespace(inputs=image, outputs=image))
    frame.link = SimpleNamespace(connected=machine)

    def shown() -> tuple[int, str]:
        """How many lamps are on, and what is wrong."""
        texts = [str(getattr(each, "text", "")) for each in client.elements.values()]
        return sum("● on" in text for text in texts), io.SILENT if io.SILENT in texts else ""

    async def act() -> None:
        with client:
            io.build(frame)
        update = updates[0]
        await update()
        assert shown() == (64, "")
        image.answers.clear()
        monkeypatch.setattr(io, "LONGEST", 0.0)
        late = asyncio.create_task(update())
        for _ in range(100):
            await asyncio.sleep(0)
        silent = shown()
        monkeypatch.setattr(io, "LONGEST", WAIT_TIMEOUT)
        image.answers.set()
        await late
        assert (silent, shown()) == ((0, io.SILENT), (64, ""))

    asyncio.run(act())
