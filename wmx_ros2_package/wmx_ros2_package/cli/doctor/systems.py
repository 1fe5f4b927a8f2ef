"""The systems that run on this computer, and what killed engines have left."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wmx_core.private_directory import private_directory
from wmx_core.values import DEFAULT_DEVICE_PATH

from ...diagnosis.typed_commands import start_system
from ...robots.catalogue import find_robot
from ...robots.needed_machine import machine_of
from ...validation import BadRequest
from .finding import Finding, Subject, note, right, wrong

HEADS = "bringup", "wmx_engine_node"
"""The programs with an engine node: each of them is a system."""
SETTINGS = "ROS_DOMAIN_ID", "WMX_DRIVER", "WMX_DEVICE_PATH", "XDG_RUNTIME_DIR"
SUSPENDED = "T"
SIMULATED = "fake"
MANAGER, SPAWNER = "controller_manager/ros2_control_node", "controller_manager/spawner"
"""Programs of ros2_control as they are installed: its controller manager, and what waits for it."""


@dataclass(frozen=True, slots=True)
class System:
    """A system that runs: its process, and what it was started with."""

    process: int
    program: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    """That which it runs in, from which paths count; empty where that is not known."""
    suspended: bool
    """Whether it was stopped, as Ctrl-Z does: it is there, and answers nothing."""

    @property
    def domain(self) -> str:
        """Its ROS domain."""
        return self.environment.get("ROS_DOMAIN_ID") or "0"

    @property
    def namespace(self) -> str:
        """The namespace of its nodes: "" or "/robot"."""
        return self._remapped("__ns").rstrip("/")

    @property
    def driver(self) -> str:
        """The name of the driver of its engine."""
        return self._remapped("driver") or self.environment.get("WMX_DRIVER") or SIMULATED

    @property
    def device_path(self) -> str:
        """The device path that its command line names, or that of its robot."""
        named = self._remapped("device_path")
        with suppress(BadRequest, OSError):  # which the simulated engine alone plays
            given = self._after("--robot")
            robot = find_robot(os.path.join(self.folder, given) if os.sep in given else given)
            if self.driver == SIMULATED:
                named = named or str(machine_of(robot))
        named = named or self.environment.get("WMX_DEVICE_PATH", "")
        return os.path.realpath(os.path.join(self.folder, named or DEFAULT_DEVICE_PATH))

    @property
    def engine(self) -> tuple[str, str, str]:
        """The driver and the device path of its engine; of a simulated one the runtime folder."""
        driver = self.driver
        files = self.environment.get("XDG_RUNTIME_DIR", "") if driver == SIMULATED else ""
        return driver, self.device_path, files

    def _remapped(self, name: str) -> str:
        begin = f"{name}:="
        found = [word.removeprefix(begin) for word in self.words if word.startswith(begin)]
        return found[-1] if found else ""

    def _after(self, option: str) -> str:
        for word, next_word in zip(self.words, (*self.words[1:], ""), strict=True):
            name, found, value = word.partition("=")
            if name == option:
                return value if found else next_word
        return ""

    def __str__(self) -> str:
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.program}, process {self.process}, domain {self.domain}{where}"


def running_systems(processes: Path) -> list[System]:
    """Return the systems of this user, as far as `processes`, /proc, shows them."""
    found = []
    for entry, words in _command_lines(processes):
        with suppress(OSError):  # it has ended, or is another user's
            if program := _program(words):
                pairs = (each.decode(errors="replace") for each in _fields(entry / "environ"))
                given = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
                kept = {name: given[name] for name in SETTINGS if name in given}
                number, state = int(entry.name), _state(entry)
                folder = _folder(entry)
                suspended = state == SUSPENDED
                found.append(System(number, program, tuple(words), kept, folder, suspended))
    return sorted(found, key=lambda system: system.process)


def _program(words: list[str]) -> str:
    """Return which program with an engine node a process is: itself, or what Python runs in it.

    What has started one, such as `timeout 60 bringup`, is none.
    """
    names = [Path(word).name for word in words[:3]]
    if names and not names[0].startswith("python"):
        names = names[:1]
    return next((name for name in names if name in HEADS), "")


def _folder(entry: Path) -> str:
    with suppress(OSError):
        return os.readlink(entry / "cwd")
    return ""


def check_systems(subject: Subject) -> Iterator[Finding]:
    """Check which systems run, whether this shell is in their domain, and who shares an engine."""
    systems = running_systems(subject.processes)
    if not systems:
        yield note("system", "none of this user runs on this computer", start_system())
        return
    here = subject.environment.get("ROS_DOMAIN_ID") or "0"
    found = any(system.domain == here for system in systems)
    for system in systems:
        if system.suspended:
            yield wrong(
                "system",
                f"{system}: it is suspended, and answers nothing",
                f"kill -CONT {system.process}    # or fg, in its terminal",
            )
        elif found or system.domain == here:
            yield right("system", str(system))
        else:
            yield wrong(
                "system",
                f"{system}: this shell is in domain {here} and does not find it",
                f"export ROS_DOMAIN_ID={system.domain}",
            )
    yield from _shared(systems)


def _shared(systems: list[System]) -> Iterator[Finding]:
    """Find systems on one engine, and systems with the same names in one domain."""
    for i, first in enumerate(systems):
        for second in systems[i + 1 :]:
            if first.engine == second.engine:
                yield wrong(
                    "system",
                    f"processes {first.process} and {second.process} are on one engine, "
                    f"{first.device_path}",
                    f"kill -INT {second.process}, or start it with another WMX_DEVICE_PATH",
                )
            elif (first.domain, first.namespace) == (second.domain, second.namespace):
                yield wrong(
                    "system",
                    f"processes {first.process} and {second.process} have the same topics: both "
                    f"are in domain {first.domain}, without namespaces that differ",
                    f"start one of them with --ros-args -r __ns:=/cell{i + 2}",
                )


def check_ros2_control(subject: Subject) -> Iterator[Finding]:
    """Check for programs that wait for a controller manager that was not started."""
    started = {
        name: entry.name
        for entry, words in _command_lines(subject.processes)
        for name in (MANAGER, SPAWNER)
        if any(word.endswith(f"/{name}") for word in words[:2])
    }
    if SPAWNER in started and MANAGER not in started:
        yield wrong(
            "system",
            f"process {started[SPAWNER]}, {SPAWNER}, waits for ros2_control, which is no part of "
            "this system",
            "start it no more, or ros2_control_node as well: docs/ros2-control.md",
        )


def check_engines(subject: Subject) -> Iterator[Finding]:
    """Check for files of simulated engines whose process was killed."""
    try:
        folder = private_directory("wmx-fake")
    except OSError:
        return  # which check_permissions reports
    held = _locked_inodes(subject.processes / "locks")
    left = [path for path, stat in _files(folder, "*.lock") if stat.st_ino not in held]
    if left:
        yield note(
            "engine",
            f"{len(left)} engine(s) were killed and left files in {folder}; the next one removes "
            "them",
        )
    logs = [path for path, stat in _files(folder, "*.last.log") if stat.st_size]
    for log in logs:
        yield note("engine", f"an engine that was killed has written {log}")
    if not left and not logs:
        yield right("engine", "none was killed")


def _files(folder: Path, pattern: str) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files that are there still: an engine takes its own away as it ends."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            yield path, path.stat()


def _locked_inodes(locks: Path) -> set[int]:
    with suppress(OSError):
        return {int(inode) for inode in re.findall(r":(\d+) \d+ \w+$", locks.read_text(), re.M)}
    return set()


def _command_lines(processes: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folder of each process and the words that it was started with."""
    for entry in processes.glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            yield entry, [word.decode(errors="replace") for word in _fields(entry / "cmdline")]


def _state(entry: Path) -> str:
    """Return the letter of a process's state, behind its name, which may have brackets: proc(5)."""
    return (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]


def _fields(path: Path) -> list[bytes]:
    return [each for each in path.read_bytes().split(b"\0") if each]


CHECKS = check_systems, check_ros2_control, check_engines
