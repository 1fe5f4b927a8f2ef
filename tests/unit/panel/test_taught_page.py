"""What is asked of the joints before they move to a position that was taught."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.joint_targets import JointsNotReady
from wmx_ros2_package.panel.pages.taught import taught
from wmx_ros2_package.panel.safety.pause import PauseRecord
from wmx_ros2_package.trajectories.taught_positions import TaughtPositions

SERVER = {
    "joint_name": ["a", "b"],
    "position_lower": [None, None],
    "position_upper": [None, None],
    "velocity_limit": [1.0, 1.0],
    "acceleration_limit": [None, None],
}


@pytest.fixture
def frame(frame: Any, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """That of a page which asks whether the joints shall move to a position that was taught."""
    positions = tmp_path / "positions.yaml"
    TaughtPositions(positions, dict.fromkeys("ab", "rad")).save("home", {"a": 0.5, "b": 0.0})
    timers: list[Callable[[], Awaitable[None]]] = []

    async def read_file(read: Callable[..., Any], *given: Any) -> Any:
        return read(*given)

    monkeypatch.setattr(ui, "timer", lambda _, act: timers.append(act))
    frame.agreed = []
    frame.confirm = lambda _text, _label, _what, work: frame.agreed.append(work)
    frame.taught = "home"
    frame.panel = SimpleNamespace(positions=positions, files=SimpleNamespace(run=read_file))
    frame.link = SimpleNamespace(
        actuators=[ShownAxis(name=name, unit="rad") for name in "ab"],
        status=SimpleNamespace(command=[0.0, 0.0], at_rest=[True, True]),
        joints=SERVER,
        pause=PauseRecord(),
    )

    async def ask() -> None:
        with client:
            taught(frame)
            await timers[0]()
            await frame.acts["Go ..."]()

    asyncio.run(ask())
    return frame


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (None, "it is not known where a, b is"),
        (SimpleNamespace(command=[0.0, 0.0], at_rest=[True, False]), "b moves: stop it"),
        (SimpleNamespace(command=[0.1, 0.0], at_rest=[True, True]), "a begins at 0.000"),
    ],
)
def test_joints_do_not_go_where_they_are_not_known_to_be_as_was_shown(
    frame: Any, status: Any, why: str
) -> None:
    [go] = frame.agreed
    frame.link.status = status
    with pytest.raises(JointsNotReady, match=why):
        go()
