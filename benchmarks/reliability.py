"""What survives: a system under load and faults, with the figures of docs/reliability.md.

    . ./env.sh && python benchmarks/reliability.py --minutes 30

First many clients call everything at once while axes move and are stopped: how late a stop is,
how steady the state, whether every request is answered. Then the traffic goes on while nodes and
the engine are killed and suspended, drives drop out and amplifiers raise alarms: whether all is
usable again by itself, and what memory, descriptors and threads do.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import TimeoutError as Unanswered
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ["WMX_DRIVER"] = "fake"
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
sys.path.insert(0, str(ROOT / "tests"))  # what starts systems there starts them here

import ros  # noqa: E402
import system as systems  # noqa: E402
from ros import Client  # noqa: E402
from system import NODES, Process, System  # noqa: E402

ros.WAIT_TIMEOUT = 60.0  # a start on a machine at its limits
GAP = 0.05
"""A pause between two states that is counted, s."""
AXES = list(range(6))
CALLS = [
    ("wmx/engine/get_status", {}),
    ("wmx/axis/explain", {}),
    ("wmx/params/get", {"index": [0]}),
    ("wmx/io/get_input_bytes", {"byte": 0, "length": 4}),
    ("wmx/io/set_output_bytes", {"byte": 0, "data": b"\x01\x02"}),
    ("wmx/ecat/get_network_state", {}),
    ("wmx/axis/set_on", {"index": [5], "data": [1]}),
    ("wmx/axis/clear_alarm", {"index": [4]}),
    ("wmx/axis/set_mode", {"index": [77], "data": [9]}),  # refused
]


@dataclass
class Tally:
    """What was counted."""

    sent: int = 0
    answered: int = 0
    lost: int = 0
    stops: list[float] = field(default_factory=list)
    gaps: int = 0
    states: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    recovery: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def percentile(samples: list[float], share: float) -> float:
    return sorted(samples)[min(len(samples) - 1, int(share * len(samples)))] if samples else 0.0


# A client: calls one service after the other, and says how many were sent and answered


def be_client(domain: int) -> None:
    client, chance = Client(domain), random.Random(os.getpid())
    client.meet([name for name, _ in CALLS])
    print("ready", flush=True)
    sent = answered = 0
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    signal.signal(signal.SIGTERM, end)
    while not ended:
        name, fields = chance.choice(CALLS)
        sent += 1
        with suppress(Unanswered, AssertionError):
            answered += bool(client.call(name, timeout=10.0, **fields).message)
    print(json.dumps([sent, answered]), flush=True)
    os._exit(0)  # at once: a participant of Fast DDS that leaves may hang, see docs/processes.md


class Crowd:
    """`count` clients, each a process."""

    def __init__(self, place: systems.Place, count: int) -> None:
        self._clients: list[subprocess.Popen[str]] = []
        for _ in range(count):  # one after the other: starting is heavier than what is measured
            client = subprocess.Popen(
                [sys.executable, __file__, "--client", str(place.domain)],
                env=place.environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._clients.append(client)
            assert client.stdout
            assert client.stdout.readline() == "ready\n"

    def end(self, tally: Tally) -> None:
        for client in self._clients:
            client.terminate()
        for client in self._clients:
            said, _ = client.communicate(timeout=60.0)
            sent, answered = json.loads(said.splitlines()[-1])
            tally.sent += sent
            tally.answered += answered
            tally.lost += sent - answered


# Load


def under_load(system: System, clients: int, seconds: float, tally: Tally) -> None:
    client = system.client
    client.must("wmx/axis/set_on", index=AXES, data=[1] * 6)
    crowd = Crowd(system.place, clients)
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        client.move("wmx/axis/position", [0, 1], [1e6] * 2, [1.0] * 2, [50.0] * 2, [50.0] * 2)
        client.states.next(lambda s: s.velocity_cmd[0] > 0.0)
        asked = time.monotonic()
        client.must("wmx/axis/stop", index=[0, 1])
        tally.stops.append(time.monotonic() - asked)
        client.states.next(lambda s: not any(s.velocity_cmd))
        time.sleep(0.05)
    count_states(client, began, tally)
    crowd.end(tally)


def count_states(client: Client, since: float, tally: Tally) -> None:
    stamps = [
        state.header.stamp.sec + state.header.stamp.nanosec * 1e-9
        for state in client.states.since(since)
    ]
    tally.states += len(stamps)
    tally.gaps += sum(after - before > GAP for before, after in pairwise(stamps))


# Faults


class Trouble:
    """Faults, one at a time, each followed by a look whether all is usable."""

    def __init__(self, system: System, tally: Tally, seed: int) -> None:
        self._system = system
        self._tally = tally
        self._chance = random.Random(seed)
        self._kinds: dict[str, Callable[[], None]] = {
            "kill -9 of a node": self._kill_node,
            "SIGSTOP of a node for 3 s": lambda: self._suspend(self._any_node().pid),
            "kill -9 of the engine": self._kill_engine,
            "SIGSTOP of the engine for 3 s": lambda: self._suspend(self._engine()),
            "a drive drops out": self._drop_drive,
            "an amplifier raises an alarm": self._raise_alarm,
            "emergency stop": self._emergency_stop,
        }

    def happen(self) -> None:
        kind = self._chance.choice(list(self._kinds))
        self._tally.faults[kind] += 1
        began = time.monotonic()
        try:
            self._kinds[kind]()
            self._usable_again()
        except (AssertionError, Unanswered) as error:
            self._tally.failures.append(f"{kind}: {str(error)[:200]}")
            return
        took = time.monotonic() - began
        self._tally.recovery.append(took)
        self._tally.survived += 1

    def _usable_again(self) -> None:
        """Every node answers for the engine, and an axis moves."""
        client, deadline = self._system.client, time.monotonic() + 60.0
        while True:
            try:
                self._try_all(client)
                return
            except (AssertionError, Unanswered):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _try_all(self, client: Client) -> None:
        for name in ("wmx/engine/get_status", "wmx/io/get_input_bit", "wmx/ecat/get_network_state"):
            assert client.call(name, timeout=3.0).success, name
        client.call("wmx/axis/clear_alarm", timeout=3.0, index=AXES)
        on = client.call("wmx/axis/set_on", timeout=3.0, index=AXES, data=[1] * 6)
        assert on.success, on.message
        for velocity in (1.0, -1.0):
            for _ in range(5):
                client.move("wmx/axis/jog", [0], [velocity], [50.0], [50.0])
                time.sleep(0.05)
            client.states.next(lambda s, v=velocity: s.velocity_cmd[0] * v > 0.0, timeout=1.0)
            client.states.next(lambda s: s.velocity_cmd[0] == 0.0, timeout=2.0)
            time.sleep(0.3)

    def _any_node(self) -> Process:
        return self._chance.choice(self._system.place.processes)

    def _engine(self) -> int:
        return self._system.place.engine_pids()[0]

    def _kill_node(self) -> None:
        place, node = self._system.place, self._any_node()
        node.send_signal(signal.SIGKILL)
        node.wait()
        place.processes.remove(node)
        place.start(node.name)

    def _suspend(self, pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(3.0)
        os.kill(pid, signal.SIGCONT)

    def _kill_engine(self) -> None:
        os.kill(self._engine(), signal.SIGKILL)

    def _inject(self, script: str) -> None:
        self._system.client.must("wmx/simulation/inject_faults", script=script)

    def _drop_drive(self) -> None:
        self._inject("[{drop_slave: {slave: 1}}, {after: 500, return_slave: {slave: 1}}]")
        time.sleep(1.0)
        self._system.client.call("wmx/ecat/start_hotconnect")

    def _raise_alarm(self) -> None:
        self._inject("[{raise_alarm: {axis: 0, code: 0x2310}}]")

    def _emergency_stop(self) -> None:
        self._system.client.must("wmx/engine/estop", data=True)
        time.sleep(0.5)
        self._system.client.must("wmx/engine/estop", data=False)


def mixed(
    system: System, clients: int, seconds: float, tally: Tally, seed: int
) -> list[dict[str, float]]:
    """Traffic with a fault now and then; the resources at the beginning and at the end."""
    place, trouble = system.place, Trouble(system, tally, seed)
    crowd = Crowd(place, clients)
    began, first = time.monotonic(), place.resources()
    while time.monotonic() < began + seconds:
        trouble.happen()
        time.sleep(1.0)
    last = place.resources()
    crowd.end(tally)
    return [first, last]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="of traffic with faults")
    parser.add_argument("--load", type=float, default=60.0, help="seconds of load alone")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client is not None:
        be_client(options.client)
    load, faults = Tally(), Tally()
    with systems.place(afresh=True) as place, systems.system(place, executables=NODES) as system:
        system.ready()
        busy = os.getloadavg()[0]
        under_load(system, options.clients, options.load, load)
        used = mixed(
            system, max(1, options.clients // 4), 60.0 * options.minutes, faults, options.seed
        )
    print(json.dumps({
        "processors": os.cpu_count(),
        "load average before": busy,
        "load": {
            "clients": options.clients, "seconds": options.load,
            "requests": load.sent, "lost": load.lost,
            "stops": len(load.stops),
            "stop p50 ms": 1000 * percentile(load.stops, 0.5),
            "stop p99 ms": 1000 * percentile(load.stops, 0.99),
            "stop max ms": 1000 * max(load.stops, default=0.0),
            "states": load.states, "states a second": load.states / options.load,
            "gaps over 50 ms": load.gaps,
        },
        "faults": {
            "minutes": options.minutes, "requests": faults.sent, "unanswered": faults.lost,
            "injected": faults.faults, "survived": faults.survived, "failures": faults.failures,
            "usable again p50 s": percentile(faults.recovery, 0.5),
            "usable again max s": max(faults.recovery, default=0.0),
            "at first": used[0], "at last": used[1],
        },
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
