"""What a change of parameters means: the values that change, and what is to be known before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

from wmx_core.parameters.axis_parameters import FIELDS
from wmx_core.parameters.differences import Difference, differences, texts_by_group
from wmx_core.parameters.mistakes import axes_in_words
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters

Texts = dict[int, dict[str, str]]
"""The text of each element, by axis and by section and element: `LimitParam/SoftLimitType`."""
SOFT_LIMIT = "SoftLimit"
"""What the names of elements have that are about soft limits."""
SCALE = tuple(
    f"AxisParam/{element}"
    for element in ("AxisGearRatioNumerator", "AxisGearRatioDenominator", "AxisPolarity")
)
"""What tells which place of the motor a position is."""
AXIS = "axis "
"""How the group of an axis begins in what differs."""
MOST_NAMED = 3
"""So many names that are unknown are named."""
_NAMES = {f"{at.section}/{at.element}" for at in FIELDS.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One element of one axis that gets another value."""

    axis: int
    name: str
    """Its section and element."""
    old: str
    """The text that was in force when it was typed."""
    new: str
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"axis {self.axis} {self.name}: {self.old} → {self.new}{unit}"

    @property
    def back(self) -> Change:
        """The change that undoes it."""
        return Change(axis=self.axis, name=self.name, old=self.new, new=self.old, unit=self.unit)


def loaded(found: Sequence[Difference]) -> list[Change]:
    """What a load of the file changes of the axes, for the doubts about it and for its undo."""
    return [
        Change(
            axis=int(each.where.removeprefix(AXIS)), name=each.name, old=each.second, new=each.first
        )
        for each in found
        if each.where.startswith(AXIS)
    ]


def doubts(changes: Sequence[Change], texts: Texts, positions: Mapping[int, float]) -> list[str]:
    """What a person should know before these changes are uploaded."""
    found = []
    unknown = dict.fromkeys(
        change.name
        for change in changes
        if change.name not in _NAMES and change.name not in texts.get(change.axis, {})
    )
    if unknown:
        named = ", ".join([*unknown][:MOST_NAMED])
        found.append(f"no such parameters: {named}: are they misspelled?")
    scaled = sorted({change.axis for change in changes if change.name in SCALE})
    if scaled:
        found.append(f"{axes_in_words(scaled)}: positions are other places after that")
    limits = {change.axis for change in changes if SOFT_LIMIT in change.name}
    for axis in sorted(limits.union(scaled) & {*positions}):
        before = {name: number_in(text) for name, text in texts.get(axis, {}).items()}
        values = before | {each.name: number_in(each.new) for each in changes if each.axis == axis}
        low = values.get("LimitParam/SoftLimitNegativePos") or 0.0
        high = values.get("LimitParam/SoftLimitPositivePos") or 0.0
        place = positions[axis] * _counts(before) / _counts(values)  # the motor stays where it is
        if (low and place < low) or (high and place > high):
            found.append(f"axis {axis} is at {place:.4f} then, outside of its soft limits")
        if low and high and low >= high:
            found.append(f"axis {axis}: its lower soft limit is not below the upper one")
    return found


def _counts(values: Mapping[str, float]) -> float:
    """How many counts of the motor one u is, below 0 where it turns the other way round."""
    numerator, denominator, polarity = (values.get(name, 1.0) for name in SCALE)
    return polarity * numerator / (denominator or nan) or nan  # 0 is refused by whoever reads it


def read_texts(exported: str) -> Texts:
    """What the text of a parameter file holds of each axis; ValueError where it is none."""
    groups = texts_by_group(ParameterSet.from_xml(exported.encode()))
    return {
        int(where.removeprefix(AXIS)): dict(texts)
        for where, texts in groups.items()
        if where.startswith(AXIS)
    }


def compare(exported: str, path: str) -> list[Difference]:
    """What a load of the file at `path` changes of what is in force; ValueError if it is no file.

    `first` of each difference is the file's value, `second` that in force.
    """
    in_force = ParameterSet.from_xml(exported.encode())
    file = read_parameters(path)
    known = [axis for axis in file.axes if axis in in_force.axes]
    return [*differences(file.over(in_force).of(known), in_force.of(known))]


def number_in(text: str) -> float:
    """The number of a text; NaN, which no text is equal to, where it is none."""
    try:
        return float(text)
    except ValueError:
        return nan
