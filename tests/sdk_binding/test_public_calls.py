"""Every call that public C++ packages make of the SDK, made by the binding.

public_calls.cpp has them in C++, with the types that the packages pass.
"""

import re
import subprocess
from contextlib import suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from sdk_headers import build

pytestmark = pytest.mark.skipif(bool(build.missing()), reason="no compiler")
SOURCE = Path(__file__).with_name("public_calls.cpp")


class Calls:
    """Makes calls by their names, and remembers these."""

    def __init__(self) -> None:
        self.made: set[str] = set()

    def __call__(self, target: Any, name: str, *args: Any) -> Any:
        """Call a function; TypeError and AttributeError say that the binding cannot."""
        self.made.add(name.partition("_")[0])
        with suppress(RuntimeError):  # nothing can be waited for while time is held
            return getattr(target, name)(*args)


def test_they_compile() -> None:
    """So that what these packages call is what is declared here, and the binding is made of."""
    headers = build.built(build.EDITIONS[-1]) / "sdk" / "include"
    command = ["c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "-I", headers, SOURCE]
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_binding_makes_each(
    sdk: ModuleType, device: SimpleNamespace, edition: int, tmp_path: Path
) -> None:
    call = Calls()
    engine(call, sdk, device.api)
    axes(call, sdk, device.core, edition)
    several(call, sdk, device.api, device.core, str(tmp_path / "none.xml"))
    image(call, sdk.Io(device.api))
    network(call, sdk.Ecat(device.api))
    stream(call, sdk, sdk.CyclicBuffer(device.api))
    for name in ("StopCommunication", "StopEngine"):
        call(device.api, name, 10_000)
    call(device.api, "CloseDevice")
    device.api.CreateDevice("/opt/wmx3", sdk.DeviceType.DeviceTypeNormal, 1000)
    called = {*re.findall(r"(?:\.|->|::)([A-Z][A-Za-z]+)\(", SOURCE.read_text())}
    constructed = {"Ecat", "JogCommand"}
    lacking = {"SetRunTime"} if edition == 1 else set()  # which older releases do not have
    assert called - constructed - lacking == call.made


def engine(call: Calls, sdk: ModuleType, api: Any) -> None:
    normal = sdk.DeviceType.DeviceTypeNormal
    call(api, "CreateDevice", "/opt/wmx3/", normal, 10_000)
    call(api, "CreateDevice", "/opt/wmx3/", normal, 10_000, -1, 0)
    call(api, "SetDeviceName", "wmx_engine_node")
    assert call(api, "GetDeviceID")[0] == 0
    call(api, "StartCommunication", 10_000)
    assert call(api, "GetEngineStatus")[1].state == sdk.EngineState.Communicating
    for kind in (sdk.WMX3Api, sdk.CoreMotion, sdk.AdvancedMotion, sdk.Io, sdk.Ecat):
        assert call(kind, "ErrorToString", 259)


def axes(call: Calls, sdk: ModuleType, core: Any, edition: int) -> None:
    assert call(core, "GetStatus")[1].GetAxesStatus(0).inPos in (True, False)
    for name, args in {
        "ClearAmpAlarm": (0,),
        "SetAxisCommandMode": (0, sdk.AxisCommandMode.Position),
        "GetAxisCommandMode": (0,),
        "GetPosCommand": (0,),
    }.items():
        call(core.axisControl, name, *args)
    call(core.axisControl, "SetServoOn", 0, 0)
    if edition > 1:
        call(core.axisControl, "SetServoOn", 0, 1, 1000)
    for start in ("StartPos", "StartMov"):
        call(core.motion, start, sdk.Motion_PosCommand())
    call(core.velocity, "StartVel", sdk.Velocity_VelCommand())
    call(core.config, "SetAxisPolarity", 0, -1)
    call(core.config, "SetGearRatio", 0, 1.0, 1.0)
    code, home = call(core.config, "GetHomeParam", 0)
    home.homeType, home.homePosition = sdk.Config_HomeType.CurrentPos, 1.0
    assert (code, call(core.config, "SetHomeParam", 0, home)[0]) == (0, 0)
    call(core.home, "StartHome", 0)
    jog = sdk.Motion_JogCommand()
    jog.profile.type = sdk.ProfileType.TimeAccJerkRatio
    if edition > 1:
        call(jog, "SetRunTime", 2000.0)
    call(core.motion, "StartJog", jog)
    call(core.motion, "Stop", 0)
    call(core.motion, "Wait", 0)


def several(call: Calls, sdk: ModuleType, api: Any, core: Any, path: str) -> None:
    selection, spline = sdk.AxisSelection(), sdk.AdvMotion_PointTimeSplineCommand()
    selection.axisCount = spline.dimensionCount = 1
    advanced, points = sdk.AdvancedMotion(api).advMotion, [sdk.AdvMotion_SplinePoint()] * 2
    assert call(advanced, "CreateSplineBuffer", 0, 1000) == 0
    call(advanced, "StartCSplinePos_PointTime", 0, spline, 2, points, [0.0, 1000.0])
    assert call(advanced, "FreeSplineBuffer", 0) == 0
    line = sdk.Motion_LinearIntplCommand()
    line.axisCount = 1
    line.SetMaxVelocity(0, 1.0)
    call(core.motion, "StartLinearIntplPos", line)
    call(core.motion, "Stop_AxisSel", selection)
    call(core.motion, "Wait_AxisSel", selection)
    call(core.motion, "Wait_AxisSel_TimeMilli", selection, 2000)
    assert len(call(core.config, "ImportAndSetAll", path)) == 3
    wrong = sdk.Config_SystemParam(), sdk.Config_AxisParam()
    call(core.config, "ImportAndSetAll", path, *wrong)
    assert call(core.config, "GetAxisParam")[1].GetGearRatioNumerator(0) >= 0.0


def image(call: Calls, io: Any) -> None:
    for name in ("GetInBitEx", "GetOutBitEx", "GetInBit", "GetOutBit"):
        assert call(io, name, 0, 0)[0] == 0
    for name in ("GetInBytesEx", "GetOutBytesEx"):
        assert len(call(io, name, 0, 8)[1]) == 8
    for name in ("GetInByteEx", "GetOutByteEx"):
        assert call(io, name, 0) == (0, 0)
    call(io, "SetOutByteEx", 0, 0)
    call(io, "SetOutBitsEx", [0, 0], [0, 1], [1, 0], 2)
    call(io, "SetOutBitEx", 0, 0, 1)
    call(io, "SetOutBytesEx", 0, 2, [0, 0])
    call(io, "SetOutBit", 0, 0, 1)
    assert call(io, "SetOutByte", 28, 113) == 0
    assert call(io, "GetOutByte", 28) == (0, 113)


def network(call: Calls, ecat: Any) -> None:
    master = call(ecat, "GetMasterInfo_MasterId", 0)[1]
    assert master.GetSlaves(0).vendorId >= 0
    assert len(call(ecat, "RegisterRead_MasterId", 0, 0, 0x130, 16)[1]) == 16
    for name in ("ResetRefClockInfo", "ResetTransmitStatisticsInfo", "ScanNetwork"):
        call(ecat, f"{name}_MasterId", 0)
    call(ecat, "StartHotconnect_MasterId", 0)


def stream(call: Calls, sdk: ModuleType, buffer: Any) -> None:
    """The simulated SDK refuses several axes by name: how they are laid out sources contradict."""
    selection, commands = sdk.AxisSelection(), sdk.CyclicBufferMultiAxisCommands()
    selection.axisCount = 1
    command = commands.GetCmd(0)
    command.command, command.intervalCycles = 1.0, 1
    assert commands.GetCmd(0).intervalCycles == 1
    for name, args in {
        "OpenCyclicBuffer_AxisSel": (3000,),
        "AddCommand_AxisSel": (commands,),
        "Execute_AxisSel": (),
        "ExecQuickStop_AxisSel": (),
        "Abort_AxisSel": (),
        "CloseCyclicBuffer_AxisSel": (),
    }.items():
        assert call(buffer, name, selection, *args) == sdk.ErrorCode.NoSupportedFunction
    call(buffer, "Execute_AxisSel", selection, sdk.CyclicBufferMultiAxisOption())
    assert call(buffer, "GetStatus_AxisSel", selection)[1].GetStatus(0).remainCount == 0


def test_a_cyclic_buffer_of_one_axis(sdk: ModuleType, device: SimpleNamespace) -> None:
    buffer, command = sdk.CyclicBuffer(device.api), sdk.CyclicBufferSingleAxisCommand()
    command.type, command.command = sdk.CyclicBufferCommandType.AbsolutePos, 1.0
    command.intervalCycles = 10
    states = sdk.CyclicBufferState
    assert buffer.OpenCyclicBuffer(0, 10) == buffer.AddCommand(0, command) == 0
    for act, state in (("Execute", states.ExecutingCommand), ("Abort", states.Stopped)):
        assert getattr(buffer, act)(0) == 0
        status = buffer.GetStatus(0)[1]
        assert (status.state, status.remainCount) == (state, 1)
    assert buffer.CloseCyclicBuffer(0) == 0
