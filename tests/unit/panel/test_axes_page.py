"""What the page of an axis has it do when its buttons are clicked quickly."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.client import NotAnswered
from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.joint_targets import JointsNotReady
from wmx_ros2_package.panel.pages import axes


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A page that no browser shows."""
    monkeypatch.setattr(ui.navigate.history, "replace", lambda _: None)
    monkeypatch.setattr(ui, "run_javascript", lambda _: None)
    with Client(ui.page("")) as client:
        yield client
    client.delete()


class Axis:
    """Steps as the test has it."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.is_asked, self.answer = Event(), Event()

    def move_by(self, distance: float, **_: object) -> Any:
        self.asked.append(distance)
        self.is_asked.set()
        if not self.answer.wait(5.0):
            raise NotAnswered("wmx_actuator_node does not answer")
        return SimpleNamespace(done=False)


class Frame:
    """Of a page of one axis; the orders of its buttons are carried out by the test."""

    def __init__(self, axis: Axis) -> None:
        self.axis = 0
        self.link = SimpleNamespace(
            actuators=[ShownAxis(name="a", unit="rad", movable=True)],
            axis_labels={0: "0 · a"},
            connected=SimpleNamespace(axes=[axis]),
        )
        self.acts: dict[str, Callable[[], Awaitable[Any]]] = {}
        self.works: list[Callable[[], Any]] = []

    def on_click(
        self, button: ui.button, act: Callable[[], Awaitable[Any]], **_: object
    ) -> ui.button:
        self.acts[button.text] = act
        return button

    def button(self, label: str, *_: object, **__: object) -> ui.button:
        return ui.button(label)

    def stop_button(self, label: str, _: object) -> ui.button:
        return ui.button(label)

    async def order(self, _: str, work: Callable[[], Any]) -> None:
        self.works.append(work)


def test_the_second_click_of_a_double_one_does_not_wait_to_move_the_axis(client: Client) -> None:
    """Where the first one is not answered, it would step seconds later."""
    axis = Axis()
    made = Frame(axis)
    frame: Any = made

    async def click_twice() -> None:
        with client:
            axes.build(frame)
        for _ in range(2):
            await made.acts["+ Step"]()

    asyncio.run(click_twice())
    first, second = made.works
    thread = Thread(target=first, daemon=True)
    thread.start()
    assert axis.is_asked.wait(5.0)
    with pytest.raises(JointsNotReady, match="a step is under way"):
        second()
    axis.answer.set()
    thread.join(5.0)
    with pytest.raises(JointsNotReady, match="a step is under way"):
        second()
    assert len(axis.asked) == 1
