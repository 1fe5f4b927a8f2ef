"""Parameters as a page edits them: every element with its unit and its range, and what changes.

What is uploaded is what the page has shown: each change names the value that was in force, and
is refused where there is another one by now.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from wmx_core.parameters.axis_parameters import FIELDS, NUMBER, Kind
from wmx_core.parameters.differences import Difference
from wmx_core.parameters.xml_elements import Element, to_xml, with_text

from ..control.settings.comparison import MODE_ELEMENT, close
from ..diagnosis.parameter_changes import Change, Texts, number_in, read_texts
from .numbers import NoNumber, number_text, read_number

if TYPE_CHECKING:  # the process that reads files needs no ROS
    from ..client import Machine

MOST_NAMED = 3
"""So many changes are named in full in a line."""
_KINDS = {f"{at.section}/{at.element}": at.kind for at in FIELDS.values()}
NOT_HERE = {MODE_ELEMENT: "the mode is changed on the page of the axis, or by set_mode"}
"""What is not changed so, and why."""
_POSITIONS = (
    *("InPosWidth", "InPosWidth2", "InPosWidth3", "InPosWidth4", "InPosWidth5", "PosSetWidth"),
    *("DelayedPosSetWidth", "HomingReverseDistance", "HomeShiftDistance", "HomePosition"),
    *("MaxHSOnAtStartReverseDistance", "MaxLSReverseDistance", "MechanicalEndDetectionPosDiff"),
    *("SoftLimitPositivePos", "SoftLimitNegativePos", "FollowingErrorStopped"),
    *("FollowingErrorMoving", "AxisGearRatioDenominator"),
)
_VELOCITIES = (
    *("HomingVelSlow", "HomingVelFast", "HomeShiftVel", "GlobalStartingVelocity"),
    *("GlobalEndVelocity", "GlobalMinVelocity", "VelFollowingErrorStopped"),
    *("VelFollowingErrorMoving",),
)
_MEANING = {
    "SoftLimitPositivePos": "0 is no limit",
    "SoftLimitNegativePos": "0 is no limit",
    "FollowingErrorStopped": "0 is no limit",
    "FollowingErrorMoving": "0 is no limit",
}
"""What a value means that its range does not tell."""


def kind_of(name: str) -> Kind:
    """Which numbers an element takes."""
    return _KINDS.get(name, NUMBER)


def range_of(name: str) -> str:
    """Which numbers an element takes, in words."""
    if name in NOT_HERE:
        return NOT_HERE[name]
    meaning = _MEANING.get(name.rpartition("/")[2])
    return kind_of(name).rule + (f"; {meaning}" if meaning else "")


def unit_of(name: str, unit: str) -> str:
    """The unit of an element of an axis whose user unit is `unit`; empty where it has none."""
    element = name.rpartition("/")[2]
    if element in _POSITIONS:
        return unit
    if element in _VELOCITIES:
        return f"{unit}/s"
    if element.endswith("Milliseconds"):
        return "ms"
    if element.endswith(("Acc", "Dec")):
        return f"{unit}/s²"
    if element.endswith("TrqLimit") or element == "VelocityFeedforwardGain":
        return "%"
    return {"MaxMotorSpeed": "rpm", "AxisGearRatioNumerator": "counts"}.get(element, "")


def read_change(axis: int, name: str, old: str, typed: str, unit: str = "") -> Change | None:
    """The change that `typed` asks for; None where that is the number in force.

    NoNumber has the reason against it.
    """
    if name in NOT_HERE:
        raise NoNumber(f"axis {axis} {name}: {NOT_HERE[name]}")
    number = read_number(typed, f"axis {axis} {name}")
    try:
        kind_of(name).judge(number)
    except ValueError as rule:
        raise NoNumber(f"axis {axis} {name}: {typed.strip()!r} {rule}") from None
    if number == number_in(old):
        return None
    return Change(axis=axis, name=name, old=old, new=number_text(number), unit=unit)


def words(changes: Sequence[Change]) -> str:
    """What an order with these changes does, in a line."""
    named = "; ".join(map(str, changes[:MOST_NAMED]))
    more = len(changes) - MOST_NAMED
    return named + (f"; and {more} more" if more > 0 else "")


def as_file(changes: Sequence[Change]) -> str:
    """The text of a parameter file that holds the new values and nothing else."""
    axes: dict[int, Element] = {}
    for change in changes:
        axis = axes.get(change.axis, Element("AxisParameters", (("Axis", str(change.axis)),)))
        axes[change.axis] = with_text(axis, change.name.split("/"), change.new)
    return to_xml(Element("Parameters", (("ver", "1.00"),), "", tuple(axes.values())))


def upload(machine: Machine, changes: Sequence[Change]) -> None:
    """Give the engine the new values; ValueError where others are in force than were shown."""
    texts = read_texts(machine.parameters.export(sorted({each.axis for each in changes})))
    for each in changes:
        now = texts.get(each.axis, {}).get(each.name)
        if now is None or not same_number(now, each.old):
            raise ValueError(
                f"axis {each.axis} {each.name} is {now} by now, and was shown as {each.old}: "
                "nothing was changed. Read the parameters again"
            )
    with TemporaryDirectory(prefix="wmx-panel") as folder:
        file = Path(folder) / "changes.xml"
        file.write_text(as_file(changes), encoding="utf-8")
        machine.parameters.change(file)


def unmet(found: Sequence[Difference]) -> list[Difference]:
    """What is not in force of a file that was loaded, by how the two are compared then."""
    return [
        each
        for each in found
        if each.name != MODE_ELEMENT and not same_number(each.first, each.second)
    ]


def in_force(changes: Sequence[Change], texts: Texts) -> list[Change]:
    """Those of the changes whose new values `texts` has."""
    return [
        each
        for each in changes
        if same_number(texts.get(each.axis, {}).get(each.name, ""), each.new)
    ]


def same_number(one: str, other: str) -> bool:
    """Whether two texts are one number, but for digits that engines do not show."""
    return close(number_in(one), number_in(other))
