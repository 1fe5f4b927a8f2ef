"""Calls that the SDK carries out and does not answer in time: what is answered is what happened."""

from collections.abc import Callable
from typing import Any

import pytest
from checked_sdk import Act, CheckedSdk, Refused
from held_engine import HeldEngine

from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver

SERVO = "AxisControl.SetServoOn"


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


def not_answered(name: str, then: Callable[[CheckedSdk], object] = lambda _: None) -> Act:
    """A function that does what it is asked for, and is not answered in time, once.

    `then` may let something else happen meanwhile.
    """

    def act(vendor: CheckedSdk, *args: Any) -> Any:
        vendor.restore(name)
        vendor.real(name, *args)
        then(vendor)
        raise Refused(vendor.code("APIChannelTimeOut"))

    return act


def refuse_servos(vendor: CheckedSdk) -> None:
    vendor.refuse(SERVO, 1557)


def test_a_servo_that_may_come_on_is_switched_off_again(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_servo(2, on=True)
    assert refused.value.name == "APIChannelTimeOut"
    assert refused.value.detail.endswith("; the servo of axis 2 was switched off again")
    assert vendor.called(SERVO) == [[2, 1], [2, 0]]
    assert not held.after(1.0).servo_on[2]


def test_a_servo_that_is_on_already_stays_on(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    with pytest.raises(CommandRefused, match="APIChannelTimeOut"):
        driver.motion.set_servo(0, on=True)
    assert vendor.called(SERVO) == [[0, 1]]
    assert held.after(1.0).servo_on[0]


def test_a_servo_is_switched_off_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    driver.motion.set_servo(0, on=False)
    assert vendor.called(SERVO) == [[0, 0], [0, 0]]
    assert not held.after(1.0).servo_on[0]


@pytest.mark.parametrize("on", [True, False])
def test_a_servo_that_cannot_be_switched_off_is_named(
    vendor: CheckedSdk, driver: Driver, on: bool
) -> None:
    vendor.play(SERVO, not_answered(SERVO, refuse_servos))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_servo(2, on=on)
    assert refused.value.name == "APIChannelTimeOut"
    rest = "the servo of axis 2 may be on, and was not switched off: Error=1557"
    assert rest in refused.value.detail


def test_a_servo_that_is_refused_is_asked_for_once(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.refuse(SERVO, 1557)
    for on in True, False:
        with pytest.raises(CommandRefused, match="Error=1557"):
            driver.motion.set_servo(2, on=on)
    assert vendor.called(SERVO) == [[2, 1], [2, 0]]
