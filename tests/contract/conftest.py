"""What every backend of the driver seam must do, stated once: see README.md for how to run it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from backends import Backend
from engines import BACKENDS, RealSdk, StandIn
from process_cases import FurtherCases, is_on, is_slow
from sim_cases import why_not

SDK = os.environ.get("WMX3_SDK") == "1"
if SDK and RealSdk.missing():
    raise pytest.UsageError(f"WMX3_SDK=1 needs {RealSdk.missing()}: see tests/contract/README.md")
NO_STAND_IN = StandIn.missing()
CHOSEN = ["sdk"] if SDK else [name for name in BACKENDS if name != "sdk"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    further = FurtherCases()
    for item in items:
        if "unattached" not in getattr(item, "fixturenames", ()):
            continue  # it is of no backend
        test = item.module.__name__, item.name
        if is_slow(*test) or further.has(*test):
            item.add_marker(pytest.mark.slow)
        if is_on("wmx3_sim", item.name):
            reason = why_not(*test)
            item.add_marker(pytest.mark.skipif(bool(reason), reason=reason))


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.skipif(bool(NO_STAND_IN), reason=NO_STAND_IN))
        if name == "stand-in"
        else name
        for name in CHOSEN
    ]
)
def unattached(
    request: pytest.FixtureRequest,
    runtime: Path,
    tmp_path: Path,
    axis_model: Mapping[str, object],
) -> Iterator[Backend]:
    """A machine whose engine no device of this test is attached to yet."""
    backend = BACKENDS[request.param](tmp_path, axis_model)
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
