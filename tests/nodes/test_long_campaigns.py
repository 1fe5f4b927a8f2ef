"""Long campaigns against programs, which live through them and do not grow."""

from collections import Counter

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import Arm
from system import System
from test_fuzz import SERVICES, ask_at_random
from test_random_goals import PARTIAL, campaign, nothing_broke

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROUND = 200
"""Goals between two rests."""
IN_ALL = 100_000
"""Requests."""


@pytest.mark.timeout(3600)
def test_ten_thousand_goals() -> None:
    """All of them to one server, which lives through it."""
    used = []
    ends: Counter[str] = Counter()
    parameters = PARTIAL, "joint_feedback_rate:=20"
    with (
        systems.place() as place,
        systems.system(place, *parameters, options=("--robot", "arm")) as system,
    ):
        arm = Arm(system)
        arm.ready()
        began = system.client.clock.now()
        for seed in range(10_000 // ROUND):
            ends += campaign(arm, ROUND, seed)
            arm.forget()
            used.append(place.resources())
        nothing_broke(arm)
    first, last = used[len(used) // 2 - 1], used[-1]
    print(f"{ends} in {system.client.clock.now() - began:.0f} s; {used[0]}, {first}, {last}")
    assert min(ends["canceled"], ends["aborted"]) > 100, ends
    assert last["memory"] < 1.05 * first["memory"]
    assert last["descriptors"] <= first["descriptors"] + 4
    assert last["threads"] <= first["threads"] + 4


@pytest.mark.timeout(7200)
def test_a_hundred_thousand_requests(program: System) -> None:
    """One after the other, to one system, which keeps its rate and does not grow."""
    client, place = program.client, program.place
    used = []
    for part in range(2):
        since = client.clock.now()
        for service in SERVICES:
            ask_at_random(client, service, IN_ALL // (2 * len(SERVICES)) + 1, part)
        rate = len(client.states.since(since)) / (client.clock.now() - since)
        used.append(place.resources())
        print(f"part {part}: {rate:.1f} states a second, {used[-1]}")
        assert rate > 90.0
    assert used[1]["memory"] < 1.05 * used[0]["memory"]
    assert used[1]["descriptors"] <= used[0]["descriptors"] + 4
    assert used[1]["threads"] <= used[0]["threads"] + 4
