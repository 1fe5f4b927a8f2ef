"""Settings that an axis takes at rest only: whether its motor moves, by what its encoder shows."""

from collections.abc import Callable, Iterable
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine

from wmx3.status import POLL_PERIOD, POLLS, READS
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode

COUNT = 1e-3
"""An encoder count of the axes of a `HeldEngine`, u."""
AXIS = 1


@pytest.fixture
def held() -> HeldEngine:
    return HeldEngine(3, vendor_rules=True)


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def shows(vendor: CheckedSdk, counts: Iterable[float], velocity: float = 1e-4) -> None:
    """Let the motor of AXIS be seen at these places, each for a look."""
    places = iter(counts)

    def show(status: Any) -> None:
        status.GetAxesStatus(AXIS).actualPos = (next(places) + 0.5) * COUNT
        status.GetAxesStatus(AXIS).actualVelocity = velocity

    vendor.alter("CoreMotion.GetStatus", show)


def refused(driver: Driver) -> CommandRefused:
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_command_mode(AXIS, CommandMode.VELOCITY)
    return refused.value


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("speed", [1, 50])
def test_a_motor_that_every_look_finds_further_on_moves(
    vendor: CheckedSdk, driver: Driver, way: int, speed: int
) -> None:
    shows(vendor, (way * speed * n for n in range(100)))
    error = refused(driver)
    assert error.code == ErrorCode.NotIdleState
    assert error.detail == f"axis {AXIS} is idle, but its motor moves"
    assert len(vendor.called("CoreMotion.GetStatus")) == 1 + READS
    assert vendor.called("AxisControl.SetAxisCommandMode") == []


REST: dict[str, Callable[[], Iterable[float]]] = {
    "it stands": lambda: repeat(7.0),
    "it trembles": lambda: chain.from_iterable(repeat((0.0, 1.0))),
    "it trembles by more": lambda: chain.from_iterable(repeat((0.0, 40.0, 10.0, 30.0))),
    "it creeps": lambda: (0.3 * n for n in range(100)),
    "it stops at last": lambda: chain(range(READS), repeat(READS - 1.0)),
}


@pytest.mark.parametrize("name", REST)
def test_a_motor_rests(vendor: CheckedSdk, driver: Driver, name: str) -> None:
    shows(vendor, REST[name]())
    driver.motion.set_command_mode(AXIS, CommandMode.VELOCITY)
    assert vendor.called("AxisControl.SetAxisCommandMode") == [[AXIS, 1]]


def test_a_motor_that_stands_costs_one_more_read(vendor: CheckedSdk, driver: Driver) -> None:
    driver.motion.set_command_mode(AXIS, CommandMode.VELOCITY)
    assert len(vendor.called("CoreMotion.GetStatus")) == 2


def test_the_velocity_that_the_sdk_shows_is_not_needed(vendor: CheckedSdk, driver: Driver) -> None:
    """It may be that of an object that no drive maps."""
    shows(vendor, range(100), velocity=0.0)
    assert refused(driver).code == ErrorCode.NotIdleState


def test_looks_are_cycles_apart_however_long_these_are(
    vendor: CheckedSdk, driver: Driver, held: HeldEngine
) -> None:
    """A motor seen twice in the same cycle does not rest for that."""

    def show(status: Any) -> None:
        cycle = round(held.clock.now_ns() / 1e6) // 8  # of 8 ms each
        status.SetCycleCounter(0, cycle)
        status.GetAxesStatus(AXIS).actualPos = cycle * COUNT
        status.GetAxesStatus(AXIS).actualVelocity = 0.125

    vendor.alter("CoreMotion.GetStatus", show)
    assert refused(driver).code == ErrorCode.NotIdleState


def test_an_engine_that_counts_no_cycles_is_not_waited_for_without_end(
    vendor: CheckedSdk, driver: Driver, held: HeldEngine
) -> None:
    began = held.clock.now_ns()
    vendor.runtime.count_cycles = lambda: 5  # type: ignore[method-assign]
    shows(vendor, range(10_000))
    refused(driver)
    assert held.clock.now_ns() - began <= READS * POLLS * POLL_PERIOD * 1e9 + 1e6


def test_without_communication_nothing_is_known_of_motors(
    vendor: CheckedSdk, driver: Driver, tmp_path: Path
) -> None:
    file = tmp_path / "parameters.xml"
    file.write_text(driver.motion.parameters().to_xml())
    driver.engine.stop_communication()
    shows(vendor, range(100))
    driver.motion.load_parameters(str(file))


@pytest.mark.parametrize("why", ["missing", "refused", "zero", "no denominator"])
def test_without_a_gear_ratio_places_are_as_they_are_shown(held: HeldEngine, why: str) -> None:
    name = "Config.GetGearRatio"
    vendor = CheckedSdk(held.fake, changed(without=[name] if why == "missing" else []))
    if why == "refused":
        vendor.refuse(name, 1555)
    if why == "zero":
        vendor.play(name, lambda *_: (0.0, 0.0))
    if why == "no denominator":
        vendor.play(name, lambda *_: (5.0, 0.0))
    driver = vendor.attached()
    shows(vendor, (0.01 * n for n in range(100)))
    assert refused(driver).code == ErrorCode.NotIdleState
    shows(vendor, repeat(0.0))
    driver.motion.set_command_mode(AXIS, CommandMode.VELOCITY)


def test_all_axes_that_parameters_are_loaded_for_have_to_rest(
    vendor: CheckedSdk, driver: Driver, tmp_path: Path
) -> None:
    file = tmp_path / "parameters.xml"
    file.write_text(driver.motion.parameters().to_xml())
    shows(vendor, range(100))
    with pytest.raises(CommandRefused, match=f"axis {AXIS} is idle, but its motor moves"):
        driver.motion.load_parameters(str(file))
    shows(vendor, repeat(0.0))
    driver.motion.load_parameters(str(file))
