"""An engine that starts: that takes its time, that refuses, and what is said then."""

from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState


def reach_the_network_after(
    seconds: float, vendor: CheckedSdk, held: HeldEngine, name: str = "StartCommunicationError"
) -> None:
    """As the engine: soon after its own start it cannot reach the network yet."""

    def start(vendor: CheckedSdk, milliseconds: int) -> Any:
        if held.clock.now_ns() < seconds * 1e9:
            raise Refused(vendor.code(name))
        return vendor.real("WMX3Api.StartCommunication", milliseconds)

    vendor.play("WMX3Api.StartCommunication", start)


@pytest.mark.parametrize(
    ("seconds", "name"),
    [
        (0.2, "StartCommunicationError"),
        (3.0, "StartCommunicationError"),
        (9.0, "StartCommunicationError"),
        (3.0, "SystemInitializationNotDone"),
    ],
)
def test_communication_waits_for_an_engine_that_does_not_reach_its_network_yet(
    seconds: float, name: str
) -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    reach_the_network_after(seconds, vendor, held, name)
    driver = vendor.attached()
    driver.engine.start_communication()
    assert driver.engine.state() is EngineState.COMMUNICATING
    assert seconds <= held.clock.now_ns() / 1e9 < seconds + 0.6
    assert vendor.called("WMX3Api.CloseDevice") == [], "an engine ends with its last device"
    assert {wait for (wait,) in vendor.called("WMX3Api.StartCommunication")} == {0}


def test_an_engine_that_never_reaches_its_network() -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    reach_the_network_after(1e6, vendor, held)
    driver = vendor.driver(DriverOptions(timeout=2.5))
    driver.engine.create_device("", "test")
    with pytest.raises(CommandRefused) as refused:
        driver.engine.start_communication()
    assert (refused.value.code, refused.value.name) == (1288, "StartCommunicationError")
    assert held.clock.now() == pytest.approx(2.0), "another try would end after the timeout"
    assert driver.engine.state() is EngineState.RUNNING, "and the device is still there"


def test_an_idle_engine_takes_the_signal_and_does_nothing() -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    held.fake.enter(EngineState.IDLE)

    def not_yet(vendor: CheckedSdk, _milliseconds: int) -> None:
        if len(vendor.called("WMX3Api.StartCommunication")) == 2:
            held.fake.enter(EngineState.RUNNING)
            vendor.restore("WMX3Api.StartCommunication")

    vendor.play("WMX3Api.StartCommunication", not_yet)
    driver.engine.start_communication()
    assert driver.engine.state() is EngineState.COMMUNICATING


def test_a_signal_that_is_taken_is_given_once_and_waited_for() -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    driver = vendor.driver(DriverOptions(timeout=3.0))
    driver.engine.create_device("", "test")
    vendor.play("WMX3Api.StartCommunication", lambda *_: None)
    with pytest.raises(CommandRefused, match="still in state RUNNING") as refused:
        driver.engine.start_communication()
    assert refused.value.code == ErrorCode.CommNotStartedInSpecifiedTime
    assert len(vendor.called("WMX3Api.StartCommunication")) == 1
    assert 2.9 < held.clock.now_ns() / 1e9 < 3.2


def test_another_refusal_of_communication_is_not_waited_for() -> None:
    held = HeldEngine(2, start=False)
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()

    vendor.refuse("WMX3Api.StartCommunication", 1540)
    with pytest.raises(CommandRefused, match="CallbackFuncError"):
        driver.engine.start_communication()
    assert held.clock.now_ns() == 0


def test_an_invalid_licence_is_said_when_communication_does_not_start(recorder: Recorder) -> None:
    recorder.held.engine.stop_communication()
    recorder.status = {"invalid_licence": True}
    vendor = CheckedSdk(recorder)
    reach_the_network_after(1e6, vendor, recorder.held)
    driver = vendor.attached()
    with pytest.raises(CommandRefused, match="the engine has no valid licence"):
        driver.engine.start_communication()


@pytest.mark.parametrize("begun", [True, False])
def test_a_device_is_kept_while_its_engine_begins(begun: bool) -> None:
    held = HeldEngine(2)
    vendor = CheckedSdk(held.fake)
    early = Refused(1282), Refused(285)

    def begins(vendor: CheckedSdk, *_: Any) -> None:
        raise early[0]

    def has_no_status(vendor: CheckedSdk, *args: Any) -> Any:
        if not begun or held.clock.now_ns() < 1e9:
            raise early[1]
        return vendor.real("CoreMotion.GetStatus", *args)

    vendor.play("WMX3Api.CreateDevice", begins).play("CoreMotion.GetStatus", has_no_status)
    driver = vendor.driver(DriverOptions(timeout=3.0))
    if begun:
        driver.engine.create_device("", "test")
        assert driver.motion.status().communicating
        assert vendor.called("WMX3Api.CloseDevice") == [], "an engine ends with its last device"
        return
    with pytest.raises(CommandRefused, match="StatusChannelGettingInitialData"):
        driver.engine.create_device("", "test")
    assert vendor.calls[-1] == ("WMX3Api.CloseDevice",)


@pytest.mark.parametrize("busy", ["StartProcessLockError", "CreateDeviceLockError"])
@pytest.mark.parametrize("seconds", [1.0, 1e6])
def test_an_engine_that_another_process_is_just_attaching_to_is_asked_again(
    seconds: float, busy: str
) -> None:
    held = HeldEngine(2)
    vendor = CheckedSdk(held.fake)

    def attach(*_: Any) -> None:
        if held.clock.now_ns() < seconds * 1e9:
            raise Refused(ErrorCode[busy])

    vendor.play("WMX3Api.CreateDevice", attach)
    driver = vendor.driver(DriverOptions(timeout=3.0))
    if seconds < 3.0:
        driver.engine.create_device("", "test")
        assert driver.motion.status().communicating
        assert vendor.called("WMX3Api.CloseDevice") == [], "it may be the device of another"
        return
    with pytest.raises(CommandRefused, match=busy):
        driver.engine.create_device("", "test")
    assert 3.0 <= held.clock.now_ns() / 1e9 < 3.2


# An engine that nobody asked for


def attach_without_starting(vendor: CheckedSdk) -> None:
    driver = vendor.driver(DriverOptions(starts_engine=False))
    driver.engine.create_device("/opt/wmx3", "test")
    assert driver.motion.status().axes == 2


@pytest.mark.parametrize("state", [EngineState.IDLE, EngineState.SHUTDOWN])
def test_who_does_not_own_the_engine_starts_none(state: EngineState) -> None:
    """As a node whose engine has ended."""
    held = HeldEngine(2)
    vendor = CheckedSdk(held.fake)
    driver = vendor.driver(DriverOptions(starts_engine=False))
    driver.engine.create_device("/opt/wmx3", "test")
    driver.engine.close_device()
    held.fake.enter(state)
    vendor.calls.clear()
    with pytest.raises(CommandRefused, match="no engine runs at '/opt/wmx3'") as refused:
        driver.engine.create_device("/opt/wmx3", "test")
    assert refused.value.code == ErrorCode.SystemIsNoRunning
    assert vendor.called("WMX3Api.CreateDevice") == []
    vendor.attached()


@pytest.mark.parametrize("told", ["Idle", "Unknown"])
def test_what_is_told_without_a_device_is_not_believed_until_it_was_true(told: str) -> None:
    """It may be what the object begins with: nobody would ever attach."""
    vendor = CheckedSdk(HeldEngine(2).fake)

    def begins_with(vendor: CheckedSdk) -> Any:
        status = vendor.sdk.EngineStatus()
        status.state = getattr(vendor.sdk.EngineState, told)
        return (status,)

    vendor.play("WMX3Api.GetEngineStatus", begins_with)
    driver = vendor.driver(DriverOptions(starts_engine=False))
    for _ in range(2):
        driver.engine.create_device("/opt/wmx3", "test")
        assert driver.motion.status().axes == 2
        driver.engine.close_device()


@pytest.mark.parametrize(
    ("code", "runs"), [(263, False), (1281, False), (301, True), (270, True), (304, True)]
)
def test_an_engine_that_answers_nothing_without_a_device_may_run(code: int, runs: bool) -> None:
    vendor = CheckedSdk(HeldEngine(2).fake)

    def refuse(vendor: CheckedSdk) -> None:
        if not vendor.called("WMX3Api.CreateDevice"):
            raise Refused(code)
        vendor.restore("WMX3Api.GetEngineStatus")

    vendor.play("WMX3Api.GetEngineStatus", refuse)
    if runs:
        attach_without_starting(vendor)
        return
    with pytest.raises(CommandRefused, match="no engine runs"):
        attach_without_starting(vendor)


# What the process lacks


@pytest.mark.parametrize(("user", "said"), [(0, False), (1000, True)])
def test_a_process_that_is_not_root_is_told(
    vendor: CheckedSdk, monkeypatch: pytest.MonkeyPatch, user: int, said: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    driver = vendor.refuse("WMX3Api.CreateDevice", 256).driver()
    with pytest.raises(CommandRefused) as refused:
        driver.engine.create_device("", "test")
    assert refused.value.code == ErrorCode.StartProcessFailed
    assert ("this process is not root" in refused.value.detail) is said
    assert "the WMX3Api's text of StartProcessFailed" in refused.value.detail


def test_a_lock_that_somebody_left(vendor: CheckedSdk) -> None:
    driver = vendor.refuse("WMX3Api.CreateDevice", 297).driver()
    with pytest.raises(
        CommandRefused, match=r"wmx-gateway .* goes with a restart of the machine"
    ) as refused:
        driver.engine.create_device("", "test")
    assert refused.value.name == "CreateDeviceLockError"
    assert driver.engine.state() is EngineState.IDLE


@pytest.mark.parametrize(
    "name", ["IMVersionMismatch", "ModuleVersionMismatch", "VersionCheckError"]
)
def test_an_engine_of_another_version_than_the_sdk(recorder: Recorder, name: str) -> None:
    vendor = CheckedSdk(recorder)

    vendor.refuse("WMX3Api.CreateDevice", vendor.code(name))
    with pytest.raises(CommandRefused, match="of another version than the SDK") as refused:
        vendor.driver().engine.create_device("/opt/wmx3", "test")
    assert refused.value.name == name
    assert "make sdk SDK=" in refused.value.detail
