"""wmx_recorder_node when something is killed: its writer, the engine, a node that moves axes."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import system as systems
from rclpy.serialization import deserialize_message
from recording import of_topic
from system import System
from wmx_ros2_message.msg import EndMotion

from wmx_ros2_package.messages.engine_status_cdr import read_engine_status
from wmx_ros2_package.recordings.errors import RecordingError
from wmx_ros2_package.recordings.reading import Recording

pytestmark = pytest.mark.process

NODE = "wmx_recorder_node"
VELOCITY = "wmx/axis/velocity"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """Nodes and an engine as processes of their own, and a recorder."""
    with systems.place() as place, systems.system(place, executables=systems.NODES) as system:
        system.ready()
        recorder = place.start(NODE, f"folder:={place.folder / 'files'}", "seconds_after:=2.0")
        recorder.says("wmx_recorder_node is ready")
        yield system


def moving(system: System) -> System:
    """An axis has moved for a while, and goes on."""
    client = system.client
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.must("wmx/axis/set_mode", index=[0], data=[1])
    begun = client.state().pos_cmd[0]
    client.move(VELOCITY, [0], [1.0], [10.0], [10.0])
    client.states.next(lambda s: s.pos_cmd[0] > begun + 1.5)
    return system


def written(system: System, trigger: str) -> Recording:
    """The one file that was written because of `trigger`; it shows the axis as it moved.

    What the engine keeps is read ten times a second, and the rest is lost with it.
    """
    folder: Path = system.place.folder / "files"
    [path] = system.client.eventually(
        lambda: [*folder.glob(f"*_{trigger}*.mcap")], f"{trigger} leaves a file"
    )
    recording = Recording(path)
    assert recording.cut_off == ""
    records = [read_engine_status(each.data) for each in of_topic(recording, "/wmx/engine/status")]
    assert max(record["pos_cmd"][0] for record in records) > 0.5
    assert any(record["velocity_cmd"][0] == 1.0 for record in records)
    return recording


def ended(recording: Recording, reason: int) -> list[list[int]]:
    """The axes of each motion that a recording shows to end for `reason`."""
    ends = [deserialize_message(m.data, EndMotion) for m in of_topic(recording, "/wmx/motion/end")]
    return [[*end.axes] for end in ends if end.reason == reason]


def test_a_continuous_recording_outlives_its_killed_writer(system: System) -> None:
    place, client = system.place, system.client
    folder = place.folder / "continuous"
    parameters = f"folder:={folder}", "continuous:=true"
    ros = "-r", "__node:=continuous", "-r", "wmx/recorder/save:=continuous/save"
    recorder = place.start(NODE, *parameters, ros=ros)
    client.eventually(lambda: [*folder.glob("*.part")], "a file is begun")
    client.must("wmx/axis/set_on", index=[3], data=[1])
    client.move("wmx/axis/position", [3], [0.7], [2.0], [10.0], [10.0])
    client.at_rest(3, 0.7)
    moved = client.clock.time_ns()

    def flushed() -> bool:
        """Another file is begun once the engine is known, so the first one may have gone."""
        times = [0]
        for part in folder.glob("*.part"):
            with suppress(RecordingError):
                times += [each.time for each in of_topic(Recording(part), "/wmx/engine/status")]
        return times[-1] > moved

    client.eventually(flushed, "what was recorded is in the file")
    recorder.kill()
    place.processes.remove(recorder)
    second = place.start(NODE, *parameters, ros=ros)
    [mended] = client.eventually(lambda: [*folder.glob("*_mended.mcap")], "the file is mended")
    records = [
        read_engine_status(each.data) for each in of_topic(Recording(mended), "/wmx/engine/status")
    ]
    assert records[-1]["pos_cmd"][3] == 0.7
    second.stop()
    place.processes.remove(second)


def test_an_engine_that_is_killed_leaves_a_file(system: System) -> None:
    [engine] = moving(system).place.engine_pids()
    os.kill(engine, signal.SIGKILL)
    recording = written(system, "engine_lost")
    assert ended(recording, EndMotion.ENGINE_LOST) == [[0]]
    system.ready()


def test_a_node_that_is_killed_as_it_moves_an_axis_leaves_a_file(system: System) -> None:
    """The last one with this system, whose node is gone then."""
    [core_motion] = [p for p in moving(system).place.processes if p.name == "wmx_core_motion_node"]
    core_motion.kill()
    system.place.processes.remove(core_motion)
    assert ended(written(system, "node_lost"), EndMotion.OWNER_LOST) == [[0]]
