"""The forms of the SDK's answers and arguments, where a program would notice others."""

import re
from typing import Any

import pytest

from wmx_sim.sdk.runtime import Runtime


@pytest.fixture
def core(sdk: Any, api: Any, runtime: Runtime) -> Any:
    assert api.StartCommunication(0) == 0
    return sdk.CoreMotion(api)


def test_a_function_with_outputs_answers_a_tuple_also_where_it_is_not_simulated(
    sdk: Any, api: Any, core: Any
) -> None:
    for answer in (
        core.home.GetHomeData(),
        sdk.Log(api).GetMemoryLogStatus(0),
        sdk.EventControl(api).GetEventInput(0),
        core.config.Import_AxisPrm("no file"),
        api.GetStatistic(),
    ):
        ret, _ = answer
        assert ret == sdk.ErrorCode.NoSupportedFunction
    assert len(core.config.Import_SysPrm_AxisPrm("no file")) == 3
    ret, _enable, _counts = core.config.GetSingleTurn(0)
    assert ret == sdk.ErrorCode.NoSupportedFunction


def test_the_device_of_a_program_is_one_of_all(sdk: Any, api: Any) -> None:
    assert api.SetDeviceName("MotorControl") == 0
    ret, devices = api.GetAllDevices()
    assert (ret, devices.count) == (0, 1)
    assert (devices.GetDevices(0).id, devices.GetDevices(0).name) == (0, "MotorControl")
    assert devices.GetDevices(5).id == 0
    assert api.GetDeviceName() == (0, "MotorControl")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (65582, r"\[0x0001002e\] : CoreMotionApi Error: Acc argument out of range\."),
        (1547, r"\[0x0000060b\] : WMX3Api Error: Axis out of range\."),
        (0x16005, r"\[0x00016005\] : EventApi Error: .*"),
        (99, r"\[0x00000063\] : WMX3Api Error: Undefined\."),
    ],
)
def test_an_error_is_worded_with_its_number(sdk: Any, number: int, text: str) -> None:
    assert re.fullmatch(text, sdk.WMX3Api.ErrorToString(number))


@pytest.mark.parametrize("value", [0.0, "0", None])
def test_a_whole_number_is_one(sdk: Any, core: Any, value: Any) -> None:
    command, selection = sdk.Motion_PosCommand(), sdk.AxisSelection()
    with pytest.raises(TypeError, match="axis takes int"):
        command.axis = value
    with pytest.raises(TypeError, match="Axis takes int"):
        selection.SetAxis(0, value)
    with pytest.raises(TypeError, match="axis takes int"):
        core.axisControl.SetServoOn(value, 1)
    command.axis = True


def test_a_number_is_any_but_a_text(sdk: Any) -> None:
    command = sdk.Motion_PosCommand()
    command.target = 3
    command.profile.velocity = 2.5
    with pytest.raises(TypeError, match="target takes double"):
        command.target = "3"


def test_a_byte_that_is_none_overflows(sdk: Any, api: Any, core: Any) -> None:
    io = sdk.Io(api)
    for set_one in (lambda: io.SetOutByte(0, 300), lambda: io.SetOutBytes(0, 2, [0, 256])):
        with pytest.raises(OverflowError):
            set_one()


def test_analog_data_are_numbers_of_the_image(sdk: Any, api: Any, core: Any) -> None:
    io = sdk.Io(api)
    assert io.SetOutAnalogDataShort(4, -2) == 0
    assert io.GetOutBytes(4, 2) == (0, [0xFE, 0xFF])
    assert io.GetOutAnalogDataShort(4) == io.GetOutAnalogDataShortEx(4) == (0, -2)
    assert io.GetOutAnalogDataUShort(4) == (0, 0xFFFE)
    assert io.GetInAnalogDataInt(0) == (0, 0)
    with pytest.raises(OverflowError):
        io.SetOutAnalogDataUChar(0, 256)
    assert io.GetOutAnalogDataInt(99_999)[0] == sdk.ErrorCode.IOAddressOutOfRange


def selected(sdk: Any, *axes: int) -> Any:
    selection = sdk.AxisSelection()
    selection.axisCount = len(axes)
    for i, axis in enumerate(axes):
        selection.SetAxis(i, axis)
    return selection


def test_several_axes_at_once(sdk: Any, core: Any, runtime: Runtime) -> None:
    both = selected(sdk, 0, 2)
    assert core.axisControl.SetServoOn_AxisSel(both, 1) == 0
    runtime.advance(100)
    status = core.GetStatus()[1]
    assert [bool(status.GetAxesStatus(axis).servoOn) for axis in range(3)] == [True, False, True]
    assert core.axisControl.SetAxisCommandMode_AxisSel(both, sdk.AxisCommandMode.Velocity) == 0
    assert core.axisControl.GetAxisCommandMode(2) == (0, sdk.AxisCommandMode.Velocity)
    assert core.axisControl.ClearAmpAlarm_AxisSel(both) == 0
    assert core.axisControl.ClearAxisAlarm_AxisSel(both) == 0


def test_a_place_is_declared_and_known(sdk: Any, core: Any, reported: list[str]) -> None:
    assert core.home.SetFeedbackPos(0, 12.5) == 0
    assert core.axisControl.GetPosFeedback(0) == (0, 12.5)
    assert core.home.SetHomeDone(1, 1) == 0
    status = core.GetStatus()[1]
    assert [bool(status.GetAxesStatus(axis).homeDone) for axis in range(3)] == [True, True, False]
    assert core.home.SetHomeDone(1, 0) == sdk.ErrorCode.NoSupportedFunction
    assert any("SetHomeDone(axis, 0)" in line for line in reported)
    for refused in (core.home.Cancel(0), core.home.Continue(0)):
        assert refused == sdk.CoreMotionErrorCode.NotPausedDuringHoming


def test_bits_of_the_user_memory(sdk: Any, api: Any) -> None:
    memory = sdk.UserMemory(api)
    assert [memory.SetMBit(7, bit, 1) for bit in (0, 3)] == [0, 0]
    assert memory.SetMBit(7, 0, 0) == 0
    assert (memory.GetMByte(7), memory.GetMBit(7, 3), memory.GetMBit(7, 0)) == (
        (0, 8),
        (0, 1),
        (0, 0),
    )
    assert memory.GetMBytes(6, 3) == (0, [0, 8, 0])


def test_events_that_cannot_be(sdk: Any, api: Any) -> None:
    events, codes = sdk.EventControl(api), sdk.EventErrorCode
    when, then = sdk.CoreMotionEventInput(), sdk.CoreMotionEventOutput()
    then.type = sdk.CoreMotionEventOutputType.StopSingleAxis
    for number in (-1, 512, 600):
        assert events.SetEvent_ID(when, then, number)[0] == codes.IDOutOfRange == 0x16004
    for refused in (events.RemoveEvent(3), events.EnableEvent(3, 1), events.GetEventModuleId(3)[0]):
        assert refused == codes.IDNotDefined == 0x16005


def test_an_event_that_is_disabled_when_it_has_acted(
    sdk: Any, api: Any, core: Any, runtime: Runtime
) -> None:
    events, io, option = sdk.EventControl(api), sdk.Io(api), sdk.EventOption()
    when, then = sdk.IoEventInput(), sdk.IoEventOutput()
    when.type, then.type = sdk.IoEventInputType.IOBit, sdk.IoEventOutputType.SetIOOutBit
    when.ioBit.byteAddress, when.ioBit.ioSourceType = 1, sdk.IOSourceType.Output
    then.setIOOutBit.byteAddress = 2
    option.disableAfterActivate = True
    assert events.SetEvent_ID_Option(when, then, 7, option) == (0, 7)
    assert events.GetEventOption(7)[1].disableAfterActivate
    for expected in (1, 0):  # the second time it is disabled
        assert io.SetOutBit(1, 0, 1) == 0
        runtime.advance(2)
        assert io.GetOutBit(2, 0) == (0, expected)
        assert io.SetOutBit(1, 0, 0) == io.SetOutBit(2, 0, 0) == 0
        runtime.advance(2)
    option.enable = False
    assert events.SetEvent_Option(when, then, option) == (0, 0)
    assert io.SetOutBit(1, 0, 1) == 0
    runtime.advance(2)
    assert io.GetOutBit(2, 0) == (0, 0)
    assert events.GetEventOption(3)[0] == sdk.EventErrorCode.IDNotDefined


def test_several_stops_with_decelerations_of_their_own(
    sdk: Any, core: Any, runtime: Runtime
) -> None:
    assert core.axisControl.SetServoOn_AxisSel(selected(sdk, 0, 1), 1) == 0
    runtime.advance(100)
    stops = []
    for axis, dec in ((0, 1000.0), (1, 500.0)):
        jog, stop = sdk.Motion_JogCommand(), sdk.Motion_StopCommand()
        jog.axis, stop.axis, stop.dec = axis, axis, dec
        jog.profile.velocity, jog.profile.acc, jog.profile.dec = 100.0, 10_000.0, 10_000.0
        assert core.motion.StartJog(jog) == 0
        stops.append(stop)
    runtime.advance(50)
    assert core.motion.Stop_StopCommand(2, stops) == 0
    runtime.advance(50)
    speeds = [core.axisControl.GetVelCommand(axis)[1] for axis in (0, 1)]
    assert speeds == pytest.approx([50.0, 75.0], abs=1.0)
    assert core.motion.Stop_Dec(0, 100.0) == 0, "no stop makes an earlier one gentler"
    runtime.advance(60)
    assert core.axisControl.GetVelCommand(0) == (0, 0.0)
    for wrong in (0.0, -1.0, float("nan")):
        assert core.motion.Stop_Dec(1, wrong) == sdk.CoreMotionErrorCode.DecArgumentOutOfRange


@pytest.mark.parametrize("wrong", ["servo off", "dec of zero"])
def test_a_stop_that_is_refused_for_one_axis_stops_the_others(
    sdk: Any, core: Any, runtime: Runtime, wrong: str
) -> None:
    assert core.axisControl.SetServoOn(1, 1) == 0
    runtime.advance(100)
    refused, stop, jog = sdk.Motion_StopCommand(), sdk.Motion_StopCommand(), sdk.Motion_JogCommand()
    refused.axis, refused.dec = (0, 100.0) if wrong == "servo off" else (1, 0.0)
    jog.axis = stop.axis = 1
    jog.profile.velocity, jog.profile.acc, jog.profile.dec = 100.0, 10_000.0, 10_000.0
    stop.dec = 10_000.0
    assert core.motion.StartJog(jog) == 0
    runtime.advance(50)
    codes = sdk.CoreMotionErrorCode
    code = codes.ServoOff if wrong == "servo off" else codes.DecArgumentOutOfRange
    assert core.motion.Stop_StopCommand(2, [refused, stop]) == code
    runtime.advance(50)
    assert core.axisControl.GetVelCommand(1) == (0, 0.0)


def test_a_velocity_of_zero_is_one_also_where_the_acceleration_is_a_time(
    sdk: Any, core: Any, runtime: Runtime
) -> None:
    assert core.axisControl.SetServoOn(0, 1) == 0
    runtime.advance(100)
    jog, move = sdk.Motion_JogCommand(), sdk.Motion_PosCommand()
    for command in (jog, move):
        command.axis = 0
        command.profile.type = sdk.ProfileType.TimeAccTrapezoidal
        command.profile.accTimeMilliseconds = command.profile.decTimeMilliseconds = 100.0
    move.target, move.profile.velocity = 10.0, 0.0
    assert core.motion.StartPos(move) == sdk.CoreMotionErrorCode.VelocityArgumentOutOfRange
    for velocity in (5.0, 0.0):
        jog.profile.velocity = velocity
        assert core.motion.StartJog(jog) == 0
        runtime.advance(1000)
        assert core.axisControl.GetVelCommand(0) == (0, velocity)


def test_an_engine_that_is_stopped_is_so_for_every_device(sdk: Any, api: Any, core: Any) -> None:
    other = sdk.WMX3Api()
    assert other.CreateDevice("", 0, 1) == 0
    assert sdk.WMX3Api().StopEngine(1000) == 0
    for device in (api, other):
        assert device.StartCommunication(0) == sdk.ErrorCode.IMLibIsNotRunning
    assert other.GetEngineStatus()[1].state == sdk.EngineState.Shutdown
    assert other.CreateDevice("", 0, 1) == 0
    assert other.GetEngineStatus()[1].state == sdk.EngineState.Running
    assert api.StartCommunication(0) == sdk.ErrorCode.DeviceIsNull
