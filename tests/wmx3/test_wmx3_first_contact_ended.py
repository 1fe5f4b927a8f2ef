"""The step of `wmx_first_contact` that ends communication in motion, over the simulated engine."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_settings import ReadClock, contact_settings

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import MotionStatus, OperationState
from wmx_ros2_package.cli.first_contact import command, failures
from wmx_ros2_package.cli.first_contact import session as sessions
from wmx_ros2_package.cli.first_contact.command import Step
from wmx_ros2_package.cli.first_contact.report import DONE, FAILED, INTERRUPTED, Finding
from wmx_ros2_package.cli.first_contact.session import Facts, Probe
from wmx_ros2_package.control import disarming

CLOCK: Any = ReadClock()


@pytest.fixture
def driver(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """What the probe opens."""
    driver = open_driver("fake", DriverOptions(in_process=True, clock=CLOCK))
    monkeypatch.setattr(sessions, "open_wmx3", lambda *_: driver)
    monkeypatch.setattr(Probe, "require_to_be_alone", lambda _: None)
    monkeypatch.setattr(Probe, "simulates", True)
    yield driver
    monkeypatch.undo()
    driver.engine.close_device()


def refuse(*_: object) -> None:
    raise CommandRefused(ErrorCode.StartCommunicationError, "for the test")


def carried_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[], None]
) -> Finding:
    """The finding of the step, before which `spoil` was called with everything ready."""
    ready = Probe.ready

    def spoilt(probe: Probe, *axes: int) -> None:
        ready(probe, *axes)
        spoil()

    def act(probe: Probe, facts: Facts) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Probe, "ready", spoilt)
            failures.ended_communication(probe, facts)

    monkeypatch.setattr(command, "STEPS", (Step("ended", "Do it?", act),))
    report = command.run(contact_settings(folder), lambda _: True, lambda _: None, CLOCK)
    return report.findings[0]


def test_a_drive_that_is_off_and_not_idle_after_it_is_a_result(
    tmp_path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = driver.motion.status

    def off_but_not_idle() -> MotionStatus:
        now = status()
        stopping = np.full_like(now.op_state, OperationState.STOP)
        return now if now.servo_on[0] else replace(now, op_state=stopping)

    def spoil() -> None:
        monkeypatch.setattr(disarming, "REST_TIMEOUT", 0.2)
        monkeypatch.setattr(driver.motion, "status", off_but_not_idle)
        monkeypatch.setattr(driver.motion, "stop", refuse)

    found = carried_out(tmp_path, monkeypatch, spoil)
    assert (found.outcome, found.error) == (DONE, "")
    assert found.facts["servo on after it"] is False
    assert "axes [0] still move" in found.facts["making it safe"]


def test_what_was_seen_is_reported_though_communication_does_not_start_again(
    tmp_path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil() -> None:
        monkeypatch.setattr(driver.engine, "start_communication", refuse)

    found = carried_out(tmp_path, monkeypatch, spoil)
    assert found.outcome == FAILED
    assert "StartCommunicationError" in found.error
    assert found.facts["state of the engine"] == "RUNNING"
    assert "StartCommunicationError" in found.facts["communication does not start again"]
    assert "still moves at, u/s" not in found.facts, "which was not seen"


def test_an_interrupt_stays_one_though_communication_does_not_start_again(
    tmp_path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = driver.engine.stop_communication

    def end_and_interrupt() -> None:
        monkeypatch.setattr(driver.engine, "stop_communication", end)
        os.kill(os.getpid(), signal.SIGINT)

    def spoil() -> None:
        monkeypatch.setattr(driver.engine, "start_communication", refuse)
        monkeypatch.setattr(driver.engine, "stop_communication", end_and_interrupt)

    found = carried_out(tmp_path, monkeypatch, spoil)
    assert found.outcome == INTERRUPTED
    assert "communication does not start again" in found.facts
