"""Who is the engine of a device path: whoever holds the lock, and nobody else."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from descriptors import descriptors

from wmx_core.path_lock import PathLock
from wmx_sim.server.engine_lock import EngineLock, describe, holder, remove_leftovers


@pytest.fixture
def address(tmp_path: Path) -> Path:
    return tmp_path / "engine.sock"


def take(address: Path) -> EngineLock:
    lock = EngineLock.take(address)
    assert lock is not None
    return lock


def names(address: Path) -> set[str]:
    return {path.name for path in address.parent.iterdir()}


def test_it_leaves_no_file_and_no_descriptor(address: Path) -> None:
    with descriptors() as count:
        files = count()
        for _ in range(20):
            lock = take(address)
            address.touch()
            lock.log.touch()
            assert EngineLock.take(address) is None
            lock.release()
        assert names(address) == set()
        assert count() == files


def test_what_a_killed_engine_left_is_removed_by_the_next(address: Path) -> None:
    killed = take(address)
    address.touch()
    killed.pass_on()
    assert names(address) == {"engine.lock", "engine.sock"}
    lock = take(address)
    assert not address.exists()
    lock.release()


def test_the_log_of_a_killed_engine_outlives_the_next_one(address: Path) -> None:
    killed = take(address)
    killed.log.write_text("an error")
    killed.pass_on()
    take(address).release()
    assert names(address) == {"engine.last.log"}
    assert address.with_name("engine.last.log").read_text() == "an error"


def test_no_other_can_take_it_while_its_files_are_deleted(address: Path) -> None:
    """By somebody who tidies up: two engines would simulate one machine."""
    assert holder(address) is None
    lock = take(address)
    address.with_suffix(".lock").unlink()
    assert EngineLock.take(address) is None
    assert lock.put_back()
    assert holder(address) == os.getpid()
    assert EngineLock.take(address) is None
    lock.release()
    assert names(address) == set()
    take(address).release()


def test_a_holder_that_goes_while_somebody_waits_leaves_a_new_file(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of a file that has been removed is worth nothing."""
    holder_of_first, real = take(address), os.open
    opened: list[int] = []

    def open_then_go(path: Path, *args: Any, **kwargs: Any) -> int:
        fd = real(path, *args, **kwargs)
        if str(path).endswith(".lock"):
            if not opened:
                holder_of_first.release()
            opened.append(fd)
        return fd

    monkeypatch.setattr("os.open", open_then_go)
    lock = take(address)
    assert len(opened) == 2
    assert EngineLock.take(address) is None
    lock.release()


def test_a_lock_that_is_a_link_is_not_followed(address: Path, tmp_path: Path) -> None:
    address.with_suffix(".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        EngineLock.take(address)
    assert not (tmp_path / "elsewhere").exists()


def test_the_dead_are_cleared_and_the_living_are_not(address: Path) -> None:
    dead, silent, living = (address.with_name(f"{name}.sock") for name in ("d", "s", "l"))
    for path in dead, silent, living:
        lock = take(path)
        path.touch()
        lock.log.write_text("an error" if path is dead else "")
        if path is not living:
            lock.pass_on()
    remove_leftovers(address.parent)
    assert names(address) == {"d.last.log", "l.lock", "l.log", "l.sock"}
    lock.release()


def test_a_process_is_described_by_its_command() -> None:
    assert describe(None) == "a process that is not known"
    assert describe(os.getpid()).startswith(f"process {os.getpid()} (")
    assert Path(sys.executable).name in describe(os.getpid())
    assert describe(2**22 + 1) == f"process {2**22 + 1}"


def open_files(count: int) -> list[int]:
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(count)]


def close_files(files: list[int]) -> None:
    for file in files:
        os.close(file)


def test_a_lock_that_is_released_puts_nothing_back_and_closes_no_other_file(address: Path) -> None:
    """The number of what it closed may be that of another file by then."""
    lock = take(address)
    lock.release()
    files = open_files(4)
    assert lock.put_back()
    lock.release()
    assert names(address) == set()
    close_files(files)


def test_a_lock_of_a_path_that_is_closed_twice_closes_no_other_file(tmp_path: Path) -> None:
    lock = PathLock(tmp_path)
    lock.close()
    files = open_files(4)
    lock.close()
    close_files(files)
