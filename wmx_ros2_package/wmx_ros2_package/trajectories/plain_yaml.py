"""YAML of which only lists, mappings and texts are read, which takes as long as it is long.

The usual loader calls itself for each level of nesting, so a file that is nothing but brackets ends
the process; an alias makes a file of a few lines as large as memory.
"""

from __future__ import annotations

from typing import Any

import yaml

MOST_LEVELS = 8
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_plain_yaml(text: str) -> Any:
    """Lists, mappings and texts in `text`, None where it is empty.

    ValueError or YAMLError for aliases, keys that are none or stand twice, more than one document,
    and more than MOST_LEVELS levels.
    """
    found: list[Any] = []
    """The documents."""
    open_ones: list[_Collection] = []
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"has an alias in {_line(event)}: write it out")
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_ones) >= MOST_LEVELS:
                raise ValueError(f"has more than {MOST_LEVELS} levels in {_line(event)}")
            open_ones.append(_Collection(isinstance(event, yaml.MappingStartEvent)))
            continue
        if isinstance(event, yaml.ScalarEvent):
            value: Any = event.value
        elif isinstance(event, yaml.CollectionEndEvent):
            value = open_ones.pop().content
        else:
            continue
        try:
            open_ones[-1].add(value) if open_ones else found.append(value)
        except ValueError as error:
            raise ValueError(f"{error} in {_line(event)}") from None
    if len(found) > 1:
        raise ValueError("has more than one document")
    return found[0] if found else None


class _Collection:
    """A list or a mapping that is being read."""

    def __init__(self, is_mapping: bool) -> None:
        self.content: Any = {} if is_mapping else []
        self._key: str | None = None

    def add(self, value: Any) -> None:
        """Take the next value: in a mapping a key and what it stands for, by turns."""
        if isinstance(self.content, list):
            self.content.append(value)
        elif self._key is not None:
            self.content[self._key], self._key = value, None
        elif not isinstance(value, str):
            raise ValueError("has a key that is no text")
        elif value in self.content:
            raise ValueError(f"has the key {value!r} twice")
        else:
            self._key = value


def _line(event: yaml.Event) -> str:
    mark: Any = event.start_mark
    return f"line {mark.line + 1}"
