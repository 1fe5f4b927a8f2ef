"""Tables in terminals that are narrow, and which axes a shell completes."""

from argparse import Action, ArgumentParser
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from wmx_ros2_package.cli.completion import axis_names
from wmx_ros2_package.cli.status import COLUMNS, SPARE
from wmx_ros2_package.cli.terminal import NarrowingTable
from wmx_ros2_package.cli.verbs import VERBS

AXES = [
    (0, "joint1", "rad", -123.25, -123.5, 0.0, 100.0, "servo homed at rest"),
    (1, "joint2", "deg", 0.0, 0.25, 0.0, 0.0, "off ALARM limit + STOPPED by in0.3"),
]


def drawn(width: int) -> str:
    out = StringIO()
    console = Console(file=out, width=width)
    console.print(NarrowingTable(COLUMNS, AXES, SPARE, "2 axes"))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    return text


@pytest.mark.parametrize("width", [40, 47, 60, 80])
def test_a_narrow_terminal_has_what_an_axis_is_called_where_it_is_and_what_stops_it(
    width: int,
) -> None:
    text = drawn(width)
    for row in AXES:
        _, name, unit, _, position, _, _, state = row
        for word in (name, unit, f"{position:.4f}", *str(state).split()):
            assert str(word) in text
    assert "\u2026" not in text


def test_what_there_is_no_room_for_is_named() -> None:
    assert "no room for" not in drawn(120)
    assert [line.rstrip() for line in drawn(60).splitlines()][-1] == "no room for torque, velocity"
    assert "no room for torque, velocity, command" in drawn(40)


@pytest.mark.parametrize("verb", ["on", "status", "move", "jog", "explain", "follow"])
def test_axes_of_verbs_are_completed(verb: str) -> None:
    made: list[Action] = []

    class Noting(ArgumentParser):
        def add_argument(self, *names: Any, **options: Any) -> Action:
            made.append(super().add_argument(*names, **options))
            return made[-1]

    parser = Noting()
    getattr(import_module(f"wmx_ros2_package.cli.{VERBS[verb].module}"), f"add_{verb}")(parser)
    [argument, *_] = (each for each in made if not each.option_strings)
    assert getattr(argument, "completer", None) is axis_names
