"""What a recording shows is what happened, and `wmx recording` prints it."""

import importlib.util
import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
from command_line import Shell
from held_engine import HeldEngine, position_move
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from wmx_ros2_message.msg import EndMotion, EngineCommand

from wmx_core.values import EmergencyStop
from wmx_ros2_package.cli.recording import MOST_LINES
from wmx_ros2_package.messages.engine_status_cdr import engine_status_cdr, values_of
from wmx_ros2_package.recordings import summary as module
from wmx_ros2_package.recordings.files import RecordingFile
from wmx_ros2_package.recordings.reading import Recording
from wmx_ros2_package.recordings.summary import COMMAND, END, STATUS, curves_of, summarize

START = 1_795_405_286_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An axis of two moves; its drive raises an alarm on the way, then all are stopped."""
    held, file = HeldEngine(2).servo_on(), RecordingFile(tmp_path / "wmx_a.mcap")
    file.describe({"node": "/wmx_recorder_node", "driver": "fake", "axes": "2", "reasons": "why"})

    def record(seconds: float) -> None:
        for _ in range(round(seconds / 0.01)):
            status = held.after(0.01)
            stamp = START + int(status.time * 1e9)
            [data] = engine_status_cdr(values_of(status), [stamp])
            file.add("/cell/wmx/engine/status", STATUS, stamp, data)

    record(0.1)
    held.motion.move_absolute([position_move(1, 10.0, velocity=1.0, acc=10.0, dec=10.0)])
    record(0.5)
    held.raise_alarm(1, 0x7121)
    record(0.2)
    stamp = START + int(held.status().time * 1e9)
    refused = EngineCommand(source="/n", method="move_absolute", error_code=1568, message="alarm")
    file.add("/cell/wmx/engine/command", COMMAND, stamp, serialize_message(refused))
    for reason in EndMotion.ARRIVED, EndMotion.ALARM, 99:
        end = EndMotion(source="/n", axes=[1], reason=reason, message="in words")
        file.add("/cell/wmx/motion/end", END, stamp, serialize_message(end))
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    record(0.1)
    held.motion.release_emergency_stop()
    record(0.1)
    file.add("/cell/wmx/engine/status", STATUS, stamp, b"no status")
    file.add("/cell/wmx/motion/end", END, stamp, b"no end")
    return file.close()


def test_events_in_their_order_and_what_the_axes_did(path: Path) -> None:
    summary = summarize(Recording(path))
    surprises = [(event.axes, event.text) for event in summary.events if not event.expected]
    words = ["alarm", "servo off", "refused", "ALARM", "level1", "released"]
    assert len(surprises) == len(words)
    for word, (_, text) in zip(words, surprises, strict=True):
        assert word in text, surprises
    assert [axes for axes, _ in surprises] == [(1,), (1,), (), (1,), (), ()]
    assert "0x7121" in surprises[0][1]
    assert [*summary.extents] == [1]
    assert summary.extents[1].low == 0.0
    assert summary.extents[1].velocity == 1.0
    assert 0.3 < summary.extents[1].high < 0.7
    assert summary.statuses == 100


def test_an_engine_that_comes_back_with_more_axes_is_summarized(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "wmx_more.mcap")
    for axes in 1, 2:
        held = HeldEngine(axes).servo_on()
        held.motion.move_absolute([position_move(axes - 1, 10.0, velocity=1.0, acc=10.0, dec=10.0)])
        status = held.after(0.2 * axes)
        [data] = engine_status_cdr(values_of(status), [START + axes])
        file.add("/wmx/engine/status", STATUS, START + axes, data)
    extents = summarize(Recording(file.close())).extents
    assert [*extents] == [0, 1]
    assert extents[1].low == extents[1].high > extents[0].high


def test_curves_are_those_of_the_samples(path: Path) -> None:
    times, [row] = curves_of(Recording(path), [1], "pos_cmd")
    assert len(times) == len(row) == 100
    assert (times[0], row[0]) == (0.0, 0.0)
    assert np.all(np.diff(times) > 0.009)
    assert [len(each) for each in curves_of(Recording(path), [], "pos_cmd")] == [len(times), 0]
    nothing, rows = curves_of(Recording(path), [7], "pos_cmd")
    assert len(nothing) == len(rows[0]) == 0


def test_the_verb_prints_twenty_lines_at_most(shell: Shell, path: Path) -> None:
    lines = shell.done("recording", path).splitlines()
    assert len(lines) <= MOST_LINES == 20
    assert sum("axis 1: " in line for line in lines) == 3
    assert lines[-1].startswith("axis 1 moved within 0 to ")
    assert "ARRIVED" in shell.done("recording", path, "--all")
    assert not any("ARRIVED" in line for line in lines)


def test_axes_have_their_names_before_and_after_a_motion_had_them(
    shell: Shell, tmp_path: Path
) -> None:
    file = RecordingFile(tmp_path / "named.mcap")
    alone = EndMotion(source="/n", axes=[1], reason=EndMotion.LIMIT)
    named = EndMotion(
        source="/n", axes=[1, 0], names=["joint2", "axis_0"], reason=EndMotion.SERVO_OFF
    )
    for i, end in enumerate((alone, named, alone)):
        file.add("/wmx/motion/end", END, START + i, serialize_message(end))
    path = file.close()
    lines = [line for line in shell.done("recording", path).splitlines() if "ends" in line]
    assert ["axis 1 (joint2): " in line for line in lines] == [True, False, True]
    assert "axes 1 (joint2), 0: " in lines[1]
    assert shell("recording", path, "--json").data["names"] == {"1": "joint2", "0": "axis_0"}


def test_what_was_refused_makes_room_for_what_happened(shell: Shell, tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "many.mcap")
    for i in range(50):
        reason = EndMotion.LIMIT if i % 5 == 4 else EndMotion.REFUSED
        end = EndMotion(source="/n", axes=[1], reason=reason)
        file.add("/wmx/motion/end", END, START + i, serialize_message(end))
    lines = shell.done("recording", file.close()).splitlines()
    assert len(lines) == MOST_LINES
    assert sum("LIMIT" in line for line in lines) == 10
    printed = len([line for line in lines if "motion ends" in line])
    assert f"{50 - printed} more" in lines[-1]


def test_the_verb_has_json(shell: Shell, path: Path) -> None:
    data = shell("recording", path, "--json").data
    assert data["about"]["driver"] == "fake"
    assert data["axes"]["1"]["velocity"] == 1.0
    assert json.dumps(data)


def test_the_verb_draws(shell: Shell, path: Path) -> None:
    drawn = shell.done("recording", path, "--plot", "0", "1", "--of", "velocity")
    assert drawn.startswith("velocity, u/s:  axis 0  axis 1")
    assert shell("recording", path, "--plot", "5").code == 1


def test_a_part_of_the_time_is_drawn(shell: Shell, path: Path) -> None:
    drawn = shell.done("recording", path, "--plot", "1", "--from", "0.2", "--to", "0.4")
    scale = drawn.splitlines()[-1].split()
    assert scale[0].lstrip("\u2514") == "0.2"
    assert scale[-2:] == ["0.4", "s"]
    ended = shell("recording", path, "--plot", "1", "--from", "60")
    assert (ended.code, ended.out) == (2, "")
    assert "nothing is recorded then: it lasts from 0 to 0.99 s" in ended.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "5"], "--from 5.0: must come with --plot or --png, which draw"),
        (["--of", "torque", "--to", "0"], "--of torque --to 0.0: must come with --plot"),
        (["--from", "5", "--to", "1"], "--from 5 is after --to 1: must be at or before it"),
        (["--plot", "1", "--from", "5", "--to", "1"], "--from 5 is after --to 1"),
    ],
)
def test_options_of_drawing_that_draw_nothing_are_refused(
    shell: Shell, path: Path, options: list[str], words: str
) -> None:
    ended = shell("recording", path, *options)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def test_a_file_that_was_cut_before_its_first_status_has_no_invented_time(
    shell: Shell, path: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.mcap"
    short.write_bytes(path.read_bytes()[:500])
    ended = shell("recording", short)
    assert "short.mcap: no status of the axes can be read, so its time is not known" in ended.out
    assert "1970" not in ended.out
    data = shell("recording", short, "--json").data
    assert (data["first"], data["last"]) == (None, None)

    file = RecordingFile(tmp_path / "events.mcap")
    limit = EndMotion(source="/n", axes=[1], reason=EndMotion.LIMIT)
    file.add("/wmx/motion/end", END, START, serialize_message(limit))
    assert "only events, the first at 2026-11-2" in shell.done("recording", file.close())


def test_what_is_no_recording_is_a_wrong_argument(shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other.mcap"
    other.write_text("nothing like it")
    for file in other, tmp_path / "missing.mcap":
        ended = shell("recording", file)
        assert (ended.code, ended.out) == (2, "")
        assert str(file) in ended.err


def test_a_recording_of_something_else_says_so(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    file = RecordingFile(path)
    file.add("/text", "std_msgs/msg/String", START, serialize_message(String(data="x")))
    file.close()
    ended = shell("recording", path)
    assert ended.code == 2
    assert f"{path} has nothing that a recorder of WMX writes" in ended.err


def test_a_recording_of_another_version_says_so(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "older.mcap"
    file = RecordingFile(path)
    file.describe({"axes": "2"})  # as every recorder does
    file.add("/wmx/engine/status", STATUS, START, b"\0\1\0\0\7\0\0\0", b"int32 cycle")
    file.close()
    ended = shell("recording", path)
    assert ended.code == 2
    assert "is of another version of the interfaces" in ended.err
    replayed = shell("replay", path)
    assert replayed.code == 2
    assert "EngineStatus is of another version" in replayed.err
    summary = summarize(Recording(path))
    assert (summary.statuses, summary.other_version) == (0, 1)


def test_a_recording_that_is_cut_off_before_anything_says_why(
    shell: Shell, path: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(path.read_bytes()[:20])
    ended = shell("recording", cut)
    assert ended.code == 2
    assert "has nothing that can be read: " in ended.err
    half = tmp_path / "half.mcap"
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    ended = shell("recording", half)
    assert ended.code == 1
    assert "the file is not whole, what follows was before: " in ended.out
    assert "half.mcap is not whole" in ended.err


def test_a_recording_with_a_gap_is_no_success(shell: Shell, path: Path, tmp_path: Path) -> None:
    contents = bytearray(path.read_bytes())
    contents[300] ^= 1
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(contents)
    ended = shell("recording", broken)
    assert ended.code in (1, 2), ended
    assert "there is a gap" in ended.out or "has nothing that can be read" in ended.err
    replayed = shell("replay", broken)
    assert replayed.code == 2
    assert "has nothing that can be replayed: " in replayed.err


def test_what_is_kept_of_a_long_recording_is_bounded(
    path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_EVENTS", 3)
    summary = summarize(Recording(path))
    assert len(summary.events) == 3
    assert summary.more > 0
    assert shell("recording", path, "--json").data["more_events"] == summary.more
    assert f"and {summary.more} more, which are not kept" in shell("recording", path, "--all").out
    monkeypatch.setattr(module, "MOST_SAMPLES", 30)
    times, [row] = curves_of(Recording(path), [1], "pos_cmd")
    assert 15 <= len(times) == len(row) <= 31
    assert np.allclose(np.diff(times), np.diff(times)[0])


def test_a_picture_needs_matplotlib(
    shell: Shell, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    ended = shell("recording", path, "--png", tmp_path / "a.png")
    assert ended.code == 1
    assert "matplotlib is missing, which draws pictures into files" in ended.err
    assert "pip install matplotlib" in ended.err
    assert shell("recording", path, "--png", tmp_path / "a.txt").code == 2


def test_a_picture_has_a_line_for_each_axis(
    shell: Shell, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what matplotlib is asked for, and with itself where it is installed."""
    picture, figure = tmp_path / "a.png", MagicMock()
    words = "recording", path, "--png", picture, "--of", "velocity"
    with monkeypatch.context() as replaced:
        for name in "matplotlib", "matplotlib.figure":
            replaced.setitem(sys.modules, name, MagicMock(**{"Figure.return_value": figure}))
        assert "velocity, u/s of axes [1], 100 samples" in shell.done(*words)
        plotted = figure.subplots.return_value.plot.call_args_list
        assert [(*map(len, each.args), each.kwargs["label"]) for each in plotted] == [
            (100, 100, "axis 1")
        ]
        figure.savefig.assert_called_once_with(picture)
        both = shell("recording", path, "--png", picture, "--plot", 0, 1, "--json")
        assert both.data["axes"] == [0, 1]
    if importlib.util.find_spec("matplotlib"):
        shell.done(*words)
        assert picture.exists()
