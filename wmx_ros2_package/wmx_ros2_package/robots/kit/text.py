"""Numbers and names as the files of a robot have them, each in one line of YAML."""

import math
from collections.abc import Iterable

import yaml

from ..parameter_files import Dumper


def listed(values: Iterable[object]) -> str:
    """Return a list."""
    return plain([*values])


def numbers(values: Iterable[float]) -> str:
    """Return a list of numbers."""
    return plain([rounded(value, 9) for value in values])


def number(value: float, digits: int = 9) -> str:
    """Return a number."""
    return plain(rounded(value, digits))


def plain(value: object) -> str:
    """Return a value as YAML has it: a joint may be called `off`, which alone is no name."""
    text = yaml.dump(value, Dumper=Dumper, default_flow_style=True, width=math.inf)
    return text.splitlines()[0]


def rounded(value: float, digits: int = 3) -> float:
    """Return a value with so many digits."""
    return float(f"{value:.{digits}g}")
