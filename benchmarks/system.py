"""What is measured: a system of nodes, started here or found running, and what it costs."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wmx_ros2_package.node_base.domain import discovery

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
EXECUTABLES = ROOT / "install/wmx_ros2_package/lib/wmx_ros2_package"
LAYOUTS = {
    "bringup": ["bringup"],
    "processes": ["wmx_engine_node", "wmx_core_motion_node", "wmx_io_node", "wmx_ethercat_node"],
}
EXECUTORS = "single", "multi"
STOP_TIMEOUT = 15.0
"""How long a system may take to stop before it is killed, s."""

MACHINE = """
masters:
  - slaves:
      - {{name: drive, count: {axes}, vendor_id: 0xFA4E, product_code: 0x0402, axes: 1}}
      - {{name: digital I/O, vendor_id: 0xFA4E, input_size: 4, output_size: 4}}
"""

_HIGHEST_DOMAIN = 101


def machine_file(folder: Path, axes: int) -> Path:
    """A machine of `axes` axes, one for each drive."""
    path = folder / f"machine_{axes}.yaml"
    path.write_text(MACHINE.format(axes=axes))
    return path


def isolate(folder: Path) -> dict[str, str]:
    """An environment whose ROS domain, engines and logs nobody else has."""
    older = {"ROS_LOCALHOST_ONLY": "1"} if os.environ.get("ROS_DISTRO") == "humble" else {}
    return {
        **os.environ,
        **older,
        # For the client, which is there first: else it finds the nodes after up to 3 s.
        discovery.variable(): str(discovery.PROFILE),
        "ROS_DOMAIN_ID": str(_reserve_domain()),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "XDG_RUNTIME_DIR": str(folder),
        "ROS_LOG_DIR": str(folder / "log"),
        "PYTHONUNBUFFERED": "1",
        "WMX_DRIVER": "fake",
    }


def _reserve_domain() -> int:
    """A domain of this process's own, until it ends; tests reserve theirs by the same names."""
    claim = socket.socket(socket.AF_UNIX)
    for domain in range(_HIGHEST_DOMAIN, 0, -1):
        with suppress(OSError):
            claim.bind(f"\0wmx_ros2_test_domain_{domain}")
            claim.detach()
            return domain
    raise RuntimeError("all ROS domains are taken")


@dataclass(frozen=True)
class Variant:
    """A way to run the system: its name and its commands, of the shell if `shell`."""

    name: str
    commands: list[str]
    executor: str = ""
    shell: bool = False

    @classmethod
    def parse(cls, text: str) -> "Variant":
        """LAYOUT, LAYOUT/EXECUTOR or NAME=COMMAND."""
        name, is_command, command = text.partition("=")
        if is_command:
            return cls(name, [command], shell=True)
        layout, _, executor = name.partition("/")
        if layout not in LAYOUTS or executor not in ("", *EXECUTORS):
            known = f"{' or '.join(LAYOUTS)}, with /{' or /'.join(EXECUTORS)}, or NAME=COMMAND"
            raise ValueError(f"unknown variant {text!r}: choose {known}")
        return cls(name, LAYOUTS[layout], executor)


class Attached:
    """A system that runs already, and those of its processes that were named."""

    def __init__(self, pids: Collection[int]) -> None:
        self._pids = set(pids)

    def pids(self) -> set[int]:
        """Its processes."""
        return self._pids

    def engine_pids(self) -> set[int]:
        """None: a running system does not say which process is the engine."""
        return set()


class System:
    """A system to be started here, in the place that `environment` names."""

    def __init__(self, variant: Variant, axes: int, environment: dict[str, str]) -> None:
        self._folder = Path(environment["XDG_RUNTIME_DIR"])
        self._stamps = self._folder / "stamps.json"
        self._stamps.unlink(missing_ok=True)
        machine = machine_file(self._folder, axes)
        parameters = ["-p", f"device_path:={machine}", "-p", f"axis_count:={axes}"]
        self._environment = environment | {
            "WMX_BENCH_EXECUTOR": variant.executor,
            "WMX_BENCH_STAMPS": str(self._stamps),
        }
        self._commands: list[Any] = [
            command.format(axes=axes, machine=machine)
            if variant.shell
            else [
                *(sys.executable, HERE / "launcher.py", EXECUTABLES / command),
                *("--ros-args", *parameters),
            ]
            for command in variant.commands
        ]
        self._shell = variant.shell
        self._processes: list[subprocess.Popen[bytes]] = []
        self.output = self._folder / "output.txt"
        """What its processes say."""

    def start(self) -> float:
        """Start its processes; when the first one was started."""
        started = time.monotonic()
        with self.output.open("wb") as output:
            for command in self._commands:
                process = subprocess.Popen(
                    command,
                    shell=self._shell,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self._processes.append(process)
        return started

    def pids(self) -> set[int]:
        """The processes started here, what they started, and the engine."""
        sessions = {process.pid for process in self._processes}
        return {pid for pid, session in _sessions() if session in sessions} | self.engine_pids()

    def engine_pids(self) -> set[int]:
        """The process of the simulated engine, if it has one."""
        return engine_pids(self._folder)

    def stop(self) -> float:
        """Press Ctrl-C; the seconds until the last process is gone."""
        start = time.monotonic()
        self._signal(signal.SIGINT)
        while self.pids() and time.monotonic() < start + STOP_TIMEOUT:
            for process in self._processes:
                process.poll()
            time.sleep(0.005)
        taken = time.monotonic() - start
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            process.wait()
        return taken

    def moves(self) -> list[float]:
        """When the driver was told to move, once the system has stopped."""
        if not self._stamps.exists():
            return []
        stamps: list[float] = json.loads(self._stamps.read_text())
        return stamps

    def _signal(self, number: int) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)


def engine_pids(folder: Path) -> set[int]:
    """The simulated engines whose runtime directory is `folder`: known by their sockets' paths."""
    return set(_with_argument(f"{folder}/", ".sock"))


def cpu_seconds(pids: Collection[int]) -> float:
    """CPU time of processes, ended threads included.

    From the processes' CPU clocks, whose ids are made as clock_getcpuclockid makes them: what
    /proc/PID/stat shows, without its rounding to hundredths of a second.
    """
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            total += time.clock_gettime((~pid << 3) | 2)
    return total


def waited_seconds() -> float:
    """How long tasks of this machine have waited for a CPU: how noisy it is; 0 if not known."""
    with suppress(OSError):
        some = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
        return int(some.rpartition("total=")[2]) / 1e6
    return 0.0


def memory(pids: Collection[int]) -> dict[str, float]:
    """PSS and RSS in MiB, and threads, of processes together."""
    total = {"Pss": 0, "Rss": 0, "Threads": 0}
    for pid in pids:
        for file in "smaps_rollup", "status":
            for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
                key, _, value = line.partition(":")
                if key in total:
                    total[key] += int(value.split()[0])
    return {
        "PSS, MiB": total["Pss"] / 1024,
        "RSS, MiB": total["Rss"] / 1024,
        "threads": total["Threads"],
    }


def _sessions() -> Iterator[tuple[int, int]]:
    """Every process that has not ended, and its session."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (entry / "stat").read_text()
            state, _parent, _group, session, *_ = stat.rpartition(")")[2].split()
            if state != "Z":
                yield int(entry.name), int(session)


def _with_argument(start: str, end: str) -> Iterator[int]:
    """The processes that were given an argument with this start and end."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words: list[Any] = (entry / "cmdline").read_bytes().split(b"\0")
            if any(w.startswith(start.encode()) and w.endswith(end.encode()) for w in words):
                yield int(entry.name)
