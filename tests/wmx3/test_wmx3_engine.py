"""The life of the engine through the SDK: devices, communication, and who waits for whom."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState


def test_what_the_driver_says_of_itself(vendor: CheckedSdk) -> None:
    driver = vendor.driver()
    assert (driver.name, driver.simulated, driver.faults) == ("wmx3", False, None)
    assert (driver.times_torques, driver.stops_every_mode) == (False, False)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (DriverOptions(), (10_000,)),
        (DriverOptions(timeout=0.25), (250,)),
        (DriverOptions(timeout=1.0006), (1001,)),
        (DriverOptions(core=2), (10_000, 2, 0)),
        (DriverOptions(affinity=0b1010), (10_000, -1, 10)),
        (DriverOptions(core=0, affinity=1), (10_000, 0, 1)),
    ],
)
def test_what_a_device_is_created_with(
    vendor: CheckedSdk, options: DriverOptions, expected: tuple[int, ...]
) -> None:
    vendor.driver(options).engine.create_device("/opt/lmx", "my device")
    normal = vendor.sdk.DeviceType.DeviceTypeNormal
    assert vendor.called("WMX3Api.CreateDevice") == [["/opt/lmx", normal, *expected]]
    assert vendor.called("WMX3Api.SetDeviceName") == [["my device"]]


def test_without_a_path_the_device_path_is_taken(vendor: CheckedSdk) -> None:
    vendor.driver(DriverOptions(device_path="/opt/mine")).engine.create_device("", "test")
    assert vendor.called("WMX3Api.CreateDevice")[0][0] == "/opt/mine"


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_timeout_that_is_none(timeout: float) -> None:
    with pytest.raises(WmxError, match=f"timeout is {timeout} s: must be") as refused:
        DriverOptions(timeout=timeout)
    assert refused.value.code == ErrorCode.ParamOutOfRange


@pytest.mark.parametrize("name", ["WMX3Api.SetDeviceName", "CoreMotion.GetStatus"])
def test_a_device_that_cannot_be_used_is_closed_again(vendor: CheckedSdk, name: str) -> None:
    driver = vendor.refuse(name, 1545).driver()
    with pytest.raises(CommandRefused):
        driver.engine.create_device("", "test")
    assert vendor.calls[-1] == ("WMX3Api.CloseDevice",)
    assert driver.engine.state() is EngineState.IDLE
    vendor.restore(name)
    driver.engine.create_device("", "test")


def test_a_device_that_is_not_closed_stays(vendor: CheckedSdk) -> None:
    driver = vendor.attached()
    state = driver.engine.state()
    vendor.refuse("WMX3Api.CloseDevice", 1545)
    with pytest.raises(CommandRefused):
        driver.engine.close_device()
    assert driver.engine.state() is state is not EngineState.IDLE
    vendor.restore("WMX3Api.CloseDevice")
    driver.engine.close_device()
    assert driver.engine.state() is EngineState.IDLE


def test_a_device_goes_with_an_engine_that_is_gone(vendor: CheckedSdk) -> None:
    def lost(*_: Any) -> None:
        raise EngineLost(ErrorCode.IMLibIsNotRunning)

    driver = vendor.play("WMX3Api.CloseDevice", lost).attached()
    driver.engine.close_device()
    assert driver.engine.state() is EngineState.IDLE


@pytest.mark.parametrize("state", EngineState)
def test_the_state_by_its_name(recorder: Recorder, driver: Driver, state: EngineState) -> None:
    recorder.held.fake.enter(state)
    assert driver.engine.state() is state
    assert driver.motion.status().engine_state is state


def test_a_state_that_has_no_name_here(vendor: CheckedSdk, driver: Driver) -> None:
    status = vendor.sdk.EngineStatus()
    status.state = 17
    vendor.play("WMX3Api.GetEngineStatus", lambda _: (status,))
    assert driver.engine.state() is EngineState.UNKNOWN


def test_communication_starts_and_stops_once() -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    driver = vendor.driver(DriverOptions(timeout=2.5))
    driver.engine.create_device("", "test")
    driver.engine.stop_communication()
    assert vendor.called("WMX3Api.StopCommunication") == []
    for _ in range(2):
        driver.engine.start_communication()
        assert driver.engine.state() is EngineState.COMMUNICATING
    for _ in range(2):
        driver.engine.stop_communication()
        assert driver.engine.state() is EngineState.RUNNING
    assert vendor.called("WMX3Api.StartCommunication") == [[0]], "which does not wait"
    assert vendor.called("WMX3Api.StopCommunication") == [[0]]


def test_an_engine_that_does_not_stop_communicating(vendor: CheckedSdk) -> None:
    driver = vendor.driver(DriverOptions(timeout=0.5))
    driver.engine.create_device("", "test")
    vendor.play("WMX3Api.StopCommunication", lambda *_: None)
    began = vendor.engine.clock.now()
    with pytest.raises(CommandRefused) as refused:
        driver.engine.stop_communication()
    assert refused.value.code == ErrorCode.CommNotStoppedInSpecifiedTime
    assert vendor.engine.clock.now() - began == pytest.approx(0.5)


def test_a_watchdog_in_milliseconds(vendor: CheckedSdk, driver: Driver) -> None:
    driver.engine.set_watchdog(2.5)
    assert vendor.calls == [("WMX3Api.SetWatchdog", 2500)]


# How many axes there are


@pytest.mark.parametrize("axes", [1, 6, 128])
def test_as_many_axes_as_the_network_has(axes: int) -> None:
    assert CheckedSdk(HeldEngine(axes).fake).attached().motion.status().axes == axes


def test_axes_whose_slave_is_off_are_axes_too() -> None:
    held = HeldEngine(3)
    held.fake.call("ecat", "drop_slave", 2)
    driver = CheckedSdk(held.fake).attached()
    assert driver.motion.status().servo_offline.tolist() == [False, False, True]


def test_axes_of_another_master_are_known_by_being_online(recorder: Recorder) -> None:
    driver = CheckedSdk(recorder, changed(without=["Ecat.GetMasterInfo"])).attached()
    assert driver.motion.status().axes == 4


def test_without_a_network_the_engine_has_all_its_axes(
    vendor: CheckedSdk, recorder: Recorder
) -> None:
    recorder.status = {"servo_offline": ~recorder.held.status().servo_offline}
    driver = vendor.refuse("Ecat.GetMasterInfo", 1537).attached()
    assert driver.motion.status().axes == 128
    vendor.restore("Ecat.GetMasterInfo")
    driver.engine.start_communication()
    assert driver.motion.status().axes == 4


# Nobody waits for what another thread asks for


@pytest.mark.parametrize(
    ("slow", "order"),
    [
        ("Ecat.ScanNetwork", lambda d: d.ecat.scan_network(0)),
        ("WMX3Api.CloseDevice", lambda d: d.engine.close_device()),
    ],
)
def test_a_slow_order_delays_no_other(
    vendor: CheckedSdk, driver: Driver, slow: str, order: Callable[[Driver], None]
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait(*_: Any) -> None:
        entered.set()
        assert leave.wait(60)

    session = driver.engine.session()  # type: ignore[attr-defined]
    vendor.play(slow, wait)
    thread = threading.Thread(target=order, args=(driver,))
    thread.start()
    try:
        assert entered.wait(60)
        driver.engine.state()
        assert session.core.GetStatus().engineState == EngineState.COMMUNICATING
        if slow != "WMX3Api.CloseDevice":
            assert driver.motion.status().communicating
            driver.motion.stop([0])
    finally:
        leave.set()
        thread.join()


def test_nobody_waits_while_a_device_is_created(vendor: CheckedSdk) -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait(*_: Any) -> None:
        entered.set()
        assert leave.wait(60)

    driver = vendor.play("WMX3Api.CreateDevice", wait).driver()
    thread = threading.Thread(target=driver.engine.create_device, args=("", "test"))
    thread.start()
    try:
        assert entered.wait(60)
        assert driver.engine.state() is EngineState.IDLE
        with pytest.raises(CommandRefused):
            driver.motion.status()
    finally:
        leave.set()
        thread.join()
    assert driver.motion.status().communicating
