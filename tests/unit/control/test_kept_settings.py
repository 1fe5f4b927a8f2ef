"""What clients have set outlives the engine, or blocks motion: each setting, each loss."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from pathlib import Path

import pytest
from axis_files import axis_file
from gate_requests import jog, rests
from held_engine import COUNTS, HeldEngine
from held_node import HeldNode, close_all
from refusing import refuses
from waits import WAIT_TIMEOUT

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.reactions import PositionOutput
from wmx_core.values import CommandMode
from wmx_ros2_package.control.axis_file.shared import SharedAxisFile
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.control.settings import store
from wmx_ros2_package.control.settings.comparison import close
from wmx_ros2_package.control.settings.document import Loss, everything_lost
from wmx_ros2_package.control.settings.store import read_document

Setting = Callable[[HeldNode, Path], None]
SOFT_LIMIT = 3.0


def load(node: HeldNode, folder: Path) -> None:
    """Load soft limits for axis 0."""
    parameters = node.driver.motion.parameters().with_axis(
        0, soft_limit_type=3, soft_limit_positive=SOFT_LIMIT, soft_limit_negative=-SOFT_LIMIT
    )
    file = folder / "limits.xml"
    file.write_text(parameters.to_xml())
    node.gate.load_parameters(str(file))


def home(node: HeldNode, _: Path) -> None:
    request = node.request(0, kind=MotionKind.HOMING)
    node.gate.issue([request], lambda motion: motion.home(0))
    rests(node)
    assert node.held.status().home_done[0]


def output(node: HeldNode, _: Path) -> None:
    place = PositionOutput(axis=0, address=1, bit=2, position=0.5, value=True)
    node.settings.set_position_outputs([0], [place])


def change(node: HeldNode, folder: Path) -> None:
    """Change one soft limit of axis 0."""
    file = folder / "one.xml"
    file.write_text(
        '<Parameters><AxisParameters Axis="0"><LimitParam>'
        f"<SoftLimitPositivePos>{SOFT_LIMIT + 1}</SoftLimitPositivePos>"
        "</LimitParam></AxisParameters></Parameters>"
    )
    node.gate.change_parameters(str(file))


SETTINGS: dict[str, Setting] = {
    "polarity": lambda node, _: node.gate.set_polarity(0, -1),
    "gear ratio": lambda node, _: node.gate.set_gear_ratio(0, 7.0, 2.0),
    "parameters": load,
    "parameters, then polarity": lambda node, folder: (
        load(node, folder),
        node.gate.set_polarity(0, -1),
    )[0],
    "a change": change,
    "parameters, then a change": lambda node, folder: (load(node, folder), change(node, folder))[0],
    "polarity, then a change": lambda node, folder: (
        node.gate.set_polarity(0, -1),
        change(node, folder),
    )[0],
    "velocity mode": lambda node, _: node.gate.set_command_mode(0, CommandMode.VELOCITY),
    "torque mode": lambda node, _: node.gate.set_command_mode(0, CommandMode.TORQUE),
    "position": lambda node, _: node.gate.set_position(0, 3.0),
    "homing": home,
    "position output": output,
}
LOST = {
    "torque mode": (Loss.MODE, ErrorCode.ParameterSettingsInvalid),
    "position": (Loss.REFERENCE, ErrorCode.NotHomeState),
    "homing": (Loss.REFERENCE, ErrorCode.NotHomeState),
    "position output": (Loss.POSITION_OUTPUT, ErrorCode.ParameterSettingsInvalid),
}
"""What a new engine cannot be given."""


@dataclass
class Bench:
    """A system whose engine and nodes come and go."""

    node: HeldNode
    others: list[HeldNode]

    def lose_engine(self, *, nodes: bool) -> HeldNode:
        """A new engine with a new engine node; the nodes that were there live, or are lost."""
        if nodes:
            self.node.ownership.close()
        return self.attach(HeldEngine().servo_on())

    def restored(self) -> HeldNode:
        """A new system with what was set in the one before, which is lost."""
        again = self.lose_engine(nodes=True)
        again.restorer.restore(new=True)
        return again

    def attach(self, held: HeldEngine) -> HeldNode:
        """A node on `held`, whose engine communicates just now."""
        held.after(1.0)
        self.others.append(HeldNode(held, "/again"))
        return self.others[-1]

    @property
    def file(self) -> SharedAxisFile:
        return axis_file(next(n for n in (self.node, *self.others) if n.ownership.file))


@pytest.fixture
def bench(node: HeldNode) -> Iterator[Bench]:
    bench = Bench(node, [])
    yield bench
    close_all(bench.others)


def of(node: HeldNode) -> AxisParameters:
    return node.driver.motion.parameters().axis(0)


def refusal(node: HeldNode, axis: int = 0) -> int:
    """The code with which a jog is refused; 0 where it begins."""
    node.after(0.1)
    try:
        jog(node, axis)
    except CommandRefused as error:
        assert node.reasons()[-1] is EndReason.REFUSED
        return error.code
    node.gate.stop([axis])
    rests(node)
    return 0


# An engine is lost


@pytest.mark.parametrize("all_lost", [False, True], ids=["engine", "engine and nodes"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_in_force_again_or_blocks_motion(
    bench: Bench, tmp_path: Path, name: str, all_lost: bool
) -> None:
    SETTINGS[name](bench.node, tmp_path)
    before = of(bench.node)
    again = bench.lose_engine(nodes=all_lost)
    document = again.restorer.restore(new=True)
    if name in LOST:
        loss, code = LOST[name]
        assert document.lost(range(2)) == {0: frozenset([loss])}
        assert refusal(again) == code
    else:
        assert of(again) == before
        assert again.held.status().command_mode[0] == before.command_mode
        assert not document.lost(range(2))
        if before.command_mode is CommandMode.POSITION:
            assert refusal(again) == 0
    assert refusal(again, 1) == 0
    assert not [*bench.file.settings_path.parent.glob("*.xml")]


def test_a_new_engine_is_given_the_digits_that_engines_do_not_show(bench: Bench) -> None:
    bench.node.gate.set_gear_ratio(0, COUNTS + 1e-5, 1.0)
    again = bench.lose_engine(nodes=True)
    again.restorer.restore_parameters()
    assert of(again).gear_ratio_numerator == COUNTS + 1e-5


@pytest.mark.parametrize("name", SETTINGS)
def test_an_engine_that_lived_on_is_left_as_it_is(bench: Bench, tmp_path: Path, name: str) -> None:
    """The engine node was killed, and is started again."""
    SETTINGS[name](bench.node, tmp_path)
    before, mode = of(bench.node), bench.node.held.status().command_mode[0]
    again = HeldNode(bench.node.held, "/again")
    bench.others.append(again)
    document = again.restorer.restore(new=False)
    assert not document.lost(range(2))
    assert of(again) == before
    assert again.held.status().command_mode[0] == mode
    if mode == CommandMode.POSITION:
        assert refusal(again) == 0


def test_an_engine_that_lived_on_is_compared_by_reading_back(bench: Bench) -> None:
    bench.node.gate.set_polarity(0, -1)
    bench.node.driver.motion.set_polarity(0, 1)  # another program
    bench.node.restorer.restore(new=False)
    assert of(bench.node).polarity == -1


def test_what_an_engine_does_not_take_blocks_motion(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.node.gate.set_polarity(0, -1)
    again = bench.lose_engine(nodes=True)

    def refuse(_: str) -> None:
        raise CommandRefused(ErrorCode.ParamOutOfRange)

    monkeypatch.setattr(again.driver.motion, "load_parameters", refuse)
    document = again.restorer.restore(new=True)
    assert document.lost(range(2)) == {0: frozenset([Loss.PARAMETERS])}
    assert refusal(again) == ErrorCode.ParameterSettingsInvalid
    assert refusal(again, 1) == 0


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(0.0, 1e-6, True), (0.0, 2e-6, False), (1e6, 1e6 + 1.0, True), (1e6, 1e6 + 2.0, False)],
)
def test_engines_show_six_decimals(one: float, other: float, *, expected: bool) -> None:
    assert close(one, other) is expected


def test_an_axis_that_is_missing_by_now_is_left_as_it_was(bench: Bench) -> None:
    """A drive was taken from the end of the line."""
    bench.node.gate.set_position(1, 1.0)
    bench.node.gate.set_command_mode(1, CommandMode.VELOCITY)
    again = bench.restored()
    wanted = again.settings.store.document()
    again.ownership.close()
    fewer = bench.attach(HeldEngine(1).servo_on())
    assert fewer.restorer.restore(new=True) == wanted
    status = fewer.held.status()
    assert fewer.settings.losses([1], status) == {1: [Loss.REFERENCE]}
    fewer.restorer.tend(status)
    assert fewer.settings.store.document() == wanted
    fewer.restorer.forget_ended(status)


def test_nothing_that_was_set_blocks_nothing(bench: Bench) -> None:
    again = bench.lose_engine(nodes=True)
    assert again.restorer.restore(new=True).says_nothing
    assert refusal(again) == 0
    assert not bench.file.settings_path.exists()


def test_a_second_loss_changes_nothing_of_that(bench: Bench, tmp_path: Path) -> None:
    for setting in SETTINGS["polarity"], SETTINGS["position"], SETTINGS["parameters"]:
        setting(bench.node, tmp_path)
    before = of(bench.node)
    for _ in range(2):
        again = bench.restored()
        assert of(again) == before
        assert refusal(again) == ErrorCode.NotHomeState
        again.ownership.close()


# A client decides

REMEDIES: dict[Loss, Setting] = {
    Loss.MODE: lambda node, _: node.gate.set_command_mode(0, CommandMode.POSITION),
    Loss.REFERENCE: lambda node, _: node.gate.set_position(0, 1.0),
    Loss.POSITION_OUTPUT: lambda node, _: node.settings.set_position_outputs([0], []),
    Loss.PARAMETERS: load,
}


@pytest.mark.parametrize("name", [*LOST, "everything"])
@pytest.mark.parametrize("confirmed", [True, False])
def test_a_client_lets_an_axis_move_again(
    bench: Bench, tmp_path: Path, name: str, confirmed: bool
) -> None:
    SETTINGS["polarity" if name == "everything" else name](bench.node, tmp_path)
    again = bench.lose_engine(nodes=True)
    if name == "everything":
        bench.file.settings_path.write_bytes(b"\0" * 100)
    again.restorer.restore(new=True)
    assert refusal(again)
    if confirmed:
        again.gate.confirm([0])
    else:
        REMEDIES[LOST[name][0] if name in LOST else Loss.PARAMETERS](again, tmp_path)
    assert refusal(again) == 0
    third = bench.lose_engine(nodes=True)
    again.ownership.close()
    third.restorer.restore(new=True)
    assert of(third) == of(again)
    assert not (confirmed and third.settings.store.document().lost([0]))


def test_homing_brings_a_reference_back(bench: Bench, tmp_path: Path) -> None:
    SETTINGS["homing"](bench.node, tmp_path)
    again = bench.restored()
    assert refusal(again) == ErrorCode.NotHomeState
    home(again, tmp_path)
    assert refusal(again) == 0
    again.restorer.tend(again.held.status())
    assert not again.settings.store.document().lost(range(2))


def test_an_axis_is_confirmed_alone(bench: Bench) -> None:
    bench.node.gate.set_position(0, 1.0)
    bench.node.gate.set_position(1, 1.0)
    again = bench.restored()
    again.gate.confirm([1])
    assert refusal(again) == ErrorCode.NotHomeState
    assert refusal(again, 1) == 0
    with refuses(ErrorCode.AxisOutOfRange):
        again.gate.confirm([2])


def test_what_was_asked_before_it_was_confirmed_does_not_begin(bench: Bench) -> None:
    bench.node.gate.set_position(0, 1.0)
    again = bench.restored()
    asked_at = again.now()
    again.after(0.1)
    again.gate.confirm([0])
    with pytest.raises(CommandRefused, match="its settings were changed"):
        jog(again, 0, asked_at=asked_at)


def test_axes_that_have_lost_settings_can_be_held_and_stopped(bench: Bench) -> None:
    jog(bench.node)
    bench.node.after(0.5)
    bench.node.settings.store.write(bench.file, everything_lost(1))
    bench.node.gate.stop([0])
    rests(bench.node)
    assert refusal(bench.node) == ErrorCode.ParameterSettingsInvalid
    hold = bench.node.request(0, kind=MotionKind.HOLD)
    bench.node.gate.issue([hold], lambda motion: motion.stop([0]))


# The document is lost


def flipped(path: Path, _: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def another_version(path: Path, _: bytes) -> None:
    body = json.dumps({"revision": 2**63, "axes": []}).encode()
    path.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)


Damage = Callable[[Path, bytes], object]
"""Of the document there is, where an older one is known."""
DAMAGES: dict[str, Damage] = {
    "deleted": lambda path, _: path.unlink(),
    "empty": lambda path, _: path.write_bytes(b""),
    "a folder": lambda path, _: (path.unlink(), path.mkdir()),
    "an old one": lambda path, old: path.write_bytes(old),
    "garbage": lambda path, _: path.write_bytes(b"\x93\0garbage" * 50),
    "truncated": lambda path, _: path.write_bytes(path.read_bytes()[:-20]),
    "flipped": flipped,
    "version": another_version,
}


@pytest.fixture(params=DAMAGES)
def damage(request: pytest.FixtureRequest) -> Damage:
    return DAMAGES[request.param]


def test_a_document_that_is_lost_with_the_engine_blocks_motion(
    bench: Bench, damage: Damage
) -> None:
    bench.node.gate.set_polarity(1, -1)
    path = bench.file.settings_path
    old = path.read_bytes()
    bench.node.gate.set_polarity(0, -1)
    again = bench.lose_engine(nodes=True)
    damage(path, old)
    document = (
        again.restorer.restore(new=True) if not path.is_dir() else again.settings.store.document()
    )
    assert set(document.lost(range(2))) == {0, 1}
    assert refusal(again) == ErrorCode.ParameterSettingsInvalid
    again.gate.stop([0])
    if path.is_dir():
        path.rmdir()


def test_a_document_that_is_damaged_is_repaired_while_the_engine_node_lives(
    bench: Bench, damage: Damage
) -> None:
    bench.node.gate.set_polarity(1, -1)
    path = bench.file.settings_path
    old = path.read_bytes()
    bench.node.gate.set_polarity(0, -1)
    wanted = bench.node.settings.store.document()
    damage(path, old)
    if path.is_dir():
        bench.node.restorer.tend(bench.node.held.status())
        path.rmdir()
    bench.node.restorer.tend(bench.node.held.status())
    assert read_document(path) == wanted
    again = bench.restored()
    assert of(again).polarity == -1
    assert refusal(again) == 0


@pytest.mark.parametrize("document", ["found", "lost", "the first"])
def test_a_member_that_puts_the_axis_file_back_does_not_know_the_newest_document(
    bench: Bench, other: HeldNode, document: str
) -> None:
    """What is set after it has read the file last is not in what it knows of that."""
    file = axis_file(other)
    if document != "the first":
        bench.node.gate.set_polarity(0, -1)
    assert file.check()
    other.settings.store.document()
    bench.node.gate.set_polarity(1, -1)
    path = file.settings_path
    path.with_name(path.stem).write_bytes(b"garbage" * 1000)
    if document == "lost":
        path.write_bytes(b"garbage")
    assert file.check()
    other.gate.set_gear_ratio(0, 7.0, 2.0)  # and records it: nothing that was set before is gone
    if document == "lost":
        assert refusal(other, 1) == refusal(bench.node, 1) == ErrorCode.ParameterSettingsInvalid
    else:
        assert other.settings.store.document().of(1).polarity == -1
        assert not bench.node.settings.store.document().lost(range(2))
        again = bench.restored()
        assert again.driver.motion.parameters().axis(1).polarity == -1


def test_each_node_repairs_a_document_that_it_knows(
    bench: Bench, other: HeldNode, damage: Damage
) -> None:
    """One that has yet to read what another one has recorded puts nothing in its place."""
    bench.node.gate.set_polarity(0, -1)
    path = bench.file.settings_path
    old = path.read_bytes()
    other.settings.store.document()
    bench.node.gate.set_polarity(1, -1)
    wanted = bench.node.settings.store.document()
    damage(path, old)
    other.restorer.tend(other.held.status())
    assert refusal(other, 1) == ErrorCode.ParameterSettingsInvalid
    if path.is_dir():
        path.rmdir()
    bench.node.settings.store.repair()
    assert read_document(path) == wanted == other.settings.store.document()
    assert refusal(other, 1) == 0


def test_a_document_without_its_axis_file_is_in_force(bench: Bench) -> None:
    bench.node.gate.set_polarity(0, -1)
    path = bench.file.settings_path
    kept = path.read_bytes()
    bench.file.ended = True
    bench.node.ownership.close()
    assert not path.exists()
    path.write_bytes(kept)
    again = bench.attach(HeldEngine().servo_on())
    again.restorer.restore(new=True)
    assert of(again).polarity == -1
    assert again.settings.store.document().of(0).polarity == -1


def test_a_new_document_needs_room(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "prepare", full)
    with refuses(ErrorCode.FileOperationFailed, match="No space left"):
        bench.node.gate.set_polarity(0, -1)
    assert of(bench.node).polarity == 1


def test_what_a_writer_left_who_died_in_between_is_the_newest(bench: Bench) -> None:
    bench.node.gate.set_polarity(0, -1)
    revision = bench.file.settings_revision
    bench.node.gate.set_polarity(1, -1)
    bench.file.settings_revision = revision
    again = bench.restored()
    assert again.driver.motion.parameters().axis(1).polarity == -1


# Ends on purpose


def test_a_system_that_was_ended_leaves_nothing(bench: Bench, other: HeldNode) -> None:
    path = bench.file.settings_path
    for killed in os.getpid(), 1:  # processes of these numbers, as they wrote
        path.with_name(f"{path.name}.{killed}").touch()
    bench.node.gate.set_polarity(0, -1)
    bench.file.ended = True
    bench.node.ownership.close()
    assert path.exists()
    other.ownership.close()
    assert not path.exists()
    again = bench.attach(HeldEngine().servo_on())
    assert again.restorer.restore(new=True).says_nothing
    assert of(again).polarity == 1
    assert [each for each in path.parent.iterdir() if each.name != path.stem] == []


def test_what_ends_with_communication_that_is_stopped_is_no_loss(bench: Bench) -> None:
    node, held = bench.node, bench.node.held
    held.apply(clear_home_done_on_comm_stop=True)
    home(node, Path())
    output(node, Path())
    node.gate.set_position(1, 1.0)
    held.engine.stop_communication()
    node.restorer.forget_ended(held.status())
    held.engine.start_communication()
    assert not node.restorer.restore(new=True).lost(range(2))


def test_a_mode_that_a_command_has_changed_is_not_put_back(bench: Bench) -> None:
    node = bench.node
    node.gate.set_command_mode(0, CommandMode.TORQUE)
    node.gate.stop([0])
    node.driver.motion.set_command_mode(0, CommandMode.POSITION)  # as a stop of a torque does
    node.restorer.tend(node.held.status())
    assert node.settings.store.document().of(0).mode is CommandMode.TORQUE
    node.restorer.tend(node.held.status())
    assert node.settings.store.document().of(0).mode is None


# Files of nodes


def test_the_file_of_a_node_is_loaded_once(bench: Bench, tmp_path: Path) -> None:
    node, file = bench.node, tmp_path / "start.xml"
    file.write_text(node.driver.motion.parameters().with_axis(0, soft_limit_positive=2.0).to_xml())
    assert node.gate.load_parameters_at_start(str(file))
    node.gate.set_polarity(0, -1)
    assert not node.gate.load_parameters_at_start(str(file))
    assert (of(node).polarity, of(node).soft_limit_positive) == (-1, 2.0)
    again = bench.restored()
    assert not again.gate.load_parameters_at_start(str(file))
    assert (of(again).polarity, of(again).soft_limit_positive) == (-1, 2.0)
    other = node.driver.motion.parameters().with_axis(0, polarity=1, soft_limit_positive=4.0)
    file.write_text(other.to_xml())
    assert again.gate.load_parameters_at_start(str(file)), "it is another file now"
    assert of(again).polarity == 1


def test_a_file_of_a_node_that_is_in_force_stops_nothing(bench: Bench, tmp_path: Path) -> None:
    node, file = bench.node, tmp_path / "start.xml"
    file.write_text(node.driver.motion.parameters().to_xml())
    jog(node)
    node.after(0.1)
    assert not node.gate.load_parameters_at_start(str(file))
    assert node.held.status().busy.tolist() == [0]


def test_a_file_with_more_digits_of_a_gear_ratio_is_loaded(bench: Bench, tmp_path: Path) -> None:
    """Others were in force, such as those that an export leaves of them."""
    node, file = bench.node, tmp_path / "start.xml"
    node.held.motion.set_gear_ratio(0, 1.0, 0.006283)
    given = node.driver.motion.parameters().with_axis(0, gear_ratio_denominator=0.00628318531)
    file.write_text(given.to_xml())
    assert node.gate.load_parameters_at_start(str(file))
    assert of(node).gear_ratio_denominator == 0.00628318531


def test_no_node_replaces_parameters_that_were_lost(bench: Bench, tmp_path: Path) -> None:
    node, file = bench.node, tmp_path / "start.xml"
    file.write_text(node.driver.motion.parameters().with_axis(0, polarity=-1).to_xml())
    node.settings.store.write(bench.file, everything_lost(1))
    assert not node.gate.load_parameters_at_start(str(file))
    assert of(node).polarity == 1
    assert refusal(node) == ErrorCode.ParameterSettingsInvalid


def test_a_change_of_one_parameter_does_not_bring_back_those_that_were_lost(
    bench: Bench, tmp_path: Path
) -> None:
    node = bench.node
    node.settings.store.write(bench.file, everything_lost(1))
    before = of(node)
    with pytest.raises(CommandRefused, match="load all of them, or confirm those there are"):
        change(node, tmp_path)
    assert of(node) == before
    assert refusal(node) == ErrorCode.ParameterSettingsInvalid
    node.gate.confirm(range(2))


# Answers


def test_a_change_keeps_the_digits_that_engines_do_not_show(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, motion = bench.node, bench.node.driver.motion
    node.gate.set_gear_ratio(0, 7.0000001, 2.0)
    rounded = motion.parameters().with_axis(0, gear_ratio_numerator=7.0)
    monkeypatch.setattr(motion, "parameters", lambda: rounded)
    loaded: list[str] = []
    monkeypatch.setattr(
        motion, "load_parameters", lambda path: loaded.append(Path(path).read_text())
    )
    with pytest.raises(CommandRefused, match="SoftLimitPositivePos"):
        change(node, tmp_path)  # of an engine that takes nothing
    [text] = loaded
    given = ParameterSet.from_xml(text.encode()).axis(0)
    assert (given.gear_ratio_numerator, given.soft_limit_positive) == (7.0000001, SOFT_LIMIT + 1)


def test_a_change_that_the_engine_did_not_take_is_refused(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.node.driver.motion, "load_parameters", lambda _: None)
    with pytest.raises(CommandRefused, match="axis 0 LimitParam/SoftLimitPositivePos"):
        change(bench.node, tmp_path)
    assert bench.node.settings.store.document().says_nothing


def test_what_the_engine_did_not_take_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.node.driver.motion, "set_polarity", lambda *_: None)
    with pytest.raises(CommandRefused, match="polarity is 1 after it was set to -1"):
        bench.node.gate.set_polarity(0, -1)
    assert bench.node.settings.store.document().says_nothing


@pytest.mark.parametrize(
    "refused", ["polarity", "parameters", "a change", "position", "position output"]
)
def test_what_is_refused_is_not_recorded(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def refuse(*_: object) -> None:
        raise CommandRefused(ErrorCode.NotIdleState)

    for name in "set_polarity", "load_parameters", "set_position":
        monkeypatch.setattr(bench.node.driver.motion, name, refuse)
    monkeypatch.setattr(bench.node.driver.reactions, "set_position_outputs", refuse)
    with pytest.raises(CommandRefused):
        SETTINGS[refused](bench.node, tmp_path)
    assert bench.node.settings.store.document().says_nothing
    assert not bench.file.settings_path.exists()
    assert [each.name for each in bench.file.settings_path.parent.glob("*.settings*")] == []


def test_homing_that_is_refused_is_no_reference(bench: Bench) -> None:
    node = bench.node
    node.driver.motion.set_servo(0, on=False)
    node.after(0.2)
    with pytest.raises(CommandRefused):
        home(node, Path())
    assert not node.settings.store.document().of(0).reference


def test_two_nodes_that_set_at_once_lose_nothing(bench: Bench, other: HeldNode) -> None:
    """One of them reads the document while the other one has the lock."""
    file = axis_file(other)
    assert file.lock_settings()
    with refuses(ErrorCode.ResourceInUse):
        bench.node.gate.set_polarity(0, -1)
    assert of(bench.node).polarity == 1
    file.unlock_settings()
    bench.node.gate.set_polarity(0, -1)
    other.gate.set_polarity(1, -1)
    bench.node.gate.set_gear_ratio(0, 3.0, 1.0)
    axes = other.settings.store.document().axes
    assert [axes[axis].polarity for axis in (0, 1)] == [-1, -1]
    assert axes[0].gear_ratio == (3.0, 1.0)


def test_nodes_that_set_in_threads_of_their_own_lose_nothing(
    bench: Bench, other: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOCK_TIMEOUT", inf)  # held time flies
    nodes = bench.node, other
    failed: list[Exception] = []

    def run(axis: int) -> None:
        try:
            for i in range(20):
                nodes[axis].settings.set_gear_ratio(axis, 10.0 + i, 1.0)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(axis,)) for axis in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_TIMEOUT)
    assert failed == []
    document = read_document(bench.file.settings_path)
    assert [document.of(axis).gear_ratio for axis in (0, 1)] == [(29.0, 1.0)] * 2
    assert document == bench.node.settings.store.document() == other.settings.store.document()
