"""wmx_recorder_node when something is lost: the engine, a node that moves axes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import system as systems
from rclpy.serialization import deserialize_message
from recording import of_topic
from system import System
from waits import eventually
from wmx_ros2_message.msg import EndMotion

from wmx_ros2_package.messages.engine_status_cdr import read_engine_status
from wmx_ros2_package.recordings.reading import Recording

pytestmark = pytest.mark.process

NODE = "wmx_recorder_node"
VELOCITY = "wmx/axis/velocity"


@pytest.fixture
def system() -> Iterator[System]:
    """Nodes and an engine as processes of their own, an axis that moves, and a recorder of it."""
    with systems.place() as place, systems.system(place, executables=systems.NODES) as system:
        system.ready()
        recorder = place.start(NODE, f"folder:={place.folder / 'files'}", "seconds_after:=0.2")
        recorder.says("wmx_recorder_node is ready")
        client = system.client
        client.must("wmx/axis/set_on", index=[0], data=[1])
        client.must("wmx/axis/set_mode", index=[0], data=[1])
        client.move(VELOCITY, [0], [1.0], [10.0], [10.0])
        client.states.next(lambda s: s.pos_cmd[0] > 1.5)
        yield system


def written(system: System, trigger: str) -> Recording:
    """The one file that was written because of `trigger`; it shows the axis as it moved.

    What the engine keeps is read ten times a second, and the rest is lost with it.
    """
    folder: Path = system.place.folder / "files"
    [path] = eventually(lambda: [*folder.glob(f"*_{trigger}*.mcap")], f"{trigger} leaves a file")
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


def test_an_engine_that_is_killed_leaves_a_file(system: System) -> None:
    [engine] = system.place.engine_pids()
    os.kill(engine, signal.SIGKILL)
    recording = written(system, "engine_lost")
    assert ended(recording, EndMotion.ENGINE_LOST) == [[0]]
    system.ready()


def test_a_node_that_is_killed_as_it_moves_an_axis_leaves_a_file(system: System) -> None:
    [core_motion] = [p for p in system.place.processes if p.name == "wmx_core_motion_node"]
    core_motion.kill()
    system.place.processes.remove(core_motion)
    assert ended(written(system, "node_lost"), EndMotion.OWNER_LOST) == [[0]]
