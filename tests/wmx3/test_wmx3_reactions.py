"""The engine's own reactions, where the SDK refuses, or has no room for, what is asked of it."""

from collections.abc import Sequence
from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused
from held_engine import HeldEngine, velocity_move

from wmx3.events import FIRST_STOP_INPUT
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.reactions import PositionOutput, StopInput, StopKind, TouchProbe
from wmx_core.values import OperationState

LAST = 127
"""An axis whose dead man has events that stop inputs would have."""


@pytest.fixture
def vendor() -> CheckedSdk:
    return CheckedSdk(HeldEngine(3).fake)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()


def output(axis: int, bit: int, position: float = -1.0) -> PositionOutput:
    return PositionOutput(axis=axis, address=3, bit=bit, position=position, value=True)


def probe(axis: int, bit: int = 0) -> TouchProbe:
    return TouchProbe(axis=axis, address=2, bit=bit, value=True)


def for_axis(name: str, refused: int) -> Any:
    """A function of the SDK that refuses one axis."""

    def act(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        if args[0] == refused:
            raise Refused(ErrorCode.ArgumentOutOfRange)
        return vendor.real(name, *args)

    return act


def cycles(vendor: CheckedSdk, count: int) -> None:
    for _ in range(count):
        vendor.engine.clock.sleep(0.001)
        vendor.runtime.look()


def test_stop_inputs_leave_the_dead_men_of_many_axes_alone() -> None:
    held = HeldEngine(LAST + 1).servo_on(LAST)
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    driver.engine.feed_dead_man([LAST], 0.05)
    driver.motion.jog([velocity_move(LAST)])
    driver.reactions.set_stop_inputs([])
    stop_input = StopInput(axis=0, address=0, bit=0, value=True, kind=StopKind.STOP)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([stop_input])
    assert refused.value.code == ErrorCode.IDOutOfRange
    driver.engine.feed_dead_man([LAST], 0.05)
    cycles(vendor, 60)
    assert held.after(2.0).op_state[LAST] == OperationState.IDLE


def stop_input(axis: int, bit: int) -> StopInput:
    return StopInput(axis=axis, address=2, bit=bit, value=True, kind=StopKind.STOP)


def refusing_event(refused: int) -> Any:
    """SetEvent_ID that refuses one number."""

    def act(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        if args[2] == refused:
            raise Refused(ErrorCode.ArgumentOutOfRange)
        return vendor.real("EventControl.SetEvent_ID", *args)

    return act


def test_stop_inputs_are_put_back_where_one_is_refused() -> None:
    held = HeldEngine(3).servo_on()
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    vendor.play("EventControl.SetEvent_ID", refusing_event(FIRST_STOP_INPUT + 1))
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([stop_input(2, 5), stop_input(1, 1)])
    assert "changed" not in refused.value.detail
    driver.motion.jog([velocity_move(0), velocity_move(2)])
    cycles(vendor, 200)
    force(vendor, 5, True)
    force(vendor, 0, True)
    assert held.after(2.0).op_state.tolist()[::2] == [OperationState.IDLE, OperationState.JOG]


def test_stop_inputs_that_cannot_be_put_back_may_have_changed() -> None:
    vendor = CheckedSdk(HeldEngine(3).fake)
    driver = vendor.attached()
    vendor.play("EventControl.SetEvent_ID", refusing_event(FIRST_STOP_INPUT + 1))
    with pytest.raises(CommandRefused, match=r"that were in force may have changed$"):
        driver.reactions.set_stop_inputs([stop_input(0, 0), stop_input(1, 1)])
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    vendor.play("EventControl.SetEvent_ID", refusing_event(FIRST_STOP_INPUT))
    with pytest.raises(CommandRefused, match="may have changed, and were not put back: Error="):
        driver.reactions.set_stop_inputs([stop_input(0, 5)])


def test_a_stop_input_that_the_engine_does_not_remove_is_no_success() -> None:
    vendor = CheckedSdk(HeldEngine(3).fake)
    driver = vendor.attached()
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    vendor.play(
        "EventControl.RemoveEvent", for_axis("EventControl.RemoveEvent", refused=FIRST_STOP_INPUT)
    )
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([])
    assert refused.value.code == ErrorCode.ArgumentOutOfRange
    vendor.restore("EventControl.RemoveEvent")
    driver.reactions.set_stop_inputs([])


def test_a_stop_input_that_is_not_there_needs_no_removal() -> None:
    vendor = CheckedSdk(HeldEngine(3).fake)
    driver = vendor.attached()
    for name in ("EventControl.EnableEvent", "EventControl.RemoveEvent"):
        vendor.refuse(name, ErrorCode.ArgumentOutOfRange)
    driver.reactions.set_stop_inputs([])


def force(vendor: CheckedSdk, bit: int, value: bool) -> None:
    vendor.engine.call("io", "force_input_bit", 2, bit, value=value)
    cycles(vendor, 2)


def test_touch_probes_are_put_back_where_one_is_refused(vendor: CheckedSdk, driver: Driver) -> None:
    driver.reactions.set_touch_probes([0, 1], [probe(0), probe(1, bit=1)])
    force(vendor, 1, True)
    vendor.play(
        "EventControl.SetSoftwareTouchProbe", for_axis("EventControl.SetSoftwareTouchProbe", 2)
    )
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_touch_probes([0, 1], [probe(0, bit=5), probe(1, bit=5), probe(2)])
    assert "put back" not in refused.value.detail
    assert driver.reactions.touched([0, 1]) == (None, 0.0)
    with pytest.raises(CommandRefused, match="axis 2 has no touch probe"):
        driver.reactions.touched([2])
    force(vendor, 5, True)
    assert driver.reactions.touched([0]) == (None,)
    force(vendor, 0, True)
    assert driver.reactions.touched([0]) == (0.0,)


def test_position_outputs_are_put_back_where_one_is_refused(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_position_outputs([0], [output(0, 0)])
    vendor.play("EventControl.StartPSO", for_axis("EventControl.StartPSO", 1))
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_position_outputs([0, 1], [output(0, 5), output(1, 6)])
    assert "put back" not in refused.value.detail
    cycles(vendor, 3)
    assert driver.io.output_bytes(3, 1)[0] & 0b110_0001 == 0b000_0001


def test_what_cannot_be_put_back_is_named(vendor: CheckedSdk, driver: Driver) -> None:
    driver.reactions.set_position_outputs([0], [output(0, 0)])
    vendor.play("EventControl.StartPSO", for_axis("EventControl.StartPSO", 0))
    with pytest.raises(CommandRefused, match=r"axes \[0\] were changed, and not put back"):
        driver.reactions.set_position_outputs([0], [output(0, 5)])


def test_an_output_that_cannot_be_stopped_was_not_changed(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_position_outputs([0, 1], [output(0, 0), output(1, 1)])
    vendor.play("EventControl.StopPSO", for_axis("EventControl.StopPSO", 1))
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_position_outputs([0, 1], [output(0, 5)])
    assert "put back" not in refused.value.detail
    cycles(vendor, 3)
    assert driver.io.output_bytes(3, 1)[0] & 0b010_0011 == 0b000_0011
