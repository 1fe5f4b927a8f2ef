"""What loading a file changes, as far as an engine shows what is in force.

`wmx/params/get` shows some twenty elements of an axis, to six decimals, and none of the global
ones; a load sets every element of the groups that the file holds. What cannot be compared is named.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .differences import Difference, texts_by_group
from .dump import SHOWN, Sections, sections, shown_exactly
from .mistakes import axes_in_words
from .parameter_set import ParameterSet

GLOBAL = "GlobalParameters"


class Preview(NamedTuple):
    """The changes by a load to the axes that the file holds, and to global elements."""

    changed: list[Difference]
    """Elements of which the engine shows another value: `first` is the file's, `second` its own."""
    hidden: list[Difference]
    """Elements that the load sets and the engine does not show; `second` is empty."""


def preview(file: ParameterSet, engine: Mapping[int, Sections]) -> Preview:
    """Return the changes by loading `file` to an engine that shows `engine` of its axes.

    Axes that the file does not hold stay as they are, and are not named; of an axis that it holds
    an element that it leaves out becomes the vendor's default.
    """
    axes = [axis for axis in sorted(file.axes) if axis in engine]
    changed = [each for axis in axes for each in _changed(file, axis, engine[axis])]
    return Preview(changed, [*_hidden(file, axes, {each[:2] for each in changed})])


def together(found: list[Difference]) -> list[Difference]:
    """The same values of several axes in one each: `axes 0 to 5`."""
    axes: dict[tuple[str, ...], list[int]] = {}
    rest = [each for each in found if not each.where.startswith("axis ")]
    for where, *values in found:
        if where.startswith("axis "):
            axes.setdefault(tuple(values), []).append(int(where.removeprefix("axis ")))
    return [*rest, *(Difference(axes_in_words(where), *values) for values, where in axes.items())]


def _changed(file: ParameterSet, axis: int, engine: Sections) -> Iterator[Difference]:
    for section, values in sections(file, axis).items():
        for name, value in values.items():
            if (has := engine.get(section, {}).get(name, "")) != value:
                yield Difference(f"axis {axis}", f"{section}/{name}", value, has)


def _hidden(
    file: ParameterSet, axes: list[int], changed: set[tuple[str, str]]
) -> Iterator[Difference]:
    every = texts_by_group(file.completed())
    held = [child.tag for child in file.root.children if child.tag == GLOBAL]
    for where in (*held, *(f"axis {axis}" for axis in axes)):
        for name, text in every[where].items():
            label = None if where == GLOBAL else SHOWN.get(name)
            if label is None or not (shown_exactly(text) or (where, label) in changed):
                yield Difference(where, name, text, "")
