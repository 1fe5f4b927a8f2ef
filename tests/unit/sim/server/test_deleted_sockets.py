"""Somebody empties the folder in which the engine's socket is, while it runs."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from other_processes import engine_processes

from wmx_core.opening import open_driver
from wmx_core.values import EngineState

DELETE: dict[str, Callable[[Path], object]] = {
    "the folder": shutil.rmtree,
    "its files": lambda folder: [path.unlink() for path in folder.iterdir()],
    "the socket": lambda folder: [path.unlink() for path in folder.glob("*.sock")],
}


@pytest.mark.parametrize("delete", DELETE.values(), ids=DELETE)
def test_there_is_still_one_engine_that_all_reach(
    runtime: Path, delete: Callable[[Path], object]
) -> None:
    one, other = open_driver("fake"), open_driver("fake")
    one.engine.create_device("", "one")
    try:
        [folder] = runtime.glob("wmx-fake-*")
        delete(folder)
        found: list[EngineState] = []
        thread = threading.Thread(target=lambda: found.append(one.engine.state()))
        thread.start()
        thread.join()
        assert found == [EngineState.RUNNING], "a thread that has no connection yet gets one"
        other.engine.create_device("", "other")
        other.engine.start_communication()
        assert one.engine.state() is EngineState.COMMUNICATING
        assert len(engine_processes(runtime)) == 1
    finally:
        other.engine.close_device()
        one.engine.close_device()
    assert not [*runtime.glob("wmx-fake-*/*")], "it removes what it has put back"
