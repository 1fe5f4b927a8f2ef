"""Statuses that are refused for a moment, where what is to be done next follows from them."""

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused
from not_answered import not_answered
from recorder import Recorder

from wmx3.stops import TRIES
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop

STATUS = "CoreMotion.GetStatus"


@pytest.mark.parametrize("times", [1, TRIES - 1, TRIES])
def test_an_emergency_stop_holds_torque_axes_once_a_status_shows_them(times: int) -> None:
    recorder = Recorder()
    recorder.status = {
        "servo_on": np.array([True, True, True, False]),
        "command_mode": np.array([2, 0, 1, 2], np.int32),
    }
    vendor = CheckedSdk(recorder)
    driver = vendor.attached()
    reads = 0

    def read(vendor: CheckedSdk) -> tuple[object, ...]:
        nonlocal reads
        reads += 1
        if reads <= times:
            raise Refused(ErrorCode.WaitTimeout)
        return vendor.real(STATUS)

    vendor.play(STATUS, read)
    held = [("emergency_stop", EmergencyStop.LEVEL1)]
    if times < TRIES:
        driver.motion.emergency_stop(EmergencyStop.LEVEL1)
        held += [("set_command_mode", 0, CommandMode.POSITION)]
    else:
        with pytest.raises(CommandRefused, match="WaitTimeout"):
            driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert recorder.orders == held


@pytest.mark.parametrize(("times", "lost"), [(1, False), (2, False), (4, True)])
def test_a_status_that_is_not_answered_for_a_moment_loses_no_engine(
    vendor: CheckedSdk, driver: Driver, times: int, *, lost: bool
) -> None:
    """Whether the engine counts cycles is found by the status, too."""
    vendor.play(STATUS, not_answered(STATUS, times=times))
    with pytest.raises(EngineLost if lost else CommandRefused) as error:
        driver.motion.status()
    assert error.value.name == "APIChannelTimeOut"
