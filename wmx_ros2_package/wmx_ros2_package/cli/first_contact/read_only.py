"""Steps that move nothing: the environment, the engine's life, the status, parameters."""

import os
import platform
import statistics
import sys
import threading
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from wmx3.loading import load_sdk
from wmx3.sdk import Sdk
from wmx3.session import SdkSession
from wmx_core.clock import STEADY
from wmx_core.errors import CommandRefused
from wmx_core.values import EngineState
from wmx_core.vendor_names import listed, missing, numbers

from .session import Facts, Probe
from .surroundings import files, platforms, prototypes, sources

READS = 2000
MOST_DIFFERENCES = 50


def environment(probe: Probe, facts: Facts) -> None:
    """What this process is, and what the installed module lacks and numbers how."""
    facts |= {
        "wmx_ros2_package": _asked(lambda: metadata.version("wmx_ros2_package")),
        "its sources, sha256": sources(),
        "python": sys.version,
        "numpy": np.__version__,
        "ROS": os.environ.get("ROS_DISTRO", "no distribution is sourced"),
        "release": _asked(lambda: platform.freedesktop_os_release()["PRETTY_NAME"]),
        "system": platform.platform(),
        "kernel": platform.version(),
        "processors": os.cpu_count(),
        "user": os.geteuid(),
        "capabilities": _capabilities(),
        "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
    }
    module = load_sdk(probe.settings.device_path)
    surface = listed()
    facts["module"] = getattr(module, "__file__", "")
    for kind in ("WMX3Api", "CoreMotion", "AdvancedMotion", "Io", "Ecat"):
        facts[f"version of {kind}"] = _asked(lambda: getattr(module, kind).GetLibVersion())  # noqa: B023
    facts["version of IMDll"] = _asked(lambda: module.WMX3Api.GetIMDllVersion())
    facts["files of the module"] = files(module)
    facts["prototypes"] = prototypes(getattr(module, "_WMX3ApiPython", None), surface)
    facts["missing names"] = missing(module, surface)
    facts["unpublished numbers"], facts["other numbers"] = numbers(module, surface)


def engine(probe: Probe, facts: Facts) -> None:
    """How long an engine takes to start, communicate, stop and end, and to do it again."""
    life = probe.driver.engine
    facts["state without a device"] = _asked(lambda: _state(probe.settings.device_path))
    for turn in ("first", "second"):
        facts[f"{turn} device, s"] = _seconds(probe.attach)
        facts["platforms"] = _asked(lambda: platforms(probe.session))
        facts["is a simulation"] = probe.simulates
        for name in ("core", "io", "ecat"):
            part = getattr(probe.session, name)
            facts[f"version of {name} in the engine"] = _asked(lambda: part.GetVersion())  # noqa: B023
        probe.require_own_communication()
        facts[f"{turn} state"] = life.state().name
        facts[f"{turn} watchdog, ms"] = _asked(probe.session.api.GetWatchdog)
        facts[f"{turn} communication, s"] = _seconds(life.start_communication)
        status = probe.motion.status()
        facts[f"{turn} axes"] = status.axes
        facts[f"{turn} invalid licence"] = status.invalid_licence
        facts[f"{turn} first cycle seen"] = status.cycle
        facts[f"{turn} end of communication, s"] = _seconds(probe.stop_communication)
        facts[f"{turn} state after it"] = life.state().name
        facts[f"{turn} end, s"] = _seconds(probe.close)
    probe.communicate()
    facts["network"] = _asked(lambda: str(probe.driver.ecat.network_state(0)))


def _state(device_path: str) -> int:
    """What GetEngineStatus answers where no device was created."""
    session = SdkSession(Sdk(load_sdk(device_path)), STEADY)
    state: int = session.api.GetEngineStatus().state
    return state


def status(probe: Probe, facts: Facts) -> None:
    """What reading the status costs, and how long other threads stand still during a call."""
    probe.communicate()
    begin = probe.motion.status()
    quiet = _longest_stall(lambda: time.sleep(1.0))
    took: list[float] = []
    stalled = _longest_stall(
        lambda: took.extend(_seconds(probe.motion.status) for _ in range(READS))
    )
    end = probe.motion.status()
    passed = end.time - begin.time
    facts |= {
        "axes": end.axes,
        **_times("status", took),
        "longest stall of another thread, ms": 1e3 * stalled,
        "the same without reading, ms": 1e3 * quiet,
        "cycles": end.cycle - begin.cycle,
        "cycles a second": (end.cycle - begin.cycle) / passed if passed else 0.0,
    }
    cycle_time = probe.session.look().GetCycleTimeMilliseconds
    facts["cycle time of the status, ms"] = _asked(lambda: cycle_time(0))
    facts["commPeriod of the master, its unit unknown"] = _asked(
        lambda: probe.driver.ecat.network_state(0).statistics.comm_period
    )
    io = probe.session.io
    for name in ("GetInBytes", "GetInBytesEx"):
        read: Callable[..., Any] = getattr(io, name)
        facts.update(_asked_times(name, lambda: read(0, 8)))  # noqa: B023
    facts.update(_times("state", [_seconds(probe.driver.engine.state) for _ in range(200)]))


def parameters(probe: Probe, facts: Facts) -> None:
    """Parameters out, in and out again: they should be the same."""
    probe.communicate()
    found = probe.motion.parameters()
    file = probe.settings.folder / "parameters_found.xml"
    file.write_text(found.to_xml(), encoding="utf-8")
    took = _seconds(lambda: probe.motion.load_parameters(str(file.absolute())))
    again = probe.motion.parameters()
    before, after = found.to_xml().splitlines(), again.to_xml().splitlines()
    pairs = [(a.strip(), b.strip()) for a, b in zip(before, after, strict=False)]
    differ = [f"{a} became {b}" for a, b in pairs if a != b]
    facts |= {
        "file": file.name,
        "import, s": took,
        "equal": found == again,
        "lines": (len(before), len(after)),
        "differences": differ[:MOST_DIFFERENCES],
    }
    life = probe.driver.engine
    probe.stop_communication()
    facts["import without communication, s"] = _asked(
        lambda: _seconds(lambda: probe.motion.load_parameters(str(file.absolute())))
    )
    life.start_communication()
    facts["state"] = life.state() is EngineState.COMMUNICATING


def inputs_and_outputs(probe: Probe, facts: Facts) -> None:
    """Whether a list of output bits is taken, and what inputs are without communication."""
    probe.communicate()
    io = probe.session.io
    bits = [0, 1]
    values = _asked(lambda: [int(io.GetOutBit(0, bit)) for bit in bits])
    facts["output bits"] = values
    if isinstance(values, list):
        facts["SetOutBits by lists"] = _asked(lambda: io.SetOutBits([0, 0], bits, values, 2))
        facts["output bits after it"] = _asked(lambda: [int(io.GetOutBit(0, b)) for b in bits])
    reads: dict[str, Callable[[], Any]] = {
        name: lambda name=name: getattr(io, name)(0, 8)  # type: ignore[misc]
        for name in ("GetInBytes", "GetInBytesEx")
    }
    for name, read in reads.items():
        facts[name] = _asked(read)
    life = probe.driver.engine
    probe.stop_communication()
    for name, read in reads.items():
        facts[f"{name} without communication"] = _asked(read)
    life.start_communication()


def _capabilities() -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((line.split()[1] for line in lines if line.startswith("CapEff")), "")


def _seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def _asked(question: Callable[[], Any]) -> Any:
    """The answer, or why there is none."""
    try:
        return question()
    except Exception as error:  # any error is a result here
        return f"{type(error).__name__}: {error}"


def _asked_times(name: str, read: Callable[[], Any]) -> dict[str, Any]:
    try:
        return _times(name, [_seconds(read) for _ in range(200)])
    except CommandRefused as refused:
        return {name: str(refused)}


def _times(name: str, seconds: list[float]) -> dict[str, float]:
    in_order = sorted(1e6 * each for each in seconds)
    return {
        f"{name}, median us": statistics.median(in_order),
        f"{name}, 99 % us": in_order[int(0.99 * (len(in_order) - 1))],
        f"{name}, longest us": in_order[-1],
    }


def _longest_stall(act: Callable[[], object]) -> float:
    """The longest time for which a thread that is due every millisecond did not run, s."""
    over = threading.Event()
    longest = [0.0]

    def tick() -> None:
        last = time.monotonic()
        while not over.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            longest[0] = max(longest[0], now - last - 0.001)
            last = now

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        act()
    finally:
        over.set()
        thread.join()
    return longest[0]
