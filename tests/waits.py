"""What tests do on a machine that does other things, too: wait for what happens, measure again."""

from collections.abc import Callable
from typing import Any

from wmx_core.clock import STEADY, Clock

WAIT_TIMEOUT = 60.0
"""How long anything may take on a busy machine, s: it ends a test that would wait for ever."""


def eventually(
    condition: Callable[[], Any], what: str, timeout: float = WAIT_TIMEOUT, clock: Clock = STEADY
) -> Any:
    """What `condition` gives once it is true; fails when that takes too long by `clock`."""
    deadline = clock.now() + timeout
    while not (result := condition()):
        assert clock.now() < deadline, f"not within {timeout} s: {what}"
        clock.sleep(0.02)
    return result


def at_best(measure: Callable[[], float], most: float, attempts: int = 5) -> float:
    """What the first of a few attempts to `measure` gives that is `most` or less; fails if none is.

    What else runs on a machine delays, and never hastens. So an attempt that is quick enough shows
    that the product is, and a product that is not is slow in each of them. Every attempt begins
    from the start: what the one before it has left in force it takes back.
    """
    seen: list[float] = []
    for _ in range(attempts):
        seen.append(measure())
        if seen[-1] <= most:
            return seen[-1]
    raise AssertionError(f"the best of {seen} is {min(seen)}: must be {most} or less")
