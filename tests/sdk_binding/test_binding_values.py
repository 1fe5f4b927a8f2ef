"""What the binding takes for the fields and arguments of the SDK, and what it refuses."""

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sdk_headers import build


@pytest.mark.parametrize("number", [3, True, np.int32(3), np.uint8(3)])
def test_whole_numbers(sdk: ModuleType, number: Any) -> None:
    command = sdk.Motion_PosCommand()
    command.axis = number
    assert command.axis == int(number)


@pytest.mark.parametrize("number", [3.0, "3", None, np.float64(3.0)])
def test_what_is_no_whole_number(sdk: ModuleType, number: Any) -> None:
    command = sdk.Motion_PosCommand()
    with pytest.raises(TypeError, match="an integer is required"):
        command.axis = number
    assert command.axis == 0


@pytest.mark.parametrize("number", [1.5, 2, np.float32(1.5), np.int64(2)])
def test_numbers(sdk: ModuleType, number: Any) -> None:
    command = sdk.Motion_PosCommand()
    command.target = number
    command.profile.velocity = number
    assert command.target == command.profile.velocity == float(number)


def test_a_text_is_no_number(sdk: ModuleType) -> None:
    with pytest.raises(TypeError):
        sdk.Motion_PosCommand().target = "1.5"


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**80])
def test_a_number_that_its_field_does_not_hold(sdk: ModuleType, number: int) -> None:
    with pytest.raises(OverflowError, match="must be"):
        sdk.Motion_PosCommand().axis = number


@pytest.mark.parametrize("index", [-1, 128, 2**31 - 1])
def test_an_index_outside_its_array(sdk: ModuleType, index: int) -> None:
    selection = sdk.AxisSelection()
    with pytest.raises(IndexError, match="must be 0 to 127"):
        selection.SetAxis(index, 1)
    with pytest.raises(IndexError, match="must be 0 to 127"):
        selection.GetAxis(index)
    with pytest.raises(IndexError):
        sdk.CoreMotionStatus().GetAxesStatus(index)


def test_sizes_are_those_of_the_headers(sdk: ModuleType, edition: int) -> None:
    dimensions = {1: 6, 2: 8}[edition]
    assert sdk.constants.maxSplineDimensions == dimensions
    point = sdk.AdvMotion_SplinePoint()
    point.SetPos(dimensions - 1, 1.0)
    with pytest.raises(IndexError, match=f"must be 0 to {dimensions - 1}"):
        point.SetPos(dimensions, 1.0)


@pytest.mark.parametrize("axes", [[2, 0, 1], (2, 0, 1), np.array([2, 0, 1])])
def test_a_whole_array(sdk: ModuleType, axes: Any) -> None:
    selection = sdk.AxisSelection()
    selection.axis = axes
    assert [selection.GetAxis(i) for i in range(4)] == [2, 0, 1, 0]
    with pytest.raises(IndexError, match="must be up to 128"):
        selection.axis = [0] * 129


def test_an_element_is_a_part_of_its_array(sdk: ModuleType) -> None:
    """It is the same memory, and lives as long as somebody holds it."""
    axis = sdk.CoreMotionStatus().GetAxesStatus(3)
    axis.posCmd = 1.5
    assert axis.posCmd == 1.5
    status = sdk.CoreMotionStatus()
    status.GetAxesStatus(3).posCmd = 2.5
    assert status.GetAxesStatus(3).posCmd == 2.5
    status.SetAxesStatus(4, status.GetAxesStatus(3))
    assert status.GetAxesStatus(4).posCmd == 2.5


def test_a_polarity_of_minus_one(sdk: ModuleType, device: SimpleNamespace) -> None:
    assert device.core.config.SetAxisPolarity(0, -1) == 0
    axes = sdk.Config_AxisParam()
    axes.SetAxisPolarity(0, -1)
    assert axes.GetAxisPolarity(0) == -1
    with pytest.raises(OverflowError):
        device.core.config.SetAxisPolarity(0, 255)


@pytest.mark.slow  # compiles an edition once more
def test_a_polarity_of_minus_one_where_a_plain_char_has_no_sign() -> None:
    """As on aarch64; the library behind the declarations is compiled in the same way."""
    if lacking := build.missing():
        pytest.skip(lacking)
    axes = build.binding(build.EDITIONS[-1], "-funsigned-char").Config_AxisParam()
    axes.SetAxisPolarity(0, -1)
    assert axes.GetAxisPolarity(0) == -1
    with pytest.raises(OverflowError):
        axes.SetAxisPolarity(0, 255)


def test_a_wrong_object(sdk: ModuleType, device: SimpleNamespace) -> None:
    with pytest.raises(TypeError, match="Motion_PosCommand is required, not"):
        device.core.motion.StartPos(sdk.Motion_JogCommand())
    with pytest.raises(TypeError, match="takes 1 or 2 arguments, not 3"):
        device.core.motion.StartPos(1, 2, 3)


@pytest.mark.parametrize("count", [-1, 3])
def test_a_count_of_more_than_there_is(
    sdk: ModuleType, device: SimpleNamespace, count: int
) -> None:
    with pytest.raises((ValueError, OverflowError)):
        device.core.motion.StartPos(count, [sdk.Motion_PosCommand()] * 2)
    with pytest.raises((ValueError, OverflowError)):
        sdk.Io(device.api).SetOutBytes(0, count, [1, 2])


def test_blocks_of_bytes(sdk: ModuleType, device: SimpleNamespace) -> None:
    io = sdk.Io(device.api)
    for data in ([1, 255], b"\x01\xff", np.array([1, 255], np.uint8)):
        assert io.SetOutBytes(0, 2, data) == 0
        assert io.GetOutBytes(0, 2) == (0, [1, 255])
    with pytest.raises(OverflowError):
        io.SetOutBytes(0, 1, [256])
    with pytest.raises(TypeError):
        io.SetOutBytes(0, 1, "a")


def test_times_between_two_milliseconds(
    sdk: ModuleType, device: SimpleNamespace, edition: int
) -> None:
    """Where a release takes whole ones alone they are refused: the spline would be another one."""
    motion = sdk.AdvancedMotion(device.api)
    spline, points = sdk.AdvMotion_PointTimeSplineCommand(), [sdk.AdvMotion_SplinePoint()] * 2
    spline.dimensionCount = 1
    start = motion.advMotion.StartCSplinePos_PointTime
    if edition == 1:
        with pytest.raises(ValueError, match="whole milliseconds"):
            start(0, spline, 2, points, [100.0, 200.5])
    assert start(0, spline, 2, points, [100.0, 200.0]) != 0  # there is no buffer: it was called
