"""An engine that starts: that takes its time, that refuses, and what is said then."""

from typing import Any

import pytest
from held_engine import HeldEngine
from recorder import Recorder
from stand_in import PLAYED, Refused, StandIn

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.options import DriverOptions
from wmx_ros2_package.drivers.values import EngineState


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
