"""Stop inputs whose removal is not answered in time: none is taken for removed that still acts."""

from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused
from held_engine import HeldEngine, velocity_move
from not_answered import not_answered

from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import OperationState

ENABLE, REMOVE = "EventControl.EnableEvent", "EventControl.RemoveEvent"
FIND = "EventControl.GetEventModuleId"


@pytest.fixture(autouse=True)
def stop_input(driver: Driver) -> None:
    """Axis 0 has a stop input, which is off."""
    only = StopInput(axis=0, address=2, bit=0, value=True, kind=StopKind.STOP)
    driver.reactions.set_stop_inputs([only])


def late(vendor: CheckedSdk, *_: Any) -> Any:
    """Do nothing, in longer than is waited for."""
    raise Refused(vendor.code("APIChannelTimeOut"))


def still_stops(held: HeldEngine, vendor: CheckedSdk, driver: Driver) -> bool:
    """Whether the input stops the axis as it comes on."""
    driver.motion.jog([velocity_move(0)])
    vendor.engine.call("io", "force_input_bit", 2, 0, value=True)
    for _ in range(3):
        held.after(0.001)
        vendor.runtime.look()
    return bool(held.after(2.0).op_state[0] == OperationState.IDLE)


@pytest.mark.parametrize("found_late", [False, True])
@pytest.mark.parametrize("name", [ENABLE, REMOVE])
def test_a_stop_input_that_may_still_act_is_not_answered_as_removed(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, name: str, *, found_late: bool
) -> None:
    vendor.play(name, late)
    if found_late:
        vendor.play(FIND, late)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([])
    assert refused.value.name == "APIChannelTimeOut"
    assert still_stops(held, vendor, driver) is (name == ENABLE)


def test_an_event_that_is_refused_and_not_found_in_time_is_not_taken_for_removed(
    vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.refuse(REMOVE, vendor.code("ArgumentOutOfRange"))
    vendor.play(FIND, late)
    with pytest.raises(CommandRefused):
        driver.reactions.set_stop_inputs([])


@pytest.mark.parametrize("name", [ENABLE, REMOVE])
def test_a_removal_that_was_carried_out_and_not_answered_is_one(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, name: str
) -> None:
    vendor.play(name, not_answered(name))
    driver.reactions.set_stop_inputs([])
    assert not still_stops(held, vendor, driver)
