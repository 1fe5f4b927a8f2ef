"""What the pages of the library have of the values that a program gets."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from wmx_ros2_package.client import Axes, Axis, AxisStatus, MotionEnd, Result, Status, errors

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = "".join(
    (DOCS / page).read_text() for page in ("python.md", "python-errors.md", "python-machine.md")
)


@pytest.mark.parametrize("kind", [Status, AxisStatus, Result, MotionEnd])
def test_every_field_stands_on_the_page(kind: type) -> None:
    named = {*re.findall(r"`(\w+)`", PAGE)}
    assert {field.name for field in fields(kind)} <= named  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "kinds"),
    [("of an axis, or of several", (Axis, Axes)), ("of one axis, `machine.axes[0]`", (Axis,))],
)
def test_what_the_page_has_of_axes_is_there(table: str, kinds: tuple[type, ...]) -> None:
    rows = PAGE.split(f"| {table} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    names = re.findall(r"`(\w+)[^`]*`", "".join(row.split("|")[1] for row in rows))
    assert names
    for kind in kinds:
        assert [name for name in names if not hasattr(kind, name)] == []


def test_every_error_stands_on_the_page() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    names = {each.__name__ for each in kinds if issubclass(each, errors.MachineError)}
    assert names - {"MachineError", "NotConnected"} <= {*re.findall(r"`(\w+)`", PAGE)}
