"""What every backend of the driver seam must do, stated once: see README.md for how to run it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from backends import Backend
from compiled_sdk import COMPILED
from engines import BACKENDS, RealSdk

SDK = os.environ.get("WMX3_SDK") == "1"
if SDK and RealSdk.missing():
    raise pytest.UsageError(f"WMX3_SDK=1 needs {RealSdk.missing()}: see tests/contract/README.md")
ALL = BACKENDS | COMPILED
IN_PART = "process", "older_binding"
"""Backends that carry out what another one does, on another way."""
ONCE = "binding"
"""The one that has to pass the first case of every test: one number gets there as another does."""
CHOSEN = ["sdk"] if SDK else [name for name in ALL if name != "sdk"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what is over the SDK to `make test`, and to `-m slow` what need not pass each time.

    The engine's process, and an older release, pass the first case of every test with the mark
    `over_process`, or that of each value of the parameter that the mark names as `each`. The newest
    release passes the first cases of all tests.
    """
    seen = set()
    for item in items:
        case = getattr(getattr(item, "callspec", None), "params", {})
        backend = case.get("unattached")
        if backend in ALL and ALL[backend].vendor_rules:
            item.add_marker(pytest.mark.vendor)
        if backend not in (*IN_PART, ONCE):
            continue
        mark = item.get_closest_marker("over_process")
        each = case.get(mark.kwargs.get("each")) if mark else None
        first = (item.function, backend, str(each))
        if first in seen or (mark is None and backend != ONCE):
            item.add_marker(pytest.mark.slow)
        seen.add(first)


@pytest.fixture(params=CHOSEN)
def unattached(
    request: pytest.FixtureRequest,
    runtime: Path,
    tmp_path: Path,
    axis_model: Mapping[str, object],
) -> Iterator[Backend]:
    """A machine whose engine no device of this test is attached to yet."""
    backend = ALL[request.param](tmp_path, axis_model)
    try:
        yield backend
    finally:
        backend.close()


@pytest.fixture
def axis_model() -> Mapping[str, object]:
    """What the axes of the machine have besides a drive and a motor; modules override it."""
    return {}


@pytest.fixture
def attached(unattached: Backend) -> Backend:
    """A device on an engine that does not communicate."""
    unattached.attach()
    return unattached


@pytest.fixture
def backend(attached: Backend) -> Backend:
    """An engine that communicates: axes at rest at 0, in position mode, servos off."""
    attached.communicate()
    return attached


@pytest.fixture
def powered(backend: Backend) -> Backend:
    """The servos of x and y are on."""
    backend.servo_on()
    return backend


@pytest.fixture
def harmless(backend: Backend) -> Backend:
    """A machine that is known, and that no wrong motion can damage."""
    if not backend.simulated:
        pytest.skip("is tried only where no wrong motion can do damage")
    return backend


@pytest.fixture
def harmless_powered(harmless: Backend) -> Backend:
    """The same, with the servos of x and y on."""
    harmless.servo_on()
    return harmless
