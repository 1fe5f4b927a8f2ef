"""Parameters as objects of the SDK: what the engine has is put in force, the rest is said once.

An object of Python begins with zeros, and a program sets in it what it wants to change: only what
it has set is given to the engine, and an object that is read has all that the engine knows.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from wmx_core.parameters.axis_parameters import FIELDS, AxisParameters

from .structs import CLASSES, Struct

OF_AXES = "AxisParam"
"""The section whose object has arrays, with an element for each axis."""
DEFAULTS = {"apiWaitUntilMotionStart": 1}
"""What is simulated of an attribute that is not one of the engine, where that is not 0."""
ELSEWHERE = {"enableGlobalStartingVelocity", "globalStartingVelocity"}
"""Attributes that the runtime plays."""


def attribute_of(section: str, element: str) -> str:
    """Return the attribute or array of the SDK for an element of a file: lsDec for LSDec."""
    own = CLASSES[f"Config_{section}"]
    names: dict[str, str] = {_short(name): name for name in (*own.listed, *own.fields, *own.arrays)}
    return names.get(_short(element), names.get(_short(element.removeprefix("Axis")), element))


def _short(name: str) -> str:
    return name.replace("Velocity", "Vel").replace("Direction", "Dir").lower()


def fields_of(section: str) -> Mapping[str, str]:
    """Return our fields of a section, by the attribute or array of the SDK."""
    return {
        attribute_of(section, at.element): name
        for name, at in FIELDS.items()
        if at.section == section
    }


def show(made: Struct, section: str, axis: int, typed: AxisParameters) -> Struct:
    """Let an object of a section have what is in force of an axis."""
    for name, field in fields_of(section).items():
        value = getattr(typed, field)
        number = int(value) if isinstance(value, int) else value
        if section == OF_AXES:
            made.elements[(name, axis)] = number
        else:
            setattr(made, name, number)
    return made


def changes(section: str, axis: int, given: Struct, typed: AxisParameters) -> dict[str, Any]:
    """Return what an object that a program has filled changes of an axis, by our fields."""
    found = {}
    for name, field in fields_of(section).items():
        value = _set_value(section, axis, given, name)
        if value is not None and value != getattr(typed, field):
            found[field] = value
    return found


def without_effect(section: str, axis: int, given: Struct) -> Iterable[str]:
    """Return what an object that a program has filled holds and nothing here plays."""
    known = fields_of(section)
    if section == OF_AXES:
        others = {array: value for (array, i), value in given.elements.items() if i == axis}
    else:
        others = {name: value for name, value in vars(given).items() if name != "elements"}
    for name, value in others.items():
        if name not in known and name not in ELSEWHERE and value != DEFAULTS.get(name, 0):
            yield f"Config_{section}.{name[:1].lower()}{name[1:]}"


def _set_value(section: str, axis: int, given: Struct, name: str) -> Any:
    if section == OF_AXES:
        return given.elements.get((name, axis))
    return vars(given).get(name)
