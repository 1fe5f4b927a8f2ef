"""Calls that the SDK carries out and does not answer in time."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from checked_sdk import Act, CheckedSdk, Refused


def not_answered(
    name: str, then: Callable[[CheckedSdk], object] = lambda _: None, *, times: int = 1
) -> Act:
    """A function that does what it is asked for, and so many `times` is not answered in time.

    `then` may let something else happen after that.
    """
    left = times

    def act(vendor: CheckedSdk, *args: Any) -> Any:
        nonlocal left
        with suppress(Refused):  # as of what was done before
            vendor.real(name, *args)
        left -= 1
        if not left:
            vendor.restore(name)
            then(vendor)
        raise Refused(vendor.code("APIChannelTimeOut"))

    return act
