"""One measurement: a system is started, or found running, and all its figures are taken."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from system import HERE, Attached, System, Variant, cpu_seconds, memory, waited_seconds
from table import Figures

LOAD = 200.0
"""Calls a second under service load, Hz."""
SETTLING = 1.0
"""How long a system that has just started is left alone, s."""
READING = ["params/get", "get_input_bytes", "get_network_state"]
SERVICES = ["set_on", *READING]
IN_MOTION = [
    "CPU, state only, %",
    "states missed",
    "stamp jitter p99, ms",
    "arrival jitter p99, ms",
]


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    seconds: float
    """Of AxisState."""
    calls: int
    """Of each service."""
    pause: float
    """After each call, s: what a node does after its answer is not charged to the next call."""
    commands: int


class Client:
    """The measuring client, see client.py."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, HERE / "client.py"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.answer()

    def tell(self, what: str, **arguments: Any) -> None:
        """Begin a measurement."""
        assert self._process.stdin is not None
        print(json.dumps({"do": what, **arguments}), file=self._process.stdin, flush=True)

    def answer(self) -> Any:
        """What was measured."""
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise RuntimeError("the measuring client gave up; it said why above")
        return json.loads(line)

    def ask(self, what: str, **arguments: Any) -> Any:
        """Measure."""
        self.tell(what, **arguments)
        return self.answer()

    def close(self) -> None:
        """End the process."""
        with suppress(subprocess.TimeoutExpired):
            self._process.communicate(timeout=1.0)
        self._process.kill()


@contextmanager
def client_in(environment: Mapping[str, str]) -> Iterator[Client]:
    """A client that listens."""
    client = Client(environment)
    try:
        yield client
    finally:
        client.close()


def measure_started(
    variant: Variant, axes: int, extent: Extent, environment: dict[str, str]
) -> Figures:
    """Start the system, measure it, stop it."""
    with client_in(environment) as client:
        client.tell("start_up")
        system = System(variant, axes, environment)
        try:
            start = system.start()
            figures = {f"start to {what}, s": at - start for what, at in client.answer().items()}
            time.sleep(SETTLING)
            figures |= measure(client, system, extent, SERVICES)[1]
            commands = client.ask("commands", count=extent.commands)
            figures |= measure_in_motion(client, system, extent, axes)
        except Exception:
            print(system.output.read_text(errors="replace")[-2000:], file=sys.stderr)
            raise
        finally:
            taken = system.stop()
    figures |= command_path(commands, system.moves())
    return figures | {"stop, s": taken}


def measure_attached(pids: Collection[int], extent: Extent, *, move: bool) -> tuple[int, Figures]:
    """Measure a system that runs already: its axes, its figures.

    They are switched on and moved only if they may `move`.
    """
    with client_in(os.environ) as client:
        axes, figures = measure(client, Attached(pids), extent, SERVICES if move else READING)
        if move:
            figures |= command_path(client.ask("commands", count=extent.commands), [])
    return axes, figures


def measure(
    client: Client, system: System | Attached, extent: Extent, services: Sequence[str]
) -> tuple[int, Figures]:
    """The axes in AxisState; the state, the services, and what both cost."""
    cost = Cost(system)
    state = client.ask("state", seconds=extent.seconds)
    cpu, engine_cpu, waited = cost.percent()
    figures = of_state(state)
    if system.pids():
        figures["CPU, state only, %"] = cpu
        if system.engine_pids():
            figures["CPU, the engine's process, %"] = engine_cpu
    figures["tasks wait for a CPU, % of the time"] = waited

    taken = client.ask("services", names=services, calls=extent.calls, pause=extent.pause)
    for name, milliseconds in taken.items():
        figures |= percentiles(name, milliseconds)

    if system.pids():
        cost = Cost(system)
        client.ask("load", names=services, seconds=extent.seconds / 2, rate=LOAD)
        figures[f"CPU, {LOAD:g} calls/s, %"] = cost.percent()[0]
        figures |= memory(system.pids())
    return state["axes"], figures


def measure_in_motion(client: Client, system: System, extent: Extent, axes: int) -> Figures:
    """The state while every axis moves, and what it costs."""
    client.ask("move_all", axes=axes, on=True)
    cost = Cost(system)
    figures = of_state(client.ask("state", seconds=extent.seconds))
    figures["CPU, state only, %"] = cost.percent()[0]
    client.ask("move_all", axes=axes, on=False)
    return {f"in motion: {name}": value for name, value in figures.items() if name in IN_MOTION}


class Cost:
    """CPU time from now on."""

    def __init__(self, system: System | Attached) -> None:
        self._pids, self._engine = system.pids(), system.engine_pids()
        self._start, self._before = time.monotonic(), self._seconds()

    def percent(self) -> tuple[float, float, float]:
        """Of the system and of its engine's process, in % of a core; tasks waiting for a core."""
        passed, seconds = time.monotonic() - self._start, self._seconds()
        cpu, engine, waited = 100 * (seconds - self._before) / passed
        return float(cpu), float(engine), float(waited)

    def _seconds(self) -> Any:
        return np.array([cpu_seconds(self._pids), cpu_seconds(self._engine), waited_seconds()])


def of_state(state: dict[str, Any]) -> Figures:
    """Rate, jitter and age of AxisState; jitter is the distance of an interval from the period."""
    arrival, stamp = np.array(state["arrival interval"]), np.array(state["stamp interval"])
    period = float(np.median(stamp))
    return {
        "state rate, Hz": 1000 / float(np.mean(stamp)),
        "states missed": float(np.sum(np.round(stamp / period) - 1)),
        **percentiles("arrival jitter", np.abs(arrival - period)),
        **percentiles("stamp jitter", np.abs(stamp - period)),
        **percentiles("age", state["age"]),
        **percentiles("client's own delay", state["client's delay"]),
    }


def command_path(commands: dict[str, list[float]], moves: Sequence[float]) -> Figures:
    """From publishing a command to the driver's call, where it was noted, and to AxisState."""
    published = commands["published"]
    figures = percentiles("command to state", commands["visible"])
    moves = moves[: len(published)]  # more come when all axes are moved
    if len(moves) == len(published):
        figures |= percentiles("command to driver", 1000 * np.subtract(moves, published))
    return figures


def percentiles(name: str, milliseconds: Any) -> Figures:
    """Three figures of a distribution."""
    p50, p99, highest = np.percentile(milliseconds, [50, 99, 100])
    return {
        f"{name} p50, ms": float(p50),
        f"{name} p99, ms": float(p99),
        f"{name} max, ms": float(highest),
    }
