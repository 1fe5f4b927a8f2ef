"""The page of recordings: what is read when one is opened."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import core, ui
from nicegui.client import Client

from wmx_ros2_package.panel.pages import recordings
from wmx_ros2_package.panel.recording_views import RecordingView, curves, view


class Files:
    """Reads any recording as one of two axes, of which the second has moved."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, Path]] = []

    async def run(self, work: object, path: Path, *_: object) -> Any:
        self.asked.append((work, path))
        if work is curves:
            return [(np.zeros(2), np.zeros(2))]
        axes = {0: "axis 0", 1: "axis 1"}
        return RecordingView(heading=path.name, events=[], extents=[], axes=axes, moved=[1])


def test_each_recording_that_is_opened_is_read_once_for_its_events_and_once_for_its_curves(
    client: Client, frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files()
    frame.panel = SimpleNamespace(recordings=files, files=files)
    frame.link = SimpleNamespace(machine=None)

    async def open_two() -> None:
        with client:
            recordings.build(frame)
        monkeypatch.setattr(core, "loop", asyncio.get_running_loop())
        [chosen] = [
            each for each in client.elements.values() if each.props.get("id") == "recording"
        ]
        assert isinstance(chosen, ui.select)
        for name in "a.mcap", "b.mcap":
            chosen.set_options([name], value=name)
            for _ in range(20):
                await asyncio.sleep(0)

    asyncio.run(open_two())
    assert files.asked == [
        (work, Path(name)) for name in ("a.mcap", "b.mcap") for work in (view, curves)
    ]
