"""Positions of joints that were taught under names, in one YAML file of a robot. Pure, without ROS.

joints: {joint1: rad, joint2: rad}
positions:
  home: {joint1: 0.0, joint2: 0.5}

The file names its joints and their units, so that another robot refuses it. It is written as a
whole, and one program at a time changes it: what two of them teach at once is all kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml

from wmx_core.numerals import decimal

from .kept_yaml import changing, file_in, read_kept

FOLDER = Path("~/.ros/wmx_positions")
"""Where the files are, one a robot, unless a program is told another file."""
MOST_POSITIONS = 500
MOST_CHARACTERS = 40
"""Of a name."""
UNITS = ("rad", "m")
DIGITS = 6
"""Decimals that are kept, of rad or m."""
Place = dict[str, float]
"""The position of each joint, rad or m."""


class TaughtPositions:
    """The positions in the file `path`, of joints with these names and units.

    ValueError has what is wrong with the file or what was asked; OSError where it cannot be
    written.
    """

    def __init__(self, path: Path, joints: Mapping[str, str]) -> None:
        self.path = path
        self.joints = dict(joints)

    def read(self) -> dict[str, Place]:
        """All of them by their names; none where there is no file yet."""
        try:
            none = {"joints": self.joints, "positions": {}}
            return self._checked(read_kept(self.path, none))
        except (ValueError, yaml.YAMLError) as error:
            raise ValueError(f"{self.path}: {' '.join(str(error).split())}") from None

    def save(self, name: str, place: Mapping[str, float]) -> None:
        """Keep `place` under a name that is free."""
        name = checked_name(name)
        kept = self._place(name, place)
        with self._changing() as positions:
            if name in positions:
                raise ValueError(f"there is a position {name!r} already: delete or rename it first")
            if len(positions) >= MOST_POSITIONS:
                raise ValueError(f"there are {MOST_POSITIONS} positions: delete one first")
            positions[name] = kept

    def rename(self, name: str, new: str) -> None:
        """Give a position another name, which is free."""
        new = checked_name(new)
        with self._changing() as positions:
            if new in positions:
                raise ValueError(f"there is a position {new!r} already")
            if name not in positions:
                raise ValueError(f"there is no position {name!r} any more")
            renamed = {new if each == name else each: at for each, at in positions.items()}
            positions.clear()
            positions.update(renamed)

    def delete(self, name: str, place: Mapping[str, float]) -> None:
        """Forget a position, which is at `place` still, as `require`."""
        with self._changing() as positions:
            _require(positions, name, place)
            del positions[name]

    def require(self, name: str, place: Mapping[str, float]) -> None:
        """ValueError where a position is not at `place` any more.

        Another program may have taught it anew, or deleted it.
        """
        _require(self.read(), name, place)

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Place]]:
        """The positions, which are written when the block ends without an error."""
        with changing(self.path) as write:
            positions = self.read()
            yield positions
            write({"joints": self.joints, "positions": positions})

    def _checked(self, content: object) -> dict[str, Place]:
        if wrong := [joint for joint, unit in self.joints.items() if unit not in UNITS]:
            units = ", ".join(f"{joint} has the unit {self.joints[joint]}" for joint in wrong)
            raise ValueError(f"{units}: must be rad or m")
        if not isinstance(content, dict) or content.keys() != {"joints", "positions"}:
            raise ValueError("must have the keys joints and positions, and no other")
        if content["joints"] != self.joints:
            raise ValueError(
                f"it is of another robot, with {_words(content['joints'])}: this one has "
                f"{_words(self.joints)}"
            )
        positions = content["positions"] or {}
        if not isinstance(positions, dict) or len(positions) > MOST_POSITIONS:
            raise ValueError(f"positions must be at most {MOST_POSITIONS} by their names")
        return {checked_name(name): self._place(name, at) for name, at in positions.items()}

    def _place(self, name: str, at: object) -> Place:
        if not isinstance(at, Mapping) or {*at} != {*self.joints}:
            raise ValueError(f"position {name!r} must have {', '.join(self.joints)}")
        return {joint: _number(name, joint, at[joint]) for joint in self.joints}


def _require(positions: Mapping[str, Place], name: str, place: Mapping[str, float]) -> None:
    if positions.get(name) != dict(place):
        raise ValueError(f"the position {name!r} is another one by now, or gone")


def checked_name(name: object) -> str:
    """The name of a position; ValueError with the rule."""
    text = str(name).strip()
    if not (1 <= len(text) <= MOST_CHARACTERS and text.isprintable()):
        raise ValueError(f"name {text[:MOST_CHARACTERS]!r}: must be 1 to {MOST_CHARACTERS} letters")
    return text


def file_of(robot: str) -> Path:
    """Where the positions of the robot of this name are kept."""
    return file_in(FOLDER, robot)


def read_taught(path: Path, joints: Mapping[str, str]) -> dict[str, Place]:
    """The positions in a file; as `TaughtPositions.read`."""
    return TaughtPositions(path, joints).read()


def _number(name: str, joint: str, value: object) -> float:
    try:
        number = decimal(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"position {name!r}: {joint} is {value!r}: must be a finite number")
    return round(number, DIGITS) + 0.0


def _words(joints: object) -> str:
    if not isinstance(joints, Mapping):
        return repr(joints)
    return ", ".join(f"{name} ({unit})" for name, unit in joints.items()) or "no joints"
