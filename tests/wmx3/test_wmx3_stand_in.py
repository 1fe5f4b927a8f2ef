"""The stand-in for the vendor's module: what is not listed raises, and the manner is the SDK's."""

from typing import Any

import numpy as np
import pytest
from recorder import Recorder
from sdk_surface import OWN_NUMBERS, SURFACE, arrays_of
from stand_in import PLAYED, StandIn

from wmx_ros2_package.drivers.values import EcState, MasterMode


@pytest.fixture
def cm(world: StandIn) -> Any:
    """A CoreMotion whose device is attached."""
    api = world.sdk.WMX3Api()
    assert api.CreateDevice("/opt/wmx3", world.sdk.DeviceType.DeviceTypeNormal, 1) == 0
    return world.sdk.CoreMotion(api)


def test_everything_that_is_listed_is_there(world: StandIn) -> None:
    assert len(SURFACE["classes"]) > 40
    for name, described in SURFACE["classes"].items():
        made = getattr(world.sdk, name)
        assert [method for method in described["methods"] if not hasattr(made, method)] == []
        scalars = {*described["attributes"]} - {*arrays_of(described).values()}
        assert made.attributes == scalars
    for name, members in {**SURFACE["enums"], **SURFACE["errors"]}.items():
        given = {k: v for k, v in members.items() if v is not None}
        assert given.items() <= vars(getattr(world.sdk, name)).items()


def test_numbers_that_are_not_listed_are_nobody_elses(world: StandIn) -> None:
    sdk = world.sdk
    open_numbers = [
        getattr(getattr(sdk, name), member)
        for name, members in {**SURFACE["enums"], **SURFACE["errors"]}.items()
        for member, value in members.items()
        if value is None
    ]
    assert len(open_numbers) == len({*open_numbers}) > 100
    assert min(open_numbers) > OWN_NUMBERS - 1000 > max(*EcState, *MasterMode, 1 << 17)
    assert sdk.EcStateMachine.Op < sdk.EcStateMachine.Init


@pytest.mark.parametrize(
    "misuse",
    [
        lambda sdk, cm: sdk.Motion_Command,
        lambda sdk, cm: sdk.EcStateMachine.SafeOp,
        lambda sdk, cm: cm.GetState(),
        lambda sdk, cm: cm.motions,
        lambda sdk, cm: cm.motion.StartPosition,
        lambda sdk, cm: sdk.Motion_PosCommand().position,
        lambda sdk, cm: setattr(sdk.Motion_PosCommand(), "position", 1.0),
        lambda sdk, cm: setattr(sdk.Motion_PosCommand().profile, "deceleration", 1.0),
        lambda sdk, cm: sdk.Motion_LinearIntplCommand().target,  # an array: GetTarget(index)
        lambda sdk, cm: sdk.Ecat(cm).RegisterRead,
    ],
)
def test_a_name_that_is_not_listed(world: StandIn, cm: Any, misuse: Any) -> None:
    with pytest.raises(AttributeError):
        misuse(world.sdk, cm)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda sdk, cm: cm.axisControl.SetServoOn(0),
        lambda sdk, cm: cm.axisControl.SetServoOn(0, 1, 1000),
        lambda sdk, cm: cm.GetStatus(None),
        lambda sdk, cm: sdk.CoreMotion.ErrorToString(),
        lambda sdk, cm: sdk.AxisSelection(1),
        lambda sdk, cm: sdk.AxisSelection().SetAxis(0),
        lambda sdk, cm: cm.axisControl.SetServoOn(np.int32(0), 1),
        lambda sdk, cm: cm.axisControl.SetServoOn(0.0, 1),
        lambda sdk, cm: setattr(sdk.Motion_PosCommand(), "axis", np.int64(1)),
        lambda sdk, cm: setattr(sdk.Motion_PosCommand(), "target", np.float64(1)),
        lambda sdk, cm: cm.motion.StartPos(2, [sdk.Motion_PosCommand()]),
        lambda sdk, cm: cm.motion.StartPos(1, (sdk.Motion_PosCommand(),)),
        lambda sdk, cm: sdk.Io(cm.owner).SetOutBytes(0, 1, [np.uint8(1)]),
    ],
)
def test_arguments_that_the_sdk_does_not_take(world: StandIn, cm: Any, misuse: Any) -> None:
    with pytest.raises(TypeError):
        misuse(world.sdk, cm)


@pytest.mark.parametrize("name", ["Wait", "ClearVibrationStatus", "StartVelToPos"])
def test_what_nobody_plays_says_so(cm: Any, name: str) -> None:
    owner = cm if name == "ClearVibrationStatus" else cm.motion
    with pytest.raises(NotImplementedError, match=rf"Motion\.{name}"):
        getattr(owner, name)(0)


def test_what_is_played_is_listed() -> None:
    for name in PLAYED:
        owner, method = name.split(".")
        assert method in SURFACE["classes"][owner]["methods"]


def test_returns(world: StandIn, cm: Any) -> None:
    assert cm.axisControl.SetServoOn(0, 1) == 0
    code, status = cm.GetStatus()
    assert code == 0
    assert not status.GetAxesStatus(3).servoOffline
    assert status.GetAxesStatus(4).servoOffline
    assert cm.ErrorToString(1547) == "the CoreMotion's text of AxisOutOfRange"


def test_parameters_are_imported_by_the_binding(world: StandIn, cm: Any) -> None:
    """The Linux module's wrapper has another type in the place of the system's parameters."""
    with pytest.raises(TypeError, match="argument 3 of type 'SystemParam"):
        cm.config.ImportAndSetAll("no.xml")
    system, axes = world.sdk.Config_SystemParam(), world.sdk.Config_AxisParam()
    imported = world.sdk._WMX3ApiPython.Config_ImportAndSetAll
    assert imported(cm.config, "no.xml", system, axes) == 1562
    with pytest.raises(TypeError, match="argument 4 of type 'AxisParam"):
        imported(cm.config, "no.xml", system, system)


def test_the_other_modules_wrapper_answers_an_error_object_twice(recorder: Recorder) -> None:
    sdk = StandIn(recorder, linux=False).sdk
    api = sdk.WMX3Api()
    api.CreateDevice("", 0, 1)
    code, one, other = sdk.CoreMotion(api).config.ImportAndSetAll("no.xml")
    assert code == 1562
    assert type(one) is sdk.Config_SystemParam
    assert one is other


def test_without_a_device(world: StandIn) -> None:
    api = world.sdk.WMX3Api()
    cm = world.sdk.CoreMotion(api)
    assert cm.motion.StartPos(world.sdk.Motion_PosCommand()) == 301
    api.CreateDevice("", 0, 1)
    assert api.CloseDevice() == 0
    assert cm.GetStatus() == (301, None)
