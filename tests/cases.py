"""How many cases Hypothesis tries: fewer of them where `make check` or `make test` is quick."""

from hypothesis import settings

USUAL = 100
"""Of a test that says nothing, in a full run."""


def cases(count: int) -> int:
    """The share of `count` cases that the profile in force asks for."""
    return max(1, count * settings().max_examples // USUAL)
