"""What most tests of the wmx3 backend begin with."""

import pytest
from checked_sdk import CheckedSdk
from recorder import Recorder

from wmx_core.interface import Driver


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def vendor(recorder: Recorder) -> CheckedSdk:
    return CheckedSdk(recorder)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()
