"""What the page of an axis has it do when its buttons are clicked quickly."""

import asyncio
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


@pytest.fixture
def axis(frame: Any, monkeypatch: pytest.MonkeyPatch) -> Axis:
    """The only one of the machine of the page."""
    monkeypatch.setattr(ui.navigate.history, "replace", lambda _: None)
    monkeypatch.setattr(ui, "run_javascript", lambda _: None)
    axis = Axis()
    frame.axis = 0
    frame.link = SimpleNamespace(
        actuators=[ShownAxis(name="a", unit="rad", movable=True)],
        axis_labels={0: "0 · a"},
        connected=SimpleNamespace(axes=[axis]),
    )
    return axis


@pytest.mark.parametrize("number", [0, 7])
def test_an_axis_that_the_machine_has_not_is_no_other_one(
    client: Client, frame: Any, axis: Axis, number: int
) -> None:
    frame.axis = number

    async def build() -> None:
        with client:
            axes.build(frame)

    asyncio.run(build())
    texts = [each.text for each in client.elements.values() if isinstance(each, ui.label)]
    there = "This machine has no axis 7: choose another one." not in texts
    assert (there, "+ Step" in frame.acts) == (number == 0, number == 0)


def test_the_second_click_of_a_double_one_does_not_wait_to_move_the_axis(
    client: Client, frame: Any, axis: Axis
) -> None:
    """Where the first one is not answered, it would step seconds later."""

    async def click_twice() -> None:
        with client:
            axes.build(frame)
        for _ in range(2):
            await frame.acts["+ Step"]()

    asyncio.run(click_twice())
    (_, first), (_, second) = frame.orders
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
