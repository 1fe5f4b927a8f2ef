"""What the SDK returns, raised: codes, names and texts; and what it lacks."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine
from recorder import Recorder

from wmx3 import loading
from wmx3.sdk import Part, Sdk
from wmx_core.errors import (
    CommandRefused,
    DriverUnavailable,
    EngineLost,
    ErrorCode,
)
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    LinearMove,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

POSITION = PositionMove(axis=0, target=1.0, velocity=2.0, acc=3.0, dec=4.0)
VELOCITY = VelocityMove(axis=0, velocity=2.0, acc=3.0, dec=4.0)
SPLINE = SplineMove(axes=(0,), times=np.array([0.0, 1.0]), positions=np.array([[0.0], [1.0]]))
LINE = LinearMove(axes=(0, 1), targets=(1.0, 2.0), velocity=2.0, acc=3.0, dec=4.0)

ORDERS: dict[str, Callable[[Driver], Any]] = {
    "WMX3Api.StopCommunication": lambda d: d.engine.stop_communication(),
    "WMX3Api.GetEngineStatus": lambda d: d.engine.state(),
    "CoreMotion.GetStatus": lambda d: d.motion.status(),
    "AxisControl.SetServoOn": lambda d: d.motion.set_servo(0, on=True),
    "AxisControl.ClearAmpAlarm": lambda d: d.motion.clear_alarm(0),
    "AxisControl.ClearAxisAlarm": lambda d: d.motion.clear_alarm(0),
    "AxisControl.SetAxisCommandMode": lambda d: d.motion.set_command_mode(0, CommandMode.TORQUE),
    "Config.SetAxisPolarity": lambda d: d.motion.set_polarity(0, -1),
    "Config.SetGearRatio": lambda d: d.motion.set_gear_ratio(0, 2.0, 1.0),
    "Motion.StartPos": lambda d: d.motion.move_absolute([POSITION]),
    "Motion.StartMov": lambda d: d.motion.move_relative([POSITION]),
    "Motion.StartJog": lambda d: d.motion.jog([VELOCITY]),
    "Motion.StartLinearIntplPos": lambda d: d.motion.move_linear(LINE),
    "Velocity.StartVel": lambda d: d.motion.move_velocity([VELOCITY]),
    "Torque.StartTrq": lambda d: d.motion.move_torque([TorqueMove(axis=0, torque=5.0)]),
    "Motion.Stop_AxisSel": lambda d: d.motion.stop([0]),
    "Motion.ExecQuickStop_AxisSel": lambda d: d.motion.quick_stop([0]),
    "CoreMotion.ExecEStop": lambda d: d.motion.emergency_stop(EmergencyStop.LEVEL1),
    "CoreMotion.ReleaseEStop": lambda d: d.motion.release_emergency_stop(),
    "Home.StartHome": lambda d: d.motion.home(0),
    "Home.SetCommandPos": lambda d: d.motion.set_position(0, 1.5),
    "Home.SetHomeDone": lambda d: d.motion.set_position(0, 1.5),
    "Config.GetAndExportAll": lambda d: d.motion.parameters(),
    "Io.GetInBitEx": lambda d: d.io.input_bit(0, 0),
    "Io.GetOutBitEx": lambda d: d.io.output_bit(0, 0),
    "Io.SetOutBitEx": lambda d: d.io.set_output_bit(0, 0, value=True),
    "Io.GetInBytesEx": lambda d: d.io.input_bytes(0, 1),
    "Io.GetOutBytesEx": lambda d: d.io.output_bytes(0, 1),
    "Io.SetOutBitsEx": lambda d: d.io.set_output_bits([(0, 1, True), (2, 3, False)]),
    "WMX3Api.SetWatchdog": lambda d: d.engine.set_watchdog(2.0),
    "Io.SetOutBytesEx": lambda d: d.io.set_output_bytes(0, b"1"),
    "Ecat.GetMasterInfo": lambda d: d.ecat.network_state(0),
    "Ecat.ScanNetwork": lambda d: d.ecat.scan_network(0),
    "Ecat.StartHotconnect": lambda d: d.ecat.start_hotconnect(0),
    "Ecat.ChangeSlaveState": lambda d: d.ecat.set_slave_state(0, 0, EcState.OP),
    "Ecat.SdoUpload_SdoType_WaitTime": lambda d: d.ecat.read_sdo(0, 0, 0x1000, 0, 4),
    "Ecat.SdoDownload_SdoType_WaitTime": lambda d: d.ecat.write_sdo(0, 0, 0x6060, 0, b"\x08"),
}
TEXTS = {"WMX3Api": "WMX3Api", "Io": "Io", "Ecat": "Ecat"}
"""Whose ErrorToString words the errors of a class, where it is not CoreMotion's."""


@pytest.mark.parametrize("name", ORDERS)
def test_a_refusal_has_the_vendors_number_name_and_text(
    recorder: Recorder, vendor: CheckedSdk, driver: Driver, name: str
) -> None:
    recorder.held.servo_on()
    vendor.refuse(name, 1557)
    with pytest.raises(CommandRefused) as refused:
        ORDERS[name](driver)
    owner = TEXTS.get(name.partition(".")[0], "CoreMotion")
    assert str(refused.value) == (
        f"Error=1557 (PrevSettingsBeingApplied): the {owner}'s text of PrevSettingsBeingApplied"
    )


NEEDED_BY_ALL = "CoreMotion.GetStatus"
NEEDED_BY_NOBODY = {"Io.SetOutBitsEx", "Io.SetOutBytesEx"}
"""Bits can be set one by one, and bytes."""


@pytest.mark.parametrize("name", sorted({*ORDERS} - {NEEDED_BY_ALL} - NEEDED_BY_NOBODY))
def test_a_function_that_is_missing_hurts_only_its_user(recorder: Recorder, name: str) -> None:
    recorder.held.servo_on()
    names = dict.fromkeys([name, name.removesuffix("Ex")])  # I/O has two forms
    driver = CheckedSdk(recorder, changed(without=[*names])).attached()
    with pytest.raises(CommandRefused) as refused:
        ORDERS[name](driver)
    assert refused.value.code == ErrorCode.NoSupportedFunction
    method = [*names][-1].partition(".")[2]
    assert refused.value.detail == f"not supported by the installed SDK ({method} missing)"
    recorder.answers = {"input_bytes": b"\x07", "output_bytes": b"\x08"}
    assert driver.motion.status().axes == 4
    if name not in ("Io.GetInBytesEx", "WMX3Api.GetEngineStatus"):
        assert driver.io.input_bytes(0, 1) == b"\x07"
    driver.engine.close_device()


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("AdvancedMotion", lambda d: d.motion.move_spline(SPLINE)),
        ("Io", lambda d: d.io.input_bit(0, 0)),
        ("Ecat", lambda d: d.ecat.scan_network(0)),
    ],
)
def test_a_class_that_is_missing_hurts_only_its_user(
    recorder: Recorder, name: str, order: Callable[[Driver], Any]
) -> None:
    driver = CheckedSdk(recorder, changed(without=[name])).attached()
    with pytest.raises(CommandRefused, match=rf"\({name} missing\)"):
        order(driver)
    assert driver.motion.status().axes == 4


def test_a_number_that_only_the_installed_sdk_knows(vendor: CheckedSdk) -> None:
    number = vendor.code("SlaveSdoUploadError")
    driver = vendor.refuse("Ecat.ScanNetwork", number).attached()
    with pytest.raises(CommandRefused) as refused:
        driver.ecat.scan_network(0)
    assert (refused.value.code, refused.value.name) == (number, "SlaveSdoUploadError")


@pytest.mark.parametrize(
    ("name", "values", "detail"),
    [
        ("Ecat.ChangeSlaveState", (0x0011,), ", the slave's code is 0x11"),
        ("Ecat.ChangeSlaveState", (0,), ""),
        ("Ecat.SdoUpload_SdoType_WaitTime", ([], 0, 0x0602), ", the slave's code is 0x602"),
        ("Ecat.SdoDownload_SdoType_WaitTime", (0x0601,), ", the slave's code is 0x601"),
    ],
)
def test_what_the_slave_says_itself(
    vendor: CheckedSdk, name: str, values: tuple[Any, ...], detail: str
) -> None:
    driver = vendor.refuse(name, 1585, *values).attached()
    with pytest.raises(CommandRefused) as refused:
        ORDERS[name](driver)
    assert refused.value.detail == f"the Ecat's text of UnknownError{detail}"


LOST = ["IMLibIsNotRunning", "SystemIsNoRunning", "DeviceIsNull", "DeviceIsNotInUse"]


@pytest.mark.parametrize("name", [*LOST, "InvalidChannelId", "CommandInvalidQueueId"])
def test_an_engine_that_is_gone_or_has_closed_the_device(vendor: CheckedSdk, name: str) -> None:
    driver = vendor.refuse("AxisControl.SetServoOn", vendor.code(name)).attached()
    with pytest.raises(EngineLost) as lost:
        driver.motion.set_servo(0, on=True)
    assert lost.value.name == name


def test_a_device_that_the_engine_has_closed_is_attached_again() -> None:
    held = HeldEngine(2).servo_on()
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    driver.engine.session().device.CloseDevice()  # type: ignore[attr-defined]
    for call in (driver.motion.status, driver.engine.state):
        with pytest.raises(EngineLost) as lost:
            call()
        assert lost.value.code == ErrorCode.DeviceIsNull
    driver.engine.close_device()
    driver.engine.create_device("", "again")
    assert driver.motion.status().communicating


@pytest.mark.parametrize("name", ["APIChannelError", "APIChannelTimeOut", "StatusChannelError"])
def test_a_call_that_is_not_answered_in_time_loses_no_engine_that_counts_cycles(name: str) -> None:
    held = HeldEngine(2).servo_on()
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    vendor.refuse("AxisControl.SetServoOn", vendor.code(name))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_servo(0, on=True)
    assert refused.value.name == name
    assert "the engine lives; it may have taken the call" in refused.value.detail
    count = vendor.runtime.count_cycles()
    vendor.runtime.count_cycles = lambda: count  # type: ignore[method-assign]
    with pytest.raises(EngineLost):
        driver.motion.set_servo(0, on=True)


# The forms of an answer, on a part of its own


def call(answer: Any, *, text: str = "text") -> Any:
    function = answer if callable(answer) else lambda: answer
    target = SimpleNamespace(Ask=function, ErrorToString=lambda code: text)
    return Part(Sdk(CheckedSdk(Recorder()).sdk), target).Ask()


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (0, None),
        ((0, 7), 7),
        ((0, [1, 2]), [1, 2]),
        ((0, 1.5, 2.5), (1.5, 2.5)),
        ((0, [1], 1, 0), ([1], 1, 0)),
        ((0, 0), 0),
        ([0, 0], 0),
    ],
)
def test_success(answer: Any, value: Any) -> None:
    assert call(answer) == value


@pytest.mark.parametrize(
    "answer", [1555, (1555, 7), (1555, 1555), [1555, 1555], (object(), object(), 1555)]
)
def test_failure(answer: Any) -> None:
    with pytest.raises(CommandRefused) as refused:
        call(answer)
    assert (refused.value.code, refused.value.name) == (1555, "ArgumentOutOfRange")


@pytest.mark.parametrize("answer", [None, "done", (1.5,), ()])
def test_what_answers_no_code_may_have_failed(answer: Any) -> None:
    with pytest.raises(CommandRefused, match="Ask answers no error code") as refused:
        call(answer)
    assert refused.value.code == ErrorCode.NoSupportedFunction


def test_a_text_that_is_the_name_is_not_said_twice() -> None:
    with pytest.raises(CommandRefused) as refused:
        call(1547, text="AxisOutOfRange")
    assert str(refused.value) == "Error=1547 (AxisOutOfRange)"


def test_a_number_that_nobody_knows() -> None:
    with pytest.raises(CommandRefused) as refused:
        call(99)
    assert str(refused.value) == "Error=99 (Unknown): text"


def test_a_number_that_is_too_large_for_the_sdk() -> None:
    def overflow() -> None:
        raise OverflowError("in method 'SetServoOn', argument 2 of type 'int'")

    with pytest.raises(CommandRefused, match="argument 2 of type 'int'") as refused:
        call(overflow)
    assert refused.value.code == ErrorCode.ArgumentOutOfRange


@pytest.mark.parametrize(
    "error", [TypeError, NotImplementedError, ValueError, RuntimeError, SystemError]
)
def test_arguments_that_the_binding_does_not_take(error: type[Exception]) -> None:
    """As of a build whose function has other parameters, or whose wrapper has a mistake."""

    def misfit() -> None:
        raise error("in method 'SetServoOn', argument 2 of type 'Bool'")

    with pytest.raises(CommandRefused, match="argument 2 of type 'Bool'") as refused:
        call(misfit)
    assert refused.value.code == ErrorCode.NoSupportedFunction


# Finding the module


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where roots would be; what is imported or added to Python's path is forgotten again."""
    monkeypatch.setattr(loading, "ROOTS", (str(tmp_path / "wmx3"), str(tmp_path / "lmx")))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, loading.MODULE, raising=False)
    yield tmp_path
    sys.modules.pop(loading.MODULE, None)


def install(folder: Path, content: str = "") -> None:
    folder.mkdir(parents=True)
    (folder / "WMX3ApiPython.py").write_text(content or f"WHERE = {str(folder)!r}")


FOUND = "wmx3/lib/PythonApi", "lmx/python", "mine/lib", "mine/Lib/PythonApi"


@pytest.mark.parametrize("folder", FOUND)
def test_the_module_is_found(roots: Path, folder: str) -> None:
    install(roots / folder)
    assert str(roots / folder) == loading.load_sdk(str(roots / "mine")).WHERE


def test_the_device_path_comes_before_the_roots(roots: Path) -> None:
    install(roots / "wmx3" / "lib")
    install(roots / "mine" / "lib")
    assert str(roots / "mine" / "lib") == loading.load_sdk(str(roots / "mine")).WHERE


def test_pythons_own_path_comes_first(roots: Path) -> None:
    install(roots / "mine" / "lib")
    install(roots / "own")
    sys.path.append(str(roots / "own"))
    assert str(roots / "own") == loading.load_sdk(str(roots / "mine")).WHERE


@pytest.mark.parametrize("device_path", ["mine", "", "mine/../mine"])
def test_no_module_is_taken_from_wherever_the_process_was_started(
    roots: Path, monkeypatch: pytest.MonkeyPatch, device_path: str
) -> None:
    install(roots / "mine" / "lib")
    monkeypatch.chdir(roots)
    with pytest.raises(DriverUnavailable):
        loading.load_sdk(device_path)


def test_a_missing_module_says_where_it_was_looked_for(roots: Path) -> None:
    with pytest.raises(DriverUnavailable) as unavailable:
        open_driver("wmx3", DriverOptions(device_path=str(roots / "mine")))
    assert unavailable.value.code == ErrorCode.NoSupportedFunction
    for folder in ("mine/lib/PythonApi", "wmx3/lib", "lmx/Lib/PythonApi"):
        assert f"{roots / folder}" in unavailable.value.detail
    assert "driver 'fake' runs without it" in unavailable.value.detail


def test_a_module_that_cannot_be_imported(roots: Path) -> None:
    install(roots / "wmx3" / "lib", "raise ImportError('built for Python 3.8')")
    with pytest.raises(DriverUnavailable, match=r"cannot be imported: built for Python 3\.8$"):
        loading.load_sdk("/opt/wmx3")
    assert open_driver("fake").simulated


@pytest.fixture
def binding(roots: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a binding on Python's path, to be written."""
    monkeypatch.delitem(sys.modules, loading.BINDING, raising=False)
    sys.path.insert(0, str(roots))
    yield roots / f"{loading.BINDING}.py"
    sys.modules.pop(loading.BINDING, None)


def test_the_binding_comes_before_the_vendors_module(roots: Path, binding: Path) -> None:
    install(roots / "wmx3" / "lib")
    assert loading.load_sdk("/opt/wmx3").__name__ == loading.MODULE
    sys.modules.pop(loading.MODULE)
    binding.write_text("__version__, sdk = '0.2.0', '/opt/wmx3'")
    found = loading.load_sdk("/opt/wmx3")
    assert found.__name__ == loading.BINDING
    described = "the binding wmx_sdk_binding 0.2.0 to /opt/wmx3, SDK of an unknown version"
    assert loading.describe(found) == described


def test_a_binding_that_does_not_load_is_not_passed_over(roots: Path, binding: Path) -> None:
    """Another module may be of another SDK: which one moves axes has to be known."""
    install(roots / "wmx3" / "lib")
    binding.write_text("raise ImportError('libimdll.so: cannot open shared object file')")
    with pytest.raises(DriverUnavailable, match="cannot open shared object") as unavailable:
        loading.load_sdk("/opt/wmx3")
    assert "make sdk SDK=" in unavailable.value.detail
    assert "LD_LIBRARY_PATH" in unavailable.value.detail
    assert open_driver("fake").simulated


def test_what_was_built_is_printed(
    roots: Path, binding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `make sdk`, at its end."""
    binding.write_text("__version__, sdk, left_out = '0.2.0', '/opt/wmx3', ('Ecat.PdoRead',)")
    assert loading.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "sdk: the binding wmx_sdk_binding 0.2.0 to /opt/wmx3, SDK of an unknown version",
        "sdk: these headers lack Ecat.PdoRead",
    ]
    sys.modules.pop(loading.BINDING)
    binding.write_text("raise ImportError('binding.so: undefined symbol: _ZN7wmx3Api')")
    assert loading.main() == 1
    said = capsys.readouterr().err
    assert (
        "undefined symbol: _ZN7wmx3Api; the SDK's libraries lack what its headers declare" in said
    )


def test_what_builds_a_binding_is_said_where_there_are_headers(roots: Path) -> None:
    (roots / "lmx" / "include").mkdir(parents=True)
    (roots / "lmx" / "include" / "WMX3Api.h").touch()
    with pytest.raises(DriverUnavailable, match=f"make sdk SDK={roots / 'lmx'}"):
        loading.load_sdk(str(roots / "mine"))


def test_the_vendors_module_is_described(roots: Path) -> None:
    version = "class CoreMotion:\n    GetLibVersion = staticmethod(lambda: (0, 3, 5, 0, 0))"
    install(roots / "wmx3" / "lib", version)
    described = loading.describe(loading.load_sdk("/opt/wmx3"))
    assert described == "the vendor's module WMX3ApiPython, SDK 3.5.0.0"


def test_a_module_whose_libraries_are_not_found(roots: Path) -> None:
    problem = "libimdll.so: cannot open shared object file: No such file or directory"
    install(roots / "wmx3" / "lib", f"raise ImportError({problem!r})")
    with pytest.raises(DriverUnavailable, match=r"LD_LIBRARY_PATH must name .* /opt/wmx3/lib"):
        loading.load_sdk("/opt/wmx3")
