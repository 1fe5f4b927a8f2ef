"""The engine's own reactions, where the SDK refuses, or has no room for, what is asked of it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused, changed
from held_engine import HeldEngine, velocity_move

from wmx3.events import FIRST_STOP_INPUT
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.reactions import PositionOutput, Reactions, StopInput, StopKind, TouchProbe
from wmx_core.values import CommandMode, OperationState

LAST = 112
"""The first axis whose dead man has events that stop inputs would have."""
MEMORY = 1024 * 2480 - 128
"""The byte of the user memory that is the dead man's of axis 0."""
SET_EVENT, SET_BYTES = "EventControl.SetEvent_ID", "UserMemory.SetMBytesEx"


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def output(axis: int, bit: int, position: float = -1.0) -> PositionOutput:
    return PositionOutput(axis=axis, address=3, bit=bit, position=position, value=True)


def probe(axis: int, bit: int = 0) -> TouchProbe:
    return TouchProbe(axis=axis, address=2, bit=bit, value=True)


def refuse_one(vendor: CheckedSdk, name: str, refused: int) -> None:
    """Let a function of the SDK be refused for one axis, or event."""

    def act(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        if args[0] == refused:
            raise Refused(ErrorCode.ArgumentOutOfRange)
        return vendor.real(name, *args)

    vendor.play(name, act)


def stop_input(axis: int, bit: int) -> StopInput:
    return StopInput(axis=axis, address=2, bit=bit, value=True, kind=StopKind.STOP)


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
    CheckedSdk(HeldEngine(LAST).fake).attached().reactions.set_stop_inputs([stop_input(0, 0)])
    driver.engine.feed_dead_man([LAST], 0.05)
    cycles(vendor, 60)
    assert held.after(2.0).op_state[LAST] == OperationState.IDLE


def test_each_axis_has_a_byte_and_events_of_its_own(vendor: CheckedSdk, driver: Driver) -> None:
    """Another device that dies leaves a bit: the other one is set, so that the engine finds it."""
    driver.motion.set_command_mode(1, CommandMode.TORQUE)
    for axis, left in ((0, 0b0001), (1, 0b1000), (2, 0b0010)):
        vendor.real("UserMemory.SetMByte", MEMORY + axis, left)
    driver.engine.feed_dead_man([2, 0], 0.1)
    driver.engine.feed_dead_man([1, 2], 0.1)
    assert vendor.called(SET_BYTES) == [
        [MEMORY, 1, [0b0010]],
        [MEMORY + 2, 1, [0b0001]],
        [MEMORY + 1, 2, [0b0100, 0b0001]],
    ]
    events = [(when.delayMBit, number) for when, _, number in vendor.called(SET_EVENT)]
    assert [(at.byteAddress - MEMORY, at.bitAddress, number) for at, number in events] == [
        *((2, 0, 507), (2, 1, 506), (0, 0, 511), (0, 1, 510), (1, 2, 253), (1, 3, 252))
    ]
    assert {at.delayTime for at, _ in events} == {100}


def test_bytes_are_set_one_by_one_where_no_list_is_taken(held: HeldEngine) -> None:
    vendor = CheckedSdk(held.fake, changed(without=[SET_BYTES]))
    vendor.attached().engine.feed_dead_man([0, 1], 0.1)
    assert vendor.called("UserMemory.SetMByte") == [[MEMORY, 0b0010], [MEMORY + 1, 0b0010]]
    vendor = CheckedSdk(held.fake).refuse(SET_BYTES, ErrorCode.ArgumentOutOfRange)
    with pytest.raises(CommandRefused):
        vendor.attached().engine.feed_dead_man([0], 0.1)


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


def test_of_feeds_that_fail_every_second_time_the_engine_sees_the_others(
    vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.jog([velocity_move(0)])
    driver.engine.feed_dead_man([0], 0.05)
    for _ in range(10):
        cycles(vendor, 10)
        vendor.refuse(SET_BYTES, ErrorCode.ArgumentOutOfRange)
        with pytest.raises(CommandRefused):
            driver.engine.feed_dead_man([0], 0.05)
        cycles(vendor, 10)
        vendor.restore(SET_BYTES)
        driver.engine.feed_dead_man([0], 0.05)
    assert driver.motion.status().op_state[0] == OperationState.JOG


def test_a_stop_input_is_set_once_the_one_before_it_is_gone(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """It is removed once, and its number is in use for a while."""
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    began = held.clock.now()

    def busy(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        if held.clock.now() - began < 0.04:
            raise Refused(vendor.code("IDInUse"))
        return vendor.real(SET_EVENT, *args)

    vendor.play(SET_EVENT, busy)
    driver.reactions.set_stop_inputs([stop_input(1, 1)])
    assert vendor.called("EventControl.RemoveEvent") == [[FIRST_STOP_INPUT]]


def test_a_stop_input_that_the_engine_does_not_remove_is_no_success(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.reactions.set_stop_inputs([stop_input(0, 0)])
    refuse_one(vendor, "EventControl.RemoveEvent", FIRST_STOP_INPUT)
    began = held.clock.now()
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([])
    assert refused.value.code == ErrorCode.ArgumentOutOfRange
    assert held.clock.now() - began == pytest.approx(9 * 0.005)
    assert [FIRST_STOP_INPUT, 0] in vendor.called("EventControl.EnableEvent"), "it acts no more"
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


def test_a_channel_is_switched_off_once(vendor: CheckedSdk, driver: Driver) -> None:
    driver.reactions.set_touch_probes([0, 1], [probe(0), probe(1, bit=1)])
    force(vendor, 1, True)
    driver.reactions.set_touch_probes([0, 1], [])
    assert vendor.called("EventControl.EnableSoftwareTouchProbe") == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    "arm",
    [
        lambda reactions, axis: reactions.set_touch_probes([axis], [probe(axis)]),
        lambda reactions, axis: reactions.set_position_outputs([axis], [output(axis, axis - 63)]),
    ],
)
def test_an_axis_that_has_no_channel(arm: Callable[[Reactions, int], None]) -> None:
    reactions = CheckedSdk(HeldEngine(65).fake).attached().reactions
    arm(reactions, 63)
    with pytest.raises(CommandRefused) as refused:
        arm(reactions, 64)
    assert refused.value.code == ErrorCode.IDOutOfRange


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


def test_a_release_that_does_not_answer_which_outputs_are_switched(held: HeldEngine) -> None:
    vendor = CheckedSdk(held.fake, changed(without=["EventControl.GetPSOStatus"]))
    reactions = vendor.attached().reactions
    reactions.set_position_outputs([0], [output(0, 0)])
    with pytest.raises(CommandRefused) as refused:
        reactions.set_position_outputs([1], [output(1, 0)])
    assert refused.value.code == ErrorCode.ArgumentOutOfRange
    reactions.set_position_outputs([0], [])
    reactions.set_position_outputs([1], [output(1, 0)])


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
