"""What the doctor examines, and what it finds."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from wmx_core.values import DEFAULT_DEVICE_PATH


class Level(IntEnum):
    """How bad a finding is."""

    RIGHT = 0
    NOTE = 1
    """It works, and may surprise."""
    WRONG = 2
    """Something will not work, or not as its user expects."""


class Finding(NamedTuple):
    """One line of the report; `remedy` is a command, or what helps in words."""

    check: str
    level: Level
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Everything that is examined: this shell, this computer, and the files of one machine."""

    driver: str = "fake"
    device_path: str = DEFAULT_DEVICE_PATH
    """The SDK's folder, or the machine file of the simulated engine."""
    parameters: Path | None = None
    """The parameters of the nodes, YAML."""
    wmx_parameters: Path | None = None
    """The parameters of the engine, XML."""
    urdf: Path | None = None
    controllers: Path | None = None
    """MoveIt's controllers, YAML."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    shared_memory: Path = Path("/dev/shm")
    processes: Path = Path("/proc")


Check = Callable[[Subject], Iterator[Finding]]


def right(check: str, text: str) -> Finding:
    """Return a finding of what is as it should be."""
    return Finding(check, Level.RIGHT, text)


def note(check: str, text: str, remedy: str = "") -> Finding:
    """Return a finding of what works, and may surprise."""
    return Finding(check, Level.NOTE, text, remedy)


def wrong(check: str, text: str, remedy: str = "") -> Finding:
    """Return a finding of what does not work."""
    return Finding(check, Level.WRONG, text, remedy)
