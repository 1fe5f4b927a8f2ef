"""Curves in a terminal."""

import numpy as np
from rich.text import Text

from wmx_ros2_package.cli.plotting import BLANK, curves, legend

TIMES = np.linspace(0.0, 1.0, 50)


def drawn(*rows: object, height: int = 4, width: int = 10) -> list[str]:
    arrays = [np.asarray(row, dtype=float) for row in rows]
    return curves(TIMES, arrays, width=width, height=height, colour=False)


def test_a_line_that_rises_goes_from_the_lower_left_to_the_upper_right() -> None:
    lines = drawn(TIMES)
    assert len(lines) == 5
    first, last = lines[0].partition("│")[2], lines[3].partition("│")[2]
    assert first.strip() == first[-3:].strip()
    assert first.strip()
    assert last.rstrip() == last[:3].rstrip()
    assert last.strip()


def test_both_axes_are_labelled() -> None:
    lines = drawn(5.0 * TIMES - 1.0)
    assert lines[0].split("│")[0].strip() == "4"
    assert lines[3].split("│")[0].strip() == "-1"
    assert lines[4].startswith("   └0.0 s")
    assert lines[4].endswith("1.0 s")


def test_a_line_that_stands_still_is_in_the_middle() -> None:
    lines = drawn(np.full(50, 2.0))
    assert [any(ord(c) > BLANK for c in line) for line in lines[:4]].count(True) == 1


def test_what_is_no_number_is_left_out() -> None:
    row = TIMES.copy()
    row[10:] = np.nan
    assert any(ord(c) > BLANK for line in drawn(row) for c in line)
    assert drawn(np.full(50, np.nan))


def test_nothing_can_be_drawn_of_nothing() -> None:
    assert len(curves(np.zeros(0), [np.zeros(0)], width=10, height=4)) == 5


def test_two_curves_have_two_colours() -> None:
    lines = curves(TIMES, [TIMES, 1.0 - TIMES], width=10, height=4)
    text = "\n".join(lines)
    assert "[cyan]" in text
    assert "[magenta]" in text
    assert legend(["a", "b"]) == "[cyan]a[/]  [magenta]b[/]"


def test_a_name_is_no_markup() -> None:
    assert Text.from_markup(legend(["joint[left]", "a[/]"])).plain == "joint[left]  a[/]"
    assert legend(["a[b]"], colour=False) == "a[b]"
