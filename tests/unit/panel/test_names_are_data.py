"""Whatever a robot calls its joints, a name is shown, and is no part of a page or a program."""

from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui.client import Client

from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.pages import homing, overview, tool
from wmx_ros2_package.panel.pages.jog_buttons import HoldButton, hold_button
from wmx_ros2_package.panel.pages.joints import JointRow

EVIL = """j" onclick='alert(1)' :x=alert(1) v-html=alert(1) <img src=x onerror=alert(1)>"""
KNOWN = {
    *("class", "href", "data-live", "data-head", "data-low", "data-high", "data-speeds"),
    *("data-hold", "data-keys", "data-emit", "data-value", "aria-label"),
}


class Attributes(HTMLParser):
    """Gathers the elements of a text, and the names and values of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.values: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.values += [str(value) for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def overview_of(axis: ShownAxis) -> str:
    return "".join(f"<td>{content}</td>" for _, content in overview.row_of(0, axis).values())


def homing_of(axis: ShownAxis) -> str:
    frame: Any = SimpleNamespace(link=SimpleNamespace(actuators=[axis]))
    return homing.table_of(frame, {})


@pytest.mark.parametrize(
    "made",
    [
        overview_of(ShownAxis(name=EVIL, unit=EVIL, low=0.0, high=1.0)),
        homing_of(ShownAxis(name=EVIL, unit=EVIL)),
        hold_button(0, HoldButton("+", (1,), ""), f"Jog {EVIL} up"),
        tool.tool_buttons(EVIL, of_tool=True),
    ],
    ids=["overview", "homing", "jog", "tool"],
)
def test_a_name_makes_no_element_and_no_attribute(made: str) -> None:
    found = Attributes(made)
    assert "img" not in found.tags
    assert found.names <= KNOWN
    assert any(EVIL in each for each in [found.text, *found.values])


def test_a_name_is_no_property_of_a_slider_or_a_field(client: Client) -> None:
    row = JointRow(EVIL, 0, -1.0, 1.0)
    for element in row.slider, row.field.input:
        assert EVIL in element.props["aria-label"]
        assert not {*element.props} & {"onclick", ":x", "v-html", "onerror"}
