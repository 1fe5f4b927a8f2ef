"""What the steps of `wmx_first_contact` work with, over the simulated SDK."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused
from contact_settings import contact_settings

from wmx_core.values import EngineState
from wmx_ros2_package.cli.first_contact import command
from wmx_ros2_package.cli.first_contact import session as sessions
from wmx_ros2_package.cli.first_contact.call_log import CallLog
from wmx_ros2_package.cli.first_contact.report import BEGUN, FAILED, Report
from wmx_ros2_package.cli.first_contact.session import Occupied, Probe, Unable
from wmx_ros2_package.cli.first_contact.surroundings import prototypes


@pytest.fixture
def probe(vendor: CheckedSdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Probe:
    monkeypatch.setattr(sessions, "open_wmx3", lambda *_: vendor.driver())
    settings = contact_settings(tmp_path, device_path="/opt/wmx3")
    return Probe(settings)


def idle(vendor: CheckedSdk) -> tuple[Any]:
    status = vendor.sdk.EngineStatus()
    status.state = vendor.sdk.EngineState.Idle
    return (status,)


def test_a_device_on_an_idle_engine_is_attached(probe: Probe, vendor: CheckedSdk) -> None:
    vendor.play("WMX3Api.GetEngineStatus", idle)
    probe.attach()
    assert probe.driver.engine.state() is EngineState.IDLE
    probe.attach()
    assert len(vendor.called("WMX3Api.CreateDevice")) == 1
    probe.close()
    probe.attach()
    assert len(vendor.called("WMX3Api.CreateDevice")) == 2


def others(*names: str) -> Any:
    def devices(vendor: CheckedSdk) -> tuple[Any]:
        found = vendor.sdk.DevicesInfo()
        found.count = len(names)
        for index, name in enumerate(names):
            device = vendor.sdk.DeviceInfo()
            device.name = name
            found.SetDevices(index, device)
        return (found,)

    return devices


def test_it_does_nothing_beside_another_program(probe: Probe, vendor: CheckedSdk) -> None:
    vendor.play("WMX3Api.GetAllDevices", others("wmx_first_contact", "a machine's own program"))
    with pytest.raises(Occupied, match="a machine's own program"):
        probe.attach()
    assert vendor.calls[-1] == ("WMX3Api.CloseDevice",)
    report = command.run(probe.settings, lambda _: True, lambda _: None)
    _, engine, end = report.findings
    assert (engine.outcome, end.step) == (FAILED, "the end")
    assert "a machine's own program" in engine.error
    assert vendor.called("WMX3Api.StartCommunication") == []


def test_its_own_second_process_is_no_other_program(probe: Probe, vendor: CheckedSdk) -> None:
    vendor.play("WMX3Api.GetAllDevices", others("wmx_first_contact", "wmx_first_contact_2"))
    probe.attach()


def test_it_does_nothing_where_it_is_not_known_who_else_is_there(
    probe: Probe, vendor: CheckedSdk
) -> None:
    vendor.refuse("WMX3Api.GetAllDevices", 304)
    with pytest.raises(Occupied):
        probe.attach()


def test_a_network_that_communicates_is_not_stopped(probe: Probe, vendor: CheckedSdk) -> None:
    (step,) = [each for each in command.STEPS if each.name == "engine"]
    with pytest.raises(Unable):
        step.act(probe, {})
    with pytest.raises(Unable):
        probe.stop_communication()
    assert probe.leave() == ""
    assert vendor.called("WMX3Api.StopCommunication") == []
    assert vendor.calls[-1] == ("WMX3Api.CloseDevice",)


@pytest.mark.parametrize(
    ("loaded", "simulates"),
    [(["SimuPlatform"], True), (["SimuPlatform", "EcPlatform"], False), ([], False)],
)
def test_whether_it_is_a_simulation(
    probe: Probe, vendor: CheckedSdk, loaded: list[str], simulates: bool
) -> None:
    def module(vendor: CheckedSdk, number: int) -> tuple[Any]:
        if number not in [getattr(vendor.sdk.ModuleId, name) for name in loaded]:
            raise Refused(vendor.code("ModuleIsNotLoaded"))
        return (vendor.sdk.ModuleInfo(),)

    vendor.play("WMX3Api.GetModuleInfo", module)
    assert probe.simulates is simulates


def test_a_step_is_written_before_it_does_anything(probe: Probe, tmp_path: Path) -> None:
    written: list[str] = []

    def act(*_: Any) -> None:
        written.append((tmp_path / "first_contact.txt").read_text())

    step = command.Step("crash", "Crash?", act)
    finding = command.Finding(step=step.name, outcome="")
    command.carry_out(step, probe, lambda _: True, "Crash?", finding, Report(tmp_path))
    assert f"crash: {BEGUN}" in written[0]


def test_every_call_is_written_before_it_is_made_and_after(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "calls.log")
    seen: list[str] = []

    def call() -> int:
        seen.append((tmp_path / "calls.log").read_text())
        return 0

    for _ in range(3):
        assert log("SetServoOn", (3, 1), call) == 0
    with pytest.raises(TypeError):
        log("SetServoOn", ("x",), lambda: int("no", base="no"))  # type: ignore[call-overload]
    assert seen[0].endswith("SetServoOn(3, 1)\n")
    written = (tmp_path / "calls.log").read_text()
    assert "SetServoOn(3, 1) -> 0 in " in written
    assert "the same 2 times more" in written
    assert "SetServoOn('x') -> TypeError" in written


def test_a_stop_is_sent_though_the_disk_is_full(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "calls.log")
    (tmp_path / "calls.log").unlink()
    (tmp_path / "calls.log").symlink_to("/dev/full")
    assert log("Torque_StopTrq", (0,), lambda: 0) == 0


def test_functions_are_called_without_arguments_where_that_reaches_nothing() -> None:
    called: list[str] = []

    def start_home(*_: Any) -> None:
        raise TypeError("Home_StartHome expected 2 arguments, got 0")

    binding = SimpleNamespace(
        Home_StartHome=start_home, WMX3Api_ReleaseStdOut=lambda: called.append("needs no argument")
    )
    surface = {
        "classes": {
            "Home": {"methods": {"StartHome": "(self, axis)"}},
            "WMX3Api": {"methods": {"ReleaseStdOut": "static ()"}},
        }
    }
    said = prototypes(binding, surface)
    assert list(said) == ["Home_StartHome"]
    assert "expected 2 arguments" in said["Home_StartHome"]
    assert called == []
