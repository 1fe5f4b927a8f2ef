"""`wmx first-contact --virtual`: an engine without drives, which nobody is asked about."""

from pathlib import Path
from typing import Any

import pytest
from checked_sdk import CheckedSdk
from contact_settings import ReadClock, contact_settings

from wmx_core.values import MotionStatus
from wmx_ros2_package.cli import wmx
from wmx_ros2_package.cli.first_contact import command
from wmx_ros2_package.cli.first_contact import session as sessions
from wmx_ros2_package.cli.first_contact.report import DONE, FAILED, SKIPPED, Finding, Report
from wmx_ros2_package.cli.first_contact.session import Settings
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.engine.proxies import EngineProxy, MotionProxy

SLAVES = len(default_machine().masters[0].slaves)
STEPS = {"one axis", "together", "touch probe", "ended communication"}
POLLED = 0.005
"""How often a status is read at most, s."""


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> CheckedSdk:
    """An engine that says nothing of platforms, with a network."""
    clock = ReadClock(least=POLLED)
    vendor = CheckedSdk(SimulatedEngine(default_machine(), clock, vendor_rules=True))
    vendor.refuse("WMX3Api.GetModuleInfo", 304)
    monkeypatch.setattr(sessions, "open_wmx3", lambda *_: vendor.driver())
    return vendor


def run(vendor: CheckedSdk, folder: Path, slaves: int | None) -> dict[str, Finding]:
    settings = contact_settings(folder, axes=(0, 1), virtual=True, virtual_slaves=slaves)
    wanted, clock = (lambda asked: asked.split(":")[0] in STEPS), vendor.engine.clock
    report = command.run(settings, wanted, lambda _: None, clock)
    return {finding.step: finding for finding in report.findings}


def status(vendor: CheckedSdk) -> MotionStatus:
    found: MotionStatus = MotionProxy(vendor.engine.call).status()
    return found


@pytest.mark.long
def test_axes_of_virtual_slaves_move(vendor: CheckedSdk, tmp_path: Path) -> None:
    found = run(vendor, tmp_path, SLAVES)
    assert {step: found[step].outcome for step in STEPS} == {
        **dict.fromkeys(STEPS, DONE),
        "touch probe": SKIPPED,
    }, {step: finding.error for step, finding in found.items()}
    assert found["touch probe"].error == "it needs a person"


@pytest.mark.parametrize("slaves", [SLAVES + 1, 0, None])
def test_an_engine_that_is_not_that_of_its_files_moves_nothing(
    vendor: CheckedSdk, tmp_path: Path, slaves: int | None
) -> None:
    found = run(vendor, tmp_path, slaves)
    assert found["one axis"].outcome == FAILED
    assert "is not the one of its files" in found["one axis"].error
    assert "together" not in found
    assert vendor.called("Motion.StartPos") == []
    assert not status(vendor).servo_on.any()
    assert found["the end"].outcome == DONE


def test_an_engine_that_communicates_already_moves_nothing(
    vendor: CheckedSdk, tmp_path: Path
) -> None:
    EngineProxy(vendor.engine.call).start_communication()
    found = run(vendor, tmp_path, SLAVES)
    assert "communicated before this run" in found["one axis"].error
    assert vendor.called("Motion.StartPos") == []


def test_files_that_do_not_say_so_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["first-contact", "--virtual", f"--device-path={tmp_path}", f"--output={tmp_path}/out"]
    assert wmx.main(given) == 2
    assert "--virtual: " in (said := capsys.readouterr().err)
    assert "Module.ini cannot be read" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("slaves", "more", "axes"), [(3, [], (0, 1)), (1, [], (0,)), (3, ["--axes=2"], (2,))]
)
def test_what_is_not_given_is_chosen(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    slaves: int,
    more: list[str],
    axes: tuple[int, ...],
) -> None:
    folder = tmp_path / "platform" / "ethercat"
    folder.mkdir(parents=True)
    (tmp_path / "Module.ini").write_text("[Platform 0]\nDllName = ec_platform.so\ndisable = 0\n")
    lines = f"[rtnd0]\nUseNicDrvDll=ndd_vnw.so\nnumofslaves={slaves}\n"
    (folder / "PrtTcpip.ini").write_text(lines)
    seen: list[Settings] = []

    def note(settings: Settings, ask: Any, _: Any) -> Report:
        assert ask("Move?"), "nobody is asked"
        seen.append(settings)
        return Report(settings.folder)

    monkeypatch.setattr(command, "run", note)
    monkeypatch.setattr(command, "require_sdk", lambda _: None)
    output = f"--output={tmp_path / 'out'}"
    assert wmx.main(["first-contact", "--virtual", f"--device-path={tmp_path}", output, *more]) == 0
    (settings,) = seen
    assert (settings.virtual, settings.virtual_slaves) == (True, slaves)
    assert (settings.axes, settings.distance, settings.velocity) == (axes, 1000.0, 1000.0)
