"""Who is the engine of a device path: whoever holds the lock, and nobody else."""

import os
from pathlib import Path

import pytest
from descriptors import descriptors

from wmx_ros2_package.drivers.fake.sharing.claim import Claim, clear_dead, holder


@pytest.fixture
def address(tmp_path: Path) -> Path:
    return tmp_path / "engine.sock"


def take(address: Path) -> Claim:
    claim = Claim.take(address)
    assert claim is not None
    return claim


def names(address: Path) -> set[str]:
    return {path.name for path in address.parent.iterdir()}


def test_only_one_can_hold_it(address: Path) -> None:
    first = take(address)
    assert Claim.take(address) is None
    first.give_back()
    take(address).give_back()


def test_it_leaves_no_file_and_no_descriptor(address: Path) -> None:
    with descriptors() as count:
        files = count()
        for _ in range(20):
            claim = take(address)
            address.touch()
            claim.log.touch()
            assert Claim.take(address) is None
            claim.give_back()
        assert names(address) == set()
        assert count() == files


def test_what_a_killed_engine_left_is_removed_by_the_next(address: Path) -> None:
    killed = take(address)
    address.touch()
    os.close(killed.fd)
    assert names(address) == {"engine.lock", "engine.sock"}
    claim = take(address)
    assert not address.exists()
    claim.give_back()


def test_who_has_lost_it_removes_nothing(address: Path) -> None:
    old = take(address)
    address.with_suffix(".lock").unlink()  # by somebody who tidies up
    new = take(address)
    address.touch()
    new.log.touch()
    old.give_back()
    assert names(address) == {"engine.lock", "engine.log", "engine.sock"}
    new.give_back()


def test_a_holder_that_goes_while_somebody_waits_leaves_a_new_file(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of a file that has been removed is worth nothing."""
    holder_of_first, real = take(address), os.open
    opened: list[int] = []

    def open_then_go(*args: object, **kwargs: object) -> int:
        fd = real(*args, **kwargs)  # type: ignore[arg-type]
        if not opened:
            holder_of_first.give_back()
        opened.append(fd)
        return fd

    monkeypatch.setattr("os.open", open_then_go)
    claim = take(address)
    assert len(opened) == 2
    assert Claim.take(address) is None
    claim.give_back()


def test_a_lock_that_is_a_link_is_not_followed(address: Path, tmp_path: Path) -> None:
    address.with_suffix(".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        Claim.take(address)
    assert not (tmp_path / "elsewhere").exists()


def test_the_dead_are_cleared_and_the_living_are_not(address: Path) -> None:
    dead, silent, living = (address.with_name(f"{name}.sock") for name in ("d", "s", "l"))
    for path in dead, silent, living:
        claim = take(path)
        path.touch()
        claim.log.write_text("an error" if path is dead else "")
        if path is not living:
            os.close(claim.fd)
    clear_dead(address.parent)
    assert names(address) == {"d.last.log", "l.lock", "l.log", "l.sock"}
    claim.give_back()


def test_the_holder_is_named(address: Path) -> None:
    assert "not known" in holder(address)
    claim = take(address)
    assert holder(address) == f"process {os.getpid()} is busy, or hangs"
    claim.give_back()
