"""What a parameter file may hold, though it is probably a mistake."""

from collections.abc import Iterator
from itertools import islice

from .parameter_set import ParameterSet

MOST_NAMES = 5


def doubts(parameters: ParameterSet, axes: int) -> Iterator[str]:
    """What is doubtful in `parameters` for an engine of `axes` axes."""
    if unknown := _some(parameters.unknown()):
        yield f"unknown elements, which the simulated engine ignores: {unknown}"
    held = set(parameters.axes)
    if too_many := _some(str(axis) for axis in sorted(held) if axis >= axes):
        yield f"parameters of axes that the engine does not have: {too_many}"
    if missing := _some(str(axis) for axis in range(axes) if axis not in held):
        yield f"no parameters of these axes, which have the vendor's defaults: {missing}"


def _some(names: Iterator[str]) -> str:
    first = list(islice(names, MOST_NAMES))
    return ", ".join([*first, *("..." for _ in islice(names, 1))])
