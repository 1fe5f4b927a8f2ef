"""Files of recordings: open to other readers, whole after a crash, within their limits."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path
from typing import IO, Any

import pytest
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from mcap_ros2.decoder import DecoderFactory
from rclpy.serialization import serialize_message
from recording import of_topic
from rosbags.highlevel import AnyReader
from std_msgs.msg import String
from wmx_ros2_message.msg import EndMotion

from wmx_core.clock import STEADY
from wmx_ros2_package.recordings import files, mending
from wmx_ros2_package.recordings.errors import RecordingError
from wmx_ros2_package.recordings.files import FLUSH_PERIOD, PART, Folder, RecordingFile
from wmx_ros2_package.recordings.mending import mend, mend_all
from wmx_ros2_package.recordings.reading import Recording
from wmx_ros2_package.recordings.schemas import UnknownType, definition, is_of_this_version
from wmx_sim.engine.clock import HeldClock

STRING = "std_msgs/msg/String"


def write(path: Path, count: int = 100) -> Path:
    """A recording of so many texts."""
    file = RecordingFile(path)
    file.describe({"label": "test"})
    file.attach("parameters.xml", "application/xml", b"<x/>", 0)
    for i in range(count):
        file.add("/text", STRING, 10**9 + i, serialize_message(String(data=f"{i}")))
    return file.close()


def fail(error: Exception) -> None:
    raise error


def texts(path: Path) -> list[str]:
    with AnyReader([path]) as reader:
        found = reader.messages()
        return [reader.deserialize(raw, connection.msgtype).data for connection, _, raw in found]


def test_other_readers_open_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mcap")
    assert texts(path) == [f"{i}" for i in range(100)]
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        assert [each[3].data for each in reader.iter_decoded_messages()] == texts(path)
        [about] = reader.iter_metadata()
        [attached] = reader.iter_attachments()
    assert (about.metadata, attached.data) == ({"label": "test"}, b"<x/>")
    recording = Recording(path)
    assert [message.time for message in recording.messages()] == [10**9 + i for i in range(100)]
    assert (recording.about, recording.cut_off) == ({"label": "test"}, "")
    assert recording.attachments["parameters.xml"].data == b"<x/>"


def test_a_definition_has_all_that_a_type_is_made_of() -> None:
    text = definition("wmx_ros2_message/msg/EndMotion").decode()
    for used in "std_msgs/Header", "builtin_interfaces/Time", "unique_identifier_msgs/UUID":
        assert text.count(f"MSG: {used}\n") == 1
    assert EndMotion.__name__ == "EndMotion"
    text = definition("rcl_interfaces/msg/ParameterDescriptor").decode()
    assert text.count("MSG: rcl_interfaces/FloatingPointRange\n") == 1  # of an array with a bound
    for unknown in "nothing/msg/There", "std_msgs/msg/There", "String", "../../etc/passwd":
        with pytest.raises(UnknownType):
            definition(unknown)


WRITER = """
    import sys, time
    from pathlib import Path
    from rclpy.serialization import serialize_message
    from std_msgs.msg import String
    from wmx_ros2_package.recordings import files
    files.FLUSH_PERIOD = 0.0
    file = files.RecordingFile(Path(sys.argv[1]))
    file.describe({"label": "killed"})
    for i in range(1_000_000):
        file.add("/text", "std_msgs/msg/String", i, serialize_message(String(data=f"{i}")))
        if i == 500:
            print("ready", flush=True)
            time.sleep(0.001)
"""


def test_a_file_whose_writer_was_killed_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "wmx_a.mcap"
    writer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path)], stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert not path.exists()
    [mended] = mend_all(Folder(tmp_path, 10**9, 0), fail)
    found = texts(mended)
    assert len(found) >= 500
    assert found == [f"{i}" for i in range(len(found))]
    assert Recording(mended).path == mended
    assert [each.name for each in tmp_path.iterdir()] == [mended.name]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=cases(50))
@given(st.data())
def test_a_file_that_is_cut_off_or_damaged_is_read_as_far_as_it_is_whole(
    tmp_path: Path, data: st.DataObject
) -> None:
    whole = write(tmp_path / "whole.mcap").read_bytes()
    cut = tmp_path / "cut.mcap"
    damaged = bytearray(whole[: data.draw(st.integers(8, len(whole) - 1))])
    if data.draw(st.booleans()):
        damaged[
            data.draw(st.integers(8, len(damaged)) if len(damaged) > 8 else st.just(8)) - 1
        ] ^= 7
    damaged[:8] = whole[:8]
    cut.write_bytes(damaged)
    recording = Recording(cut)
    found = [message.data for message in of_topic(recording, "/text")]
    assert found == [serialize_message(String(data=f"{i}")) for i in range(len(found))]
    assert len(found) in (0, 100)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "is empty"),
        (b"SQLite format 3\0" * 10, "is no MCAP file"),
        (b"\x89MCAP1\r\n", "is MCAP of version 1: must be 0"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes, word: str) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=word):
        Recording(path)


def test_a_file_or_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in tmp_path / "a.mcap", tmp_path:
        with pytest.raises(RecordingError, match="cannot be read"):
            Recording(path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "wmx_a.mcap"
    os.mkfifo(pipe)
    with pytest.raises(RecordingError, match="cannot be read: it must be a regular file"):
        Recording(pipe)
    pipe.rename(tmp_path / f"wmx_a.mcap{PART}")
    refused: list[Exception] = []
    assert list(mend_all(Folder(tmp_path, 10**9, 0), refused.append)) == []
    assert "must be a regular file" in str(refused[0])


def test_a_part_without_messages_is_removed(tmp_path: Path) -> None:
    part = tmp_path / f"wmx_a.mcap{PART}"
    part.write_bytes(b"\x89MCAP0\r\n")
    assert mend(part) is None
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_are_removed_where_there_are_too_many(tmp_path: Path) -> None:
    folder = Folder(tmp_path, 3000, 0)
    for number in range(4):
        path = tmp_path / f"wmx_{number}.mcap"
        path.write_bytes(bytes(1000))
        os.utime(path, (number, number))
    other = tmp_path / "photos.mcap"
    other.write_bytes(bytes(5000))
    folder.begin(0.0, "alarm").abandon()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("photos.mcap", "wmx_1.mcap", "wmx_2.mcap", "wmx_3.mcap")
    ]


def test_a_folder_that_is_called_as_a_recording_is_left_alone(tmp_path: Path) -> None:
    """As `ros2 bag record --output wmx_a.mcap` makes one."""
    bag, recording = tmp_path / "wmx_a.mcap", tmp_path / "wmx_b.mcap"
    bag.mkdir()
    recording.write_bytes(bytes(1000))
    os.utime(bag, (0, 0))
    Folder(tmp_path, 500, 0).begin(0.0, "alarm").abandon()
    assert [*tmp_path.iterdir()] == [bag]


def test_a_disk_that_has_too_little_free_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="least_free_megabytes"):
        Folder(tmp_path, 1000, 1 << 60).begin(0.0, "alarm")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="no recording can be written"):
        Folder(tmp_path / "file" / "folder", 1000, 0).begin(0.0, "alarm")


def test_a_name_is_not_given_again_after_its_recording_was_removed(tmp_path: Path) -> None:
    """A path in the log would name another recording."""
    folder, names = Folder(tmp_path, 0, 0), list[str]()
    for _ in range(5):
        names.append(folder.begin(0.0, "alarm").close().name)
    assert len({*names}) == 5
    assert [path.name for path in folder.recordings()] == names[-1:]


def test_a_part_is_not_mended_while_the_disk_has_too_little_room(tmp_path: Path) -> None:
    whole, errors = write(tmp_path / "wmx_a.mcap"), list[Exception]()
    part = whole.rename(tmp_path / f"wmx_a.mcap{PART}")
    assert list(mend_all(Folder(tmp_path, 10**9, 1 << 60), errors.append)) == []
    assert part.exists()
    assert "least_free_megabytes" in str(errors[0])
    assert len(list(mend_all(Folder(tmp_path, 10**9, 0), errors.append))) == 1


def test_a_file_that_is_removed_while_it_is_written_is_noticed(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "a.mcap")
    (tmp_path / f"a.mcap{PART}").unlink()
    with pytest.raises(OSError, match="removed") as caught:
        file.flush()
    assert caught.value.errno == errno.ENOENT
    file.abandon()


def test_what_was_added_is_in_the_file_within_its_period(tmp_path: Path) -> None:
    clock = HeldClock()
    file = RecordingFile(tmp_path / "a.mcap", clock)
    empty = file.size
    file.add("/text", STRING, 0, serialize_message(String(data="x")))
    clock.advance(FLUSH_PERIOD)
    file.add("/text", STRING, 0, serialize_message(String(data="x")))
    assert file.size > empty
    file.abandon()


def test_what_another_recorder_writes_is_not_mended(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "wmx_a.mcap")
    file.add("/text", STRING, 0, serialize_message(String(data="x")))
    file.flush()
    assert list(mend_all(Folder(tmp_path, 10**9, 0), fail)) == []
    with pytest.raises(BlockingIOError):
        RecordingFile(tmp_path / "wmx_a.mcap")
    assert texts(file.close()) == ["x"]


@pytest.mark.parametrize(
    ("owner", "call"),
    [(files, "lock"), (Path, "rename"), (Path, "unlink")],
    ids=["as it begins", "as it is closed", "as it is given up"],
)
def test_a_file_is_not_mended_in_the_moment_in_which_its_state_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, call: str
) -> None:
    """The writer of the node and a client's request are two threads of one recorder."""
    real, mended = getattr(owner, call), list[Path]()

    def meanwhile(*given: Any) -> Any:
        with monkeypatch.context() as within:
            within.setattr(owner, call, real)
            mended.extend(mend_all(Folder(tmp_path, 10**9, 0), fail))
        return real(*given)

    monkeypatch.setattr(owner, call, meanwhile)
    file = RecordingFile(tmp_path / "wmx_a.mcap")
    file.add("/text", STRING, 0, serialize_message(String(data="x")))
    if call == "unlink":
        file.flush()
        file.abandon()
        assert [*tmp_path.iterdir()] == []
    else:
        assert texts(file.close()) == ["x"]
    assert mended == []


def test_a_file_that_becomes_whole_before_it_is_mended_is_none_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, real = RecordingFile(tmp_path / "wmx_a.mcap"), mending.lock

    def close_before(part: IO[bytes]) -> None:
        file.close()
        real(part)

    monkeypatch.setattr(mending, "lock", close_before)
    assert list(mend_all(Folder(tmp_path, 10**9, 0), fail)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["wmx_a.mcap"]


def test_a_part_that_was_never_begun_is_removed(tmp_path: Path) -> None:
    part = tmp_path / f"wmx_a.mcap{PART}"
    part.touch()
    assert list(mend_all(Folder(tmp_path, 10**9, 0), fail)) == []
    assert part.exists(), "its writer may be about to"
    os.utime(part, (part.stat().st_mtime - 60.0,) * 2)
    assert list(mend_all(Folder(tmp_path, 10**9, 0), fail)) == []
    assert not part.exists()


def test_what_another_recorder_mends_is_left_to_it(tmp_path: Path) -> None:
    """Two recorders have one folder, unless they are given others."""
    write(tmp_path / "wmx_a.mcap").rename(tmp_path / f"wmx_a.mcap{PART}")
    folder, found = Folder(tmp_path, 10**9, 0), list[Path]()

    class Meeting(Folder):
        """Lets the other one mend while this one is about to."""

        def require_room(self) -> None:
            found.extend(mend_all(folder, fail))

    [mended] = mend_all(Meeting(tmp_path, 10**9, 0), fail)
    assert found == []
    assert len(texts(mended)) == 100


def test_what_was_mended_before_is_not_replaced(tmp_path: Path) -> None:
    """A computer whose clock begins anew at each start gives its recordings the same names."""
    for number in range(3):
        whole = write(tmp_path / "wmx_a.mcap", 100 + number)
        whole.rename(tmp_path / f"wmx_a.mcap{PART}")
        [mended] = mend_all(Folder(tmp_path, 10**9, 0), fail)
        assert len(texts(mended)) == 100 + number
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("wmx_a_mended.mcap", "wmx_a_mended_1.mcap", "wmx_a_mended_2.mcap")
    ]


def test_what_was_missing_before_it_was_mended_is_missing_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wmx_a.mcap"
    contents, starts = chunked(path, monkeypatch)
    at = starts[1] + 60
    path.write_bytes(contents[:at] + bytes([contents[at] ^ 0x10]) + contents[at + 1 :])
    broken = Recording(path)
    left = [message.data for message in broken.messages()]
    path.rename(tmp_path / f"wmx_a.mcap{PART}")
    [mended] = mend_all(Folder(tmp_path, 10**9, 0), fail)
    recording = Recording(mended)
    assert [message.data for message in recording.messages()] == left
    assert recording.gaps == broken.gaps
    assert "gaps" not in recording.about


def test_a_part_that_cannot_be_mended_stays_and_keeps_no_other_from_it(tmp_path: Path) -> None:
    foreign, errors = tmp_path / f"wmx_a.mcap{PART}", list[Exception]()
    foreign.write_text("something else")
    empty = tmp_path / f"wmx_b.mcap{PART}"
    empty.touch()
    os.utime(empty, (0.0, 0.0))
    whole = write(tmp_path / "wmx_c.mcap")
    whole.rename(tmp_path / f"wmx_c.mcap{PART}")
    [mended] = mend_all(Folder(tmp_path, 10**9, 0), errors.append)
    assert len(texts(mended)) == 100
    assert [str(foreign) in str(error) for error in errors] == [True]
    assert {path.name for path in tmp_path.iterdir()} == {foreign.name, mended.name}


def bomb(path: Path, *messages: int, **options: Any) -> None:
    """A recording of one chunk, by another writer, whose messages have so many bytes."""
    with path.open("wb") as stream:
        writer = Writer(stream, **options)
        writer.start()
        schema = writer.register_schema(STRING, "ros2msg", b"string data")
        channel = writer.register_channel("/text", "cdr", schema)
        for size in messages:
            writer.add_message(channel, 0, bytes(size), 0)
        writer.finish()


def test_a_chunk_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.mcap"
    bomb(path, *[1 << 20] * 65, chunk_size=1 << 30)
    assert path.stat().st_size < 1 << 20
    recording = Recording(path)
    assert list(recording.messages()) == []
    assert "a chunk of 65 MiB: must be 64 MiB at most" in recording.gaps[0].reason
    assert recording.cut_off == ""


@pytest.mark.parametrize("packed", CompressionType)
def test_a_chunk_that_is_longer_than_it_says_is_not_unpacked(
    tmp_path: Path, packed: CompressionType
) -> None:
    path = tmp_path / "bomb.mcap"
    bomb(path, 10_000, compression=packed)
    assert len(list(Recording(path).messages())) == 1
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    [chunk] = summary.chunk_indexes
    contents, at = path.read_bytes(), chunk.chunk_start_offset + 25  # kind, length and two times
    size = chunk.uncompressed_size.to_bytes(8, "little")
    assert contents[at : at + 8] == size
    path.write_bytes(contents[:at] + (1000).to_bytes(8, "little") + contents[at + 8 :])
    recording = Recording(path)
    found = list(recording.messages())
    if packed is CompressionType.NONE:
        assert len(found) == 1, "it is as long as it is"
    else:
        assert found == []
        assert "does not unpack to the 1000 bytes that it says" in recording.gaps[0].reason


def chunked(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, list[int]]:
    """A recording of 100 texts in several chunks, and where each begins."""
    monkeypatch.setattr(files, "CHUNK_BYTES", 1000)
    contents = write(path).read_bytes()
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    starts = [chunk.chunk_start_offset for chunk in summary.chunk_indexes]
    assert len(starts) > 3
    return contents, starts


@pytest.mark.parametrize("broken", [0, 1, -1])
@pytest.mark.parametrize("place", ["contents", "length", "kind"])
def test_a_chunk_that_is_broken_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int, place: str
) -> None:
    """Whatever bit of it has flipped: the others are read, also after the first one."""
    path = tmp_path / "a.mcap"
    contents, starts = chunked(path, monkeypatch)
    before = [message.data for message in Recording(path).messages()]
    start = starts[broken]
    at = {"kind": start, "length": start + 2, "contents": start + 60}[place]
    path.write_bytes(contents[:at] + bytes([contents[at] ^ 0x10]) + contents[at + 1 :])
    recording = Recording(path)
    after = [message.data for message in recording.messages()]
    assert len(before) * 0.5 < len(after) < len(before)
    assert set(after) < set(before)
    assert recording.gaps or recording.cut_off
    if place == "contents":
        [gap] = recording.gaps
        assert 10**9 <= gap.first < gap.last < 10**9 + 100
        assert gap.last - gap.first + 1 == len(before) - len(after)
    whole = Recording(path, skips=False)
    assert len([*whole.messages()]) <= len(after)
    assert whole.cut_off


def test_an_attachment_that_is_broken_is_none(tmp_path: Path) -> None:
    """Parameters with another digit would be replayed as if they had been recorded."""
    path = write(tmp_path / "a.mcap")
    path.write_bytes(path.read_bytes().replace(b"<x/>", b"<y/>"))
    recording = Recording(path)
    assert len([*recording.messages()]) == 100
    assert (recording.attachments, len(recording.gaps)) == ({}, 1)


def test_without_an_index_what_the_broken_chunk_described_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mcap"
    contents, starts = chunked(path, monkeypatch)
    at = starts[0] + 100
    cut = contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1 : starts[-1]]
    path.write_bytes(cut)
    recording = Recording(path)
    assert [*recording.messages()] == []
    assert "messages of topics that a broken part describes" in recording.gaps[-1].reason
    assert recording.cut_off == "the end is missing"


def test_a_file_with_a_hole_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write(path)
    with path.open("r+b") as file:
        file.truncate(8)
        file.truncate(20 << 30)
    start = STEADY.now()
    recording = Recording(path)
    assert [*recording.messages()] == []
    assert "there is no record of kind 0" in recording.cut_off
    assert STEADY.now() < start + 5.0


@pytest.mark.long
def test_a_recording_of_any_length_takes_the_same_memory(tmp_path: Path) -> None:
    """Of ten times as many messages, that are read one after the other."""
    most = []
    for count in (2_000, 20_000):
        path = write(tmp_path / f"{count}.mcap", count)
        tracemalloc.start()
        assert sum(1 for _ in Recording(path).messages()) == count
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < 2 * most[0] + (8 << 20)


def test_messages_of_another_version_keep_their_definition_when_they_are_mended(
    tmp_path: Path,
) -> None:
    kind, older = "wmx_ros2_message/msg/HardwareError", b"int32 code  # all that there was"
    part = tmp_path / f"wmx_a.mcap{PART}"
    file = RecordingFile(tmp_path / "wmx_a.mcap")
    file.add("/error", kind, 1, b"\0\1\0\0\7\0\0\0", older)
    file.flush()
    file.abandon(remove=False)
    assert part.exists()
    mended = mend(part)
    assert mended is not None
    [message] = Recording(mended).messages()
    assert (message.definition, message.data[-4:]) == (older, b"\7\0\0\0")
    assert not is_of_this_version(kind, older)
    assert is_of_this_version(kind, definition(kind) + b"\n# a comment more\n")
    assert not is_of_this_version("nothing/msg/There", b"")
