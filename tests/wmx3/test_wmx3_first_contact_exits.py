"""How `wmx_first_contact` ends while an axis moves, over the simulated engine in this process."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contact_settings import ReadClock, contact_settings

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState, OperationState, VelocityMove
from wmx_ros2_package.cli.first_contact import command, motion
from wmx_ros2_package.cli.first_contact import session as sessions
from wmx_ros2_package.cli.first_contact.command import Step
from wmx_ros2_package.cli.first_contact.report import DONE, FAILED, INTERRUPTED, Report
from wmx_ros2_package.cli.first_contact.session import SAFE, Facts, Probe, Settings, Unable
from wmx_ros2_package.control import disarming

CLOCK: Any = ReadClock()
SLOWING = VelocityMove(axis=0, velocity=1.0, acc=50.0, dec=2.0)
"""Half a second from full velocity to rest."""


@pytest.fixture
def driver(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """What the probe opens."""
    driver = open_driver("fake", DriverOptions(in_process=True, clock=CLOCK))
    monkeypatch.setattr(sessions, "open_wmx3", lambda *_: driver)
    monkeypatch.setattr(Probe, "require_to_be_alone", lambda _: None)
    yield driver
    monkeypatch.undo()
    driver.engine.close_device()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return contact_settings(tmp_path)


@pytest.fixture
def order(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What ends something, each with the operation state of axis 0 when it was commanded."""
    seen: list[tuple[str, int]] = []

    def watch(part: object, name: str) -> None:
        act = getattr(part, name)

        def watched(*words: Any, **named: Any) -> None:
            if named != {"on": True}:
                seen.append((name, int(driver.motion.status().op_state[0])))
            act(*words, **named)

        monkeypatch.setattr(part, name, watched)

    watch(driver.motion, "stop")
    watch(driver.motion, "set_servo")
    watch(driver.engine, "stop_communication")
    watch(driver.engine, "close_device")
    return seen


ENDED_AT_REST = {
    "stop": OperationState.JOG,
    "set_servo": OperationState.IDLE,
    "stop_communication": OperationState.IDLE,
    "close_device": OperationState.IDLE,
}


def jog(probe: Probe) -> None:
    """Leave axis 0 in a jog at full velocity."""
    probe.ready(0)
    probe.motion.jog([SLOWING])
    probe.wait(lambda status: status.velocity_cmd[0] == 1.0)


def firsts(order: list[tuple[str, int]]) -> dict[str, int]:
    """The state at the first order of each name."""
    return dict(reversed(order))


def run_one(
    settings: Settings, act: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[Report, list[str]]:
    """A run of one step, to which everybody agrees."""
    monkeypatch.setattr(command, "STEPS", (Step("a step", "Do it?", act),))
    said: list[str] = []
    return command.run(settings, lambda _: True, said.append, CLOCK), said


def refuse(*_: object, **__: object) -> None:
    raise CommandRefused(ErrorCode.NotPosMode, "for the test")


def fail() -> None:
    raise RuntimeError("no more")


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    ("end", "outcome", "error"),
    [(fail, FAILED, "RuntimeError: no more"), (interrupt, INTERRUPTED, ""), (int, DONE, "")],
)
def test_servos_go_off_at_rest_and_communication_last(
    settings: Settings,
    driver: Driver,
    order: list[tuple[str, int]],
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[], object],
    outcome: str,
    error: str,
) -> None:
    """However a step ends, and what it has found before is kept."""

    def act(probe: Probe, facts: Facts) -> None:
        facts["found"] = 1
        jog(probe)
        order.clear()
        end()

    report, said = run_one(settings, act, monkeypatch)
    step, last = report.findings
    assert (step.outcome, last.outcome, step.facts) == (outcome, DONE, {"found": 1})
    assert error in step.error
    assert firsts(order) == ENDED_AT_REST
    assert driver.engine.state() is EngineState.IDLE
    assert f"the end: {SAFE}" in said
    assert report.failed is (outcome != DONE)
    assert report.interrupted is (outcome == INTERRUPTED)


def test_communication_stays_while_an_axis_moves(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = Probe(settings, CLOCK)
    jog(probe)
    with monkeypatch.context() as broken:
        broken.setattr(disarming, "REST_TIMEOUT", 0.2)
        broken.setattr(driver.motion, "stop", refuse)
        broken.setattr(driver.motion, "set_servo", refuse)
        wrong = probe.leave()
    assert "axes [0] still move 0.2 s after the stop: Error=" in wrong
    assert "servo of axis 0: " in wrong
    assert "MOVING still: axes 0: communication was left on and the device open" in wrong
    assert driver.engine.state() is EngineState.COMMUNICATING
    assert driver.motion.status().velocity_cmd[0] == 1.0
    assert probe.leave() == ""
    assert driver.engine.state() is EngineState.IDLE


def test_an_axis_whose_servo_never_came_on_is_switched_off_too(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = Probe(settings, CLOCK)

    def impatient(*_: object) -> None:
        raise Unable("it did not happen")

    monkeypatch.setattr(probe.__class__, "wait", impatient)
    with pytest.raises(Unable):
        probe.ready(0)
    monkeypatch.undo()
    assert probe.make_safe() == ""
    assert not driver.motion.status().servo_on[0]
    assert probe.armed == {0}
    driver.engine.close_device()


def interrupted(probe: Probe, facts: Facts) -> None:
    """Ctrl-C in a jog."""
    jog(probe)
    interrupt()


def test_an_interrupt_with_a_refused_stop_does_not_say_stopped(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disarming, "REST_TIMEOUT", 0.2)
    with monkeypatch.context() as broken:
        broken.setattr(driver.motion, "stop", refuse)
        report, said = run_one(settings, interrupted, broken)
    assert report.findings[0].outcome == INTERRUPTED
    assert report.findings[1].outcome == FAILED
    assert any(line.startswith("the end: axes [0] still move") for line in said), said
    assert not any(SAFE in line for line in said)


def test_a_second_interrupt_does_not_disturb_the_stop(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = driver.motion.stop

    def stop_and_interrupt(axes: list[int]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        stop(axes)

    monkeypatch.setattr(driver.motion, "stop", stop_and_interrupt)
    report, _ = run_one(settings, interrupted, monkeypatch)
    assert [finding.outcome for finding in report.findings] == [INTERRUPTED, DONE]
    assert driver.engine.state() is EngineState.IDLE
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_while_a_failed_step_is_made_safe(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = driver.motion.stop

    def stop_late(axes: list[int]) -> None:
        monkeypatch.setattr(driver.motion, "stop", stop)
        os.kill(os.getpid(), signal.SIGINT)

    def fail(probe: Probe, facts: Facts) -> None:
        jog(probe)
        monkeypatch.setattr(driver.motion, "stop", stop_late)
        raise RuntimeError("no more")

    report, _ = run_one(settings, fail, monkeypatch)
    assert [finding.outcome for finding in report.findings] == [FAILED, DONE]
    assert report.findings[0].error == "RuntimeError: no more"
    assert report.interrupted
    assert driver.engine.state() is EngineState.IDLE


def test_what_the_sdk_lacks_does_not_keep_the_servo_on(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(_: list[int]) -> None:
        raise AttributeError("no such name")

    probe = Probe(settings, CLOCK)
    jog(probe)
    monkeypatch.setattr(driver.motion, "stop", lacking)
    assert probe.make_safe() == "stopping the axes: no such name"
    assert not driver.motion.status().servo_on[0]


def test_the_axis_is_stopped_before_the_second_process_is_waited_for(
    settings: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    servo: list[bool] = []

    class Other:
        """One that Ctrl-C meets when it is to stop the axis."""

        def __init__(self, _: str) -> None:
            pass

        def command(self, *_: object) -> None:
            driver.motion.jog([SLOWING])
            os.kill(os.getpid(), signal.SIGINT)

        def end(self) -> None:
            servo.append(bool(driver.motion.status().servo_on[0]))

    monkeypatch.setattr(sessions, "OtherProcess", Other)
    report, _ = run_one(settings, motion.stops, monkeypatch)
    assert report.findings[0].outcome == INTERRUPTED
    assert servo == [False], "which goes off at rest"


@pytest.mark.parametrize(("distance", "velocity"), [(0.001, 1.0), (0.01, 100.0), (0.5, 0.4)])
def test_one_axis_goes_short_fast_and_slow_ways(
    settings: Settings, driver: Driver, distance: float, velocity: float
) -> None:
    probe, facts = Probe(replace(settings, distance=distance, velocity=velocity), CLOCK), Facts()
    motion.one_axis(probe, facts)
    slow = min(velocity, distance / motion.OVERRIDDEN)
    assert facts["operation states"][-1] == OperationState.POS
    assert facts["off target, u"] == pytest.approx(0.0, abs=1e-9)
    assert facts["on the way back, u/s"] == pytest.approx(-slow, rel=0.02)
    assert facts["overridden to 50 %, u/s"] == pytest.approx(-slow / 2.0, rel=0.03)
    assert facts["waits in state"] == OperationState.POS
    assert probe.leave() == ""


def test_a_long_way_has_as_long_as_it_takes(settings: Settings) -> None:
    assert Probe(replace(settings, distance=1000.0)).longest_move > 1000.0 / settings.velocity
    assert Probe(replace(settings, velocity=0.001)).longest_move > settings.distance / 0.001
