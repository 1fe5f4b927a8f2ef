"""The rows of the page of parameters: which are wanted, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from wmx_core.parameters.differences import Difference, texts_by_group
from wmx_core.parameters.loading import together
from wmx_core.parameters.parameter_set import ParameterSet

from ..diagnosis.parameter_changes import SOFT_LIMIT, Texts
from .parameter_edits import range_of, same_number, unit_of

COLUMNS = ("axis", "section", "name", "in force", "new", "unit", "allowed", "default", "file")
FILE = "file"
"""What stands for the rows of a file."""
SHOWN = {
    "all": "all",
    "limits": "soft limits",
    "default": "other than the default",
    "edited": "what is edited",
    FILE: "what the file changes",
}
MOST_ROWS = 400
"""So many are shown at most: a browser draws no more at once."""
Row = dict[str, Any]


def place_of(key: str) -> tuple[int, str]:
    """The axis, and the section and element, of the key of a row; -1 where it is none."""
    axis, _, name = key.partition(" ")
    return (int(axis) if axis.isascii() and axis.isdecimal() else -1), name


def element_rows(
    texts: Texts, edits: Mapping[str, str], which: str, search: str, unit: Callable[[int], str]
) -> tuple[list[Row], int]:
    """The first MOST_ROWS rows of what is in force, and how many there are.

    `edits` has what was typed, by the key of its row; `which` is a key of SHOWN.
    """
    wanted = search.lower().split()
    found = [
        (key, axis, name, text)
        for axis, of_axis in texts.items()
        for name, text in of_axis.items()
        if _matches(key := f"{axis} {name}", wanted)
        and (which != "limits" or SOFT_LIMIT in name)
        and (which != "edited" or key in edits)
        and (which != "default" or not same_number(text, _defaults().get(name, "")))
    ]
    rows = [
        {
            "key": key,
            "axis": axis,
            **_name(name),
            "in force": text,
            "new": edits.get(key, ""),
            "unit": unit_of(name, unit(axis)),
        }
        for key, axis, name, text in found[:MOST_ROWS]
    ]
    return rows, len(found)


def file_rows(changes: Sequence[Difference], search: str) -> tuple[list[Row], int]:
    """The first MOST_ROWS rows of what a load changes, like axes in one, and how many there are."""
    wanted = search.lower().split()
    found = [each for each in together([*changes]) if _matches(f"{each.where} {each.name}", wanted)]
    rows = [
        {
            "key": f"{each}",
            "axis": each.where.removeprefix("axis ").removeprefix("axes "),
            **_name(each.name),
            "in force": each.second,
            "file": each.first,
            "fixed": True,
        }
        for each in found[:MOST_ROWS]
    ]
    return rows, len(found)


def _matches(text: str, words: Sequence[str]) -> bool:
    lower = text.lower()
    return all(word in lower for word in words)


def _name(name: str) -> Row:
    """What stands in a row of an element whatever its value is."""
    section, _, element = name.partition("/")
    default = _defaults().get(name, "")
    return {"section": section, "name": element, "allowed": range_of(name), "default": default}


@cache
def _defaults() -> dict[str, str]:
    """The vendor's default of each element of an axis."""
    return dict(texts_by_group(ParameterSet.defaults(1))["axis 0"])
