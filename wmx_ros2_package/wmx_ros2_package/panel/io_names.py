"""Names of inputs and outputs, which people give them on the page: one YAML file of a machine.

inputs: {'0.3': door closed}
outputs: {'0.0': gripper}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..trajectories.kept_yaml import changing, file_in, read_kept

FOLDER = Path("~/.ros/wmx_io_names")
"""Where the files are, one a robot, unless the panel is given another file."""
PARTS = "inputs", "outputs"
MOST_CHARACTERS = 40
"""Of a name."""
MOST_NAMES = 5000
Names = dict[str, dict[str, str]]
"""By part and place: {"inputs": {"0.3": "door closed"}, "outputs": {"0.0": "gripper"}}."""
_PLACE = re.compile(r"\d{1,5}\.[0-7]")


class IoNames:
    """The names in one file; ValueError has what is wrong with it, or with what was asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Names:
        """All of them; none where there is no file yet."""
        try:
            return _checked(read_kept(self.path, {}))
        except (ValueError, yaml.YAMLError) as error:
            raise ValueError(f"{self.path}: {' '.join(str(error).split())}") from None

    def give(self, part: str, place: object, name: object, before: str) -> None:
        """Give one input or output a name, nothing for none; it is called `before` still."""
        text = str(name or "").strip()
        if len(text) > MOST_CHARACTERS or (text and not text.isprintable()):
            raise ValueError(f"a name must be at most {MOST_CHARACTERS} letters")
        at = checked_place(place)
        with changing(self.path) as write:
            names = self.read()
            if (now := names[part].get(at, "")) != before:
                raise ValueError(f"it is called {now!r} by now, and was shown as {before!r}")
            names[part].pop(at, None)
            if text:
                names[part][at] = text
            write(_checked(names))


def checked_place(place: object) -> str:
    """A byte and a bit, as 12.3; ValueError with the rule."""
    text = str(place or "").strip().replace(",", ".")
    if not text.isascii() or not _PLACE.fullmatch(text):
        raise ValueError(f"{text[:20]!r} is no place: write byte and bit such as 12.3")
    byte, _, bit = text.partition(".")
    return f"{int(byte)}.{bit}"


def io_names_of(robot: str) -> Path:
    """Where the names of the machine of this robot are kept."""
    return file_in(FOLDER, robot)


def read_names(path: Path) -> Names:
    """The names in a file; as `IoNames.read`."""
    return IoNames(path).read()


def _checked(content: Any) -> Names:
    found: Any = _or_none(content)
    right = isinstance(found, Mapping) and {*found} <= {*PARTS}
    if not right or not all(isinstance(_or_none(part), Mapping) for part in found.values()):
        raise ValueError("must have inputs and outputs, each a name by BYTE.BIT")
    names: Names = {part: {} for part in PARTS}
    for part, given in found.items():
        names[part] = {checked_place(place): str(name) for place, name in _or_none(given).items()}
    if sum(map(len, names.values())) > MOST_NAMES:
        raise ValueError(f"has more than {MOST_NAMES} names")
    return names


def _or_none(content: Any) -> Any:
    """What stands in a file; no names where nothing does."""
    return {} if content in (None, "") else content
