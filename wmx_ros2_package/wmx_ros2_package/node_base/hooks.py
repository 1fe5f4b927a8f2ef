"""Calls of all functions that wait for something: attaching, letting go, activation."""

from collections.abc import Callable, Iterable

Hook = Callable[[], None]


def call_all(hooks: Iterable[Callable[[], object]]) -> None:
    """Call every one of `hooks`; the first error is raised when all have been called."""
    first: Exception | None = None
    for hook in hooks:
        try:
            hook()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first
