"""`wmx_first_contact` from its first step to its last, over the simulated SDK, in processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy
import pytest
from contact_settings import contact_settings

from wmx_ros2_package.commands import wmx
from wmx_ros2_package.commands.first_contact import command
from wmx_ros2_package.commands.first_contact.report import DONE, INTERRUPTED, SKIPPED
from wmx_ros2_package.drivers.values import EngineState
from wmx_sim.server.starting import attach

TESTS = Path(__file__).resolve().parent
RUN = [sys.executable, "-m", "wmx_ros2_package.commands.wmx", "first-contact"]
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


def test_every_step(sdk: Path, runtime: Path, tmp_path: Path) -> None:
    output = tmp_path / "report"
    ended = subprocess.run(
        [
            *(*RUN, "--yes", "--axes=0,1", "--distance=0.2", "--velocity=1", "--rounds=4"),
            "--torque=10",
            *(f"--device-path={sdk}", f"--output={output}", f"--engine-process={runtime}"),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = findings(output)
    assert {step: finding["outcome"] for step, finding in found.items()} == {
        **{step.name: DONE for step in command.STEPS},
        "touch probe": SKIPPED,  # no person is there to change the input
        "the end": DONE,
    }, found
    text = (output / "first_contact.txt").read_text()
    assert all(f"{step.name}: {found[step.name]['outcome']}" in text for step in command.STEPS)

    facts = {step: finding["facts"] for step, finding in found.items()}
    assert facts["environment"]["wmx_ros2_package"][0].isdigit()
    assert len(facts["environment"]["its sources, sha256"]) == 64
    assert facts["environment"]["numpy"] == numpy.__version__
    assert facts["environment"]["missing names"] == []
    assert "WMX3ApiPython.py" in facts["environment"]["files of the module"]
    assert facts["engine"]["platforms"] == ["SimuPlatform"]
    assert facts["engine"]["is a simulation"] is True
    assert facts["stop input"]["quick_stop: emergency stop"] == "None"
    assert abs(facts["gearing"]["stop: slave behind its master, u"]) < 1e-6
    assert abs(facts["gearing"]["stop: slave moved with its former master, u"]) < 1e-6
    stopped = facts["dead man"]["no jog any more after, s"]
    assert facts["dead man"]["timeout, s"] <= stopped
    for name in ("jog", "velocity"):
        seen = facts["jogs"][f"a {name} that speeds up"]
        assert seen["greatest seen, u/s^2"] > 0.0
    calls = (output / "sdk_calls.log").read_text()
    assert "CreateDevice(" in calls
    assert "StartPos(" in calls
    assert len(facts["environment"]["unpublished numbers"]) > 100
    assert facts["environment"]["other numbers"] == {}
    assert facts["engine"]["first state"] == "RUNNING"
    assert facts["engine"]["second axes"] == facts["engine"]["first axes"] >= 2
    assert facts["status"]["cycles"] > 0
    assert facts["parameters"]["equal"] is True
    assert facts["parameters"]["differences"] == []
    assert facts["one axis"]["off target, u"] == pytest.approx(0.0, abs=1e-9)
    assert facts["one axis"]["waits in state"] == 1
    assert 0.3 < facts["one axis"]["a jog with a run time of 0.3 s, s"] < 5.0
    io = facts["inputs and outputs"]
    assert io["SetOutBits by lists"] is None, "taken"
    assert io["output bits after it"] == io["output bits"] == [0, 0]
    assert io["GetInBytes"] == [0] * 8
    assert "1537" in io["GetInBytes without communication"]
    assert io["GetInBytesEx without communication"] == [0] * 8
    jogs = facts["jogs"]
    another = jogs["one over another"]
    assert another["after 0.2 s, u/s"] == pytest.approx(another["ordered, u/s"])
    for name in ("a jog, overridden", "a jog with a run time, overridden"):
        found = jogs[name]
        assert found["50 %, u/s"] == pytest.approx(found["ordered, u/s"] / 2.0)
        assert (found["0 %, u/s"], found["0 %, state"]) == (0.0, 2)
    ended = facts["ended communication"]
    assert ended["it moved at, u/s"] == pytest.approx(0.2 / 12.0)
    assert ended["state of the engine"] == "RUNNING"
    assert ended["servo on after it"] is False
    assert ended["operation state after it"] == 0
    assert "making it safe" not in ended, "nothing went wrong"
    assert facts["stops"]["rounds"] == 4
    assert facts["stops"]["of these, the axis moved on"] == 0
    assert facts["together"]["starts seen apart"] == 0
    ways = [each for name, each in facts["splines"].items() if name != "axes"]
    assert max(each["off the last point, u"] for each in ways) < 1e-9
    assert len(ways) == 4
    for name in ("StopTrq", "stop", "emergency stop"):
        found = facts["torques"][name]
        assert "refused" not in found
        assert abs(found["it turned at, u/s"]) > 0.05
        assert found["command mode then"] == 0
        assert found["servo on then"] is True
        fastest = max(abs(found["it turned at, u/s"]), abs(found["after it, u/s"]))
        assert abs(found["and, u"]) <= 1.05 * fastest * found["its motor rests after, s"]
    assert facts["torques"]["StopTrq"]["position mode was taken after, s"] < 5.0
    assert "at rest after" in facts["killed process"]["run time 1 s"]
    assert "EngineLost" not in facts["killed engine"]["noticed by"]
    assert "Error=263 (IMLibIsNotRunning)" in facts["killed engine"]["noticed by"]
    assert facts["killed engine"]["a new one"] == "COMMUNICATING"


def test_no_step_ends_a_network_that_communicates_already(
    sdk: Path, runtime: Path, tmp_path: Path
) -> None:
    before = attach("/opt/wmx3", "wmx_first_contact_before")
    try:
        before.call("engine", "start_communication")
        output = tmp_path / "report"
        ended = subprocess.run(
            [
                *(*RUN, "--yes", "--axes=0", "--distance=0.1", "--velocity=1", "--rounds=1"),
                *(f"--device-path={sdk}", f"--output={output}", f"--engine-process={runtime}"),
            ],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert before.call("engine", "state") is EngineState.COMMUNICATING
    finally:
        before.close()
    assert "StopCommunication(" not in (output / "sdk_calls.log").read_text()
    found = findings(output)
    left_out = {step for step, each in found.items() if "communicated before" in each["error"]}
    assert left_out == {
        *("engine", "parameters", "inputs and outputs", "position output"),
        *("ended communication", "killed engine"),
    }
    assert all(found[step]["outcome"] == SKIPPED for step in left_out)
    assert found["parameters"]["facts"]["equal"] is True
    assert found["one axis"]["outcome"] == found["the end"]["outcome"] == DONE


def test_ctrl_c_while_a_second_process_stops_the_axis(
    sdk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")

    def interrupted(seconds: float) -> int:
        """How many rounds there were until Ctrl-C, so long after the step had begun."""
        output = tmp_path / f"report{seconds:g}"
        with subprocess.Popen(
            [
                *(*RUN, "--yes", "--axes=0", "--distance=0.1", "--velocity=1"),
                "--rounds=100000",
                *(f"--device-path={sdk}", f"--output={output}"),
            ],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("stops: "):
                    break
            time.sleep(seconds)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            said, _ = process.communicate(timeout=60.0)
            assert process.returncode == 1
        found = findings(output)
        assert [*found][-2:] == ["stops", "the end"]
        assert found["stops"]["outcome"] == INTERRUPTED
        assert found["the end"]["outcome"] == DONE, said
        assert f"the end: {command.SAFE}" in said
        return int(found["stops"]["facts"].get("rounds", 0))

    assert any(interrupted(seconds) for seconds in (3.0, 6.0, 12.0, 24.0))


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
        (["--distance", "0"], "must be greater than 0"),
        (["--velocity", "-1"], "must be greater than 0"),
        (["--distance", "nan"], "must be greater than 0"),
        (["--velocity", "fast"], "invalid positive_number value: 'fast'"),
        (["--axes", "a"], "'a' must be numbers of axes, 0 to 127"),
        (["--axes", "0,128"], "'0,128' must be numbers of axes, 0 to 127"),
        (["--axes=-1"], "'-1' must be numbers of axes, 0 to 127"),
        (["--axes=0,0"], "'0,0' names an axis twice"),
        (["--rounds=-3"], "-3 must be 1 or more"),
        (["--rounds=0"], "0 must be 1 or more"),
        (["--output", "/proc/x"], "--output /proc/x cannot be written to: "),
    ],
)
def test_what_cannot_be_meant(
    wrong: list[str], rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wmx.main(["first-contact", *wrong]) == 2
    assert rule in capsys.readouterr().err


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
