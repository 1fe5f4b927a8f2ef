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


class Frame:
    """Of a page whose questions are answered by the test."""

    taught = "home"

    def __init__(self, positions: Path) -> None:
        self.link = SimpleNamespace(
            actuators=[ShownAxis(name=name, unit="rad") for name in "ab"],
            status=SimpleNamespace(command=[0.0, 0.0], at_rest=[True, True]),
            joints=SERVER,
            pause=PauseRecord(),
        )
        self.panel = SimpleNamespace(positions=positions, files=self)
        self.acts: dict[str, Callable[[], Awaitable[Any]]] = {}
        self.agreed: list[Callable[[], Any]] = []

    async def run(self, read: Callable[..., Any], *given: Any) -> Any:
        """Read a file."""
        return read(*given)

    def on_click(self, button: ui.button, act: Callable[[], Awaitable[Any]]) -> None:
        self.acts[button.text] = act

    def confirm(self, _text: str, _label: str, _what: str, work: Callable[[], Any]) -> None:
        self.agreed.append(work)


@pytest.fixture
def frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Frame:
    """A page that asks whether the joints shall move to a position that was taught."""
    made = Frame(tmp_path / "positions.yaml")
    TaughtPositions(made.panel.positions, dict.fromkeys("ab", "rad")).save(
        "home", {"a": 0.5, "b": 0.0}
    )
    timers: list[Callable[[], Awaitable[None]]] = []
    monkeypatch.setattr(ui, "timer", lambda _, act: timers.append(act))
    shown: Any = made

    async def ask() -> None:
        with Client(ui.page("")) as client:
            taught(shown)
            await timers[0]()
            await made.acts["Go ..."]()
        client.delete()

    asyncio.run(ask())
    return made


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (None, "it is not known where a, b is"),
        (SimpleNamespace(command=[0.0, 0.0], at_rest=[True, False]), "b moves: stop it"),
        (SimpleNamespace(command=[0.1, 0.0], at_rest=[True, True]), "a begins at 0.000"),
    ],
)
def test_joints_do_not_go_where_they_are_not_known_to_be_as_was_shown(
    frame: Frame, status: Any, why: str
) -> None:
    [go] = frame.agreed
    frame.link.status = status
    with pytest.raises(JointsNotReady, match=why):
        go()
