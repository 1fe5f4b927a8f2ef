"""`wmx_first_contact` over the simulated SDK in processes, and what it reports without one."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy
import pytest
from contact_settings import contact_settings
from other_processes import wait_until

from wmx3 import loading
from wmx_ros2_package.cli import wmx
from wmx_ros2_package.cli.first_contact import command
from wmx_ros2_package.cli.first_contact.report import DONE, INTERRUPTED, SKIPPED
from wmx_ros2_package.cli.first_contact.session import NOTHING_OPENED, SAFE

TESTS = Path(__file__).resolve().parent
RUN = [sys.executable, "-m", "wmx_ros2_package.cli.wmx", "first-contact"]
INSTALL = "import pathlib, shared_sdk, sys; shared_sdk.install(pathlib.Path(sys.argv[1]))"


@pytest.fixture
def sdk(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of an SDK that is none; its engine ends with its last device, see `runtime`."""
    folders = [str(TESTS), str(TESTS.parent / "unit")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]))
    root = tmp_path / "sdk"
    subprocess.run([sys.executable, "-c", INSTALL, str(root)], check=True)
    return root


def findings(folder: Path) -> dict[str, dict[str, Any]]:
    report = json.loads((folder / "first_contact.json").read_text())
    return {finding["step"]: finding for finding in report["findings"]}


@contextmanager
def run_steps(
    sdk: Path, output: Path, steps: set[str], *options: str, through: Sequence[str] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A run that a person lets carry out `steps` alone; it ends with the test that fails, too."""
    with subprocess.Popen(
        [*through, *RUN, f"--device-path={sdk}", f"--output={output}", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.writelines("y\n" if s.name in steps else "n\n" for s in command.STEPS)
        process.stdin.flush()
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.process
def test_steps_that_need_processes(sdk: Path, runtime: Path, tmp_path: Path) -> None:
    output = tmp_path / "report"
    steps = {"environment", "engine", "status", "parameters", "stops"}
    steps |= {"killed process", "killed engine"}
    moves = "--axes=0,1", "--distance=0.2", "--velocity=1", "--rounds=4", "--torque=10"
    moves += (f"--engine-process={runtime}",)
    shell = "sh", "-c", '"$@"; exit $?', "sh"  # as sudo and tmux, it has all these words, too
    with run_steps(sdk, output, steps, *moves, through=shell) as process:
        written, _ = process.communicate(timeout=240)
    assert process.returncode == 0, written
    found = findings(output)
    assert {step for step, finding in found.items() if finding["outcome"] == DONE} == {
        *steps,
        "the end",
    }, found
    facts = {step: finding["facts"] for step, finding in found.items()}
    environment = facts["environment"]
    assert environment["wmx_ros2_package"][0].isdigit()
    assert len(environment["its sources, sha256"]) == 64
    assert environment["numpy"] == numpy.__version__
    assert environment["missing names"] == []
    assert "WMX3ApiPython.py" in environment["files of the module"]
    assert len(environment["unpublished numbers"]) > 50
    assert environment["other numbers"] == {}
    calls = (output / "sdk_calls.log").read_text()
    assert "CreateDevice(" in calls
    assert "StartPos(" in calls
    assert facts["engine"]["second axes"] == facts["engine"]["first axes"] >= 2
    assert facts["status"]["cycles"] > 0
    assert facts["parameters"]["equal"] is True, "read and set in another process"
    assert facts["stops"]["rounds"] == 4
    assert facts["stops"]["of these, the axis moved on"] == 0
    assert "at rest after" in facts["killed process"]["run time 1 s"]
    assert "EngineLost" not in facts["killed engine"]["noticed by"]
    assert "Error=263 (IMLibIsNotRunning)" in facts["killed engine"]["noticed by"]
    assert facts["killed engine"]["a new one"] == "COMMUNICATING"


@pytest.mark.process
def test_ctrl_c_while_a_second_process_stops_the_axis(
    sdk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    output = tmp_path / "report"
    calls = output / "sdk_calls.log"
    moves = "--axes=0", "--distance=0.1", "--velocity=1", "--rounds=100000"
    with run_steps(sdk, output, {"stops"}, *moves) as process:
        # The axis goes to its place before the rounds begin; a round is over when the next begins.
        wait_until(lambda: calls.exists() and calls.read_text().count(" StartPos(") > 5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        written, _ = process.communicate(timeout=60.0)
        assert process.returncode == 130
    found = findings(output)
    assert [*found][-2:] == ["stops", "the end"]
    assert found["stops"]["outcome"] == INTERRUPTED
    assert found["stops"]["facts"]["rounds"] > 0
    assert found["the end"]["outcome"] == DONE, written
    assert f"the end: {SAFE}" in written


def test_who_says_no_touches_nothing(tmp_path: Path) -> None:
    asked: list[str] = []

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    way = {"axes": (3,), "distance": 0.25, "velocity": 0.5}
    settings = contact_settings(tmp_path, device_path="/no/sdk", engine_process="engine", **way)
    said: list[str] = []
    report = command.run(settings, refuse, said.append)
    assert [finding.outcome for finding in report.findings] == [SKIPPED] * len(command.STEPS) + [
        DONE
    ]
    assert not report.failed
    assert report.skipped
    assert f"the end: {NOTHING_OPENED}" in said
    assert len(asked) == len(command.STEPS)
    assert "axis 3" in asked[5]
    assert "0.25 u at 0.5 u/s" in asked[5]
    moving = {step.name for step in command.STEPS if step.moves}
    assert {
        each.split(":")[0] for each in asked if "Alarms of what moves are cleared" in each
    } == moving
    assert said[: len(command.STEPS)] == [
        f"  {step.name}: skipped: not wanted" for step in command.STEPS
    ]


def test_no_axis_is_turned_by_a_torque_that_was_not_allowed(tmp_path: Path) -> None:
    asked: list[str] = []

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    report = command.run(contact_settings(tmp_path, torque=0.0), refuse, lambda _: None)
    (turned,) = [each for each in report.findings if each.step == "torques"]
    assert (turned.outcome, turned.error) == (SKIPPED, "no torque was allowed: --torque")
    assert not any("TURN" in question for question in asked)


def test_axes_need_a_distance_and_a_velocity(capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["--axes=0"], ["--axes=0", "--distance=1"], ["--axes=0", "--velocity=1"]):
        assert wmx.main(["first-contact", *given]) == 2
        assert "--axes needs --distance and --velocity" in capsys.readouterr().err


def test_without_an_sdk_every_step_says_why(tmp_path: Path) -> None:
    settings = contact_settings(tmp_path, device_path="/no/sdk", axes=())
    asked: list[str] = []

    def agree(question: str) -> bool:
        asked.append(question)
        return True

    report = command.run(settings, agree, lambda _: None)
    assert report.failed
    assert len(asked) == 5, "nobody is asked what cannot be done"
    first, *_ = report.findings
    assert "needs the vendor SDK" in first.error
    assert {f.error for f in report.findings[5:-2]} == {"no axis was named: --axes"}
    assert report.findings[-2].error == "the engine's process was not named: --engine-process"
    assert (tmp_path / "first_contact.txt").read_text().count("needs the vendor SDK") == 5


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (["--distance", "0"], "0 must be more than 0"),
        (["--velocity", "-1"], "-1 must be more than 0"),
        (["--distance", "1e999"], "'1e999' must be a finite number"),
        (["--distance", "nan"], "'nan' must be a finite number"),
        (["--distance", "1_5"], "'1_5' must be a finite number"),
        (["--velocity", "fast"], "'fast' must be a finite number"),
        (["--axes", "a"], "'a' must be numbers of axes, 0 to 127"),
        (["--axes", "0,128"], "'0,128' must be numbers of axes, 0 to 127"),
        (["--axes=-1"], "'-1' must be numbers of axes, 0 to 127"),
        (["--axes=0,0"], "'0,0' names an axis twice"),
        (["--rounds=-3"], "'-3' must be a whole number from 1 to 1000000"),
        (["--rounds=0"], "'0' must be a whole number from 1 to 1000000"),
        (["--rounds=1_5"], "'1_5' must be a whole number from 1 to 1000000"),
        (["--output", "/proc/x"], "--output /proc/x cannot be written to: "),
    ],
)
def test_what_cannot_be_meant(
    wrong: list[str],
    rule: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "require_sdk", lambda _: None)
    assert wmx.main(["first-contact", *wrong]) == 2
    assert rule in capsys.readouterr().err


def test_without_an_sdk_nothing_is_tried_or_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "is_there", lambda _: False)
    output = tmp_path / "report"
    given = [f"--device-path={tmp_path}", f"--output={output}", "--yes"]
    assert wmx.main(["first-contact", *given]) == 2
    said = capsys.readouterr()
    assert (said.out, output.exists()) == ("", False)
    assert said.err.startswith("wmx: nothing was tried: driver 'wmx3' needs the vendor SDK")


def test_where_nobody_answers_no_step_is_carried_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "require_sdk", lambda _: None)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert wmx.main(["first-contact", f"--output={tmp_path}"]) == 2
    said = capsys.readouterr()
    assert f"the end: {NOTHING_OPENED}" in said.out
    assert said.err.startswith("wmx: no step was carried out\n")


def test_help_says_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        wmx.main(["first-contact", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for default in ("/opt/", "1000", "wmx_first_contact"):
        assert f"(default {default}" in said


def test_the_documented_line_keeps_what_sudo_takes(tmp_path: Path) -> None:
    page = (TESTS.parents[1] / "docs" / "first-contact.md").read_text()
    (line,) = [each.strip() for each in page.splitlines() if each.startswith("       sudo ")]
    for name, script in {
        "sudo": 'exec env -i PATH=/usr/bin:/bin "$@"',
        "ros2": 'echo "$LD_LIBRARY_PATH $PYTHONPATH $AMENT_PREFIX_PATH $*"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    said = subprocess.run(
        ["/bin/sh", "-c", line],
        env={
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "PYTHONPATH": "/modules",
            "AMENT_PREFIX_PATH": "/prefix",
            "LD_LIBRARY_PATH": "/libraries",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == [
        *("/opt/wmx3/lib:/libraries", "/modules", "/prefix"),
        *("run", "wmx_ros2_package", "wmx_first_contact", "--device-path", "/opt/wmx3"),
    ]
