"""The layer over the simulated SDK: what is not listed raises, and the manner is the binding's."""

from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk


@pytest.fixture
def cm(vendor: CheckedSdk) -> Any:
    """A CoreMotion whose device is attached."""
    api = vendor.sdk.WMX3Api()
    assert api.CreateDevice("/opt/wmx3", vendor.sdk.DeviceType.DeviceTypeNormal, 1) == 0
    return vendor.sdk.CoreMotion(api)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda sdk, cm: sdk.Motion_Command,
        lambda sdk, cm: sdk.EcStateMachine.SafeOp,
        lambda sdk, cm: cm.motions,
        lambda sdk, cm: cm.motion.StartPosition,
        lambda sdk, cm: setattr(sdk.Motion_PosCommand(), "position", 1.0),
        lambda sdk, cm: sdk.Motion_LinearIntplCommand().target,  # an array: GetTarget(index)
        lambda sdk, cm: sdk.Ecat(cm).RegisterRead,
    ],
)
def test_a_name_that_is_not_listed(vendor: CheckedSdk, cm: Any, misuse: Any) -> None:
    with pytest.raises(AttributeError):
        misuse(vendor.sdk, cm)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda sdk, cm: cm.axisControl.SetServoOn(0),
        lambda sdk, cm: cm.axisControl.SetServoOn(0, 1, 1000),
        lambda sdk, cm: sdk.CoreMotion.ErrorToString(),
        lambda sdk, cm: sdk.AxisSelection().SetAxis(0),
        lambda sdk, cm: cm.axisControl.SetServoOn(np.int32(0), 1),
        lambda sdk, cm: cm.axisControl.SetServoOn(0.0, 1),
        lambda sdk, cm: setattr(sdk.Motion_PosCommand(), "target", np.float32(1)),
        lambda sdk, cm: cm.motion.StartPos(2, [sdk.Motion_PosCommand()]),
        lambda sdk, cm: cm.motion.StartPos(1, (sdk.Motion_PosCommand(),)),
        lambda sdk, cm: sdk.Io(sdk.WMX3Api()).SetOutBytes(0, 1, [np.uint8(1)]),
    ],
)
def test_arguments_that_the_sdk_does_not_take(vendor: CheckedSdk, cm: Any, misuse: Any) -> None:
    with pytest.raises(TypeError):
        misuse(vendor.sdk, cm)


def test_parameters_are_imported_by_the_binding(vendor: CheckedSdk, cm: Any) -> None:
    """The wrapper of the Linux module passes another type in place of the system's parameters."""
    system, axes = vendor.sdk.Config_SystemParam(), vendor.sdk.Config_AxisParam()
    imported = vendor.sdk._WMX3ApiPython.Config_ImportAndSetAll
    assert imported(cm.config, "no.xml", system, axes) == 1562
    with pytest.raises(TypeError, match="argument 4 of type 'AxisParam"):
        imported(cm.config, "no.xml", system, system)
    with pytest.raises(TypeError, match="argument 3 of type 'SystemParam"):
        imported(cm.config, "no.xml", axes, axes)
