"""One owner per axis: who may command it, who is refused, and when it is free again."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import LATENCY
from refusing import refuses

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import MAX_AXES, OperationState
from wmx_ros2_package.control.axis_file.records import MAX_MEMBERS, NAME_SIZE
from wmx_ros2_package.control.axis_file.renewable import Loss
from wmx_ros2_package.control.ownership import CHECK_PERIOD, AxisOwned, Ownership

PROCESS = f", process {os.getpid()}"


class Device:
    """A device on `held`, and what it owns."""

    def __init__(self, held: HeldEngine, name: str) -> None:
        self.held = held
        self.name = name
        self.ownership = Ownership("held", held.motion.status, LATENCY, clock=held.clock)
        self.ownership.open("", name)

    def jog(self, *axes: int, purpose: str = "") -> None:
        with self.ownership.commanding(axes, purpose):
            self.held.motion.jog([velocity_move(axis) for axis in axes])

    def refused(self, *axes: int, purpose: str = "") -> str:
        """The words in which commands to `axes` are refused, which begin nothing."""
        with pytest.raises(AxisOwned) as error, self.ownership.commanding(axes, purpose):
            pytest.fail("nothing is commanded")
        assert error.value.code == ErrorCode.ResourceInUse
        return error.value.detail

    def is_refused(self, axis: int) -> bool:
        try:
            with self.ownership.commanding([axis]):
                return False
        except AxisOwned:
            return True


@pytest.fixture
def device(held: HeldEngine, private: Path) -> Iterator[Callable[[str], Device]]:
    """Makes devices on `held`; they are closed after the test."""
    made: list[Device] = []

    def make(name: str) -> Device:
        made.append(Device(held, name))
        return made[-1]

    yield make
    for each in made:
        each.ownership.close()


@pytest.fixture
def one(device: Callable[[str], Device]) -> Device:
    return device("/one")


@pytest.fixture
def other(device: Callable[[str], Device]) -> Device:
    return device("/other")


def test_the_first_to_command_owns_an_axis_while_it_moves(
    held: HeldEngine, one: Device, other: Device
) -> None:
    one.jog(0)
    assert other.refused(0) == f"axis 0 is owned by /one{PROCESS}"
    held.after(1.0)
    assert other.refused(0) == f"axis 0 is owned by /one{PROCESS}"
    one.jog(0)
    held.motion.stop([0])
    held.after(0.1)
    assert held.status().op_state[0] == OperationState.STOP
    other.refused(0)
    held.after(1.0)
    other.jog(0)
    assert "/other" in one.refused(0)


@pytest.mark.parametrize("number", [-20_000, MAX_MEMBERS])
def test_an_owner_that_is_unreadable_in_a_damaged_file_counts_as_another_node(
    held: HeldEngine, one: Device, other: Device, number: int
) -> None:
    """It may be any, which moves the axis until the damage is found."""
    one.jog(0)
    held.after(1.0)
    assert one.ownership.file is not None
    one.ownership.file.set_owner(0, number, held.now())
    assert other.refused(0) == "axis 0 is owned by an unknown node"
    held.motion.stop([0])
    held.after(1.0)
    other.jog(0)


def test_a_refused_command_owns_none_of_its_axes(
    held: HeldEngine, one: Device, other: Device
) -> None:
    one.jog(0)
    assert "axis 0" in other.refused(1, 0)
    assert other.ownership.last_commanded() == []
    one.jog(1)


def test_purposes_of_one_device_do_not_take_over_from_each_other(
    one: Device, other: Device
) -> None:
    one.jog(0, purpose="jog")
    assert one.refused(0, purpose="position") == f"axis 0 is owned by /one (jog){PROCESS}"
    assert "/one (jog)" in other.refused(0)
    one.jog(0, purpose="jog")
    assert one.ownership.last_commanded() == [0]


def test_an_axis_is_owned_until_a_status_shows_its_command(
    held: HeldEngine, one: Device, other: Device
) -> None:
    """The command is on its way for the latency of the driver, in which the axis seems to rest."""
    with one.ownership.commanding([0], "jog"):
        assert f"/one (jog){PROCESS}" in other.refused(0)
        held.after(0.1)
    assert "/one" in other.refused(0), "the time that the command took does not count"
    held.after(LATENCY - 0.001)
    other.refused(0)
    held.after(0.002)
    other.jog(0)


def test_what_the_engine_refuses_belongs_to_whom_it_belonged_before(
    held: HeldEngine, one: Device, other: Device
) -> None:
    def fail(device: Device) -> None:
        with pytest.raises(CommandRefused), device.ownership.commanding([0]):
            held.motion.move_velocity([velocity_move(0)])

    fail(one)
    assert one.ownership.last_commanded() == []
    other.jog(0)
    assert other.ownership.file
    commanded_at = other.ownership.file.commanded_at(0)
    held.after(1.0)
    fail(other)
    assert other.ownership.last_commanded() == [0]
    assert other.ownership.file.commanded_at(0) == commanded_at


def test_another_command_is_refused_while_one_is_on_its_way_to_the_engine(
    one: Device, other: Device
) -> None:
    with one.ownership.setting([0]):
        assert "another command" in other.refused(1, 0)
    other.jog(0)


def test_settings_are_refused_while_another_device_owns_the_axis(
    held: HeldEngine, one: Device, other: Device
) -> None:
    one.jog(0, purpose="jog")
    with pytest.raises(AxisOwned, match=r"/one \(jog\)"), other.ownership.setting([1, 0]):
        pytest.fail("nothing is set")
    with one.ownership.setting([0]):
        pass  # the engine refuses what it has to
    assert one.ownership.last_commanded() == [0], "a setting owns nothing"


def test_a_claim_owns_axes_that_rest(held: HeldEngine, one: Device, other: Device) -> None:
    with one.ownership.claim([0, 1], "trajectory"):
        held.after(10.0)
        assert "/one (trajectory)" in other.refused(1)
        assert "/one (trajectory)" in one.refused(1, purpose="jog")
        one.jog(0, purpose="trajectory")
    other.jog(1)
    assert "/one (trajectory)" in other.refused(0), "it moves"


def test_a_claim_is_refused_as_a_whole(one: Device, other: Device) -> None:
    other.jog(1)
    claim = one.ownership.claim([0, 1])
    with pytest.raises(AxisOwned, match="axis 1 is owned by /other"), claim:
        pytest.fail("nothing is claimed")
    assert one.ownership.last_commanded() == []
    other.jog(0)


def test_a_claim_lasts_as_long_as_the_last_one_for_its_purpose(
    held: HeldEngine, one: Device, other: Device
) -> None:
    """A trajectory claims its axes before the one that it takes over from lets go of them."""
    first, second = one.ownership.claim([0, 1]), one.ownership.claim([0])
    with first:
        second.__enter__()
    held.after(1.0)
    assert other.is_refused(0)
    assert not other.is_refused(1)
    second.__exit__(None, None, None)
    assert not other.is_refused(0)


def test_claims_of_an_earlier_attachment_do_not_count(
    held: HeldEngine, one: Device, other: Device
) -> None:
    early = one.ownership.claim([0])
    early.__enter__()
    one.ownership.close()
    one.ownership.open("", one.name)
    first, second = one.ownership.claim([0]), one.ownership.claim([0])
    first.__enter__()
    early.__exit__(None, None, None)
    assert other.is_refused(0), "its end lets go of nothing that is claimed since"
    second.__enter__()
    first.__exit__(None, None, None)
    held.after(1.0)
    assert other.is_refused(0)
    second.__exit__(None, None, None)
    assert not other.is_refused(0)


def test_what_is_refused_in_a_claim_leaves_it_the_owner(
    held: HeldEngine, one: Device, other: Device
) -> None:
    with one.ownership.claim([0]):
        with pytest.raises(CommandRefused), one.ownership.commanding([0]):
            held.motion.move_velocity([velocity_move(0)])
        held.after(1.0)
        assert other.is_refused(0)


def test_what_is_refused_while_another_thread_claims_its_axis_leaves_it_claimed(
    held: HeldEngine, one: Device, other: Device
) -> None:
    """And nothing to the device that has commanded it before, which would never let it go."""
    other.jog(0)
    held.motion.stop([0])
    held.after(1.0)
    with ExitStack() as claimed:
        with suppress(CommandRefused), one.ownership.commanding([0]):
            claimed.enter_context(one.ownership.claim([0]))
            held.after(1.0)
            assert other.refused(0) == f"axis 0 is owned by /one{PROCESS}"
            raise CommandRefused(ErrorCode.NotIdleState)
        assert one.ownership.owned(held.status()) == [0]
        assert other.refused(0) == f"axis 0 is owned by /one{PROCESS}"
    assert not other.is_refused(0)
    held.after(2.0 * LATENCY)
    assert not one.is_refused(0)


def test_a_closed_device_owns_and_refuses_nothing(
    held: HeldEngine, one: Device, other: Device
) -> None:
    """So does one whose process has died, for its lock on the file is gone."""
    one.jog(0)
    one.ownership.claim([1]).__enter__()
    one.ownership.close()
    assert one.ownership.file is None
    assert one.ownership.member("jog") is None
    assert (one.ownership.last_commanded(), one.ownership.owners([0], held.status())) == ([], {})
    assert other.ownership.owners([0, 1], held.after(1.0)) == {}
    other.jog(0, 1)
    with one.ownership.commanding([0]), one.ownership.setting([0]), one.ownership.claim([0]):
        pass  # its engine refuses what it has to
    assert other.ownership.last_commanded() == [0, 1]


def test_owners_are_those_of_axes_that_are_owned_now(
    held: HeldEngine, one: Device, other: Device
) -> None:
    one.jog(0, purpose="jog")
    with other.ownership.claim([1]):
        held.after(1.0)
        owners = {0: f"/one (jog){PROCESS}", 1: f"/other{PROCESS}"}
        status = held.status()
        assert one.ownership.owners([0, 1, 1, MAX_AXES, -1], status) == owners
        assert other.ownership.owners([1], status) == {1: owners[1]}
    held.motion.stop([0])
    assert one.ownership.owners([0, 1], held.after(1.0)) == {}


def test_without_communication_only_claims_own_axes(
    held: HeldEngine, one: Device, other: Device
) -> None:
    one.jog(0)
    with one.ownership.claim([1]):
        held.engine.stop_communication()
        assert not other.is_refused(0)
        assert other.is_refused(1)


def test_axes_that_this_engine_has_not_are_owned_for_a_moment_at_most(
    held: HeldEngine, one: Device, other: Device
) -> None:
    lacking = held.status().axes
    with one.ownership.commanding([lacking]):
        pass
    held.after(1.0)
    assert not other.is_refused(lacking)


def test_each_engine_has_owners_of_its_own(held: HeldEngine, one: Device, private: Path) -> None:
    elsewhere = Ownership("held", held.motion.status, LATENCY, clock=held.clock)
    elsewhere.open("/another", "/one")
    same = Ownership("other backend", held.motion.status, LATENCY, clock=held.clock)
    same.open("", "/one")
    one.jog(0)
    for ownership in (elsewhere, same):
        with ownership.commanding([0]):
            pass
        ownership.close()
    assert len([*private.glob("wmx-axes-*/*")]) == 1


def test_a_loss_of_the_file_is_reported_by_who_finds_it_and_by_the_node(
    held: HeldEngine, private: Path
) -> None:
    losses: list[Loss] = []
    ownership = Ownership("held", held.motion.status, LATENCY, losses.append, held.clock)
    ownership.open("", "/one")
    jog, file = ownership.member("jog"), ownership.file
    assert jog is not None
    assert file is not None
    for finder, first in (jog, [True, False]), (file, [True]):
        file.settings_path.with_suffix("").unlink()
        losses.clear()
        for member in finder, jog, file:
            assert member.check()
        assert [loss.first for loss in losses] == first
    ownership.close()


def test_the_file_is_looked_at_twice_a_second(held: HeldEngine, one: Device) -> None:
    assert one.ownership.check_file()
    assert not one.ownership.check_file()
    held.after(CHECK_PERIOD)
    assert one.ownership.check_file()


def test_what_is_no_path_is_refused(held: HeldEngine, private: Path) -> None:
    ownership = Ownership("held", held.motion.status, LATENCY, clock=held.clock)
    with refuses(ErrorCode.CreateDeviceLockError):
        ownership.open("/a\0b", "/one")
    assert ownership.file is None


def test_without_a_directory_of_its_own_nothing_is_owned(held: HeldEngine, private: Path) -> None:
    directory = private / f"wmx-axes-{os.getuid()}"
    directory.mkdir(mode=0o755)
    ownership = Ownership("held", held.motion.status, LATENCY, clock=held.clock)
    with pytest.raises(CommandRefused, match="must belong to user"):
        ownership.open("", "/one")
    assert ownership.member("jog") is None, "it is closed"
    directory.rmdir()
    ownership.open("", "/one")
    ownership.close()


def test_all_devices_on_an_engine_are_of_one_system(
    device: Callable[[str], Device], one: Device, other: Device
) -> None:
    """It stays the same while one of them is there, and a device remembers it."""
    system = one.ownership.system_id
    assert system is not None
    assert other.ownership.system_id == system
    one.ownership.close()
    assert one.ownership.system_id is None
    one.ownership.open("", "/one")
    assert one.ownership.system_id == system
    one.ownership.close()
    other.ownership.close()
    one.ownership.open("", "/one")  # as after the engine was lost
    assert device("/later").ownership.system_id == system
    assert one.ownership.system_id == system


def test_a_system_that_is_started_anew_is_another_one(device: Callable[[str], Device]) -> None:
    first = device("/one")
    system = first.ownership.system_id
    first.ownership.close()
    assert device("/one").ownership.system_id not in (system, None)


def test_a_name_that_would_be_cut_off_is_refused(device: Callable[[str], Device]) -> None:
    """Else others look for the whole name, do not find it, and take its node for dead."""
    longest = "/" + "n" * (NAME_SIZE - 1)
    file = device(longest).ownership.file
    assert file is not None
    assert file.members_of(longest)
    with pytest.raises(CommandRefused, match=f"has {NAME_SIZE + 1} bytes: must have {NAME_SIZE}"):
        device(longest + "n")
