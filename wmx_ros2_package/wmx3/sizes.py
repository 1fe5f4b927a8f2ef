"""How much the installed SDK holds, as its constants say; a binding does not check C arrays.

Releases differ: a spline has 6 axes in older headers and 8 in the manual. Where a module has no
constants, what is documented counts.
"""

from collections.abc import Callable

from wmx_core.errors import CommandRefused
from wmx_core.path_rules import MAX_SPLINE_AXES

from .sdk import Sdk

USER_MEMORY = 1024 * 2480
"""Bytes of the user memory (API reference, User Memory Constants)."""


def spline_axes(sdk: Sdk) -> int:
    """The most axes of a spline."""
    return _constant(lambda: sdk.constants.maxSplineDimensions, MAX_SPLINE_AXES)


def user_memory(sdk: Sdk) -> int:
    """The bytes of the user memory."""
    return _constant(lambda: sdk.constants.maxUserMemoryBytes, USER_MEMORY)


def _constant(read: Callable[[], int], documented: int) -> int:
    try:
        return int(read())
    except (CommandRefused, AttributeError):
        return documented
