"""A fault on the running arm leaves a file that explains it, and replays to the same end."""

import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import system as systems
from arms import Arm, Result
from command_line import Shell
from held_system import held_system
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from wmx_ros2_message.msg import EndMotion

PAGE = (Path(__file__).resolve().parents[2] / "docs/recording.md").read_text()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is written when a drive raises an alarm while the arm follows a trajectory."""
    folder = tmp_path_factory.mktemp("files")
    parameters = f"folder:={folder}", "seconds_after:=0.5"
    options = ["--robot", "arm", "--recorder"]
    with systems.place() as place, held_system(place, *parameters, options=options) as system:
        system.says("wmx_recorder_node is ready")
        system.client.clock.sleep(1.0)  # it has seen the axes at rest before anything is commanded
        arm = Arm(system)
        arm.ready()
        arm.at_rest()
        sent = arm.moving(3.0)
        system.client.play("after: 200, raise_alarm: {axis: 2, code: 0x3220}")
        sent.aborted(Result.PATH_TOLERANCE_VIOLATED, "joint3")
        arm.at_rest()
        [path] = system.client.eventually(
            lambda: [*folder.glob("*_alarm.mcap")], "a file is written"
        )
    return path


def test_the_file_explains_what_happened(shell: Shell, path: Path) -> None:
    out = shell.done("recording", path)
    assert len(out.splitlines()) <= 20
    assert "axis 2 (joint3): alarm 0x3220 (DC link undervoltage)" in out
    assert "motion ends: ALARM" in out
    assert [line for line in out.splitlines() if line.startswith("axis 2 (joint3) moved within ")]


def test_it_is_replayed_to_the_same_end(shell: Shell, path: Path) -> None:
    ended = shell("replay", path, "--json")
    assert ended.code == 0, ended
    data = json.loads(ended.out.splitlines()[-1])
    assert data["differences"] == []
    assert data["commands"] >= 1
    assert data["ends"] >= 1
    assert data["statuses"] > 500
    assert all(away < 1e-9 for name, away in data["greatest"].items() if "torque" not in name)


@pytest.mark.long
def test_each_command_of_the_page_does_what_it_says(
    shell: Shell, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = re.findall(r"^    (wmx (?:recording|replay) FILE.*?)(?: *#.*)?$", PAGE, re.MULTILINE)
    assert len(typed) == 9
    for command in typed:
        if "--png" in command and not importlib.util.find_spec("matplotlib"):
            continue
        _, *words = shlex.split(command.replace("FILE", str(path)))
        assert shell.done(*words).strip()


def test_public_readers_open_it(path: Path) -> None:
    with AnyReader([path]) as reader:
        read: list[tuple[str, Any]] = [
            (connection.topic, reader.deserialize(raw, connection.msgtype))
            for connection, _, raw in reader.messages()
        ]
    topics = {topic for topic, _ in read}
    assert {"/wmx/engine/status", "/wmx/engine/command", "/rosout", "/diagnostics"} <= topics
    assert EndMotion.ALARM in [end.reason for topic, end in read if topic == "/wmx/motion/end"]
    with path.open("rb") as file:
        decoded = make_reader(file, decoder_factories=[DecoderFactory()])
        alarms = [
            message.amp_alarm[2]
            for _, channel, _, message in decoded.iter_decoded_messages(
                topics=["/wmx/engine/status"]
            )
            if channel.topic == "/wmx/engine/status"
        ]
    assert (alarms[0], alarms[-1]) == (False, True)
