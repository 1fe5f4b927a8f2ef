"""When files are written, and what happens where the disk refuses them."""

import errno
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from rclpy.serialization import serialize_message
from recording import of_topic
from std_msgs.msg import String
from waits import WAIT_TIMEOUT, eventually

from wmx_core.clock import STEADY, SteadyClock
from wmx_ros2_package.nodes.recorder import saving
from wmx_ros2_package.nodes.recorder.clock import WallClock
from wmx_ros2_package.nodes.recorder.parameters import RecorderParameters
from wmx_ros2_package.nodes.recorder.saving import Saver
from wmx_ros2_package.recordings.errors import RecordingError
from wmx_ros2_package.recordings.files import RecordingFile
from wmx_ros2_package.recordings.reading import Recording
from wmx_ros2_package.recordings.ring import Item, Ring
from wmx_ros2_package.validation import BadRequest

KIND = "std_msgs/msg/String"
MIB = 1 << 20


class Recorder:
    """A saver, and the ring from which it writes."""

    def __init__(self, folder: Path, **parameters: Any) -> None:
        given = RecorderParameters(folder=str(folder), **{"least_free_megabytes": 0} | parameters)
        self.node = HeldNode(HeldEngine(1), "/cell/wmx_recorder_node", parameters=given)
        self.node.clock = STEADY  # on which the thread of the saver waits
        self.node.common = SimpleNamespace(device_path="")  # type: ignore[attr-defined]
        self.ring = Ring(60.0, 64 << 20)
        self.sources: Any = SimpleNamespace(kinds={"text": KIND}, parameters=[], machine="", axes=1)
        self.saver = Saver(self.node, self.ring, self.sources, WallClock(STEADY))  # type: ignore[arg-type]

    def add(self, text: str) -> None:
        self.ring.add(Item(STEADY.now(), "text", serialize_message(String(data=text))))

    @contextmanager
    def running(self) -> Iterator[None]:
        self.saver.start()
        yield
        self.saver.stop()

    def logged(self, word: str) -> bool:
        return any(word in text for text in self.node.logged)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "TICK", 0.01)
    monkeypatch.setattr(saving, "RETRY_PERIOD", 0.05)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.mcap"), key=lambda path: path.stat().st_mtime_ns)


def labels(folder: Path) -> list[str]:
    """What the files are written for, as their names say."""
    return [path.stem.rpartition("_")[2] for path in files(folder)]


def texts(paths: list[Path]) -> list[bytes]:
    return [each.data for path in paths for each in of_topic(Recording(path), "/cell/text")]


def test_a_continuous_recording_goes_on_in_a_new_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, continuous=True)
    recorder.saver.most_bytes = 5000
    added = []

    def has_gone_on() -> bool:
        added.append(os.urandom(2000).hex())
        recorder.add(added[-1])
        return len(files(tmp_path)) >= 3

    with recorder.running():
        eventually(has_gone_on, "a third file is begun")
    assert texts(files(tmp_path)) == [serialize_message(String(data=text)) for text in added]


def test_a_continuous_recording_goes_on_where_it_was_when_the_node_is_activated_again(
    tmp_path: Path,
) -> None:
    recorder = Recorder(tmp_path, continuous=True)
    for text in "first", "second":
        recorder.add(text)
        before = len(files(tmp_path))
        with recorder.running():
            pass
        eventually(lambda before=before: len(files(tmp_path)) > before, "a file is written")
    assert texts(files(tmp_path)) == [
        serialize_message(String(data=t)) for t in ("first", "second")
    ]


def test_a_continuous_recording_has_the_parameters_of_its_first_message(tmp_path: Path) -> None:
    """Those that were set before it was begun, and after that, are not of its begin."""
    recorder = Recorder(tmp_path, continuous=True)
    recorder.sources.parameters += [(0.0, "<before/>")]
    recorder.add("first")
    recorder.sources.parameters += [(STEADY.now(), "<after/>")]
    with recorder.running():
        pass
    [recording] = map(Recording, files(tmp_path))
    [message] = recording.messages()
    attached = recording.attachments["parameters.xml"]
    assert (attached.data, attached.time) == (b"<before/>", message.time)


def test_a_continuous_recording_goes_on_in_a_file_of_its_engine_once_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorder may be there before the engine is, and as another one takes its place."""
    monkeypatch.setattr("wmx_ros2_package.recordings.files.FLUSH_PERIOD", 0.0)
    recorder = Recorder(tmp_path, continuous=True)
    sources = recorder.sources
    sources.axes, begun = 0, list[Path]()
    with recorder.running():
        for text, axes, machine in (
            ("before", 0, ""),
            ("is attached", 0, "one"),
            ("first", 6, "one"),
            ("is detached", 6, "one"),
            ("second", 2, "two"),
        ):
            sources.axes, sources.machine = axes, machine
            recorder.add(text)
            part = eventually(lambda word=text: in_part(tmp_path, word), "it is written")
            begun += [part] if part not in begun else []
    parts = [path.with_name(path.name.removesuffix(".part")) for path in begun]
    found = [[each.data for each in of_topic(Recording(path), "/cell/text")] for path in parts]
    assert [len(each) for each in found] == [2, 2, 1]
    recordings = [*map(Recording, parts)]
    for recording in recordings:
        assert [*recording.messages()]
    assert [recording.about["axes"] for recording in recordings] == ["0", "6", "2"]
    machines = [recording.attachments.get("machine.yaml") for recording in recordings]
    assert [each and each.data for each in machines] == [None, b"one", b"two"]


def in_part(folder: Path, text: str) -> Path | None:
    """The file that is being written which has `text`."""
    data = serialize_message(String(data=text))
    begun = [part for part in folder.glob("*.part") if part.stat().st_size]
    return next((part for part in begun if data in texts([part])), None)


@pytest.mark.parametrize(
    "topic",
    [
        "/x",
        "/x std_msgs/msg/Bool/y",
        "/x ../msg/Bool",
        "/x std_msgs/srv/Bool",
        "1a std_msgs/msg/Bool",
    ],
)
def test_topics_that_cannot_be_are_refused(topic: str) -> None:
    with pytest.raises(BadRequest, match=r"topics has '.*': must be like '/joint_states"):
        RecorderParameters(topics=("/joint_states sensor_msgs/msg/JointState", topic))


def test_a_folder_of_nobody_is_refused() -> None:
    with pytest.raises(BadRequest, match="folder is '~no_such_user/x': "):
        RecorderParameters(folder="~no_such_user/x")


def test_triggers_of_one_moment_make_one_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, seconds_after=0.2, triggers=("alarm", "limit"))
    recorder.add("before")
    with recorder.running():
        recorder.saver.trigger(("node_lost", "which does not count"))
        recorder.saver.trigger(("alarm", "axis 1: alarm"))
        recorder.saver.trigger(("limit", "axis 2: limit"))
        recorder.add("after")
        [path] = eventually(lambda: files(tmp_path), "a file is written")
    assert path.name.endswith("_alarm.mcap")
    recording = Recording(path)
    assert len([*recording.messages()]) == 2
    assert recording.about["reasons"] == "axis 1: alarm\naxis 2: limit"


def test_a_trigger_that_comes_while_a_file_is_written_waits_as_long_as_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path, seconds_after=0.0, seconds_between=3600.0)
    begin, rounds = RecordingFile.__init__, list[int]()

    def begin_in_time(file: RecordingFile, *of: Any) -> None:
        recorder.saver.trigger(("limit", "axis 2: limit"))
        begin(file, *of)

    monkeypatch.setattr(RecordingFile, "__init__", begin_in_time)
    monkeypatch.setattr(WallClock, "check", lambda *_: rounds.append(len(files(tmp_path))))
    with recorder.running():
        recorder.saver.trigger(("alarm", "axis 1: alarm"))
        eventually(lambda: rounds[-3:-1] == [1, 1] or 2 in rounds, "it looks twice what is due")
    assert 2 not in rounds
    assert labels(tmp_path) == ["alarm", "limit"]


@pytest.mark.parametrize(("trigger", "written"), [("alarm", [1]), ("engine_lost", [])])
def test_what_is_due_at_the_end_is_written_unless_the_engine_ends_with_the_system(
    tmp_path: Path, trigger: str, written: list[int]
) -> None:
    recorder = Recorder(tmp_path, seconds_after=60.0)
    recorder.add("text")
    with recorder.running():
        recorder.saver.trigger((trigger, "in words"))
    assert [len(texts([path])) for path in tmp_path.iterdir()] == written


def test_what_was_not_written_for_is_forgotten_as_the_node_is_activated_again(
    tmp_path: Path,
) -> None:
    """Also what comes in between: there is nobody then who writes."""
    recorder = Recorder(tmp_path, seconds_after=60.0)
    recorder.add("text")
    with recorder.running():
        recorder.saver.trigger(("engine_lost", "the engine is lost"))
    recorder.saver.trigger(("limit", "axis 2: limit"))
    assert not recorder.logged("axis 2: limit")
    with recorder.running():
        recorder.saver.trigger(("alarm", "axis 1: alarm"))
    [path] = files(tmp_path)
    recording = Recording(path)
    assert texts([path])
    assert path.name.endswith("_alarm.mcap")
    assert [*recording.messages()]
    assert recording.about["reasons"] == "axis 1: alarm"


def test_a_thread_that_the_disk_keeps_does_not_go_on_beside_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, close = Recorder(tmp_path, seconds_after=0.0), RecordingFile.close
    others, closing, disk = {*threading.enumerate()}, Event(), Event()

    def close_late(file: RecordingFile) -> Path:
        closing.set()
        disk.wait()
        return close(file)

    monkeypatch.setattr(RecordingFile, "close", close_late)
    monkeypatch.setattr(saving, "END_TIMEOUT", 0.01)
    with recorder.running():
        recorder.saver.trigger(("alarm", "axis 1: alarm"))
        assert closing.wait(WAIT_TIMEOUT)
    assert recorder.logged("takes too long: a file is lost")
    with recorder.running():
        disk.set()
        eventually(lambda: len({*threading.enumerate()} - others) == 1, "the first one ends")
        assert labels(tmp_path) == ["alarm"]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may get longer than 100 kB, which is an OSError as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_leaves_no_file_and_what_is_in_memory_stays(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.add(os.urandom(2_000_000).hex())
    with full_disk(), pytest.raises(RecordingError, match="cannot be written"):
        recorder.saver.save([("saved", "asked for")])
    assert [*tmp_path.iterdir()] == []
    assert len(texts([recorder.saver.save([("saved", "asked for")])])) == 1


@pytest.mark.parametrize(("free", "is_written"), [(5 * MIB - 1, False), (5 * MIB, True)])
def test_so_many_megabytes_stay_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, is_written: bool
) -> None:
    recorder = Recorder(tmp_path, least_free_megabytes=5)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    recorder.add("x")
    with nullcontext() if is_written else pytest.raises(RecordingError, match="5 MiB or more"):
        recorder.saver.save([("saved", "asked for")])


def test_a_continuous_recording_rests_while_too_few_megabytes_are_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimpleNamespace(free=5 * MIB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)
    recorder = Recorder(tmp_path, continuous=True, least_free_megabytes=5)
    with recorder.running():
        recorder.add("before")
        eventually(lambda: [*tmp_path.glob("*.part")], "a file is begun")
        disk.free -= 1
        eventually(lambda: recorder.logged("5 MiB or more"), "it is reported")
        assert [*tmp_path.glob("*.part")] == [], "what there is is whole"
        recorder.add("meanwhile")
        disk.free += 1
        eventually(lambda: [*tmp_path.glob("*.part")], "another file is begun")
    assert len(texts(files(tmp_path))) == 2


@pytest.mark.parametrize(("size", "is_kept"), [(MIB // 2 + 1, False), (MIB // 2, True)])
def test_recordings_take_so_many_megabytes_at_most(
    tmp_path: Path, size: int, is_kept: bool
) -> None:
    old = [tmp_path / f"wmx_{name}.mcap" for name in "ab"]
    for age, path in enumerate(reversed(old)):
        path.write_bytes(bytes(size))
        os.utime(path, (1000 - age, 1000 - age))
    recorder = Recorder(tmp_path, disk_megabytes=1)
    recorder.add("x")
    recorder.saver.save([("saved", "asked for")])
    assert [path.exists() for path in old] == [is_kept, True]


def test_a_recording_that_was_triggered_is_tried_again(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, seconds_after=0.0)
    recorder.add(os.urandom(2_000_000).hex())
    with recorder.running():
        with full_disk():
            recorder.saver.trigger(("alarm", "axis 1: alarm"))
            eventually(lambda: recorder.logged("cannot be written"), "it is reported")
        [path] = eventually(lambda: files(tmp_path), "the file is written")
    assert len(texts([path])) == 1


@pytest.mark.parametrize("remove", [Path.unlink, lambda part: shutil.rmtree(part.parent)])
def test_a_file_or_a_folder_that_vanishes_is_reported_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remove: Callable[[Path], object]
) -> None:
    monkeypatch.setattr("wmx_ros2_package.recordings.files.FLUSH_PERIOD", 0.0)
    folder = tmp_path / "files"
    recorder = Recorder(folder, continuous=True)
    with recorder.running():
        [part] = eventually(lambda: [*folder.glob("*.part")], "a file is begun")
        remove(part)
        recorder.add("lost with its file")
        eventually(lambda: recorder.logged("Recording is interrupted: "), "it is reported")
        eventually(lambda: [*folder.glob("*.part")], "another file is begun")
        recorder.add("kept")
        assert recorder.saver.save([("saved", "asked for")]).parent == folder
    assert serialize_message(String(data="kept")) in texts(files(folder))


def test_a_disk_that_fills_in_the_middle_loses_nothing_that_was_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wmx_ros2_package.recordings.files.FLUSH_PERIOD", 0.0)
    recorder = Recorder(tmp_path, continuous=True)
    with recorder.running():
        recorder.add("before")
        eventually(lambda: in_part(tmp_path, "before"), "it is in the file")
        with full_disk():
            recorder.add(os.urandom(2_000_000).hex())
            eventually(lambda: recorder.logged("Recording is interrupted: "), "it is reported")
            assert recorder.logged("File too large")
        eventually(lambda: recorder.logged("was not whole and is mended"), "it is mended")
        eventually(lambda: [*tmp_path.glob("*.part")], "a file is begun again")
        recorder.add("after")
    found = texts(files(tmp_path))
    assert [each for each in found if b"before" in each]
    assert [each for each in found if b"after" in each]
    assert [each for each in found if len(each) > 2_000_000], "the memory has it still"


def test_what_cannot_be_mended_at_first_is_mended_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = RecordingFile(tmp_path / "wmx_a.mcap")
    file.add("/text", "std_msgs/msg/String", 0, serialize_message(String(data="left")))
    part = file.close().rename(tmp_path / "wmx_a.mcap.part")
    begin, tries = RecordingFile.__init__, count()

    def begin_at_last(file: RecordingFile, path: Path) -> None:
        if next(tries) < 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        begin(file, path)

    monkeypatch.setattr(RecordingFile, "__init__", begin_at_last)
    recorder = Recorder(tmp_path)
    with recorder.running():
        eventually(lambda: [*tmp_path.glob("*_mended.mcap")], "it is mended")
    reports = [text for text in recorder.node.logged if "cannot be mended: " in text]
    assert len(reports) == 1, "which is reported once"
    assert not part.exists()


def test_a_folder_that_cannot_be_read_is_reported_once_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, folder, rounds = tmp_path / "left", tmp_path / "files", list[float]()
    left.mkdir()
    file = RecordingFile(left / "wmx_a.mcap")
    file.add("/text", "std_msgs/msg/String", 0, serialize_message(String(data="left")))
    file.close().rename(left / "wmx_a.mcap.part")
    folder.symlink_to("x" * 300)  # too long a name, which is refused to root as well
    monkeypatch.setattr(WallClock, "check", lambda *_: rounds.append(STEADY.now()))
    recorder = Recorder(folder)
    with recorder.running():
        period = saving.RETRY_PERIOD
        eventually(lambda: rounds and rounds[-1] - rounds[0] > 3 * period, "it is read again")
        folder.unlink()
        left.rename(folder)
        eventually(lambda: [*folder.glob("*_mended.mcap")], "what was left is mended")
    assert len([text for text in recorder.node.logged if "cannot be mended: " in text]) == 1


def set_system_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the system clock be ahead by `seconds`."""
    now = time.time_ns
    monkeypatch.setattr(SteadyClock, "time_ns", lambda _: now() + int(seconds * 1e9))


def test_a_clock_that_jumps_is_reported_and_tears_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, written, add = Recorder(tmp_path, continuous=True), list[str](), RecordingFile.add

    def add_and_note(file: RecordingFile, topic: str, *of: Any) -> None:
        add(file, topic, *of)
        written.append(topic)

    monkeypatch.setattr(RecordingFile, "add", add_and_note)
    with recorder.running():
        recorder.add("before")
        eventually(lambda: "/cell/text" in written, "it is written, with the time of then")
        set_system_clock(monkeypatch, 3600.0)
        eventually(lambda: recorder.logged("The system clock has jumped by +3600.0"), "reported")
        recorder.add("after")
    [path] = files(tmp_path)
    before, after = of_topic(Recording(path), "/cell/text")
    assert 3_599 < (after.time - before.time) * 1e-9 < 3_700
    assert Recording(path).path == path


def test_a_clock_that_differs_by_little_has_not_jumped(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, jumps = WallClock(STEADY), list[float]()
    for seconds in (0.05, -0.05):
        set_system_clock(monkeypatch, seconds)
        wall.check(jumps.append)
    assert jumps == []
    set_system_clock(monkeypatch, -10.0)
    wall.check(jumps.append)
    wall.check(jumps.append)
    assert [round(jump) for jump in jumps] == [-10]
