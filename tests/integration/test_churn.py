"""Thousands of participants of DDS come and go beside a running system, which goes on.

They are strangers, with Fast DDS as it is. Some crash as they leave: `TypeLookupManager` of Fast
DDS 3 destroys the histories of its writers before it stops the thread that answers questions about
types, and newcomers ask one whenever they meet a type that they do not know. Others hang for ever,
in `DomainParticipant::set_listener`. Neither is a fault of our system, which has to go on all the
same, and more come in their place until as many have come as were promised. But an error of Python
is a fault of this test.
"""

import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
import system as systems
from churn import CAME
from system import NODES, Place

PROCESSES = 3
EACH = 25
"""Participants of a process, one after the other."""
HUNG = 40.0
"""After this time, s, a process that has not ended is killed, and has left without a word."""
CHURN = str(Path(__file__).parents[1] / "churn.py")
SPINNING = 1
ASKED = {
    "wmx/engine/get_status": {},
    "wmx/io/get_input_bytes": {"length": 1},
    "wmx/ecat/get_network_state": {},
    "wmx/axis/explain": {},
    "wmx/params/get": {"index": [0]},
}


def come_and_go(place: Place) -> tuple[int, list[int]]:
    """Let `PROCESSES` times `EACH` participants come and go; how many came, and the exit codes."""
    command = [sys.executable, CHURN, str(EACH)]
    arrivals = place.folder / "arrivals.txt"
    with arrivals.open("w") as file:
        passing = [
            subprocess.Popen(command, env=place.environment, stdout=file) for _ in range(PROCESSES)
        ]
    deadline = time.monotonic() + HUNG
    for each in passing:
        with suppress(subprocess.TimeoutExpired):
            each.wait(deadline - time.monotonic())
        each.kill()
    codes = [each.wait() for each in passing]
    return arrivals.read_text().split().count(CAME), codes


@pytest.mark.usefixtures("no_profile")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "participants", [150, pytest.param(10_000, marks=pytest.mark.slow)], ids=lambda n: f"{n}"
)
def test_participants_come_and_go(participants: int) -> None:
    with systems.place() as place, systems.system(place, executables=NODES) as system:
        system.ready()
        client = system.client
        client.spin_up(SPINNING, 50.0, 1.0)
        since, used = time.monotonic(), []
        came, ends = 0, Counter[int]()
        while came < participants:
            arrived, codes = come_and_go(place)
            assert arrived >= EACH, "most have crashed or hung"
            assert max(codes) <= 0, "an error of Python"
            came += arrived
            ends.update(codes)
            for service, fields in ASKED.items():
                client.must(service, **fields)
            used.append(place.resources())
        first, last = used[len(used) // 2 - 1], used[-1]  # what is made for the first ones stays
        print(f"{came} participants, exit codes {dict(ends)}: {used[0]}, {first}, {last}")
        assert {s.velocity_cmd[SPINNING] for s in client.states.since(since)} == {1.0}
        assert last["memory"] < 1.05 * first["memory"]
        assert last["descriptors"] <= first["descriptors"] + 4
        assert last["threads"] <= first["threads"] + 4
