"""Numbers for JSON, which has no word for those that are not finite."""

from __future__ import annotations

import json
from math import isfinite

import numpy as np

from wmx_core.values import Floats


def numbers(values: Floats, digits: int) -> list[float | str]:
    """Rounded numbers; a text stands for a NaN, with which a browser would refuse all of it.

    It makes a NaN of the text "NaN", as infinities of "Infinity" and "-Infinity", and shows that
    where the number would stand.
    """
    rounded: list[float] = np.round(values, digits).tolist()
    return [each if isfinite(each) else json.dumps(each) for each in rounded]
