"""The file that all members share: who is alive, who owns what, and what was stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from other_processes import suspended

from wmx_core.clock import STEADY
from wmx_core.values import MAX_AXES, EmergencyStop
from wmx_ros2_package.control.axis_file import locked, renewable
from wmx_ros2_package.control.axis_file.records import (
    MAX_MEMBERS,
    NO_MEMBER,
    AxisPause,
    ServoHistory,
    Speed,
    StopCause,
)
from wmx_ros2_package.control.axis_file.shared import SharedAxisFile
from wmx_sim.engine.clock import HeldClock

Open = Callable[[str], SharedAxisFile]
PROCESS = f", process {os.getpid()}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "machine.axes"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    """Opens the file as a member of that name; all leave after the test."""
    members: list[SharedAxisFile] = []

    def open_file(name: str) -> SharedAxisFile:
        members.append(SharedAxisFile(path, name))
        return members[-1]

    yield open_file
    for member in members:
        member.close()


# Members


def test_members_have_numbers_and_names(opened: Open) -> None:
    one, other = opened("/one (jog)"), opened("/other")
    assert (one.number, other.number) == (0, 1)
    assert other.member_name(0) == f"/one (jog){PROCESS}"
    assert one.member_name(1) == f"/other{PROCESS}"
    assert one.member_name(NO_MEMBER) == ""


def test_a_member_is_alive_until_it_leaves(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    assert [one.is_alive(number) for number in (0, 1, 2, NO_MEMBER)] == [True, True, False, False]
    other.close()
    assert not one.is_alive(1)


def test_a_member_that_has_left_asks_and_takes_nothing(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    one.close()
    assert not one.is_alive(other.number)
    assert one.begin_command([3]) == 3
    assert not one.lead()
    one.close()


def test_the_first_free_number_comes_without_what_its_last_member_owned(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    one.set_owner(4, one.number, 1.0)
    one.keep(4, kept=True)
    other.set_owner(5, other.number, 1.0)
    one.close()
    third = opened("/third")
    assert third.number == 0
    assert (third.owner(4), third.is_kept(4)) == (NO_MEMBER, False)
    assert third.owner(5) == other.number


def test_the_members_of_a_node_are_those_that_are_alive(opened: Open) -> None:
    opened("/mover")
    jog = opened("/mover (jog)")
    opened("/mover2 (jog)")
    opened("/a/mover")
    other = opened("/other")
    mine = frozenset({f"/mover{PROCESS}", f"/mover (jog){PROCESS}"})
    assert other.members_of("/mover") == mine
    jog.close()
    assert other.members_of("/mover") == {f"/mover{PROCESS}"}
    assert other.members_of("/mover2") == {f"/mover2 (jog){PROCESS}"}


def test_the_nodes_are_those_that_are_alive_without_programs(opened: Open) -> None:
    opened("/mover")
    jog = opened("/cell2/mover (jog)")
    program = opened("wmx_disarm-7")
    assert program.nodes() == ["/cell2/mover", "/mover"]
    jog.close()
    assert program.nodes() == ["/mover"]


@pytest.mark.parametrize("name", ["ä" * 500, "", "/zero\0byte"])
def test_any_name_can_be_read(opened: Open, name: str) -> None:
    one, other = opened(name), opened("/other")
    assert other.member_name(one.number).startswith(name.partition("\0")[0][:50])
    assert other.member_name(other.number) == f"/other{PROCESS}", "its record is its own"


def test_no_two_locks_share_a_byte() -> None:
    members = range(renewable.MEMBERS, renewable.MEMBERS + MAX_MEMBERS)
    single = renewable.IN_USE, renewable.ENGINE, renewable.RENEW, renewable.SETTINGS
    assert len({*range(MAX_AXES), *single, *members}) == MAX_AXES + len(single) + MAX_MEMBERS


def test_one_member_too_many_is_refused(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewable, "MAX_MEMBERS", 2)
    assert MAX_MEMBERS > 100
    opened("/one")
    last = opened("/other")
    with pytest.raises(OSError, match="has 2 members: no more may join"):
        opened("/third")
    last.close()
    assert opened("/third").number == 1


# Owners


def test_an_axis_is_commanded_by_one_member_at_a_time(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    assert one.begin_command([3, 127]) is None
    assert other.begin_command([2, 127, 4]) == 127
    assert one.begin_command([2, 4]) is None, "what was refused has locked nothing"
    one.end_command([3, 127])
    assert other.begin_command([127]) is None


def test_what_an_owner_keeps_ends_with_its_ownership(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    assert one.owner(5) == NO_MEMBER
    one.set_owner(5, one.number, 7.0)
    one.keep(5, kept=True)
    one.set_owner(5, one.number, 8.0)
    assert (other.owner(5), other.commanded_at(5), other.is_kept(5)) == (one.number, 8.0, True)
    other.set_owner(5, other.number, 9.0)
    assert (one.owner(5), one.is_kept(5)) == (other.number, False)


def test_the_axes_of_members(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    for axis in (3, 9):
        one.set_owner(axis, one.number, 1.0)
    other.set_owner(4, other.number, 1.0)
    assert one.axes_of({one.number}) == [3, 9]
    assert one.axes_of({one.number, other.number}) == [3, 4, 9]
    assert one.axes_of(()) == []


# Stops


def test_every_member_sees_when_an_axis_was_stopped_and_how(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    before = STEADY.now()
    one.record_stop([0, 5])
    one.record_stop([6], StopCause.EMERGENCY_STOP)
    assert other.stopped[[0, 5, 6]] == pytest.approx([before] * 3, abs=1.0)
    assert (other.stopped[[0, 5, 6]] >= before).all()
    assert (other.stopped[[1, 4, 7]] == 0.0).all()
    causes = [other.stop_cause(axis) for axis in (0, 5, 6)]
    assert causes == [StopCause.STOP, StopCause.STOP, StopCause.EMERGENCY_STOP]
    one.record_stop([6])
    assert other.stop_cause(6) is StopCause.STOP
    assert other.off_cause(6, before) is StopCause.EMERGENCY_STOP, "which a stop does not hide"
    assert [other.off_cause(*asked) for asked in ((0, before), (6, STEADY.now()))] == [None, None]


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_outlives_all_members_until_it_is_released(
    opened: Open, path: Path, level: EmergencyStop
) -> None:
    one, other = opened("/one"), opened("/other")
    assert one.emergency_stop is None
    one.emergency_stop = level
    assert other.emergency_stop is level
    one.close()
    other.close()
    assert path.exists()
    later = opened("/later")
    assert later.emergency_stop is level
    later.emergency_stop = None
    later.close()
    assert not path.exists()


def test_the_speed_outlives_all_members_unless_the_system_was_ended(
    opened: Open, path: Path
) -> None:
    one, other = opened("/one"), opened("/other")
    assert one.speed == Speed(100)
    one.speed = Speed(20, paused=True)
    assert other.speed == Speed(20, paused=True)
    for member in (one, other):
        member.close()
    later = opened("/later")
    assert later.speed == Speed(20, paused=True)
    later.emergency_stop = EmergencyStop.LEVEL1  # for which the file stays
    later.settings_revision = 7
    later.ended = True
    later.close()
    last = opened("/last")
    assert (last.speed, last.settings_revision) == (Speed(100), 0)
    last.emergency_stop, last.speed, last.ended = None, Speed(20), True
    last.close()
    assert not path.exists()


def test_a_pause_of_an_axis_ends_with_its_owner(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    one.set_owner(3, one.number, 0.0)
    one.set_pause(3, AxisPause.AWAY)
    assert other.pauses() == {3: AxisPause.AWAY}
    one.set_owner(3, one.number, 1.0)
    assert other.pauses() == {3: AxisPause.AWAY}
    other.set_owner(3, other.number, 2.0)
    assert one.pauses() == {}


def test_a_new_system_forgets_all_but_what_a_client_has_to_undo(opened: Open) -> None:
    one = opened("/one")
    one.emergency_stop = EmergencyStop.FINAL  # so that the file stays
    one.set_servo_history(0, ServoHistory.SWITCHED_ON)
    one.set_servo_history(1, ServoHistory.SWITCHED_OFF)
    one.set_owner(2, one.number, 1.0)
    one.keep(2, kept=True)
    one.record_stop(range(MAX_AXES), StopCause.EMERGENCY_STOP)
    one.lead()
    one.engine_ready = True
    one.close()
    later = opened("/later")
    assert later.emergency_stop is EmergencyStop.FINAL
    histories = [later.servo_history(axis) for axis in range(3)]
    assert histories == [
        ServoHistory.UNTOUCHED,
        ServoHistory.SWITCHED_OFF,
        ServoHistory.UNTOUCHED,
    ]
    assert (later.owner(2), later.is_kept(2), later.commanded_at(2)) == (NO_MEMBER, False, 0.0)
    assert not later.stopped.any()
    assert later.stop_cause(0) is StopCause.STOP
    assert (later.leader(), later.engine_ready) == ("", False)


def test_who_joins_a_running_system_changes_nothing(opened: Open) -> None:
    one = opened("/one")
    one.set_servo_history(0, ServoHistory.SWITCHED_ON)
    one.set_owner(2, one.number, 1.0)
    one.keep(2, kept=True)
    one.record_stop([2])
    one.engine_ready = True
    other = opened("/other")
    assert other.servo_history(0) is ServoHistory.SWITCHED_ON
    assert (other.owner(2), other.is_kept(2)) == (one.number, True)
    assert other.stopped[2] > 0.0
    assert other.engine_ready


# The engine


def test_one_member_leads_the_engine_until_it_leaves(opened: Open) -> None:
    one, other = opened("/one"), opened("/other")
    assert other.leader() == ""
    assert one.lead()
    assert one.lead(), "it still does"
    assert not other.lead()
    assert other.leader() == f"/one{PROCESS}"
    assert one.leader() == "", "no other one"
    one.close()
    assert other.leader() == ""
    assert other.lead()


# The file itself


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        SharedAxisFile(path, "/one")
    assert not (tmp_path / "elsewhere").exists()


def test_no_other_user_may_open_it(opened: Open, path: Path) -> None:
    opened("/one")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_never_free_is_waited_for_in_vain(
    opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process creates it, and is suspended before it has finished."""
    clock = HeldClock()
    monkeypatch.setattr(locked, "lock_bytes", lambda *_: False)
    with pytest.raises(TimeoutError):
        SharedAxisFile(path, "/one", clock=clock)
    assert clock.now() == pytest.approx(locked.OPEN_TIMEOUT, abs=0.01)


# Other processes

MEMBER = """
import sys
from pathlib import Path
from wmx_ros2_package.control.axis_file.shared import SharedAxisFile
member = SharedAxisFile(Path(sys.argv[1]), "/there")
member.begin_command([1])
member.set_owner(2, member.number, 1.0)
member.keep(2, kept=True)
member.record_stop([3])
print(member.lead(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def there(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process: it commands axis 1, keeps axis 2, has stopped axis 3, and leads."""
    process = subprocess.Popen(
        [sys.executable, "-c", MEMBER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate()


def test_a_process_that_is_suspended_owns_what_it_owned_and_one_that_is_killed_nothing(
    there: "subprocess.Popen[str]", opened: Open, path: Path
) -> None:
    here = opened("/here")
    name = f"/there, process {there.pid}"

    def owns() -> tuple[bool, bool, str]:
        return here.is_alive(0), here.begin_command([1]) == 1, here.leader()

    assert here.member_name(here.owner(2)) == name
    assert here.is_kept(2)
    assert here.stopped[3] > 0.0
    assert owns() == (True, True, name)
    with suspended(there.pid):
        assert owns() == (True, True, name)
    os.kill(there.pid, signal.SIGKILL)
    there.wait()
    assert owns() == (False, False, "")
    assert here.stopped[3] > 0.0, "the stop is in force all the same"
    here.close()
    assert not path.exists(), "and it leaves nothing behind"


CHURN = """
import sys
from pathlib import Path
from wmx_ros2_package.control.axis_file.shared import SharedAxisFile
for _ in range(100):
    member = SharedAxisFile(Path(sys.argv[1]), "/churn")
    if member.begin_command([0]) is None:
        member.end_command([0])
    member.close()
"""


def test_members_that_come_and_go_at_once_share_one_file(path: Path) -> None:
    """One that opens while the last one closes has no file that no other opens."""
    processes = [subprocess.Popen([sys.executable, "-c", CHURN, str(path)]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert not path.exists()
