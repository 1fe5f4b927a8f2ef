"""What differs between two sets of parameters, element by element."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .parameter_set import ParameterSet
from .xml_elements import BLANK, Element


class Difference(NamedTuple):
    """One element whose number differs; a text is empty where a set does not hold the axis."""

    where: str
    """`axis 3`, or `GlobalParameters`."""
    name: str
    """Section and element, such as `FeedbackParam/InPosWidth`."""
    first: str
    second: str


def differences(first: ParameterSet, second: ParameterSet) -> Iterator[Difference]:
    """Yield what differs, axis by axis; what a set leaves out is the vendor's default.

    Texts that are the same number are equal: `0` and `0.000000`.
    """
    groups = texts_by_group(first.completed()), texts_by_group(second.completed())
    for where in dict.fromkeys((*groups[0], *groups[1])):
        texts = groups[0].get(where, {}), groups[1].get(where, {})
        for name in dict.fromkeys((*texts[0], *texts[1])):
            a, b = texts[0].get(name, ""), texts[1].get(name, "")
            if _value(a) != _value(b):
                yield Difference(where, name, a, b)


def texts_by_group(parameters: ParameterSet) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of the elements of every axis, and of the global parameters."""
    return {
        _where(group): dict(_texts(group, ""))
        for group in parameters.root.children
        if group.children
    }


def _where(group: Element) -> str:
    axis = dict(group.attributes).get("Axis")
    return group.tag if axis is None else f"axis {int(axis)}"


def _texts(parent: Element, path: str) -> Iterator[tuple[str, str]]:
    for child in parent.children:
        name = f"{path}{child.tag}"
        if child.children:
            yield from _texts(child, f"{name}/")
        else:
            yield name, child.text.strip(BLANK)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
