"""What most tests of the wmx3 backend begin with."""

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.interface import Driver


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def vendor(recorder: Recorder) -> CheckedSdk:
    return CheckedSdk(recorder)


@pytest.fixture
def held() -> HeldEngine:
    """Three axes with their servos on."""
    return HeldEngine(3).servo_on()


@pytest.fixture
def over_held(held: HeldEngine) -> CheckedSdk:
    """The SDK over what moves, where a test looks at that."""
    return CheckedSdk(held.fake)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()
