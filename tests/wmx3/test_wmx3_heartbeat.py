"""An engine that stands still: its status says for ever that it communicates."""

from typing import Any

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, velocity_move

from wmx_core.errors import EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import EngineState, OperationState


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def stand_still(vendor: CheckedSdk) -> None:
    """Let the engine count no cycles, as a dead one."""
    count = vendor.runtime.count_cycles()
    vendor.runtime.count_cycles = lambda: count  # type: ignore[method-assign]


def test_an_engine_that_counts_no_cycles_is_lost(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """Its memory says for ever that it communicates."""
    driver.motion.status()
    stand_still(vendor)
    held.after(0.9)
    driver.motion.status()
    held.after(0.2)
    for call in (driver.motion.status, driver.engine.state, driver.motion.status):
        with pytest.raises(EngineLost, match=r"its cycle counter stands at 0 since 1\.1 s") as lost:
            call()
        assert lost.value.code == ErrorCode.StatusChannelError


def test_an_engine_that_seems_dead_is_told_to_stop(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.jog([velocity_move(0)])
    driver.motion.status()
    stand_still(vendor)
    held.after(2.0)
    with pytest.raises(EngineLost):
        driver.motion.status()
    driver.motion.stop([0])
    assert held.status().op_state[0] == OperationState.STOP


def test_an_engine_that_counts_on_was_not_lost(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    stand_still(vendor)
    driver.motion.status()
    held.after(2.0)
    with pytest.raises(EngineLost):
        driver.motion.status()
    del vendor.runtime.count_cycles  # type: ignore[method-assign]
    assert driver.motion.status().communicating
    assert driver.engine.state() is EngineState.COMMUNICATING


def test_a_reader_that_was_held_up_loses_no_engine(held: HeldEngine, driver: Driver) -> None:
    for _ in range(3):
        assert driver.motion.status().communicating
        held.after(60.0)


@pytest.mark.parametrize(("first", "before", "after"), [(True, 1.5, 0.0), (False, 0.0, 1.5)])
def test_a_reader_that_was_held_up_while_it_read_loses_no_engine(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, first: bool, before: float, after: float
) -> None:
    """Two readings see one cycle, and before or after it the reader is held up."""

    def slow(vendor: CheckedSdk) -> tuple[Any, ...]:
        vendor.restore("CoreMotion.GetStatus")
        held.after(before)
        status = vendor.real("CoreMotion.GetStatus")
        held.after(after)
        return status

    for is_slow in (first, not first):
        if is_slow:
            vendor.play("CoreMotion.GetStatus", slow)
        assert driver.motion.status().communicating


def test_an_engine_that_does_not_communicate_counts_no_cycles(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """Nor is it lost when it begins again with the cycle in which it has ended."""
    stand_still(vendor)
    driver.engine.stop_communication()
    for _ in range(3):
        held.after(5.0)
        assert not driver.motion.status().communicating
        assert driver.engine.state() is EngineState.RUNNING
    driver.engine.start_communication()
    del vendor.runtime.count_cycles  # type: ignore[method-assign]
    assert driver.motion.status().cycle == 0
    held.after(0.5)
    assert driver.motion.status().cycle == 500
