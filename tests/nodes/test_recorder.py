"""wmx_recorder_node: what a file holds, when one is written, and what happens where none can be."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import system as systems
from rclpy.serialization import deserialize_message
from recording import of_topic
from ros import COMMANDS
from rosbags.highlevel import AnyReader
from std_srvs.srv import Trigger
from system import Place, System
from waits import WAIT_TIMEOUT, eventually
from wmx_ros2_message.msg import EndMotion, EngineCommand, IoChange

from wmx_ros2_package.messages.engine_status_cdr import read_engine_status
from wmx_ros2_package.node_base.qos import SERVICE_QOS
from wmx_ros2_package.recordings.reading import Recording

pytestmark = pytest.mark.process

ABSOLUTE = next(iter(COMMANDS))
SAVE = "wmx/recorder/save"
NODE = "wmx_recorder_node"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """The whole system with a recorder whose files are in the folder `files` of its place."""
    with systems.place() as place:
        parameters = f"folder:={place.folder / 'files'}", "seconds_after:=0.2"
        with systems.system(place, *parameters, options=["--recorder"]) as system:
            system.ready()
            yield system


def saver(system: System, service: str = SAVE) -> Any:
    """What asks for a recording and returns the answer; the first one may be lost on its way."""
    client = system.client.node.create_client(Trigger, service, qos_profile=SERVICE_QOS)
    assert client.wait_for_service(60.0)

    def asked(timeout: float) -> Any:
        answer = client.call_async(Trigger.Request())
        with suppress(AssertionError):
            eventually(answer.done, f"{service} answers", timeout)
        return answer.result()

    eventually(lambda: asked(2.0), "an answer arrives")
    return partial(asked, WAIT_TIMEOUT)


def saved(system: System) -> Recording:
    answer = saver(system)()
    assert answer.success, answer.message
    return Recording(Path(answer.message))


def move(system: System, axis: int, target: float) -> None:
    client = system.client
    client.must("wmx/axis/set_on", index=[axis], data=[1])
    client.move(ABSOLUTE, [axis], [target], [2.0], [10.0], [10.0])
    client.at_rest(axis, target)


@pytest.mark.parametrize("executable", [NODE, "wmx_core_motion_node"])
def test_a_node_on_another_engine_says_so_and_is_not_ready(system: System, executable: str) -> None:
    place = system.place
    parameters = [f"device_path:={place.machine('other.yaml')}"]
    if executable == NODE:
        parameters.append(f"folder:={place.folder / 'lost'}")
    node = place.start(executable, *parameters, ros=("-r", "__node:=lost"))
    node.says("does not communicate: must be that of wmx_engine_node, which is ready")
    assert "lost is ready" not in node.output
    node.stop()


def test_a_recorder_that_is_started_late_has_nothing_of_before(system: System) -> None:
    place = system.place
    move(system, 2, 0.2)
    begun = time.time_ns()
    folder = f"folder:={place.folder / 'late'}"
    node = place.start(NODE, folder, ros=("-r", "__node:=late", "-r", f"{SAVE}:=late/save"))
    node.says("late is ready")
    move(system, 2, 0.4)
    answer = saver(system, "late/save")()
    times = [message.time for message in Recording(Path(answer.message)).messages()]
    assert min(times) > begun
    node.stop()


def test_a_recording_that_was_asked_for_has_every_cycle_and_every_command(system: System) -> None:
    move(system, 1, 0.5)
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
    moving = [record["cycle"] for record in records if record["velocity_cmd"][1]]
    assert len(moving) > 100
    assert moving == [*range(moving[0], moving[-1] + 1)], "no cycle is left out"
    assert records[-1]["pos_cmd"][1] == 0.5
    assert recording.cut_off == ""
    assert recording.about["label"] == "saved"
    assert b"<" in recording.attachments["parameters.xml"].data


def test_it_is_asked_for_from_the_command_line_once(system: System) -> None:
    folder = system.place.folder / "files"
    files = {*folder.glob("*")}
    command = system.place.run(["wmx", "record"])
    assert command.wait() == 0, command.output
    path = Path(command.output.splitlines()[-1])
    assert list(of_topic(Recording(path), "/wmx/engine/status"))
    assert {*folder.glob("*")} - files == {path}


def test_other_readers_decode_it(system: System) -> None:
    path = saved(system).path
    with AnyReader([path]) as reader:
        topics = {connection.topic for connection in reader.connections}
        for connection, _, raw in reader.messages():
            reader.deserialize(raw, connection.msgtype)
    assert {"/wmx/engine/status", "/wmx/engine/command", "/rosout", "/diagnostics"} <= topics


def test_an_alarm_leaves_a_file_that_shows_it(system: System) -> None:
    client = system.client
    client.must("wmx/axis/set_on", index=[2], data=[1])
    client.move(ABSOLUTE, [2], [100.0], [1.0], [10.0], [10.0])
    client.states.next(lambda s: s.velocity_cmd[2])
    client.must("wmx/simulation/inject_faults", script="[{raise_alarm: {axis: 2, code: 0x7121}}]")
    folder = system.place.folder / "files"
    [path] = eventually(lambda: [*folder.glob("*_alarm.mcap")], "a file is written")
    recording = Recording(path)
    records = [read_engine_status(each.data) for each in of_topic(recording, "/wmx/engine/status")]
    cycles = [record["cycle"] for record in records if record["amp_alarm"][2]]
    assert records[0]["cycle"] < cycles[0] <= records[-1]["cycle"] - 100, "before it and after it"
    assert records[-1]["alarm_code"][2] == 0x7121
    ends = of_topic(recording, "/wmx/motion/end")
    assert EndMotion.ALARM in [deserialize_message(each.data, EndMotion).reason for each in ends]
    assert "axis 2" in recording.about["reasons"]
    client.must("wmx/axis/clear_alarm", index=[2])


def test_an_input_and_an_output_that_change_are_recorded(system: System) -> None:
    client = system.client
    client.must("wmx/io/set_output_bit", byte=0, bit=3, value=False)
    saved(system)
    client.must("wmx/io/set_output_bit", byte=0, bit=3, value=True)
    script = "[{force_input: {input: '0.4', value: true}}]"
    client.must("wmx/simulation/inject_faults", script=script)

    def recorded(kind: bool, bit: int) -> IoChange | None:
        """The last change of inputs or outputs in a recording, once it shows the bit."""
        messages = of_topic(saved(system), "/wmx/io/changes")
        changes = [deserialize_message(each.data, IoChange) for each in messages]
        newest = [each for each in changes if each.output == kind][-1:]
        return next((each for each in newest if each.data[0] >> bit & 1), None)

    for kind, bit in ((False, 4), (True, 3)):
        change = eventually(partial(recorded, kind, bit), f"bit {bit} is recorded")
        assert change.address == 0
        assert change.header.stamp.sec > 0
    client.must("wmx/simulation/inject_faults", script="[{release_input: {input: '0.4'}}]")


@pytest.fixture
def place() -> Iterator[Place]:
    with systems.place() as place:
        yield place


@pytest.mark.parametrize("kind", ["full", "gone"])
def test_a_disk_that_takes_nothing_is_reported_and_the_machine_moves_on(
    place: Place, kind: str
) -> None:
    (place.folder / "file").write_text("")
    folder = place.folder / ("files" if kind == "full" else "file/files")
    parameters = [f"folder:={folder}", "continuous:=true"]
    parameters += ["least_free_megabytes:=1000000"] if kind == "full" else []
    with systems.system(place, *parameters, options=["--recorder"]) as system:
        system.ready()
        answer = saver(system)()
        assert not answer.success
        assert str(folder) in answer.message
        system.says("Recording is interrupted: ")
        move(system, 0, 0.1)


def test_a_continuous_recording_outlives_its_killed_writer(place: Place) -> None:
    folder = place.folder / "files"
    with systems.system(place) as system:
        system.ready()
        parameters = f"folder:={folder}", "continuous:=true"
        recorder = place.start(NODE, *parameters)
        eventually(lambda: [*folder.glob("*.part")], "a file is begun")
        move(system, 3, 0.7)
        moved = time.time_ns()
        [part] = folder.glob("*.part")

        def flushed() -> bool:
            newest = [each.time for each in of_topic(Recording(part), "/wmx/engine/status")]
            return bool(newest) and newest[-1] > moved

        eventually(flushed, "what was recorded is in the file")
        assert Recording(part).path == part
        recorder.kill()
        place.processes.remove(recorder)
        place.start(NODE, *parameters)
        [mended] = eventually(lambda: [*folder.glob("*_mended.mcap")], "the file is mended")
        records = [
            read_engine_status(each.data)
            for each in of_topic(Recording(mended), "/wmx/engine/status")
        ]
        assert records[-1]["pos_cmd"][3] == 0.7
