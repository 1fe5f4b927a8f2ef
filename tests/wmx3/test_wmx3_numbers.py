"""Numbers of the SDK's enums are taken from it by name: one that numbers otherwise works alike."""

from dataclasses import replace

import numpy as np
import pytest
from checked_sdk import CheckedSdk, changed
from recorder import Recorder

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.profile_types import MoveProfile, ProfileType
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    EngineState,
    MasterMode,
    OperationState,
    PositionMove,
)


@pytest.fixture
def vendor(recorder: Recorder) -> CheckedSdk:
    return CheckedSdk(recorder, changed(renumbered=True))


def test_what_is_ordered(driver: Driver, recorder: Recorder) -> None:
    move = PositionMove(axis=0, target=1.0, velocity=2.0, acc=3.0, dec=4.0)
    driver.motion.move_absolute([move])
    for mode in CommandMode:
        driver.motion.set_command_mode(0, mode)
    for level in EmergencyStop:
        driver.motion.emergency_stop(level)
    recorder.answers = {"read_sdo": b"12345678"}
    assert driver.ecat.read_sdo(0, 0, 0x1008, 0, 8) == b"12345678"
    assert recorder.orders == [
        ("move_absolute", [move]),
        *(("set_command_mode", 0, mode) for mode in CommandMode),
        *(("emergency_stop", level) for level in EmergencyStop),
        ("read_sdo", 0, 0, 0x1008, 0, 8),
    ]


def test_what_is_answered(driver: Driver, recorder: Recorder) -> None:
    for state in OperationState:
        recorder.status = {
            "op_state": np.full(4, state, np.int32),
            "command_mode": np.array([0, 1, 2, 0], np.int32),
            "engine_state": EngineState.RUNNING,
            "emergency_stop": EmergencyStop.LEVEL1,
        }
        status = driver.motion.status()
        assert status.op_state.tolist() == [state] * 4
        assert status.command_mode.tolist() == [0, 1, 2, 0]
        assert status.engine_state is EngineState.RUNNING
        assert status.emergency_stop is EmergencyStop.LEVEL1
    assert driver.engine.state() is EngineState.COMMUNICATING


def test_stops_by_command_mode(driver: Driver, recorder: Recorder) -> None:
    recorder.status = {
        "servo_on": np.full(4, True),
        "command_mode": np.array([0, 1, 2, 0], np.int32),
    }
    driver.motion.stop([0, 1, 2])
    stops = [("stop", [0]), ("stop", [1]), ("stop", [2])]
    assert recorder.orders == [*stops, ("set_command_mode", 2, CommandMode.POSITION)]


def test_a_number_that_a_release_lacks_hurts_only_its_user(recorder: Recorder) -> None:
    vendor = CheckedSdk(recorder)
    del vendor.sdk.EcMasterMode.MonitorMode
    del vendor.sdk.AxisCommandMode.Torque
    del vendor.sdk.ProfileType.JerkRatio
    driver = vendor.attached()
    assert driver.ecat.network_state(0).mode is MasterMode.CYCLIC
    driver.motion.set_command_mode(0, CommandMode.VELOCITY)
    with pytest.raises(CommandRefused, match="must be one of POSITION, VELOCITY"):
        driver.motion.set_command_mode(0, CommandMode.TORQUE)
    move = PositionMove(axis=0, target=1.0, velocity=2.0, acc=3.0, dec=4.0)
    driver.motion.move_absolute([move])
    jerk = MoveProfile(type=ProfileType.JERK_RATIO, jerk_acc_ratio=0.5, jerk_dec_ratio=0.5)
    with pytest.raises(CommandRefused, match="JerkRatio missing") as refused:
        driver.motion.move_absolute([replace(move, profile=jerk)])
    assert refused.value.code == ErrorCode.NoSupportedFunction
