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
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def output(axis: int, bit: int, position: float = -1.0) -> PositionOutput:
    return PositionOutput(axis=axis, address=3, bit=bit, position=position, value=True)


def probe(axis: int, bit: int = 0) -> TouchProbe:
    return TouchProbe(axis=axis, address=2, bit=bit, value=True)


def refuse_one(vendor: CheckedSdk, name: str, refused: int, place: int = 0) -> None:
    """Let a function of the SDK be refused for one axis, or for what its argument `place` says."""

    def act(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        if args[place] == refused:
            raise Refused(ErrorCode.ArgumentOutOfRange)
        return vendor.real(name, *args)

    vendor.play(name, act)


def stop_input(axis: int, bit: int) -> StopInput:
    return StopInput(axis=axis, address=2, bit=bit, value=True, kind=StopKind.STOP)


def refuse_stop_input(vendor: CheckedSdk, number: int) -> None:
    refuse_one(vendor, "EventControl.SetEvent_ID", FIRST_STOP_INPUT + number, place=2)


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
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([stop_input(0, 0)])
    assert refused.value.code == ErrorCode.IDOutOfRange
    driver.engine.feed_dead_man([LAST], 0.05)
    cycles(vendor, 60)
    assert held.after(2.0).op_state[LAST] == OperationState.IDLE


def test_axes_that_are_fed_one_soon_after_the_other_go_on(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.jog([velocity_move(0), velocity_move(1)])
    for _ in range(4):
        driver.engine.feed_dead_man([0], 0.05)
        cycles(vendor, 2)
        driver.engine.feed_dead_man([1], 0.05)
        cycles(vendor, 20)
    assert driver.motion.status().op_state.tolist()[:2] == [OperationState.JOG] * 2


def test_stop_inputs_are_put_back_where_one_is_refused(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    refuse_stop_input(vendor, 1)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([stop_input(2, 5), stop_input(1, 1)])
    assert "changed" not in refused.value.detail
    driver.motion.jog([velocity_move(0), velocity_move(2)])
    cycles(vendor, 200)
    force(vendor, 5, True)
    force(vendor, 0, True)
    assert held.after(2.0).op_state.tolist()[::2] == [OperationState.IDLE, OperationState.JOG]


def test_stop_inputs_that_cannot_be_put_back_may_have_changed(
    vendor: CheckedSdk, driver: Driver
) -> None:
    refuse_stop_input(vendor, 1)
    with pytest.raises(CommandRefused, match=r"that were in force may have changed$"):
        driver.reactions.set_stop_inputs([stop_input(0, 0), stop_input(1, 1)])
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    refuse_stop_input(vendor, 0)
    with pytest.raises(CommandRefused, match="may have changed, and were not put back: Error="):
        driver.reactions.set_stop_inputs([stop_input(0, 5)])


def test_a_stop_input_that_the_engine_does_not_remove_is_no_success(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    refuse_one(vendor, "EventControl.RemoveEvent", FIRST_STOP_INPUT)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([])
    assert refused.value.code == ErrorCode.ArgumentOutOfRange
    vendor.restore("EventControl.RemoveEvent")
    driver.reactions.set_stop_inputs([])


def test_a_stop_input_that_is_not_there_needs_no_removal(
    vendor: CheckedSdk, driver: Driver
) -> None:
    for name in ("EventControl.EnableEvent", "EventControl.RemoveEvent"):
        vendor.refuse(name, ErrorCode.ArgumentOutOfRange)
    driver.reactions.set_stop_inputs([])


def force(vendor: CheckedSdk, bit: int, value: bool) -> None:
    vendor.engine.call("io", "force_input_bit", 2, bit, value=value)
    cycles(vendor, 2)


def test_touch_probes_are_put_back_where_one_is_refused(vendor: CheckedSdk, driver: Driver) -> None:
    driver.reactions.set_touch_probes([0, 1], [probe(0), probe(1, bit=1)])
    force(vendor, 1, True)
    refuse_one(vendor, "EventControl.SetSoftwareTouchProbe", 2)
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
    refuse_one(vendor, "EventControl.StartPSO", 1)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_position_outputs([0, 1], [output(0, 5), output(1, 6)])
    assert "put back" not in refused.value.detail
    cycles(vendor, 3)
    assert driver.io.output_bytes(3, 1)[0] & 0b110_0001 == 0b000_0001


def test_what_cannot_be_put_back_is_named(vendor: CheckedSdk, driver: Driver) -> None:
    driver.reactions.set_position_outputs([0], [output(0, 0)])
    refuse_one(vendor, "EventControl.StartPSO", 0)
    with pytest.raises(CommandRefused, match=r"axes \[0\] were changed, and not put back"):
        driver.reactions.set_position_outputs([0], [output(0, 5)])


def test_an_output_that_cannot_be_stopped_was_not_changed(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_position_outputs([0, 1], [output(0, 0), output(1, 1)])
    refuse_one(vendor, "EventControl.StopPSO", 1)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_position_outputs([0, 1], [output(0, 5)])
    assert "put back" not in refused.value.detail
    cycles(vendor, 3)
    assert driver.io.output_bytes(3, 1)[0] & 0b010_0011 == 0b000_0011
