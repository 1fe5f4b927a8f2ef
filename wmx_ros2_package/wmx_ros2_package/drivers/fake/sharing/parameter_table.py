"""A set of parameters as a table: axes are much alike, so the same elements occur again and again.

Each different element is a row, [tag, attributes, text, [rows of its children]], after those of its
children; the last row is the root.
"""

from functools import lru_cache
from typing import Any

from ...parameters.xml_elements import Element

Row = tuple[str, tuple[tuple[str, str], ...], str, tuple[int, ...]]


def table(root: Element) -> tuple[Row, ...]:
    """The rows of `root`."""
    rows: dict[Row, int] = {}
    known: dict[int, int] = {}
    """Rows of elements by their identity, which is quicker to look up."""

    def place(element: Element) -> int:
        number = known.get(id(element))
        if number is None:
            children = tuple([place(child) for child in element.children])
            row = (element.tag, element.attributes, element.text, children)
            number = known[id(element)] = rows.setdefault(row, len(rows))
        return number

    place(root)
    return tuple(rows)


@lru_cache(maxsize=4)
def read_table(rows: Any) -> Element:
    """The root of a table; TypeError, ValueError or IndexError for what is none.

    The same few sets are asked for again and again.
    """
    elements: list[Element] = []
    for tag, attributes, text, children in rows:
        for word in (tag, text, *(word for pair in attributes for word in pair)):
            if type(word) is not str:
                raise TypeError(f"{word!r:.40} must be text")
        for child in children:
            if not 0 <= child < len(elements):
                raise ValueError(f"row {child!r:.40} must come before its parent")
        pairs = tuple([(name, value) for name, value in attributes])
        elements.append(Element(tag, pairs, text, tuple([elements[child] for child in children])))
    return elements[-1]
