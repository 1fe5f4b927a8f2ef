"""A recording is replayed as it was, to the last bit, and what is not as it was is named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from cases import cases
from command_line import Shell
from held_engine import MODEL, HeldEngine, position_move, velocity_move
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_orders import MOVES, Script, carry_out, values
from rclpy.serialization import serialize_message
from wmx_ros2_message.msg import EngineCommand

from wmx_core.errors import CommandRefused, ParameterFileError
from wmx_core.values import CommandMode, EmergencyStop, LinearMove, SplineMove
from wmx_ros2_package.cli.comparing import Comparison, Replay
from wmx_ros2_package.cli.replaying import replay
from wmx_ros2_package.control.motion_ends import Ending, end_of
from wmx_ros2_package.control.reported_motion import Report, ReportedMotion, arguments_of, plain
from wmx_ros2_package.control.request import Begin, EndReason, MotionKind, MotionRequest
from wmx_ros2_package.control.tracker import MotionTracker
from wmx_ros2_package.messages.engine_commands import engine_command
from wmx_ros2_package.messages.engine_status_cdr import engine_status_cdr, values_of
from wmx_ros2_package.messages.motions import begin_motion, end_motion
from wmx_ros2_package.recordings import files
from wmx_ros2_package.recordings.errors import RecordingError
from wmx_ros2_package.recordings.files import RecordingFile
from wmx_ros2_package.recordings.reading import Recording
from wmx_ros2_package.recordings.summary import BEGIN, COMMAND, END, STATUS

EPOCH = 1_795_405_286_000_000_000
AXES = 2


def stamp(time: float) -> int:
    return EPOCH + int(time * 1e9)


_MODEL = replace(MODEL, counts_per_revolution=1_000_000, rated_acceleration=1e8)
"""One revolution a user unit, and motors that follow their commands."""


class Recorder:
    """Records a held engine of usual axes, every cycle, with the commands and ends of one node."""

    def __init__(
        self, path: Path, *, late: int = 0, rests: bool = True, clock_rate: float = 1.0
    ) -> None:
        """A command is in force `late` cycles after its call, and answered as many later."""
        self.late = late
        self.ids = list[UUID]()
        self.held = held = HeldEngine(
            AXES, model=_MODEL, gear_ratio_numerator=1e6, clock_rate=clock_rate
        )
        self.held.servo_on()
        held.after(2.0)  # the motors rest, to the last bit
        self.file = RecordingFile(path)
        self.file.describe({"node": "/r", "driver": "fake", "simulated": "true", "axes": str(AXES)})
        xml = held.motion.parameters().to_xml().encode()
        self.file.attach("parameters.xml", "application/xml", xml, stamp(0.0))
        machine = f"{_MACHINE}clock_rate: {clock_rate}\n".encode()
        self.file.attach("machine.yaml", "application/yaml", machine, stamp(0.0))
        self.motion = ReportedMotion(held.motion, self.command, lambda: True)
        self.tracker = MotionTracker("/node", 0.0, lambda: held.status().time)
        self.tracker.listen(self.event)
        self.changed: Callable[[EngineCommand], None] = lambda _: None
        if rests:
            self.run(0.01)

    def write(self) -> None:
        status = self.held.status()
        at = stamp(status.time)
        [data] = engine_status_cdr(values_of(status), [at])
        self.file.add("/wmx/engine/status", STATUS, at, data)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 1000)):
            self.write()  # as the engine keeps a cycle: with what was commanded in it
            self.tracker.update(self.held.after(0.001))

    def command(self, report: Report) -> None:
        now = self.held.status().time
        message = engine_command(report, "/node", stamp)
        message.called_at = now - self.late / 1000
        message.answered_at = now + self.late / 1000 + 1e-4
        self.changed(message)
        self.file.add("/wmx/engine/command", COMMAND, stamp(now), serialize_message(message))

    def event(self, event: Any) -> None:
        begin = isinstance(event, Begin)
        message = (begin_motion if begin else end_motion)(event, stamp)
        topic, kind = ("begin", BEGIN) if begin else ("end", END)
        self.file.add(f"/wmx/motion/{topic}", kind, stamp(event.time), serialize_message(message))

    def move(self, axis: int, target: float, **limits: float) -> None:
        self.motion.move_absolute([position_move(axis, target, **limits)])
        request = MotionRequest(
            kind=MotionKind.POSITION, axes=(axis,), asked_at=0.0, id=uuid4(), targets=(target,)
        )
        self.ids.append(self.tracker.begin(request, self.held.status(), self.held.status().time))


_MACHINE = """masters:
  - slaves:
      - {name: drive, axes: 1, count: 2, axis_model: {counts_per_revolution: 1000000,
         rated_acceleration: 100000000.0}}
parameters: elsewhere.xml
"""


@pytest.fixture(autouse=True)
def without_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else runs that whoever writes a file would have to leave time for."""
    monkeypatch.setattr(files, "PAUSE", 0.0)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "wmx_a.mcap")


def test_a_run_time_is_replayed_at_the_rate_of_the_machine(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "wmx_a.mcap", clock_rate=0.5)
    recorder.motion.jog([velocity_move(run_time=0.4)])
    recorder.run(1.0)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.commands == 1
    assert found.differences.texts == []


@pytest.mark.long
def test_what_was_recorded_is_replayed_to_the_last_bit(recorder: Recorder) -> None:
    recorder.move(0, 0.5)
    recorder.run(0.3)
    recorder.move(1, -0.2)
    recorder.run(1.5)
    with pytest.raises(CommandRefused):
        recorder.motion.set_polarity(0, 5)
    recorder.motion.stop([0, 1])
    recorder.run(0.5)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.differences.texts == []
    assert found.differences.greatest == {}
    assert found.equal == found.statuses > 2000
    assert found.left_out == []
    assert (found.commands, found.refusals, found.ends) == (4, 1, 2)


@pytest.mark.long
@pytest.mark.parametrize("late", [1, 3])
def test_the_cycle_of_a_command_is_found_among_those_of_its_call(tmp_path: Path, late: int) -> None:
    recorder = Recorder(tmp_path / "wmx_late.mcap", late=late)
    recorder.run(0.1)
    recorder.move(0, 0.5)
    recorder.run(0.2)
    recorder.move(0, -0.5)
    recorder.run(0.3)
    recorder.motion.stop([0])
    recorder.run(0.5)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.differences.texts == []
    assert found.equal == found.statuses


@pytest.mark.long
def test_a_motion_may_begin_in_the_cycle_in_which_the_one_before_has_ended(
    recorder: Recorder,
) -> None:
    """Then no status shows the end. One between two cycles is shown by the earlier one."""
    recorder.move(0, 0.5)
    while recorder.tracker:
        recorder.run(0.001)
    recorder.move(0, 1.0)
    recorder.tracker.now = lambda: recorder.held.status().time + 0.0005
    while recorder.tracker:
        recorder.run(0.001)
    recorder.run(0.001)
    recorder.move(0, 0.5)
    recorder.run(2.0)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.differences.texts == []
    assert found.ends == 2


def test_what_came_from_outside_comes_again(recorder: Recorder) -> None:
    recorder.move(0, 5.0)
    recorder.run(0.4)
    recorder.held.raise_alarm(0, 0x7121)
    recorder.run(0.5)
    recorder.motion.emergency_stop(EmergencyStop.LEVEL1)
    recorder.run(0.1)
    recorder.motion.release_emergency_stop()
    recorder.motion.clear_alarm(0)
    recorder.run(0.1)
    recorder.motion.set_servo(0, on=True)
    recorder.run(0.2)
    for on in (False, True):
        recorder.held.motion.set_servo(1, on=on)
        recorder.run(0.1)
    recorder.move(1, 0.2)
    recorder.run(0.1)
    recorder.held.engine.stop_communication()
    recorder.run(0.1)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.differences.texts == []
    assert found.ends == 2


@pytest.mark.long
def test_a_command_that_was_another_differs(recorder: Recorder, shell: Shell) -> None:
    def other(message: EngineCommand) -> None:
        message.arguments = message.arguments.replace("0.5", "0.6")

    recorder.changed = other
    recorder.move(0, 0.5)
    recorder.run(2.0)
    path = recorder.file.close()
    ended = shell("replay", path)
    assert ended.code == 1
    assert "pos_cmd of axis 0 was" in ended.out
    assert "POSITION of axes [0] ended: ARRIVED" in ended.out
    assert "differences from wmx_a.mcap" in ended.err
    ended = shell("replay", path, "--json")
    assert (ended.code, ended.err) == (1, "")
    assert ended.data["difference_count"] > 0


@pytest.mark.long
def test_refusals_that_differ_are_named(recorder: Recorder) -> None:
    def refused(message: EngineCommand) -> None:
        message.error_code, message.message = 1567, "ServoOff"

    recorder.changed = refused
    recorder.move(0, 0.5)
    recorder.changed = lambda _: None
    recorder.motion.set_servo(1, on=False)
    recorder.run(0.1)
    with pytest.raises(CommandRefused):
        recorder.motion.move_absolute([position_move(1, 1.0)])
    recorder.run(2.0)
    [text, *_] = [
        text for _, text in replay(Recording(recorder.file.close()), 1e-6).differences.texts
    ]
    assert text == "move_absolute of /node was refused with 1567, and is taken here"


def test_a_parameter_file_that_was_refused_is_refused_again(recorder: Recorder) -> None:
    """The recording does not have it."""
    with pytest.raises(ParameterFileError):
        recorder.motion.load_parameters("no path")
    recorder.run(0.1)
    found = replay(Recording(recorder.file.close()), 0.0)
    assert found.commands == 1
    assert not found.differences.count


def test_what_is_no_number_hides_no_difference() -> None:
    """Also not of the axes beside it; where it is none in both it is as it was."""
    there = HeldEngine(3).status()
    unknown = replace(there, actual_pos=np.array([np.nan, np.nan, 0.0]))
    here = replace(there, actual_pos=np.array([np.nan, 1.0, 0.5]))
    found = Replay()
    comparison = Comparison(found, [], 1e-6, simulated=True)
    comparison.compare(0, unknown, unknown)
    assert found.equal == 1
    comparison.compare(0, unknown, here)
    assert found.differences.texts == [(0, "actual_pos of axis 1 was nan, and is 1 here")]
    found.differences.greatest.clear()
    comparison.compare(0, replace(unknown, actual_pos=np.array([np.nan, 1.0, 0.0])), here)
    assert found.differences.greatest == {"actual_pos": 0.5}


@pytest.mark.long
def test_the_verb_says_that_nothing_differs(recorder: Recorder, shell: Shell) -> None:
    recorder.move(0, 0.5)
    recorder.run(1.5)
    path = recorder.file.close()
    out = shell.done("replay", path)
    assert out.startswith("replayed 1 command of 1.509 s from ")
    assert "1509 of 1509 samples are equal to the last bit" in out
    data = shell("replay", path, "--json").data
    assert (data["commands"], data["difference_count"], data["equal"]) == (1, 0, 1509)
    contents = path.read_bytes()
    end = b"\x0f" + (4).to_bytes(8, "little")  # of the data, a record of 4 bytes
    path.write_bytes(contents[: contents.rindex(end)])
    cut = shell("replay", path)
    assert (cut.code, "the file is not whole" in cut.out) == (1, True), cut
    assert shell("replay", path, "--json").data["cut_off"]


def test_what_cannot_be_replayed_is_a_clear_error(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "foreign.mcap").write_bytes(b"no recording")
    for name in ("missing.mcap", "foreign.mcap"):
        ended = shell("replay", tmp_path / name)
        assert ended.code == 2
        assert name in ended.err
    recorder = Recorder(tmp_path / "moving.mcap", rests=False)
    with pytest.raises(RecordingError, match="has no status of axes, as a recorder of WMX"):
        replay(Recording(recorder.file.close()), 1e-6)


def test_commands_of_another_version_are_left_out_and_named(recorder: Recorder) -> None:
    def unknown(message: EngineCommand) -> None:
        message.method = "teleport"

    recorder.changed = unknown
    recorder.motion.set_servo(0, on=True)
    recorder.run(0.1)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.left_out == ["'teleport' is no method that commands axes"]


@pytest.mark.parametrize("axes", [AXES, AXES + 1])
def test_what_follows_a_restart_of_the_engine_is_left_out_and_named(
    recorder: Recorder, axes: int
) -> None:
    """One with as many axes is known by its cycles, which are counted anew."""
    recorder.run(0.1)
    if axes == AXES:
        recorder.held = HeldEngine(axes)
        recorder.write()
    else:
        [other] = engine_status_cdr(values_of(HeldEngine(axes).after(60.0)), [stamp(60.0)])
        recorder.file.add("/wmx/engine/status", STATUS, stamp(60.0), other)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.left_out == ["what followed after the engine was started again"]
    assert found.statuses == found.equal > 100


def test_motions_of_axes_that_there_are_not_are_left_out_and_named(recorder: Recorder) -> None:
    """Those of another system of the same names, which the recorder receives, too."""
    begin = Begin(
        id=uuid4(),
        source="/other",
        axes=(AXES,),
        names=("far",),
        kind=MotionKind.POSITION,
        time=recorder.held.status().time,
        initial=(0.0,),
        targets=(1.0,),
        arrival=None,
    )
    recorder.event(begin)
    recorder.event(end_of(begin, Ending(EndReason.ARRIVED), begin.time + 0.01, None))
    recorder.run(0.1)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.left_out == ["1 motions of axes that the statuses do not have"]
    assert (found.ends, found.differences.count) == (0, 0)


def test_a_refused_request_of_the_same_id_hides_no_end(recorder: Recorder) -> None:
    recorder.move(0, 0.01)
    refused, here = MotionTracker("/other", 0.0, recorder.tracker.now), recorder.tracker
    refused.listen(recorder.event)
    refused.refuse("the axis is owned by another node", axes=[0], id=recorder.ids[0])
    while here:
        recorder.run(0.001)
    recorder.run(0.01)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert (found.ends, found.differences.count) == (1, 0)


def test_a_message_that_cannot_be_read_is_left_out_and_named(recorder: Recorder) -> None:
    broken = b"\x00\x01\x00\x00" + b"\xff" * 8
    recorder.file.add("/wmx/motion/begin", BEGIN, stamp(recorder.held.status().time), broken)
    recorder.run(0.1)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.left_out == [f"{BEGIN} cannot be read"]


moves = st.sampled_from(
    [name for name in (*MOVES, "stop", "quick_stop") if name != "home"]
).flatmap(lambda name: st.tuples(st.just(name), st.integers(0, AXES - 1), values[name]))
scripts: st.SearchStrategy[Script] = st.lists(
    st.tuples(st.integers(2, 120), moves), min_size=1, max_size=6
)


class Held:
    """What `carry_out` commands, and is recorded."""

    def __init__(self, recorder: Recorder) -> None:
        self.motion = recorder.motion
        self.status = recorder.held.status


@pytest.mark.long
@settings(max_examples=cases(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scripts, st.integers(0, 1))
def test_random_commands_are_replayed(tmp_path: Path, script: Script, late: int) -> None:
    recorder = Recorder(tmp_path / f"wmx_{uuid4()}.mcap", late=late)
    for wait, (name, axis, value) in script:
        recorder.run(wait / 1000)
        if name not in ("move_linear", "move_spline"):
            carry_out(Held(recorder), name, axis, value)  # type: ignore[arg-type]
    recorder.run(0.2)
    found = replay(Recording(recorder.file.close()), 1e-6)
    assert found.differences.texts == [], found.left_out


VALUES: dict[str, dict[str, Any]] = {
    "move_absolute": {"moves": (position_move(1, 1 / 3),)},
    "move_linear": {
        "move": LinearMove(axes=(0, 1), targets=(1.0, 2.0), velocity=1.0, acc=2.0, dec=3.0)
    },
    "move_spline": {
        "move": SplineMove(
            axes=(0,), times=np.array([0.0, 0.1]), positions=np.array([[0.0], [0.1]])
        )
    },
    "set_command_mode": {"axis": 0, "mode": CommandMode.TORQUE},
    "emergency_stop": {"level": EmergencyStop.FINAL},
    "set_servo": {"axis": 1, "on": True},
    "stop": {"axes": (0, 1)},
    "load_parameters": {"path": "/a.xml"},
}


@pytest.mark.parametrize("method", VALUES)
def test_arguments_are_made_again_of_what_was_recorded(method: str) -> None:
    given = VALUES[method]
    made = arguments_of(method, json.loads(json.dumps(plain(given))))
    assert repr(made) == repr(given)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("status", {}),
        ("__init__", {}),
        ("teleport", {}),
        ("stop", {}),
        ("stop", {"axes": 3}),
        ("stop", {"axes": ["x"]}),
        ("set_servo", {"axis": 0, "on": "yes"}),
        ("move_absolute", {"moves": [{"axis": 0}]}),
        ("move_absolute", {"moves": [3]}),
        ("set_command_mode", {"axis": 0, "mode": 9}),
    ],
)
def test_arguments_that_are_none(method: str, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=method):
        arguments_of(method, given)


def test_reasons_of_an_end_are_compared(recorder: Recorder) -> None:
    def nothing(message: EngineCommand) -> None:
        message.method, message.arguments = "stop", '{"axes": []}'

    recorder.move(0, 5.0)
    recorder.run(0.2)
    recorder.changed = nothing
    recorder.tracker.set_end_reason(EndReason.STOPPED, "", [0])
    recorder.motion.stop([0])  # which is not in the file
    recorder.run(1.0)
    texts = [text for _, text in replay(Recording(recorder.file.close()), 1e-6).differences.texts]
    assert any("POSITION of axes [0] ended: STOPPED, and goes on here" in text for text in texts)
