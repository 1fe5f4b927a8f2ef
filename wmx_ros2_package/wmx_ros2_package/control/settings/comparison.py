"""Whether an engine has the parameters that it is to have, as it shows them."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import isclose

from wmx_core.parameters.axis_parameters import FIELDS
from wmx_core.parameters.differences import differences
from wmx_core.parameters.parameter_set import ParameterSet

RELATIVE, ABSOLUTE = 1e-6, 1e-6
"""How far what is read back may be from what was set: engines show six decimals."""
MODE_ELEMENT = f"{FIELDS['command_mode'].section}/{FIELDS['command_mode'].element}"


def close(one: float, other: float) -> bool:
    """Whether an engine may show `one` for `other`."""
    return isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def same(wanted: ParameterSet, in_force: ParameterSet) -> bool:
    """Whether two sets are equal, but for digits that engines do not show, and for modes."""
    return wanted == in_force or next(unequal(wanted, in_force), None) is None


def unequal(wanted: ParameterSet, in_force: ParameterSet) -> Iterator[str]:
    """Yield what of two sets is not equal, but for digits that engines do not show, and modes."""
    for each in differences(wanted, in_force):
        with suppress(ValueError):
            if close(float(each.first), float(each.second)):
                continue
        if each.name != MODE_ELEMENT:
            yield f"{each.where} {each.name}"


def differing(wanted: ParameterSet, in_force: ParameterSet, axes: Iterable[int]) -> set[int]:
    """Return those of `axes` of which a parameter that is known by its name differs."""
    names = [name for name in FIELDS if name != "command_mode"]
    return {
        axis
        for axis in axes
        if axis in in_force.axes
        and not all(
            close(getattr(wanted.axis(axis), name), getattr(in_force.axis(axis), name))
            for name in names
        )
    }
