"""What a page names, and asks of the machine, before an axis is homed."""

import asyncio
from threading import current_thread, main_thread
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package.panel import page_events
from wmx_ros2_package.panel.pages import homing
from wmx_ros2_package.panel.pages.homing import ask_to_home


class Axis:
    """One whose status may take seconds to come."""

    @property
    def position(self) -> float:
        assert current_thread() is not main_thread(), "all pages would wait for it"
        return 0.5


@pytest.mark.parametrize(
    ("sent", "axis"), [(1, 1), (True, -1), (1.0, -1), ("1", -1), (None, -1), ([1], -1)]
)
def test_the_axis_that_a_page_names_is_a_whole_number(
    monkeypatch: pytest.MonkeyPatch, sent: object, axis: int
) -> None:
    listened: dict[str, Any] = {}
    asked: list[int] = []

    async def ask(_: object, which: int) -> None:
        asked.append(which)

    monkeypatch.setattr(page_events.ui, "on", listened.__setitem__)
    monkeypatch.setattr(homing, "ask_to_home", ask)
    frame: Any = SimpleNamespace(clicked=lambda _: None)
    page_events.PageEvents(frame).listen()
    asyncio.run(listened["home"](SimpleNamespace(args={"axis": sent})))
    assert asked == [axis]


def test_no_page_waits_for_what_is_asked_before_an_axis_is_homed() -> None:
    asked: list[str] = []
    exported = SimpleNamespace(export=lambda _: ParameterSet.defaults(1).to_xml())
    link = SimpleNamespace(
        connected=SimpleNamespace(axes=[Axis()], parameters=exported),
        actuators=[None],
        axis_labels={0: "0 · a"},
        units={0: "rad"},
    )
    frame: Any = SimpleNamespace(link=link, confirm=lambda text, *_: asked.append(text))
    asyncio.run(ask_to_home(frame, 0))
    [text] = asked
    assert "at 0.5000 rad" in text
