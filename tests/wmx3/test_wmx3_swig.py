"""The backend over functions that SWIG has wrapped, which made the vendor's own modules.

Two builds of tests/sdk_headers/swig/stub.i: as older releases and most machines have it, with times
of unsigned int and a plain char with a sign; and with times of double, and a plain char without a
sign, as on aarch64.
"""

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, require_plain
from sdk_headers import build
from test_wmx3_splines import SPLINE, START

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver

SIGNED, UNSIGNED = (1, "-fsigned-char"), (2, "-funsigned-char")


@pytest.fixture(params=[SIGNED, UNSIGNED], ids=["signed", "unsigned"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def stub(kind: tuple[int, str]) -> ModuleType:
    """The wrapped functions of one build."""
    if lacking := build.missing() or ("" if build.swig() else "there is no swig"):
        pytest.skip(lacking)
    return build.swig_stub(*kind)


VALUES = 1, True, 1.0, "1", None, np.int32(1), np.uint8(1), np.float64(1), np.float32(1)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_the_checked_module_takes_what_swig_takes(stub: ModuleType, value: Any) -> None:
    """So that what most tests run over is as strict as what is compiled."""
    command = stub.Motion_PosCommand()
    for name in ("axis", "target"):
        if name == "target" and isinstance(value, str):
            continue  # a text may be an argument elsewhere
        assert refuses(lambda: setattr(command, name, value)) == refuses(  # noqa: B023
            lambda: require_plain(name, value)  # noqa: B023
        ), name


def refuses(act: Any) -> bool:
    try:
        act()
    except TypeError:
        return True
    return False


def test_a_polarity_is_a_byte_with_a_sign_or_without(
    stub: ModuleType, vendor: CheckedSdk, driver: Driver
) -> None:
    config = stub.Config()

    def through(_: CheckedSdk, axis: int, polarity: int) -> None:
        assert config.SetAxisPolarity(axis, polarity) == 0

    vendor.play("Config.SetAxisPolarity", through)
    for polarity, byte in ((-1, 0xFF), (1, 1)):
        driver.motion.set_polarity(1, polarity)
        assert config.byte == byte


@pytest.fixture
def spline(stub: ModuleType, vendor: CheckedSdk) -> Any:
    """What C has got of the last spline; only its times go through the stub."""
    motion = stub.AdvMotion()

    def through(vendor: CheckedSdk, *args: Any) -> Any:
        *others, count, points, times = args
        assert motion.StartCSplinePos_PointTime(count, times) == 0
        return vendor.real(START, *others, count, points, [times[i] for i in range(count)])

    return vendor.play(START, through) and motion


def test_times_are_an_array_of_the_module(
    stub: ModuleType, vendor: CheckedSdk, driver: Driver, spline: Any
) -> None:
    """It takes no list; where it has no arrays for Python either, the spline is refused."""
    with pytest.raises(CommandRefused, match="takes other arguments"):
        driver.motion.move_spline(SPLINE)
    vendor.sdk.doubleArray, vendor.sdk.uintArray = stub.doubleArray, stub.uintArray
    driver.motion.move_spline(SPLINE)
    assert spline.last == 1250.0


def test_times_of_older_releases_are_whole_milliseconds(
    stub: ModuleType, kind: tuple[int, str], vendor: CheckedSdk, driver: Driver, spline: Any
) -> None:
    vendor.sdk.doubleArray, vendor.sdk.uintArray = stub.doubleArray, stub.uintArray
    driver.motion.move_spline(replace(SPLINE, times=np.array([0.0, 0.1 + 0.2, 1.0])))
    assert spline.last == 1000.0
    between = replace(SPLINE, times=np.array([0.0, 0.5, 1.0125]))
    if kind == UNSIGNED:
        driver.motion.move_spline(between)
        assert spline.last == 1012.5
        return
    with pytest.raises(CommandRefused, match="whole milliseconds only") as refused:
        driver.motion.move_spline(between)
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert spline.last == 1000.0
