"""Ports in shared memory whose program died while it made them."""

import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import system as systems
from other_processes import own_shared_memory
from ros import eventually

from wmx_ros2_package.node_base import runner
from wmx_ros2_package.node_base.domain import discovery
from wmx_ros2_package.node_base.domain.discovery import (
    BROKEN,
    HALF_MADE,
    MADE,
    SHARED_MEMORY,
    half_made_ports,
    remove_half_made_ports,
    use_profile,
    wait_for_half_made_ports,
)
from wmx_ros2_package.node_base.runner import PORTS_PERIOD

SIZE = 52_400
"""Of a port as Fast DDS makes it, bytes."""
EMPTY, MAKING = bytes(4), (1).to_bytes(4, sys.byteorder)


def port(path: Path, state: bytes = EMPTY, *, size: int = SIZE, age: float = 2 * HALF_MADE) -> Path:
    path.write_bytes(state.ljust(size, b"\0")[:size])
    at = time.time() - age
    os.utime(path, (at, at))
    return path


def test_what_is_half_made(tmp_path: Path) -> None:
    half_made = [
        port(tmp_path / "fastdds_port7410", size=0),
        port(tmp_path / "fastdds_port7411"),
        port(tmp_path / "fastdds_port7412", MAKING),
        port(tmp_path / "fastrtps_port7413"),
    ]
    port(tmp_path / "fastdds_port7414", MADE)
    port(tmp_path / "fastdds_port7415", BROKEN)
    port(tmp_path / "fastdds_port7416", age=0.0)
    port(tmp_path / "fastdds_port7411_el", size=0)  # a lock, which is always empty
    port(tmp_path / "fastdds_portal")
    os.mkfifo(tmp_path / "fastdds_port7417")  # nobody waits for who writes into it
    (tmp_path / "fastdds_port7418").symlink_to(port(tmp_path / "a_file_of_somebody"))
    for name in "fastdds_port7417", "fastdds_port7418":
        os.utime(tmp_path / name, (0.0, 0.0), follow_symlinks=False)
    assert sorted(half_made_ports(tmp_path)) == sorted(half_made)


@pytest.mark.parametrize("size", [0, SIZE])
def test_it_is_removed_and_whoever_waits_for_it_goes_on(tmp_path: Path, size: int) -> None:
    path = port(tmp_path / "fastdds_port7411", size=size)
    with path.open("rb") as file:
        remove_half_made_ports(tmp_path)
        with mmap.mmap(file.fileno(), len(BROKEN), prot=mmap.PROT_READ) as waiting:
            assert waiting[:] == BROKEN
    assert not path.exists()


def test_every_program_does_so_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, no_profile: None
) -> None:
    removed: list[bool] = []
    monkeypatch.setattr(discovery, "wait_for_half_made_ports", lambda: removed.append(True))
    use_profile()
    assert removed == [True]


def aging(*paths: Path, then: Callable[[float], None] = lambda _: None) -> Callable[[float], None]:
    """What is called in place of sleep: files become as much older."""

    def sleep(seconds: float) -> None:
        for path in paths:
            if path.exists():
                at = path.stat().st_mtime - seconds
                os.utime(path, (at, at))
        then(seconds)

    return sleep


def test_a_start_waits_until_a_young_one_is_old_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # only what is slept makes the port older
    path = port(tmp_path / "fastdds_port7411", age=HALF_MADE - 3.0)
    waited: list[float] = []
    wait_for_half_made_ports(tmp_path, aging(path, then=waited.append))
    assert not path.exists()
    assert sum(waited) == pytest.approx(3.0, abs=0.3)
    said = capsys.readouterr().err
    assert said.startswith(f"waiting up to 10 s for {path.name}")
    assert said.count("\n") == 1


def test_one_that_is_being_made_is_waited_for_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = port(tmp_path / "fastdds_port7411", MAKING, age=0.0)
    wait_for_half_made_ports(tmp_path, lambda _: path.write_bytes(MADE) and None)
    assert path.exists()
    assert capsys.readouterr().err == ""


def test_a_start_does_not_wait_for_ever(tmp_path: Path) -> None:
    path = port(tmp_path / "fastdds_port7411", age=0.0)
    waited: list[float] = []
    wait_for_half_made_ports(tmp_path, waited.append)
    assert sum(waited) == HALF_MADE + 1.0
    assert path.exists()


def test_a_process_with_nodes_does_so_while_it_runs_and_before_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    class Stop:
        def wait(self, seconds: float) -> bool:
            done.append(f"waited {seconds:g} s")
            return len(done) > 4

    class Group:
        def start(self) -> None: ...

        def close(self) -> bool:
            done.append("closed")
            return True

        def end_spinning(self) -> None: ...

    monkeypatch.setattr(runner, "remove_half_made_ports", lambda: done.append("removed"))
    group, stop = Group(), Stop()
    assert runner.serve(group, stop) == 0  # type: ignore[arg-type]
    waited = f"waited {PORTS_PERIOD:g} s"
    assert done == [waited, "removed", waited, "removed", waited, "removed", "closed"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    remove_half_made_ports(tmp_path / "nowhere")


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is elsewhere")
def test_a_program_of_fast_dds_that_waits_for_one_goes_on(no_profile: None) -> None:
    """Else it waits for ever, and Ctrl-C does not end it."""
    code = "import rclpy\nrclpy.init()\ninput()\nrclpy.create_node('waits')"
    with systems.place() as place:
        program = subprocess.Popen(
            [*own_shared_memory(), sys.executable, "-c", code],
            env=place.environment,
            stdin=subprocess.PIPE,
        )
        try:
            process = Path(f"/proc/{program.pid}")
            folder = process / "root" / SHARED_MEMORY.relative_to("/")
            eventually(lambda: "rclpy" in (process / "maps").read_text(), "it has its memory")
            first = 7400 + 250 * int(place.domain) + 11  # of the first program of the domain
            path = port(folder / f"fastdds_port{first}")
            assert program.stdin is not None
            program.stdin.write(b"\n")
            program.stdin.flush()
            eventually(lambda: path.name in (process / "maps").read_text(), "it waits for the port")
            program.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                program.wait(1.0)
            remove_half_made_ports(folder)
            program.communicate(timeout=60.0)
        finally:
            program.kill()
            program.communicate()
