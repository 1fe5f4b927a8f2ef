"""What tests of the driver of the SDK begin with."""

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine

from wmx_core.interface import Driver


@pytest.fixture
def held() -> HeldEngine:
    """Three axes, the first two with their servos on."""
    return HeldEngine(3).servo_on(0, 1)


@pytest.fixture
def vendor(held: HeldEngine) -> CheckedSdk:
    return CheckedSdk(held.fake)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()
