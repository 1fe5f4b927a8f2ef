"""The life of the engine through the SDK: devices, communication, and who waits for whom."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move
from recorder import Recorder
from sdk_surface import changed
from stand_in import PLAYED, Refused, StandIn, open_wmx3_over

from wmx_ros2_package.drivers import open_driver
from wmx_ros2_package.drivers.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.options import DriverOptions
from wmx_ros2_package.drivers.values import EngineState, OperationState


def test_what_the_driver_says_of_itself(world: StandIn) -> None:
    driver = world.driver()
    assert (driver.name, driver.simulated, driver.faults) == ("wmx3", False, None)


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
    world: StandIn, options: DriverOptions, expected: tuple[int, ...]
) -> None:
    world.driver(options).engine.create_device("/opt/lmx", "my device")
    normal = world.sdk.DeviceType.DeviceTypeNormal
    assert world.called("WMX3Api.CreateDevice") == [["/opt/lmx", normal, *expected]]
    assert world.called("WMX3Api.SetDeviceName") == [["my device"]]


def test_without_a_path_the_device_path_is_taken(world: StandIn) -> None:
    world.driver(DriverOptions(device_path="/opt/mine")).engine.create_device("", "test")
    assert world.called("WMX3Api.CreateDevice")[0][0] == "/opt/mine"


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_timeout_that_is_none(timeout: float) -> None:
    with pytest.raises(WmxError, match=f"timeout is {timeout} s: must be") as refused:
        DriverOptions(timeout=timeout)
    assert refused.value.code == ErrorCode.ParamOutOfRange


def test_options_reach_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    from wmx_ros2_package import drivers

    seen: list[DriverOptions] = []
    driver = open_driver("fake")

    def opened(options: DriverOptions) -> Driver:
        seen.append(options)
        return driver

    monkeypatch.setitem(drivers.BACKENDS, "fake", opened)
    open_driver("fake", in_process=True)
    open_driver("fake", DriverOptions(timeout=3.0))
    open_driver("fake")
    assert seen == [DriverOptions(in_process=True), DriverOptions(timeout=3.0), DriverOptions()]


def test_without_a_device(world: StandIn) -> None:
    driver = world.driver()
    assert driver.engine.state() is EngineState.IDLE
    driver.engine.close_device()
    for order in (
        driver.motion.status,
        driver.engine.start_communication,
        driver.engine.stop_communication,
        lambda: driver.motion.stop([0]),
        lambda: driver.io.input_bytes(0, 1),
        lambda: driver.ecat.network_state(0),
    ):
        with pytest.raises(CommandRefused) as refused:
            order()
        assert refused.value.code == ErrorCode.DeviceIsNull
    assert world.calls == []


def test_a_device_is_created_once_and_again_after_it_is_closed(world: StandIn) -> None:
    driver = world.driver()
    driver.engine.create_device("", "one")
    with pytest.raises(CommandRefused) as refused:
        driver.engine.create_device("", "two")
    assert refused.value.code == ErrorCode.ResourceInUse
    driver.engine.close_device()
    driver.engine.close_device()
    assert driver.engine.state() is EngineState.IDLE
    driver.engine.create_device("", "three")
    assert [name for (name,) in world.called("WMX3Api.SetDeviceName")] == ["one", "three"]
    assert len(world.called("WMX3Api.CloseDevice")) == 1
    assert driver.motion.status().axes == 4


@pytest.mark.parametrize("name", ["WMX3Api.SetDeviceName", "CoreMotion.GetStatus"])
def test_a_device_that_cannot_be_used_is_closed_again(world: StandIn, name: str) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(1545)

    driver = world.play(name, refuse).driver()
    with pytest.raises(CommandRefused):
        driver.engine.create_device("", "test")
    assert world.calls[-1] == ("WMX3Api.CloseDevice",)
    assert driver.engine.state() is EngineState.IDLE
    world.play(name, PLAYED[name])
    driver.engine.create_device("", "test")


def test_a_refused_device_is_none(world: StandIn) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(297)

    driver = world.play("WMX3Api.CreateDevice", refuse).driver()
    with pytest.raises(CommandRefused) as refused:
        driver.engine.create_device("", "test")
    assert refused.value.name == "CreateDeviceLockError"
    assert driver.engine.state() is EngineState.IDLE


def test_a_device_goes_with_an_engine_that_is_gone(world: StandIn) -> None:
    def lost(*_: Any) -> None:
        raise EngineLost(ErrorCode.IMLibIsNotRunning)

    driver = world.play("WMX3Api.CloseDevice", lost).attached()
    driver.engine.close_device()
    assert driver.engine.state() is EngineState.IDLE


@pytest.mark.parametrize("state", EngineState)
def test_the_state_by_its_name(recorder: Recorder, driver: Driver, state: EngineState) -> None:
    recorder.held.fake._enter(state)
    assert driver.engine.state() is state
    assert driver.motion.status().engine_state is state


def test_a_state_that_has_no_name_here(world: StandIn, driver: Driver) -> None:
    status = world.sdk.EngineStatus()
    status.state = 17
    world.play("WMX3Api.GetEngineStatus", lambda _: (status,))
    assert driver.engine.state() is EngineState.UNKNOWN


def test_communication_starts_and_stops_once() -> None:
    held = HeldEngine(2, start=False)
    world = StandIn(held.fake)
    driver = world.driver(DriverOptions(timeout=2.5))
    driver.engine.create_device("", "test")
    driver.engine.stop_communication()
    assert world.called("WMX3Api.StopCommunication") == []
    for _ in range(2):
        driver.engine.start_communication()
        assert driver.engine.state() is EngineState.COMMUNICATING
    for _ in range(2):
        driver.engine.stop_communication()
        assert driver.engine.state() is EngineState.RUNNING
    assert world.called("WMX3Api.StartCommunication") == [[2500]]
    assert world.called("WMX3Api.StopCommunication") == [[2500]]


# An engine that has only just started


@pytest.mark.parametrize("seconds", [0.2, 3.0, 9.0])
def test_communication_waits_for_an_engine_that_does_not_reach_its_network_yet(
    seconds: float,
) -> None:
    held = HeldEngine(2, start=False)
    world = StandIn(held.fake)
    world.link_time = seconds
    driver = world.attached()
    driver.engine.start_communication()
    assert driver.engine.state() is EngineState.COMMUNICATING
    assert seconds <= held.clock.now_ns() / 1e9 < seconds + 0.5
    assert world.called("WMX3Api.CloseDevice") == [], "an engine ends with its last device"
    waits = [wait for (wait,) in world.called("WMX3Api.StartCommunication")]
    assert waits[0] == 10_000
    assert waits == sorted(waits, reverse=True), "what is left of the time"


def test_an_engine_that_never_reaches_its_network() -> None:
    held = HeldEngine(2, start=False)
    world = StandIn(held.fake)
    world.link_time = 1e6
    driver = world.driver(DriverOptions(timeout=2.5))
    driver.engine.create_device("", "test")
    with pytest.raises(CommandRefused) as refused:
        driver.engine.start_communication()
    assert (refused.value.code, refused.value.name) == (1288, "StartCommunicationError")
    assert 2.0 <= held.clock.now_ns() / 1e9 <= 2.5
    assert driver.engine.state() is EngineState.RUNNING, "and the device is still there"


def test_an_idle_engine_takes_the_order_and_does_nothing() -> None:
    held = HeldEngine(2, start=False)
    world = StandIn(held.fake)
    driver = world.attached()
    asked: list[int] = []

    def not_yet(world: StandIn, milliseconds: int) -> None:
        asked.append(milliseconds)
        if len(asked) == 3:
            world.play("WMX3Api.StartCommunication", PLAYED["WMX3Api.StartCommunication"])

    world.play("WMX3Api.StartCommunication", not_yet)
    driver.engine.start_communication()
    assert driver.engine.state() is EngineState.COMMUNICATING
    assert len(asked) == 3
    world.play("WMX3Api.StartCommunication", lambda *_: None)
    driver.engine.stop_communication()
    with pytest.raises(CommandRefused, match="still in state RUNNING") as refused:
        driver.engine.start_communication()
    assert refused.value.code == ErrorCode.CommNotStartedInSpecifiedTime


def test_another_refusal_of_communication_is_not_waited_for() -> None:
    held = HeldEngine(2, start=False)
    world = StandIn(held.fake)
    driver = world.attached()

    def refuse(*_: Any) -> None:
        raise Refused(1540)

    world.play("WMX3Api.StartCommunication", refuse)
    with pytest.raises(CommandRefused, match="CallbackFuncError"):
        driver.engine.start_communication()
    assert held.clock.now_ns() == 0


def test_an_invalid_licence_is_said_when_communication_does_not_start(recorder: Recorder) -> None:
    recorder.held.engine.stop_communication()
    recorder.status = {"invalid_licence": True}
    world = StandIn(recorder)
    world.link_time = 1e6
    driver = world.attached()
    with pytest.raises(CommandRefused, match="the engine has no valid licence"):
        driver.engine.start_communication()


def test_a_device_that_was_created_and_then_refused_is_closed() -> None:
    held = HeldEngine(2)
    world = StandIn(held.fake)

    def create_and_refuse(world: StandIn, *_: Any) -> None:
        raise Refused(1282)

    driver = world.play("WMX3Api.CreateDevice", create_and_refuse).driver()
    with pytest.raises(CommandRefused, match="SystemInitializationNotDone"):
        driver.engine.create_device("", "test")
    assert world.calls[-1] == ("WMX3Api.CloseDevice",)


# What the process lacks


@pytest.mark.parametrize(("user", "said"), [(0, False), (1000, True)])
def test_a_process_that_is_not_root_is_told(
    world: StandIn, monkeypatch: pytest.MonkeyPatch, user: int, said: bool
) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(256)

    monkeypatch.setattr("os.geteuid", lambda: user)
    driver = world.play("WMX3Api.CreateDevice", refuse).driver()
    with pytest.raises(CommandRefused) as refused:
        driver.engine.create_device("", "test")
    assert refused.value.code == ErrorCode.StartProcessFailed
    assert ("this process is not root" in refused.value.detail) is said
    assert "the WMX3Api's text of StartProcessFailed" in refused.value.detail


def test_a_lock_that_somebody_left(world: StandIn) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(297)

    driver = world.play("WMX3Api.CreateDevice", refuse).driver()
    with pytest.raises(CommandRefused, match="goes with a restart of the machine"):
        driver.engine.create_device("", "test")


# An engine that stands still


def test_an_engine_that_counts_no_cycles_is_lost() -> None:
    """Its memory says for ever that it communicates."""
    held = HeldEngine(2).servo_on()
    world = StandIn(held.fake)
    driver = world.attached()
    driver.motion.status()
    world.counting = False
    held.after(0.9)
    driver.motion.status()
    held.after(0.2)
    for call in (driver.motion.status, driver.engine.state, driver.motion.status):
        with pytest.raises(EngineLost, match=r"its cycle counter stands at 0 since 1\.1 s") as lost:
            call()
        assert lost.value.code == ErrorCode.StatusChannelError


def test_an_engine_that_seems_dead_is_told_to_stop() -> None:
    held = HeldEngine(2).servo_on()
    world = StandIn(held.fake)
    driver = world.attached()
    driver.motion.jog([velocity_move(0)])
    driver.motion.status()
    world.counting = False
    held.after(2.0)
    with pytest.raises(EngineLost):
        driver.motion.status()
    driver.motion.stop([0])
    assert held.status().op_state[0] == OperationState.STOP


def test_an_engine_that_counts_on_was_not_lost() -> None:
    held = HeldEngine(2)
    world = StandIn(held.fake)
    driver = world.attached()
    world.counting = False
    driver.motion.status()
    held.after(2.0)
    with pytest.raises(EngineLost):
        driver.motion.status()
    world.counting = True
    assert driver.motion.status().communicating
    assert driver.engine.state() is EngineState.COMMUNICATING


def test_a_reader_that_was_held_up_loses_no_engine() -> None:
    held = HeldEngine(2)
    driver = StandIn(held.fake).attached()
    for _ in range(3):
        assert driver.motion.status().communicating
        held.after(60.0)


def test_an_engine_that_does_not_communicate_counts_no_cycles() -> None:
    held = HeldEngine(2)
    driver = StandIn(held.fake).attached()
    driver.engine.stop_communication()
    for _ in range(3):
        held.after(5.0)
        assert not driver.motion.status().communicating
        assert driver.engine.state() is EngineState.RUNNING
    driver.engine.start_communication()
    assert driver.motion.status().cycle == 0
    held.after(0.5)
    assert driver.motion.status().cycle == 500


# How many axes there are


@pytest.mark.parametrize("axes", [1, 6, 128])
def test_as_many_axes_as_the_network_has(axes: int) -> None:
    driver = open_wmx3_over(HeldEngine(axes).fake)
    driver.engine.create_device("", "test")
    assert driver.motion.status().axes == axes


def test_axes_whose_slave_is_off_are_axes_too() -> None:
    held = HeldEngine(3)
    held.fake.call("ecat", "drop_slave", 2)
    driver = open_wmx3_over(held.fake)
    driver.engine.create_device("", "test")
    assert driver.motion.status().servo_offline.tolist() == [False, False, True]


def test_axes_of_another_master_are_known_by_being_online(recorder: Recorder) -> None:
    driver = StandIn(recorder, changed(without=["Ecat.GetMasterInfo"])).attached()
    assert driver.motion.status().axes == 4


def test_without_a_network_the_engine_has_all_its_axes(world: StandIn, recorder: Recorder) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(1537)

    recorder.status = {"servo_offline": ~recorder.held.status().servo_offline}
    driver = world.play("Ecat.GetMasterInfo", refuse).attached()
    assert driver.motion.status().axes == 128
    world.play("Ecat.GetMasterInfo", PLAYED["Ecat.GetMasterInfo"])
    driver.engine.start_communication()
    assert driver.motion.status().axes == 4


# Nobody waits for what another thread asks for


@pytest.mark.parametrize(
    ("slow", "order"),
    [
        ("Ecat.ScanNetwork", lambda d: d.ecat.scan_network(0)),
        ("WMX3Api.StopCommunication", lambda d: d.engine.stop_communication()),
        ("WMX3Api.CloseDevice", lambda d: d.engine.close_device()),
    ],
)
def test_a_slow_order_delays_no_other(
    world: StandIn, driver: Driver, slow: str, order: Callable[[Driver], None]
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait(*_: Any) -> None:
        entered.set()
        assert leave.wait(60)

    session = driver.engine.session()  # type: ignore[attr-defined]
    world.play(slow, wait)
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


def test_nobody_waits_while_a_device_is_created(world: StandIn) -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait(*_: Any) -> None:
        entered.set()
        assert leave.wait(60)

    driver = world.play("WMX3Api.CreateDevice", wait).driver()
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
