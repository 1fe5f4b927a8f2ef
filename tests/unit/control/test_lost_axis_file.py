"""The file that all members share is deleted, or something else than nodes wrote is in it."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from descriptors import descriptors

from wmx_core.clock import STEADY, Clock
from wmx_core.errors import ErrorCode
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import IO_BYTES, MAX_AXES, EmergencyStop
from wmx_ros2_package.control.axis_file import renewable
from wmx_ros2_package.control.axis_file.locked import LockedFile
from wmx_ros2_package.control.axis_file.records import (
    ANY_REVISION,
    FILE_SIZE,
    FULL_SPEED,
    HEADER,
    LEAST_SPEED,
    MAX_MEMBERS,
    NO_MEMBER,
    RECORDS,
    AxisPause,
    Records,
    ServoHistory,
    Speed,
    StopCause,
    Unreadable,
    new_system,
)
from wmx_ros2_package.control.axis_file.renewable import AxisFileLost, Loss
from wmx_ros2_package.control.axis_file.shared import SharedAxisFile, engine_ready
from wmx_sim.engine.clock import HeldClock

STOP_INPUT = StopInput(axis=3, address=1, bit=2, value=True, kind=StopKind.QUICK_STOP)
GARBAGE = np.random.default_rng(1).bytes(FILE_SIZE)
SMALL, GREAT = UUID(int=0), UUID(int=2**128 - 1)
Damage = Callable[[Path], object]


def _rename_over(path: Path, data: bytes) -> None:
    other = path.with_name("other")
    other.write_bytes(data)
    other.replace(path)


def _renew_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.mkdir(0o700)


def _into_axes(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(RECORDS.itemsize // 2)
        file.write(data)


DAMAGES: dict[str, Damage] = {
    "deleted": Path.unlink,
    "folder deleted": lambda path: shutil.rmtree(path.parent),
    "folder renewed": _renew_folder,
    "folder renamed": lambda path: path.parent.rename(path.parent.with_name("elsewhere")),
    "emptied": lambda path: os.truncate(path, 0),
    "truncated": lambda path: os.truncate(path, RECORDS.itemsize - 1),
    "zeros": lambda path: path.write_bytes(bytes(FILE_SIZE)),
    "garbage": lambda path: path.write_bytes(GARBAGE),
    "ones in the middle of it": lambda path: _into_axes(path, b"\xff" * 100),
    "garbage in the middle of it": lambda path: _into_axes(path, GARBAGE[:100]),
    "another file": lambda path: _rename_over(path, b"text\n"),
    "the file of another system": lambda path: _rename_over(path, new_system(GREAT)),
}


@pytest.fixture(params=DAMAGES)
def damage(request: pytest.FixtureRequest) -> Damage:
    return DAMAGES[request.param]


class Members:
    """Members of one file, and what they report."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.losses: list[tuple[str, Loss]] = []
        self._open: list[SharedAxisFile] = []

    def join(self, name: str, clock: Clock = STEADY) -> SharedAxisFile:
        member = SharedAxisFile(
            self.path, name, None, lambda loss: self.losses.append((name, loss)), clock
        )
        self._open.append(member)
        return member

    def leave(self) -> None:
        for member in self._open:
            member.close()


@pytest.fixture
def members(tmp_path: Path) -> Iterator[Members]:
    made = Members(tmp_path / "runtime" / "wmx-axes" / "machine.axes")
    made.path.parent.mkdir(0o700, parents=True)
    yield made
    made.leave()


def test_what_clients_have_set_outlives_the_file(members: Members, damage: Damage) -> None:
    one, other = members.join("/one"), members.join("/other")
    assert one.lead()
    one.settings_revision = 7
    other.set_servo_history(5, ServoHistory.SWITCHED_OFF)
    other.set_owner(2, other.number, 1.0)
    assert one.check()
    assert other.check()
    one.engine_ready = one.ended = True
    one.emergency_stop = EmergencyStop.FINAL
    one.set_stop_inputs([STOP_INPUT])
    asked, system = STEADY.now(), one.system_id
    damage(members.path)
    assert other.check()
    assert one.check()
    for member in (one, other, members.join("/third")):
        assert member.emergency_stop is EmergencyStop.FINAL
        assert not member.assumed_stop
        assert member.system_id == system
        assert member.settings_revision in (7, ANY_REVISION), "the document is read again"
        assert member.stop_inputs() == [STOP_INPUT]
        assert member.servo_history(5) is ServoHistory.SWITCHED_OFF
        assert (member.stopped >= asked).all(), "what was asked before is refused"
        assert (member.stopped < inf).all(), "what is asked from now on is not"
        assert member.stop_cause(0) is StopCause.FILE_LOST
        assert member.owner(2) == other.number
        assert member.engine_ready
        assert member.ended
    assert engine_ready(members.path) is True, "it is led as before"
    assert one.is_alive(other.number)
    assert other.leader() == one.member_name(one.number)
    assert [(name, loss.first, loss.renewed) for name, loss in members.losses] == [
        ("/other", True, True),
        ("/one", False, True),
    ]
    assert all(loss.why for _, loss in members.losses)


def test_settings_may_have_been_recorded_after_the_file_was_read_last(members: Members) -> None:
    """Then no document is too old; where the file is only deleted, what is in it is known."""
    one, other = members.join("/one"), members.join("/other")
    one.settings_revision = 6
    assert one.check()
    other.settings_revision = 7
    members.path.unlink()
    assert one.check()
    assert one.settings_revision == other.settings_revision == 7
    members.path.write_bytes(GARBAGE)
    assert one.check()
    assert one.settings_revision == other.settings_revision == ANY_REVISION


def test_axes_may_have_been_let_go_after_the_file_was_read_last(members: Members) -> None:
    """Then no owner has them for ever; where the file is only deleted, what is in it is known."""
    one, other = members.join("/one"), members.join("/other")
    for axis in 2, 3:
        other.set_owner(axis, other.number, inf)  # it is being commanded
        other.keep(axis, kept=True)
    assert one.check()
    other.set_owner(3, other.number, 1.0)
    other.keep(3, kept=False)
    members.path.unlink()
    assert one.check()
    assert [one.is_kept(axis) for axis in (2, 3)] == [True, False]
    assert [one.commanded_at(axis) for axis in (2, 3)] == [inf, 1.0]
    members.path.write_bytes(GARBAGE)
    assert one.check()
    assert [one.is_kept(axis) for axis in (2, 3)] == [False, False]
    assert max(one.commanded_at(axis) for axis in (2, 3)) <= STEADY.now()


def test_what_a_member_does_to_its_axes_while_another_puts_the_file_back_is_not_lost(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an axis that was let go just then would be its for ever, and one that it keeps free."""
    one, other = members.join("/one"), members.join("/other")
    for axis in 2, 3:
        other.set_owner(axis, other.number, inf)
        other.keep(axis, kept=axis == 2)
    publish = renewable.publish

    def act_then_publish(path: Path, data: bytes, *, replace: bool) -> None:
        other.set_owner(2, other.number, 1.0)
        other.keep(2, kept=False)
        other.keep(3, kept=True)
        publish(path, data, replace=replace)

    monkeypatch.setattr(renewable, "publish", act_then_publish)
    members.path.unlink()
    assert one.check()
    assert [one.is_kept(axis) for axis in (2, 3)] == [True, False]
    assert other.check()
    assert [one.is_kept(axis) for axis in (2, 3)] == [False, True]
    assert [one.commanded_at(axis) for axis in (2, 3)] == [1.0, inf]


def test_what_another_thread_does_while_its_member_restores_its_axes_is_not_undone(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = members.join("/one"), members.join("/other")
    other.set_owner(2, other.number, inf)
    other.keep(2, kept=True)
    lock, threads = LockedFile.lock, list[threading.Thread]()

    def let_go() -> None:
        other.keep(2, kept=False)
        other.set_owner(2, other.number, 1.0)

    def lock_as_another_lets_go(file: LockedFile, byte: int, *kind: int) -> bool:
        if byte == renewable.MEMBERS + other.number and not threads:  # it joins the next file
            threads.append(threading.Thread(target=let_go))
            threads[0].start()
            threads[0].join(0.1)  # it may have to wait for what is restored
        return lock(file, byte, *kind)

    members.path.unlink()
    assert one.check()
    monkeypatch.setattr(LockedFile, "lock", lock_as_another_lets_go)
    assert other.check()
    threads[0].join()
    assert not one.is_kept(2)
    assert one.commanded_at(2) == 1.0


def test_an_axis_that_another_has_taken_over_since_stays_with_that(members: Members) -> None:
    one, other = members.join("/one"), members.join("/other")
    one.set_owner(2, one.number, 1.0)
    one.set_owner(3, one.number, inf)
    one.set_owner(4, one.number, 1.0)
    assert one.check()
    for axis in 2, 3:
        other.set_owner(axis, other.number, 2.0)
    other.set_owner(4, NO_MEMBER, 2.0)  # as of a number that another has taken
    members.path.unlink()
    assert other.check()
    assert one.check()
    owners = [other.number, one.number, one.number]
    assert [one.owner(axis) for axis in (2, 3, 4)] == owners, "it commands axis 3 just now"


def test_a_servo_may_have_been_switched_off_after_the_file_was_read_last(members: Members) -> None:
    """Then it stays off; where the file is only deleted, what is in it is known."""
    one, other = members.join("/one"), members.join("/other")
    one.set_servo_history(0, ServoHistory.SWITCHED_ON)
    asked = STEADY.now()
    other.record_stop([1], StopCause.SERVO_OFF)
    other.set_servo_history(1, ServoHistory.SWITCHED_OFF)
    members.path.unlink()
    one.check()
    assert [one.off_cause(axis, asked) for axis in range(2)] == [None, StopCause.SERVO_OFF]
    assert [one.servo_history(axis) for axis in range(3)] == [
        ServoHistory.SWITCHED_ON,
        ServoHistory.SWITCHED_OFF,
        ServoHistory.UNTOUCHED,
    ]
    members.path.write_bytes(GARBAGE)
    one.check()
    assert {one.servo_history(axis) for axis in range(MAX_AXES)} == {ServoHistory.SWITCHED_OFF}
    assert {one.off_cause(axis, asked) for axis in range(MAX_AXES)} == {StopCause.FILE_LOST}
    assert one.off_cause(0, STEADY.now()) is None, "what is asked for from now on comes on"


def test_a_stop_is_recorded_whatever_lies_in_the_file(members: Members, damage: Damage) -> None:
    """By a member that has not found it yet, for one that has."""
    one, other = members.join("/one"), members.join("/other")
    damage(members.path)
    assert one.check()
    asked = STEADY.now()
    other.record_stop([4], StopCause.SERVO_OFF)
    assert one.stopped[4] >= asked
    assert one.stop_cause(4) is StopCause.SERVO_OFF
    assert (one.stopped[:4] < asked).all()


def test_whatever_is_asked_of_a_damaged_file_has_an_answer(
    members: Members, damage: Damage
) -> None:
    """Without a check before."""
    one, other = members.join("/one"), members.join("/other")
    assert other.lead(), "as the engine node, which sets emergency stops"
    damage(members.path)
    assert one.member_name(77) is not None
    assert one.members_of("/other") is not None
    other.emergency_stop = EmergencyStop.LEVEL1
    other.set_servo_history(3, ServoHistory.SWITCHED_OFF)
    assert isinstance(one.stop_inputs(), list)
    assert one.check()
    assert other.check()
    assert one.emergency_stop is EmergencyStop.LEVEL1
    assert one.servo_history(3) is ServoHistory.SWITCHED_OFF
    assert one.begin_command([1]) is None
    assert other.begin_command([1]) == 1


def test_no_number_in_a_damaged_file_raises_anything(members: Members, damage: Damage) -> None:
    """Before any member has found the damage."""
    one = members.join("/one")
    damage(members.path)
    assert set(one.pauses().values()) <= {*AxisPause}
    for unreadable in -20_000, MAX_MEMBERS:
        assert one.is_alive(unreadable), "it may be"
        assert one.member_name(unreadable) == "an unknown node"


def test_a_copy_of_the_file_that_is_put_back_is_not_taken_for_it(members: Members) -> None:
    """An emergency stop of after the copy would be forgotten. And nothing of it stays open."""
    one = members.join("/one")
    copy = shutil.copy(members.path, members.path.with_name("copy"))
    one.emergency_stop = EmergencyStop.LEVEL1
    with descriptors() as count:
        before = count()
        os.replace(copy, members.path)
        assert one.check()
        assert count() == before
    assert one.settings_revision == 0, "and nothing else was set"
    assert members.join("/other").emergency_stop is EmergencyStop.LEVEL1


def test_who_comes_while_the_file_is_lost_waits_for_it(members: Members) -> None:
    one = members.join("/one")
    one.set_servo_history(0, ServoHistory.SWITCHED_OFF)
    members.path.unlink()
    joined: list[SharedAxisFile] = []
    newcomer = threading.Thread(target=lambda: joined.append(members.join("/newcomer")))
    newcomer.start()
    newcomer.join(0.05)
    assert not joined
    assert not members.path.exists()
    assert one.check()
    newcomer.join()
    assert joined[0].servo_history(0) is ServoHistory.SWITCHED_OFF
    assert joined[0].number != one.number


def test_who_comes_while_nobody_puts_the_file_back_is_refused(members: Members) -> None:
    members.join("/suspended")
    members.path.unlink()
    with pytest.raises(TimeoutError, match="while processes that use it live"):
        members.join("/newcomer", HeldClock())


def test_while_the_file_cannot_be_put_back_nothing_is_commanded_and_stops_work(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewable, "MARKED_TIMEOUT", 0.0)
    one, other = members.join("/one"), members.join("/other")
    runtime = members.path.parents[1]
    shutil.rmtree(runtime)
    for _ in range(3):
        assert not one.check()
    assert [(name, loss.first, loss.renewed) for name, loss in members.losses] == [
        ("/one", True, False)
    ]
    for member in (one, other):
        with pytest.raises(AxisFileLost, match="No such file") as refused:
            member.begin_command([0])
        assert refused.value.code == ErrorCode.FileOperationFailed
        assert "No such file" in member.problem
        assert (member.stopped == inf).all(), "what waits for its start does not begin"
        assert member.stop_cause(0) is StopCause.FILE_LOST
        assert member.servo_history(0) is ServoHistory.SWITCHED_OFF
        assert member.off_cause(0, STEADY.now()) is StopCause.FILE_LOST
        member.record_stop(range(MAX_AXES))
        assert member.owner(0) == NO_MEMBER
    one.emergency_stop = EmergencyStop.FINAL
    assert one.lead()
    runtime.mkdir()
    assert other.check(), "the folder is there again"
    assert one.check()
    assert not one.problem
    assert other.emergency_stop is EmergencyStop.FINAL
    assert other.begin_command([0]) is None


def test_the_last_member_leaves_an_emergency_stop_behind_in_a_lost_file_too(
    members: Members,
) -> None:
    one = members.join("/one")
    one.emergency_stop = EmergencyStop.LEVEL1
    members.path.unlink()
    one.close()
    assert members.join("/later").emergency_stop is EmergencyStop.LEVEL1


@pytest.mark.parametrize(
    "contents",
    [b"", bytes(FILE_SIZE), GARBAGE, b"text\n", new_system(SMALL)[: HEADER.itemsize] + GARBAGE],
)
def test_what_cannot_be_read_at_the_start_counts_as_an_emergency_stop(
    members: Members, contents: bytes
) -> None:
    """Whether there was one in it is not known, nor which servos clients had switched off."""
    members.path.write_bytes(contents)
    one = members.join("/one")
    one.records().require_sound()
    assert one.emergency_stop is EmergencyStop.LEVEL1
    assert one.assumed_stop
    assert one.servo_history(0) is ServoHistory.SWITCHED_OFF
    assert one.begin_command([0]) is None
    one.emergency_stop = None
    assert not one.assumed_stop
    assert one.speed == Speed(LEAST_SPEED), "until a client sets another one"
    one.speed = Speed()
    one.close()
    assert not members.path.exists()
    assert members.join("/later").emergency_stop is None


@pytest.mark.parametrize("leads", [True, False])
def test_the_speed_is_what_the_engine_node_has_set_last(members: Members, *, leads: bool) -> None:
    """Whatever becomes of the file."""
    one, other = members.join("/one"), members.join("/other")
    assert one.lead() is True
    setter = one if leads else other
    setter.speed = Speed(20, paused=True)
    for member in (one, other):
        assert member.check()
    for damage in Path.unlink, lambda path: path.write_bytes(GARBAGE):
        damage(members.path)
        for member in (other, one):
            member.check()
            assert member.speed == Speed(20, paused=True)


def test_a_killed_member_that_was_putting_the_file_back_is_no_obstacle(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = members.join("/one")
    with members.path.open("r+b") as file:
        file.seek(8)  # what marks it as replaced
        file.write(b"\1")
    assert not one.check(), "it may be doing so"
    with pytest.raises(AxisFileLost, match="another process is putting it back"):
        one.begin_command([0])
    monkeypatch.setattr(renewable, "MARKED_TIMEOUT", 0.0)
    assert one.check()
    assert one.begin_command([0]) is None


def test_who_finds_two_losses_at_once_leaves_it_to_who_has_found_the_first(
    members: Members,
) -> None:
    one, other = members.join("/one"), members.join("/other")
    members.path.unlink()
    assert one.check()
    one.emergency_stop = EmergencyStop.FINAL
    members.path.unlink()
    assert not other.check(), "it does not know of the emergency stop"
    assert one.check()
    assert other.check()
    assert other.emergency_stop is EmergencyStop.FINAL


WRITTEN: dict[str, tuple[list[float], list[float]]] = {
    "emergency_stop": ([0, len(EmergencyStop)], [len(EmergencyStop) + 1, 255]),
    "leader": ([NO_MEMBER, MAX_MEMBERS - 1], [NO_MEMBER - 1, MAX_MEMBERS]),
    **dict.fromkeys(("engine_ready", "assumed", "ended", "paused"), ([0, 1], [2, 255])),
    "slower": ([0, FULL_SPEED - LEAST_SPEED], [FULL_SPEED - LEAST_SPEED + 1, 255]),
    "pause": ([0, max(AxisPause)], [max(AxisPause) + 1]),
    "owner": ([NO_MEMBER, MAX_MEMBERS - 1], [NO_MEMBER - 1, MAX_MEMBERS]),
    **dict.fromkeys(("kept", "stop_input_value"), ([0, 1], [2])),
    **dict.fromkeys(("cause", "off_cause"), ([0, max(StopCause)], [max(StopCause) + 1])),
    "servo": ([0, max(ServoHistory)], [max(ServoHistory) + 1]),
    "stop_input": ([0, len(StopKind)], [len(StopKind) + 1]),
    "stop_input_bit": ([0, 7], [8]),
    "stop_input_byte": ([0, IO_BYTES - 1], [-1, IO_BYTES]),
    **dict.fromkeys(("stopped", "off"), ([0.0, 1e9], [-1e-9, inf, nan])),
    "commanded": ([0.0, inf], [-1e-9, nan]),
}
"""The least and the greatest value of a field that nodes write, and what none of them does."""


@pytest.mark.parametrize("field", WRITTEN)
def test_only_what_nodes_write_is_taken_for_records(field: str) -> None:
    contents = np.frombuffer(bytearray(new_system(SMALL)[: RECORDS.itemsize]), RECORDS, 1)
    values = contents["header" if field in HEADER.fields else "axes"][field].reshape(-1)
    sound, wrong = WRITTEN[field]
    for value in sound:
        values[-1] = value
        Records(contents.tobytes()).require_sound()
    for value in wrong:
        values[-1] = value
        with pytest.raises(Unreadable, match="no node has written"):
            Records(contents.tobytes()).require_sound()
