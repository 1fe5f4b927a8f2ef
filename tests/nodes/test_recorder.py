"""wmx_recorder_node: what a file holds, and when one is written."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import system as systems
from command_line import Shell
from held_system import held_system
from rclpy.serialization import deserialize_message
from recording import of_topic
from ros import COMMANDS
from std_srvs.srv import Trigger
from system import System
from waits import WAIT_TIMEOUT
from wmx_ros2_message.msg import EndMotion, EngineCommand, IoChange

from wmx_ros2_package.messages.engine_status_cdr import read_engine_status
from wmx_ros2_package.node_base.qos import SERVICE_QOS
from wmx_ros2_package.recordings.reading import Recording

ABSOLUTE = next(iter(COMMANDS))
SAVE = "wmx/recorder/save"
SECOND_MASTER = """\
  - slaves:
      - {name: more I/O, input_size: 2, output_size: 2}
"""


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """The whole system with a recorder whose files are in the folder `files` of its place."""
    with systems.place() as place:
        machine = place.machine()
        machine.write_text(machine.read_text() + SECOND_MASTER)
        files = f"folder:={place.folder / 'files'}"
        parameters = f"device_path:={machine}", files, "seconds_after:=0.2"
        with held_system(place, *parameters, options=["--recorder"]) as system:
            system.ready()
            yield system


def save(system: System) -> Any:
    """What asking for a recording is answered."""
    saving = system.client.node.create_client(Trigger, SAVE, qos_profile=SERVICE_QOS)
    assert saving.wait_for_service(WAIT_TIMEOUT)
    return system.client.answer(saving.call_async(Trigger.Request())).result()


def saved(system: System) -> Recording:
    answer = save(system)
    assert answer.success, answer.message
    return Recording(Path(answer.message))


def move(system: System, axis: int, target: float) -> None:
    client = system.client
    client.must("wmx/axis/set_on", index=[axis], data=[1])
    client.move(ABSOLUTE, [axis], [target], [2.0], [10.0], [10.0])
    client.at_rest(axis, target)


def test_a_recording_that_was_asked_for_has_every_cycle_and_every_command(system: System) -> None:
    move(system, 1, 0.5)
    system.client.clock.sleep(0.2)  # what the engine keeps is read ten times a second
    recording = saved(system)
    commands = [
        deserialize_message(each.data, EngineCommand)
        for each in of_topic(recording, "/wmx/engine/command")
    ]
    assert {each.source for each in commands} >= {"/wmx_core_motion_node"}
    moves = [json.loads(c.arguments)["moves"] for c in commands if c.method == "move_absolute"]
    assert [move[0]["target"] for move in moves if move[0]["axis"] == 1] == [0.5]
    ends = [
        deserialize_message(each.data, EndMotion) for each in of_topic(recording, "/wmx/motion/end")
    ]
    assert [each.reason for each in ends if [*each.axes] == [1]] == [EndMotion.ARRIVED]
    records = [read_engine_status(each.data) for each in of_topic(recording, "/wmx/engine/status")]
    moving = [int(record["cycle"]) for record in records if record["velocity_cmd"][1]]
    assert len(moving) > 100
    assert moving == [*range(moving[0], moving[-1] + 1)], "no cycle is left out"
    assert records[-1]["pos_cmd"][1] == 0.5
    assert recording.cut_off == ""
    assert recording.about["label"] == "saved"
    assert b"<" in recording.attachments["parameters.xml"].data


def test_it_is_asked_for_from_the_command_line_once(
    system: System, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in system.place.environment.items():
        monkeypatch.setenv(name, value)
    folder = system.place.folder / "files"
    files = {*folder.glob("*")}
    path = Path(Shell(capsys, system.client.clock).done("record").splitlines()[-1])
    assert list(of_topic(Recording(path), "/wmx/engine/status"))
    assert {*folder.glob("*")} - files == {path}


@pytest.mark.parametrize("byte", [0, 5])
def test_an_input_and_an_output_that_change_are_recorded(system: System, byte: int) -> None:
    """Also those of the second master, which are behind the four bytes of the first."""
    client = system.client
    client.must("wmx/io/set_output_bit", byte=byte, bit=3, value=False)
    saved(system)
    client.must("wmx/io/set_output_bit", byte=byte, bit=3, value=True)
    client.play(f"force_input: {{input: '{byte}.4', value: true}}")

    def recorded(kind: bool, bit: int) -> IoChange | None:
        """The last change of inputs or outputs in a recording, once it shows the bit."""
        messages = of_topic(saved(system), "/wmx/io/changes")
        changes = [deserialize_message(each.data, IoChange) for each in messages]
        newest = [each for each in changes if each.output == kind][-1:]
        shown = ((each, bytes(each.data)[byte - each.address :]) for each in newest)
        return next((each for each, data in shown if data and data[0] >> bit & 1), None)

    for kind, bit in ((False, 4), (True, 3)):
        change = client.eventually(partial(recorded, kind, bit), f"bit {bit} is recorded")
        assert change.address <= byte
        assert change.header.stamp.sec > 0
    client.play(f"release_input: {{input: '{byte}.4'}}")
