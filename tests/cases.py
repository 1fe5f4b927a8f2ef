"""How many cases Hypothesis tries: a tenth of them where `make check` is to be quick."""

from hypothesis import settings

USUAL = 100
"""Of a test that says nothing, in a full run."""


def cases(count: int) -> int:
    """The share of `count` cases that the profile in force asks for."""
    return max(1, count * settings().max_examples // USUAL)
