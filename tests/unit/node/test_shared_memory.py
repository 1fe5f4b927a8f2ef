"""Half-made ports of the middleware, in a folder that stands for shared memory."""

import os
import time
from pathlib import Path

from wmx_ros2_package.node.shared_memory import clear_half_made_ports


def make(place: Path, name: str, *, age: float, content: bytes = b"") -> Path:
    path = place / name
    path.write_bytes(content)
    made = time.time() - age
    os.utime(path, (made, made))
    return path


def test_only_old_empty_ports_go(tmp_path: Path) -> None:
    dead = make(tmp_path, "fastdds_port7007", age=60.0)
    older = make(tmp_path, "fastrtps_port7000", age=60.0)
    kept = [
        make(tmp_path, "fastdds_port7001", age=1.0),
        make(tmp_path, "fastdds_port7002", age=60.0, content=b"port"),
        make(tmp_path, "fastdds_port7002_el", age=60.0),
        make(tmp_path, "fastdds_port7002_sl", age=60.0),
        make(tmp_path, "fastdds_00a9e4c153509a31_el", age=60.0),
        make(tmp_path, "sem.fastdds_port7007_mutex", age=60.0),
        make(tmp_path, "somebody_elses", age=60.0),
    ]
    assert clear_half_made_ports(tmp_path) == [dead, older]
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_without_shared_memory_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert clear_half_made_ports(tmp_path / "none") == []
