"""Stops of torques: the SDK's take the torque away, position mode holds the axis."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused
from recorder import Recorder

from wmx3 import stops
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop

MODE, STOP = "AxisControl.SetAxisCommandMode", "Torque.StopTrq_AxisSel"
POSITION = CommandMode.POSITION
ENDS: dict[str, Callable[[Driver], None]] = {
    "stop": lambda driver: driver.motion.stop([0, 1, 2]),
    "quick_stop": lambda driver: driver.motion.quick_stop([0, 1, 2]),
    "emergency_stop": lambda driver: driver.motion.emergency_stop(EmergencyStop.LEVEL1),
}


@pytest.fixture(autouse=True)
def torques(recorder: Recorder) -> Recorder:
    """The axes 0 and 1 in torque mode with their servos on, 2 in position mode, 3 without servo."""
    recorder.status = {
        "servo_on": np.array([True, True, True, False]),
        "command_mode": np.array([2, 2, 0, 2], np.int32),
    }
    return recorder


def refusing(vendor: CheckedSdk, code: int, times: int, axis: int = 0) -> None:
    """Refuse the mode of `axis` so often."""
    left = times

    def answer(vendor: CheckedSdk, given: int, mode: int) -> Any:
        nonlocal left
        if given == axis and left:
            left -= 1
            raise Refused(code)
        return vendor.real(MODE, given, mode)

    vendor.play(MODE, answer)


@pytest.fixture(params=ENDS)
def end(request: pytest.FixtureRequest) -> Callable[[Driver], None]:
    return ENDS[request.param]


def held(recorder: Recorder) -> list[int]:
    return [axis for order, axis, *_ in recorder.orders if order == "set_command_mode"]


def test_the_axes_are_held_once_their_torque_is_gone(
    driver: Driver, recorder: Recorder, end: Callable[[Driver], None]
) -> None:
    end(driver)
    assert recorder.orders[-2:] == [
        ("set_command_mode", 0, POSITION),
        ("set_command_mode", 1, POSITION),
    ]
    assert len(recorder.orders) == (3 if end is ENDS["emergency_stop"] else 4)


@pytest.mark.parametrize("times", [1, 4, stops.TRIES - 1])
def test_a_mode_that_is_not_taken_at_once_is_tried_again(
    vendor: CheckedSdk,
    driver: Driver,
    recorder: Recorder,
    end: Callable[[Driver], None],
    times: int,
) -> None:
    refusing(vendor, ErrorCode.NotIdleState, times)
    began = recorder.clock.now_ns()
    end(driver)
    assert {0, 1} == {*held(recorder)}
    assert len([axis for axis, _ in vendor.called(MODE) if axis == 0]) == times + 1
    assert recorder.clock.now_ns() - began == round(times * stops.NEXT_CYCLE * 1e9)


def test_an_axis_that_is_never_held_is_an_error_and_delays_no_other(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, end: Callable[[Driver], None]
) -> None:
    refusing(vendor, ErrorCode.NotIdleState, 10**6)
    with pytest.raises(CommandRefused) as refused:
        end(driver)
    assert refused.value.code == ErrorCode.NotIdleState
    assert held(recorder)[0] == 1, "at the first attempt"
    assert len([axis for axis, _ in vendor.called(MODE) if axis == 0]) == stops.TRIES


def test_another_refusal_is_not_waited_for(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, end: Callable[[Driver], None]
) -> None:
    refusing(vendor, ErrorCode.AxisAmpAlarm, 10**6)
    began = recorder.clock.now_ns()
    with pytest.raises(CommandRefused) as refused:
        end(driver)
    assert refused.value.code == ErrorCode.AxisAmpAlarm
    assert held(recorder) == [1]
    assert recorder.clock.now_ns() == began


def test_an_axis_whose_torque_is_not_taken_away_keeps_its_mode(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    vendor.refuse(STOP, ErrorCode.AxisAmpAlarm)
    with pytest.raises(CommandRefused, match="AxisAmpAlarm"):
        driver.motion.stop([0, 1, 2])
    assert held(recorder) == []
    assert recorder.orders == [("stop", [2])]


def test_an_emergency_stop_comes_before_all_else(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert vendor.calls[0][0] == "CoreMotion.ExecEStop"
    assert recorder.orders[0] == ("emergency_stop", EmergencyStop.LEVEL1)


def test_a_final_emergency_stop_leaves_nothing_to_hold(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.emergency_stop(EmergencyStop.FINAL)
    assert [name for name, *_ in vendor.calls] == ["CoreMotion.ExecEStop"]


def test_an_emergency_stop_that_is_refused_holds_nothing(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    vendor.refuse("CoreMotion.ExecEStop", ErrorCode.CurrentEmergencyStopLevelIsHigher)
    with pytest.raises(CommandRefused, match="CurrentEmergencyStopLevelIsHigher"):
        driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert recorder.orders == []
