"""What docs/python.md and docs/python-machine.md have of the values that a program gets."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from wmx_ros2_package.client import AxisStatus, MotionEnd, Result, Status, errors

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = "".join((DOCS / page).read_text() for page in ("python.md", "python-machine.md"))


@pytest.mark.parametrize("kind", [Status, AxisStatus, Result, MotionEnd])
def test_every_field_stands_on_the_page(kind: type) -> None:
    named = {*re.findall(r"`(\w+)`", PAGE)}
    assert {field.name for field in fields(kind)} <= named  # type: ignore[arg-type]


def test_every_error_stands_on_the_page() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    names = {each.__name__ for each in kinds if issubclass(each, errors.MachineError)}
    assert names - {"MachineError", "NotConnected"} <= {*re.findall(r"`(\w+)`", PAGE)}
