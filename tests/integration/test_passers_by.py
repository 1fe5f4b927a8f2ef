"""Thousands of participants of DDS come and go beside a running system, which goes on."""

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import system as systems
from system import NODES, System

PROCESSES = 3
EACH = 50
"""Participants of a process, one after the other."""
HUNG = 20.0
"""Leaving, a participant of Fast DDS may hang for ever in `DomainParticipant::set_listener`: after
this time, s, it is killed, and has left without a word."""
PASSERS_BY = str(Path(__file__).parents[1] / "passers_by.py")
SPINNING = 1
ASKED = {
    "wmx/engine/get_status": {},
    "wmx/io/get_input_bytes": {"length": 1},
    "wmx/ecat/get_network_state": {},
    "wmx/axis/explain": {},
    "wmx/params/get": {"index": [0]},
}


def pass_by(system: System) -> None:
    """Let `PROCESSES` times `EACH` participants come and go."""
    command = [sys.executable, PASSERS_BY, str(EACH)]
    environment = system.place.environment
    passing = [subprocess.Popen(command, env=environment) for _ in range(PROCESSES)]
    deadline = time.monotonic() + HUNG
    for each in passing:
        with suppress(subprocess.TimeoutExpired):
            assert each.wait(deadline - time.monotonic()) == 0
        each.kill()
        each.wait()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "participants", [300, pytest.param(10_000, marks=pytest.mark.slow)], ids=lambda n: f"{n}"
)
def test_participants_come_and_go(participants: int) -> None:
    with systems.place() as place, systems.system(place, executables=NODES) as system:
        system.ready()
        client = system.client
        client.must("wmx/axis/set_on", index=[SPINNING], data=[1])
        client.must("wmx/axis/set_mode", index=[SPINNING], data=[1])
        client.move("wmx/axis/velocity", [SPINNING], [1.0], [50.0], [50.0])
        client.states.next(lambda s: s.velocity_cmd[SPINNING] == 1.0)
        since, used = time.monotonic(), []
        for _ in range(participants // (PROCESSES * EACH)):
            pass_by(system)
            for service, fields in ASKED.items():
                client.must(service, **fields)
            used.append(place.resources())
        first, last = used[len(used) // 2 - 1], used[-1]  # what is made for the first ones stays
        print(f"{participants} participants: {used[0]}, {first}, {last}")
        assert {s.velocity_cmd[SPINNING] for s in client.states.since(since)} == {1.0}
        assert last["memory"] < 1.05 * first["memory"]
        assert last["descriptors"] <= first["descriptors"] + 4
        assert last["threads"] <= first["threads"] + 4
