"""What browsers send and folders hold is read in a process of its own, whatever it is."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from typing import Any, cast

import pytest
from held_engine import HeldEngine, position_move
from rclpy.serialization import serialize_message
from waits import WAIT_TIMEOUT
from wmx_ros2_message.msg import EndMotion

from wmx_ros2_package.client import NotAnswered
from wmx_ros2_package.client.engine import Nodes
from wmx_ros2_package.messages.engine_status_cdr import engine_status_cdr, values_of
from wmx_ros2_package.panel.chosen_trajectory import made, read_chosen
from wmx_ros2_package.panel.description import recordings_folder
from wmx_ros2_package.panel.file_process import NOT_READ
from wmx_ros2_package.panel.file_reader import MOST_WAITING, FileError, FileReader
from wmx_ros2_package.panel.recording_views import (
    MOST_FILES,
    MOST_ROWS,
    curves,
    recordings_in,
    require_recording,
    view,
)
from wmx_ros2_package.recordings.files import RecordingFile
from wmx_ros2_package.recordings.summary import END, STATUS
from wmx_ros2_package.trajectories.point_files import sway

CSV = b"time_s,a,b\n0,0,0\n1,0.5,0.1\n"
SERVER = {
    "joint_name": ["a", "b"],
    "position_lower": [None, None],
    "position_upper": [None, None],
    "velocity_limit": [None, None],
    "acceleration_limit": [None, None],
}


PANEL = """import asyncio, os, pathlib, sys
from wmx_ros2_package.panel.file_reader import FileReader
async def read():
    reader = FileReader()
    print(await reader.run(os.getpid), flush=True)
    await reader.run(pathlib.Path.read_bytes, pathlib.Path(sys.argv[1]))
asyncio.run(read())"""


@pytest.fixture
def reader() -> Iterator[FileReader]:
    reader = FileReader(timeout=20.0)
    yield reader
    reader.close()


def run(reader: FileReader, work: Callable[..., Any], *arguments: Any) -> Any:
    return asyncio.run(reader.run(work, *arguments))


def test_a_trajectory_is_named_and_told_from_others(reader: FileReader) -> None:
    chosen = run(reader, read_chosen, CSV, "x.csv", SERVER)
    # The first digits of what `sha256sum` prints.
    assert chosen.words == "x.csv: 2 points, 1.00 s, joints a, b, sha256 171f61de7b0d"
    assert read_chosen(CSV + b"\n", "x.csv", SERVER).checksum != chosen.checksum
    assert read_chosen(b"\xef\xbb\xbf" + CSV, "x.csv", SERVER).trajectory.joints == ("a", "b")
    one, other = (made(sway(["a"], [0.0], [way], 4.0), "Example", SERVER) for way in (0.1, 0.2))
    assert one.checksum != other.checksum


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        (b"\xff\xfe", "x.csv", "x.csv: is no text in UTF-8"),
        (b"[" * 1_000_000, "x.yaml", "x.yaml: has more than 8 levels"),
        (b"time_s,a\n0,1\n1,x\n", "x.csv", "point 2: 'x' must be a finite number"),
    ],
    ids=["bytes", "deep", "number"],
)
def test_what_is_refused_is_refused_in_words(data: bytes, name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_chosen(data, name, SERVER)


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read() -> None:
    reader = FileReader(timeout=0.5)
    try:
        with pytest.raises(FileError, match=r"longer than 0\.5 s"):
            run(reader, time.sleep, 60.0)
        reader.timeout = 20.0
        assert run(reader, os.getpid) != os.getpid()
    finally:
        reader.close()


def test_a_file_over_which_the_process_ends_is_refused_and_the_next_one_is_read(
    reader: FileReader,
) -> None:
    number = run(reader, os.getpid)
    with pytest.raises(FileError, match=NOT_READ):
        run(reader, os.kill, number, signal.SIGKILL)
    assert run(reader, os.getpid) != number


@pytest.mark.process
def test_the_process_ends_with_a_panel_that_is_killed_over_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", PANEL, pipe], stdout=subprocess.PIPE) as panel:
        assert panel.stdout is not None
        process = os.pidfd_open(int(panel.stdout.readline()))
        with pipe.open("wb"):  # as soon as it is read
            panel.kill()
            assert select([process], [], [], WAIT_TIMEOUT)[0]
    os.close(process)


def test_a_file_that_takes_all_memory_is_refused(reader: FileReader) -> None:
    with pytest.raises(FileError, match="MemoryError"):
        run(reader, bytes, 1 << 40)
    assert run(reader, len, b"ab") == 2


def test_no_more_files_wait_than_a_few(reader: FileReader) -> None:
    async def ask() -> list[Any]:
        asked = [reader.run(time.sleep, 0.05) for _ in range(MOST_WAITING + 3)]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(ask())
    assert [isinstance(each, FileError) for each in answers] == MOST_WAITING * [False] + 3 * [True]


def test_what_waits_holds_up_no_end() -> None:
    reader = FileReader(timeout=5.0)

    async def ask() -> list[Any]:
        asked = [asyncio.create_task(reader.run(time.sleep, 60.0)) for _ in range(3)]
        await asyncio.sleep(0.0)
        await asyncio.to_thread(reader.close)
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(ask())
    assert all(isinstance(each, FileError) for each in answers)
    assert not any("it takes longer" in str(each) for each in answers)


class Recorder:
    """The nodes of a machine, of which the recorder answers or not."""

    def __init__(self, folder: str | None, *, runs: bool = True) -> None:
        self._folder = folder
        self._runs = runs

    def running(self, names: list[str]) -> list[str]:
        return names if self._runs else []

    def parameters(self, node: str, *names: str, timeout: float) -> list[str]:
        if self._folder is None:
            raise NotAnswered("no answer")
        return [self._folder]


def test_a_recorder_that_does_not_answer_has_no_other_folder() -> None:
    assert recordings_folder(cast(Nodes, Recorder("/a"))) == Path("/a")
    assert recordings_folder(cast(Nodes, Recorder("/a", runs=False))) != Path("/a")
    with pytest.raises(NotAnswered):
        recordings_folder(cast(Nodes, Recorder(None)))


def test_what_is_not_there_is_told_in_words(reader: FileReader, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^x.mcap: No such file or directory$"):
        run(reader, require_recording, tmp_path, "x.mcap")
    with pytest.raises(FileError, match=r"^No such file or directory$"):
        run(reader, os.listdir, tmp_path / "x")


def test_a_pipe_among_the_recordings_is_refused(reader: FileReader, tmp_path: Path) -> None:
    pipe = tmp_path / "x.mcap"
    os.mkfifo(pipe)
    assert run(reader, recordings_in, tmp_path) == ([pipe], 1)
    with pytest.raises(FileError, match=r"x\.mcap cannot be read: it must be a regular file"):
        run(reader, view, pipe, False)
    with pytest.raises(FileError, match="must be a regular file"):
        run(reader, require_recording, tmp_path, "x.mcap")


@pytest.mark.parametrize("every", [False, True])
def test_the_end_of_a_recording_is_on_its_first_page(tmp_path: Path, every: bool) -> None:
    file = RecordingFile(tmp_path / "x.mcap")
    for i in range(MOST_ROWS + 1):
        reason = EndMotion.ALARM if i == MOST_ROWS else EndMotion.REFUSED
        end = EndMotion(source="/n", axes=[1], reason=reason)
        file.add("/wmx/motion/end", END, i, serialize_message(end))
    shown = view(file.close(), every)
    events = shown.events
    assert shown.heading.endswith("\n1 more events are not shown")
    assert [len(events), len({event["key"] for event in events})] == [MOST_ROWS] * 2
    assert "ALARM" in events[0]["what happened"]


def test_the_newest_recordings_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    for i in range(MOST_FILES + 1):
        (tmp_path / f"{i:03d}.mcap").touch()
    files, number = recordings_in(tmp_path)
    assert (len(files), number) == (MOST_FILES, MOST_FILES + 1)
    assert [files[0].name, files[-1].name] == [f"{MOST_FILES}.mcap", "001.mcap"]


def test_axes_that_moved_can_be_drawn_though_the_engine_came_back_without_them(
    tmp_path: Path,
) -> None:
    held, file = HeldEngine(2).servo_on(), RecordingFile(tmp_path / "x.mcap")
    file.describe({"axes": "1"})
    held.motion.move_absolute([position_move(1, 10.0, velocity=1.0, acc=10.0, dec=10.0)])
    for i in range(3):
        [data] = engine_status_cdr(values_of(held.after(0.1)), [i])
        file.add("/wmx/engine/status", STATUS, i, data)
    path = file.close()
    shown = view(path, False)
    assert (shown.axes, shown.moved) == ({0: "axis 0", 1: "axis 1"}, [1])
    [(times, row)] = curves(path, shown.moved, "pos_cmd")
    assert (len(times), row[0] < row[-1]) == (3, True)


@pytest.mark.parametrize("name", ["../x.mcap", "x.txt", "", ".", "a/x.mcap", "none.mcap"])
def test_only_recordings_of_the_folder_are_downloaded(tmp_path: Path, name: str) -> None:
    for file in tmp_path / "x.txt", tmp_path / "x.mcap":
        file.write_bytes(b"")
    assert require_recording(tmp_path, "x.mcap") == tmp_path / "x.mcap"
    with pytest.raises(ValueError, match=name.rpartition("/")[2] or "is no name"):
        require_recording(tmp_path, name)


@pytest.mark.parametrize("axes", ["129", "1" * 5000, "-1", "x", "1.5"])
def test_a_recording_of_more_axes_than_a_machine_has_is_refused(tmp_path: Path, axes: str) -> None:
    file = RecordingFile(tmp_path / "x.mcap")
    file.describe({"axes": axes})
    with pytest.raises(ValueError, match="axes in its metadata: it must be 0 to 128"):
        view(file.close(), False)
