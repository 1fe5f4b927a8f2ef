"""A fault on the running arm leaves a file that explains it, and replays to the same end."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import system as systems
from arms import Arm, Result
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from system import System
from waits import eventually
from wmx_ros2_message.msg import EndMotion

pytestmark = pytest.mark.process

PAGE = (Path(__file__).resolve().parents[2] / "docs/recording.md").read_text()
FAULT = "[{after: 200, raise_alarm: {axis: 2, code: 0x3220}}]"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with systems.place() as place:
        parameters = f"folder:={place.folder / 'files'}", "seconds_after:=0.5"
        options = ["--robot", "arm", "--recorder"]
        with systems.system(place, *parameters, options=options) as system:
            yield system


@pytest.fixture(scope="module")
def path(system: System) -> Path:
    """What is written when a drive raises an alarm while the arm follows a trajectory."""
    arm = Arm(system)
    arm.ready()
    arm.at_rest()
    sent = arm.moving(3.0)
    system.client.must("wmx/simulation/inject_faults", script=FAULT)
    sent.aborted(Result.PATH_TOLERANCE_VIOLATED, "joint3")
    arm.at_rest()
    folder = system.place.folder / "files"
    [path] = eventually(lambda: [*folder.glob("*_alarm.mcap")], "a file is written")
    return path


def wmx(system: System, *words: object) -> tuple[int, str]:
    done = system.place.run(["wmx", *map(str, words)])
    return done.wait(), done.output


def test_the_file_explains_what_happened(system: System, path: Path) -> None:
    code, out = wmx(system, "recording", path)
    assert code == 0, out
    assert len(out.splitlines()) <= 20
    assert "axis 2: alarm 0x3220 (DC link undervoltage)" in out
    assert "motion ends: ALARM" in out
    assert [line for line in out.splitlines() if line.startswith("axis 2 moved within ")]


def test_it_is_replayed_to_the_same_end(system: System, path: Path) -> None:
    code, out = wmx(system, "replay", path, "--json")
    assert code == 0, out
    data = json.loads(out.splitlines()[-1])
    assert data["differences"] == []
    assert data["commands"] >= 1
    assert data["ends"] >= 1
    assert data["statuses"] > 500
    assert all(away < 1e-9 for name, away in data["greatest"].items() if "torque" not in name)


def test_each_command_of_the_page_does_what_it_says(system: System, path: Path) -> None:
    typed = re.findall(r"^    (wmx (?:recording|replay) FILE.*?)(?: *#.*)?$", PAGE, re.MULTILINE)
    assert len(typed) == 8
    for command in typed:
        if "--png" in command and not importlib.util.find_spec("matplotlib"):
            continue
        done = system.place.run(["bash", "-c", command.replace("FILE", str(path))])
        assert done.wait() == 0, f"{command}\n{done.output}"
        assert done.output.strip()


def test_public_readers_open_it(path: Path) -> None:
    with AnyReader([path]) as reader:
        ends = [
            reader.deserialize(raw, connection.msgtype)
            for connection, _, raw in reader.messages()
            if connection.topic == "/wmx/motion/end"
        ]
    assert EndMotion.ALARM in [end.reason for end in ends]  # type: ignore[attr-defined]
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
