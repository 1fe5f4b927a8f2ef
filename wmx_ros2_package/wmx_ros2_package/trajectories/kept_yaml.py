"""YAML files that several programs keep: written as a whole, by one of them at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from wmx_core.regular_file import open_without_waiting, read_regular_file

from .plain_yaml import read_plain_yaml

MOST_BYTES = 1 << 20
LOCK_TIMEOUT = 2.0
"""How long another program may take to change a file, s."""


def read_kept(path: Path, otherwise: Any) -> Any:
    """What a file holds; ValueError, or YAMLError, where it is none. `otherwise` without a file."""
    if not path.exists():
        return otherwise
    return read_plain_yaml(read_regular_file(f"{path.absolute()}", MOST_BYTES).decode())


@contextmanager
def changing(path: Path) -> Iterator[Callable[[Any], None]]:
    """Keep other programs from changing the file; what the block is given writes all of it.

    ValueError where another program does not come to its end or the file would be larger than may
    be read, OSError where it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(f".{path.name}.lock"), "a", opener=open_without_waiting) as held:
        _lock(held.fileno(), path)
        yield lambda content: _write(path, content)


def file_in(folder: Path, robot: str) -> Path:
    """The file of the robot of this name in a folder."""
    plain = "".join(each if each.isalnum() or each in "-_." else "_" for each in robot.strip("/"))
    return folder.expanduser() / f"{plain.lstrip('.') or 'robot'}.yaml"


def _write(path: Path, content: Any) -> None:
    text = yaml.safe_dump(content, encoding="utf-8", sort_keys=False, allow_unicode=True)
    if len(text) > MOST_BYTES:
        raise ValueError(f"{path} would be larger than {MOST_BYTES >> 20} MiB")
    draft = path.with_name(f".{path.name}.draft")
    with open(draft, "wb", opener=open_without_waiting) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def _lock(file: int, path: Path) -> None:
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ValueError(f"{path}: another program is changing it: try again") from None
            time.sleep(0.02)
