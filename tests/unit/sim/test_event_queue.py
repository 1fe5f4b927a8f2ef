"""The event queue: in order of time, and never before it is due."""

from math import inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wmx_sim.engine.event_queue import EventQueue


def test_actions_of_one_cycle_are_carried_out_in_their_order() -> None:
    events, done = EventQueue(), list[str]()
    events.cycle = 100
    for after, name in (5, "c"), (3, "a"), (5, "d"), (4, "b"):
        events.add(after, lambda name=name: done.append(name))
    seen = []
    for events.cycle in range(100, 107):
        events.carry_out()
        seen.append("".join(done))
    assert seen == ["", "", "", "a", "ab", "abcd", "abcd"]


@given(st.lists(st.integers(0, 1000)))
def test_the_next_one_is_shown_in_seconds(delays: list[int]) -> None:
    cell = np.array(inf)
    events = EventQueue(cell)
    for delay in delays:
        events.add(delay, lambda: None)
    for events.cycle in sorted(set(delays)):
        assert cell == events.cycle / 1000
        assert events.next_cycle == events.cycle
        events.carry_out()
        assert events.next_cycle > events.cycle
    assert cell == events.next_cycle == inf


def test_what_is_forgotten_does_not_happen() -> None:
    cell = np.array(inf)
    events, done = EventQueue(cell), list[int]()
    events.add(3, lambda: done.append(3))
    events.clear()
    events.cycle = 10
    events.carry_out()
    assert (done, cell, events.next_cycle) == ([], inf, inf)
