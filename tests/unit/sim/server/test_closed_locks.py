"""What was closed is not closed again: its number may be that of another file by then."""

import os
from pathlib import Path

from wmx_core.path_lock import PathLock
from wmx_sim.server.engine_lock import EngineLock


def open_files(count: int) -> list[int]:
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(count)]


def test_a_lock_of_a_path_that_is_closed_twice(tmp_path: Path) -> None:
    lock = PathLock(tmp_path)
    lock.close()
    files = open_files(4)
    lock.close()
    for file in files:
        os.close(file)


def test_a_lock_of_an_engine_that_is_released_puts_nothing_back(private: Path) -> None:
    private.chmod(0o700)
    lock = EngineLock.take(private / "engine.sock")
    assert lock is not None
    lock.release()
    files = open_files(4)
    assert lock.put_back()
    lock.release()
    assert [*private.iterdir()] == []
    for file in files:
        os.close(file)
