"""Parameters that programs set as objects of the SDK: in force, or said to change nothing."""

from typing import Any

import pytest

from wmx_sim.sdk.runtime import Runtime


@pytest.fixture
def core(sdk: Any, api: Any, runtime: Runtime) -> Any:
    assert api.StartCommunication(0) == 0
    core = sdk.CoreMotion(api)
    assert core.axisControl.SetServoOn(0, 1) == 0
    runtime.advance(100)
    return core


def move(sdk: Any, target: float) -> Any:
    command = sdk.Motion_PosCommand()
    command.axis, command.target = 0, target
    command.profile.type = sdk.ProfileType.Trapezoidal
    command.profile.velocity, command.profile.acc, command.profile.dec = 50.0, 1e4, 1e4
    return command


def test_a_soft_limit_stops_a_move(sdk: Any, core: Any, runtime: Runtime) -> None:
    """Of an axis whose home is done; it slows down from there on."""
    assert core.home.SetHomeDone(0, 1) == 0
    ret, limits = core.config.GetLimitParam(0)
    assert ret == 0
    limits.softLimitType = sdk.Config_LimitSwitchType.Dec
    limits.softLimitPositivePos = 50
    assert core.config.SetLimitParam(0, limits)[0] == 0
    core.motion.StartPos(move(sdk, 100.0))
    runtime.advance(3000)
    status = core.GetStatus()[1].GetAxesStatus(0)
    assert 50.0 < status.posCmd < 55.0
    assert status.opState == sdk.OperationState.Idle
    assert core.config.GetLimitParam(0)[1].softLimitPositivePos == 50.0
    assert core.config.GetLimitParam(1)[1].softLimitPositivePos == 0.0


def test_a_gear_ratio_is_in_force_by_either_function(sdk: Any, core: Any) -> None:
    ret, parameters = core.config.GetAxisParam()
    assert (ret, parameters.GetGearRatioNumerator(1)) == (0, 1.0)
    parameters.SetGearRatioNumerator(1, 1000.0)
    assert core.config.SetAxisParam(parameters)[0] == 0
    assert core.config.GetGearRatio(1) == (0, 1000.0, 1.0)
    assert core.config.GetGearRatio(0) == (0, 1.0, 1.0)
    assert core.config.SetGearRatio(2, 500.0, 2.0) == 0
    shown = core.config.GetAxisParam()[1]
    assert [shown.GetGearRatioNumerator(axis) for axis in (0, 1, 2)] == [1.0, 1000.0, 500.0]
    assert shown.GetGearRatioDenominator(2) == 2.0


def test_of_one_axis_alone(sdk: Any, core: Any) -> None:
    parameters = sdk.Config_AxisParam()
    for axis in (1, 2):
        parameters.SetAxisPolarity(axis, -1)
    assert core.config.SetAxisParam_Axis(1, parameters)[0] == 0
    assert [core.config.GetAxisPolarity(axis) for axis in (1, 2)] == [(0, -1), (0, 1)]
    assert core.config.GetAxisParam_Axis(1)[1].GetAxisPolarity(1) == -1


def test_parameters_of_the_system(sdk: Any, core: Any) -> None:
    ret, system = core.config.GetParam()
    assert ret == 0
    system.GetMotionParam(3).quickStopDec = 777.0
    assert core.config.SetParam(system)[0] == 0
    assert core.config.GetMotionParam(3)[1].quickStopDec == 777.0


def test_what_the_engine_does_not_take_is_refused(sdk: Any, core: Any) -> None:
    motion = sdk.Config_MotionParam()
    motion.quickStopDec = -1.0
    ret, _ = core.config.SetMotionParam(0, motion)
    assert ret == sdk.ErrorCode.ParamOutOfRange


def test_an_object_is_the_programs_own_until_it_is_set(core: Any) -> None:
    alarms = core.config.GetAlarmParam(0)[1]
    alarms.followingErrorMoving = 5.0
    assert core.config.GetAlarmParam(0)[1].followingErrorMoving == 0.0
    core.config.SetAlarmParam(0, alarms)
    alarms.followingErrorMoving = 7.0
    assert core.config.GetAlarmParam(0)[1].followingErrorMoving == 5.0


def test_what_changes_nothing_is_said_once(
    sdk: Any, core: Any, runtime: Runtime, reported: list[str]
) -> None:
    motion = core.config.GetMotionParam(0)[1]
    motion.apiWaitUntilMotionStart = 0
    for _ in range(2):
        assert core.config.SetMotionParam(0, motion)[0] == 0
    assert core.config.SetSyncParam(0, sdk.Config_SyncParam())[0] == 0
    assert reported == [
        "wmx_sim: Config_MotionParam.apiWaitUntilMotionStart is taken and changes nothing",
        "wmx_sim: Config.SetSyncParam is taken and changes nothing",
    ]
    reported.clear()
    motion.apiWaitUntilMotionStart = 1
    motion.enableGlobalStartingVelocity, motion.globalStartingVelocity = 1, 5.0
    core.config.SetMotionParam(0, motion)
    assert reported == []
    assert runtime.starting_velocities[0] == 5.0


def test_homing_to_a_switch_that_is_not_there_is_not_done_at_once(
    sdk: Any, core: Any, runtime: Runtime
) -> None:
    homing = core.config.GetHomeParam(0)[1]
    homing.homeType = sdk.Config_HomeType.HS
    for name in ("homingVelocitySlow", "homingVelocityFast", "homeShiftVelocity"):
        setattr(homing, name, 10.0)
    assert core.config.SetHomeParam(0, homing)[0] == 0
    core.home.StartHome(0)
    runtime.advance(100)
    assert not core.GetStatus()[1].GetAxesStatus(0).homeDone
