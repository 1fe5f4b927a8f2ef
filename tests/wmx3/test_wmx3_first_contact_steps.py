"""Steps of `wmx_first_contact` without a second process, over the simulated SDK, in held time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_sdk import CheckedSdk
from contact_settings import ReadClock, contact_settings

from wmx_core.values import EngineState
from wmx_ros2_package.cli.first_contact import command, reactions
from wmx_ros2_package.cli.first_contact import session as sessions
from wmx_ros2_package.cli.first_contact.report import DONE, SKIPPED, Finding
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.engine.proxies import EngineProxy

pytestmark = pytest.mark.long

OF_PROCESSES = {"environment", "status", "stops", "killed process", "killed engine"}
"""Tried in test_wmx3_first_contact.py."""
POLLED = 0.005
"""How often a status is read at most, s."""
Run = Callable[[], dict[str, Finding]]


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> CheckedSdk:
    # A read of the simulated SDK takes as long to compute as many cycles.
    clock = ReadClock(least=POLLED)
    vendor = CheckedSdk(SimulatedEngine(default_machine(), clock, vendor_rules=True))
    vendor.play("WMX3Api.GetWatchdog", lambda _: (10_000, 0))
    monkeypatch.setattr(reactions, "BY_HAND", 0.1)
    monkeypatch.setattr(sessions, "open_wmx3", lambda *_: vendor.driver())
    return vendor


@pytest.fixture
def run(vendor: CheckedSdk, tmp_path: Path) -> Run:
    """Carry out the steps; the answers are the findings, by their steps."""

    def run() -> dict[str, Finding]:
        settings = contact_settings(tmp_path, axes=(0, 1))
        report = command.run(
            settings,
            lambda asked: asked.split(":")[0] not in OF_PROCESSES,
            lambda _: None,
            vendor.engine.clock,
        )
        return {finding.step: finding for finding in report.findings}

    return run


def test_every_step(run: Run, tmp_path: Path) -> None:
    found = run()
    assert {step: finding.outcome for step, finding in found.items()} == {
        **{step.name: DONE for step in command.STEPS},
        **dict.fromkeys(OF_PROCESSES, SKIPPED),
        "touch probe": SKIPPED,  # no person is there to change the input
        "the end": DONE,
    }, {step: finding.error for step, finding in found.items() if finding.error}
    facts: dict[str, dict[str, Any]] = {step: finding.facts for step, finding in found.items()}
    assert facts["engine"]["platforms"] == ["SimuPlatform"]
    assert facts["engine"]["is a simulation"] is True
    assert facts["engine"]["first state"] == "RUNNING"
    assert facts["engine"]["second axes"] == facts["engine"]["first axes"] >= 2
    assert facts["parameters"]["equal"] is True
    assert facts["parameters"]["differences"] == []
    assert facts["one axis"]["off target, u"] == pytest.approx(0.0, abs=1e-9)
    assert facts["one axis"]["waits in state"] == 1
    assert 0.32 <= facts["one axis"]["a jog with a run time of 0.3 s, s"] < 0.34, (
        "0.02 s at its end"
    )
    io = facts["inputs and outputs"]
    assert io["SetOutBits by lists"] is None, "taken"
    assert io["output bits after it"] == io["output bits"] == [0, 0]
    assert io["GetInBytes"] == [0] * 8
    assert "1537" in io["GetInBytes without communication"]
    assert io["GetInBytesEx without communication"] == [0] * 8
    jogs = facts["jogs"]
    another = jogs["one over another"]
    assert another["after 0.2 s, u/s"] == pytest.approx(another["commanded, u/s"])
    for name in ("jog", "velocity"):
        seen = jogs[f"a {name} that speeds up"]
        assert 0.0 < seen["greatest read, u/s^2"] < 1.3 * seen["commanded, u/s^2"]
    for name in ("a jog, overridden", "a jog with a run time, overridden"):
        overridden = jogs[name]
        assert overridden["50 %, u/s"] == pytest.approx(overridden["commanded, u/s"] / 2.0)
        assert (overridden["0 %, u/s"], overridden["0 %, state"]) == (0.0, 2)
    assert facts["together"]["starts seen apart"] == 0
    ways = [each for name, each in facts["splines"].items() if name != "axes"]
    assert max(each["off the last point, u"] for each in ways) < 1e-9
    assert len(ways) == 4
    for name in ("StopTrq", "stop", "emergency stop"):
        torque = facts["torques"][name]
        assert "refused" not in torque
        assert abs(torque["it turned at, u/s"]) > 0.05
        assert torque["command mode then"] == 0
        assert torque["servo on then"] is True
        fastest = max(abs(torque["it turned at, u/s"]), abs(torque["after it, u/s"]))
        rests = torque["its motor rests after, s"] + 0.002  # a read shows the cycle before it
        assert abs(torque["and, u"]) <= 1.05 * fastest * rests
    assert facts["torques"]["StopTrq"]["position mode was taken after, s"] < 5.0
    dead_man = facts["dead man"]
    assert dead_man["timeout, s"] <= dead_man["no jog any more after, s"]
    assert abs(facts["gearing"]["stop: slave behind its master, u"]) < 1e-6
    assert abs(facts["gearing"]["stop: slave moved with its former master, u"]) < 1e-6
    assert facts["stop input"]["quick_stop: emergency stop"] == "None"
    ended = facts["ended communication"]
    assert ended["it moved at, u/s"] == pytest.approx(0.2 / 12.0)
    assert ended["state of the engine"] == "RUNNING"
    assert ended["servo on after it"] is False
    assert ended["operation state after it"] == 0
    assert "making it safe" not in ended, "nothing went wrong"
    text = (tmp_path / "first_contact.txt").read_text()
    assert all(f"{step.name}: {found[step.name].outcome}" in text for step in command.STEPS)


def test_no_step_ends_a_network_that_communicates_already(run: Run, vendor: CheckedSdk) -> None:
    engine = EngineProxy(vendor.engine.call)
    engine.start_communication()
    found = run()
    assert engine.state() is EngineState.COMMUNICATING
    assert not vendor.called("WMX3Api.StopCommunication")
    left_out = {step for step, each in found.items() if "communicated before" in each.error}
    assert left_out == {
        *("engine", "parameters", "inputs and outputs", "position output", "ended communication"),
    }
    assert all(found[step].outcome == SKIPPED for step in left_out)
    assert found["parameters"].facts["equal"] is True
    assert found["one axis"].outcome == found["the end"].outcome == DONE
