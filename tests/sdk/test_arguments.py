"""Arguments that cannot be are answered with the SDK's codes, never with an exception."""

from collections.abc import Callable, Iterator
from inspect import getmembers, isfunction, signature
from typing import Any

import numpy as np
import pytest

from wmx_sim.sdk.module import PARTS, build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.parts import Part, behind
from wmx_sim.sdk.runtime import AXES, Runtime
from wmx_sim.sdk.structs import copied

AXIS_OUT_OF_RANGE, ARGUMENT_OUT_OF_RANGE, IO_ADDRESS = 1547, 1555, 1550
TRIGGER_TYPE, TRIGGER_AXIS = 65593, 65594
DEVICE_IS_NULL = 301
RUNTIME = Runtime(held=True)
SDK = build(RUNTIME, NotSimulated(lambda _: None))
API = SDK.WMX3Api()
API.CreateDevice("", 0, 1)
API.StartCommunication(0)
NO_AXIS = [-1, AXES, 999]


def parts() -> Iterator[Part]:
    """Every part of the SDK that is simulated."""
    for kind in PARTS:
        part, _ = behind(getattr(SDK, kind.__name__)(API))
        yield part
        yield from (each for each in vars(part).values() if isinstance(each, Part))


def methods_of_an_axis() -> Iterator[Any]:
    """Each with how many arguments it needs, of which the axis is the first."""
    for part in parts():
        for name, method in getmembers(type(part), isfunction):
            if not name[0].isupper():
                continue
            _, *parameters = signature(method).parameters.values()
            if parameters and parameters[0].name.lstrip("_") == "axis":
                needed = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
                yield pytest.param(part, name, needed, id=f"{type(part).__name__}.{name}")


def code(answer: Any) -> int:
    return int(answer[0] if isinstance(answer, tuple) else answer)


@pytest.mark.parametrize("axis", NO_AXIS)
@pytest.mark.parametrize(("part", "name", "arguments"), methods_of_an_axis())
def test_an_axis_that_is_not_there(part: Part, name: str, arguments: int, axis: int) -> None:
    answer = getattr(part, name)(axis, *[1] * (arguments - 1))
    assert code(answer) == AXIS_OUT_OF_RANGE
    assert isinstance(answer, tuple) == (name[:3] == "Get" or name.endswith("Param"))


@pytest.mark.parametrize("axis", NO_AXIS)
@pytest.mark.parametrize("name", ["GetLimitParam", "SetLimitParam"])
def test_parameters_of_an_axis_that_is_not_there(name: str, axis: int) -> None:
    answer = getattr(SDK.CoreMotion(API).config, name)(axis, SDK.Config_LimitParam())
    assert code(answer) == AXIS_OUT_OF_RANGE


def test_what_is_answered_beside_a_code_is_of_its_kind() -> None:
    assert SDK.CoreMotion(API).axisControl.GetVelCommand(999) == (AXIS_OUT_OF_RANGE, 0.0)
    assert SDK.Io(API).GetInBit(99_999, 0) == (IO_ADDRESS, 0)
    assert SDK.Io(API).GetInBytes(99_999, 1) == (IO_ADDRESS, [])


@pytest.mark.parametrize("axis", NO_AXIS)
def test_the_status_of_an_axis_that_is_not_there_is_that_of_no_drive(axis: int) -> None:
    status = SDK.CoreMotion(API).GetStatus()[1]
    assert not status.GetAxesStatus(AXES - 1).servoOffline
    no_axis = status.GetAxesStatus(axis)
    assert (no_axis.servoOffline, no_axis.servoOn) == (True, 0)


def selection(axis: int) -> Any:
    made = SDK.AxisSelection()
    made.axisCount = 2
    made.SetAxis(1, axis)
    return made


def command(kind: str, **fields: Any) -> Any:
    made = getattr(SDK, kind)()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def line(axis: int) -> Any:
    made = command("Motion_LinearIntplCommand", axisCount=2)
    made.SetAxis(1, axis)
    return made


def triggered(**trigger: Any) -> Any:
    return command("Motion_TriggerPosCommand", trigger=command("Trigger", **trigger))


def event(axis: int) -> Any:
    made = command("CoreMotionEventInput")
    made.equalPos.axis = axis
    return made


def cam(**fields: Any) -> Any:
    return command("AdvSync_ECAMData", numPoints=2, **fields)


core, io = SDK.CoreMotion(API), SDK.Io(API)
moved = SDK.AdvancedMotion(API)
WITH_AN_AXIS: dict[str, Callable[[int], Any]] = {
    "move": lambda axis: core.motion.StartPos(command("Motion_PosCommand", axis=axis)),
    "moves": lambda axis: core.motion.StartPos(1, [command("Motion_PosCommand", axis=axis)]),
    "timed jog": lambda axis: core.motion.StartJog_TimedJog(
        command("Motion_TimedJogCommand", axis=axis)
    ),
    "override": lambda axis: core.motion.OverrideVel(command("Motion_PosCommand", axis=axis)),
    "line": lambda axis: core.motion.StartLinearIntplPos(line(axis)),
    "stop": lambda axis: core.motion.Stop_AxisSel(selection(axis)),
    "wait": lambda axis: core.motion.Wait_AxisSel(selection(axis)),
    "homing": lambda axis: core.home.StartHome_AxisSel(selection(axis)),
    "velocity": lambda axis: core.velocity.StartVel(command("Velocity_VelCommand", axis=axis)),
    "torque": lambda axis: core.torque.StartTrq(command("Torque_TrqCommand", axis=axis)),
    "master": lambda axis: core.sync.SetSyncMasterSlave(axis, 1),
    "slave": lambda axis: core.sync.SetSyncMasterSlave(1, axis),
    "table": lambda axis: core.motion.StartPVT(command("Motion_PVTCommand", axis=axis)),
    "event": lambda axis: SDK.EventControl(API).SetEvent(event(axis), SDK.CoreMotionEventOutput()),
    "cam": lambda axis: moved.advSync.StartECAM(0, cam(masterAxis=axis)),
    "slave of a cam": lambda axis: moved.advSync.StartECAM(0, cam(slaveAxis=axis)),
    "log": lambda axis: SDK.Log(API).SetCustomLog(
        0, command("CoreMotionLogInput", axisSelection=selection(axis))
    ),
}


@pytest.mark.parametrize("axis", NO_AXIS)
@pytest.mark.parametrize("name", WITH_AN_AXIS)
def test_an_object_that_names_an_axis_that_is_not_there(name: str, axis: int) -> None:
    assert code(WITH_AN_AXIS[name](axis)) == AXIS_OUT_OF_RANGE


@pytest.mark.parametrize("axis", NO_AXIS)
def test_a_trigger_of_an_axis_that_is_not_there(axis: int) -> None:
    assert core.motion.StartPos_Trigger(triggered(triggerAxis=axis)) == TRIGGER_AXIS


POS = SDK.Motion_PosCommand
TOO_LONG: dict[str, Callable[[], Any]] = {
    "bits": lambda: io.SetOutBits([0], [0, 1], [1], 2),
    "bytes": lambda: io.SetOutBytes(0, 3, [1, 2]),
    "moves": lambda: core.motion.StartPos(2, [POS()]),
    "no moves": lambda: core.motion.StartPos(0, [POS()]),
    "no triggered moves": lambda: core.motion.StartPos_Trigger(0, [triggered()]),
    "fewer than none": lambda: core.motion.StartPos(-1, [POS()]),
    "spline": lambda: moved.advMotion.StartCSplinePos_PointTime(
        0, SDK.AdvMotion_PointTimeSplineCommand(), 2, [SDK.AdvMotion_SplinePoint()] * 2, [0.0]
    ),
    "outputs": lambda: SDK.EventControl(API).SetPSOMultipleData(0, 2, [1.0]),
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_count_that_a_list_does_not_have(name: str) -> None:
    assert TOO_LONG[name]() == ARGUMENT_OUT_OF_RANGE


def test_nothing_of_a_list_that_is_refused_is_carried_out() -> None:
    assert io.SetOutBits([5], [0, 1], [1], 2) == ARGUMENT_OUT_OF_RANGE
    assert io.SetOutBits([5, 5], [0, 8], [1, 1], 2) == ARGUMENT_OUT_OF_RANGE, "no bit 8"
    assert io.GetOutBit(5, 0) == (0, 0)


NO_MEMBER: dict[str, tuple[Callable[[], Any], int]] = {
    "command mode": (lambda: core.axisControl.SetAxisCommandMode(0, 7), ARGUMENT_OUT_OF_RANGE),
    "emergency stop": (lambda: core.ExecEStop(2), ARGUMENT_OUT_OF_RANGE),
    "trigger": (lambda: core.motion.StartPos_Trigger(triggered(triggerType=99)), TRIGGER_TYPE),
    "wait": (
        lambda: core.motion.Wait_WaitCondition(
            command("Motion_WaitCondition", waitConditionType=99)
        ),
        ARGUMENT_OUT_OF_RANGE,
    ),
    "homing": (
        lambda: core.config.SetHomeParam(0, command("Config_HomeParam", homeType=99)),
        ARGUMENT_OUT_OF_RANGE,
    ),
    "event": (
        lambda: SDK.EventControl(API).SetEvent(
            command("CoreMotionEventInput", inputFunction=99), SDK.CoreMotionEventOutput()
        ),
        ARGUMENT_OUT_OF_RANGE,
    ),
    "cam": (
        lambda: moved.advSync.StartECAM(0, cam(options=command("AdvSync_ECAMOptions", type=99))),
        ARGUMENT_OUT_OF_RANGE,
    ),
    "profile": (
        lambda: core.motion.StartPos(
            command("Motion_PosCommand", profile=command("Profile", type=99))
        ),
        65579,
    ),
}


@pytest.mark.parametrize("name", NO_MEMBER)
def test_a_number_that_no_enum_has(name: str) -> None:
    act, expected = NO_MEMBER[name]
    assert code(act()) == expected


@pytest.mark.parametrize("kind", ["Home", "Limit"])
def test_parameters_that_are_kept_are_those_of_their_axis(kind: str) -> None:
    config = SDK.CoreMotion(API).config
    get, put = getattr(config, f"Get{kind}Param"), getattr(config, f"Set{kind}Param")
    name = {"Home": "homePosition", "Limit": "softLimitPositivePos"}[kind]
    changed = get(1)[1]
    setattr(changed, name, 3.0)
    assert code(put(1, changed)) == 0
    assert [getattr(get(axis)[1], name) for axis in (0, 1, 2)] == [0.0, 3.0, 0.0]
    assert code(get(99)) == AXIS_OUT_OF_RANGE


@pytest.mark.parametrize("kind", ["Home", "Limit", "Axis", "Sync"])
def test_parameters_without_a_device(kind: str) -> None:
    config = SDK.CoreMotion(SDK.WMX3Api()).config
    ret, _ = getattr(config, f"Get{kind}Param")(0)
    assert ret == DEVICE_IS_NULL


def test_what_is_not_simulated_has_its_form_without_a_device_too() -> None:
    config = SDK.CoreMotion(SDK.WMX3Api()).config
    assert config.GetAxisUnit(0) == (DEVICE_IS_NULL, 0)
    assert config.SetAxisUnit(0, 1) == DEVICE_IS_NULL


def test_an_array_is_recorded_as_it_is() -> None:
    times = np.array([1.0, 2.0])
    recorded = copied(times)
    times[0] = 9.0
    assert recorded.tolist() == [1.0, 2.0]
