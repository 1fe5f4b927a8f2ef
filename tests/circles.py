"""Which tests start programs: the third circle, which `make check` and `make test` leave out.

A program takes as long as the machine lets it, so these tests alone depend on how busy that is.
"""

import pytest

FOLDERS = "tests/integration/", "tests/panel/"
"""All tests there do."""
FIXTURES = {"program", "clients", "drivers"}
"""What these give runs in processes of its own."""
ENGINE_PROCESS = "process"
"""The backend of the contract that does."""

_running: pytest.Item | None = None


def mark(item: pytest.Item) -> None:
    """Give a test the mark `process` where its folder, fixtures or parameters say that it does."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    if (
        any(folder in item.nodeid for folder in FOLDERS)
        or FIXTURES & ({*getattr(item, "fixturenames", ())} - {*parameters})
        or parameters.get("unattached") == ENGINE_PROCESS
    ):
        item.add_marker(pytest.mark.process)


def begin(item: pytest.Item) -> None:
    """Note which test runs from now on."""
    global _running
    _running = item


def require_mark() -> None:
    """Fail where a test without the mark starts a program."""
    if _running is not None and _running.get_closest_marker("process") is None:
        raise AssertionError(f"{_running.nodeid} starts a program: give it the mark `process`")
