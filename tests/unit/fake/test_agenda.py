"""The agenda: in order of time, and never before it is due."""

from math import inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.drivers.fake.agenda import Agenda


def test_actions_of_one_cycle_are_carried_out_in_their_order() -> None:
    agenda, done = Agenda(), list[str]()
    agenda.cycle = 100
    for after, name in (5, "c"), (3, "a"), (5, "d"), (4, "b"):
        agenda.add(after, lambda name=name: done.append(name))
    seen = []
    for agenda.cycle in range(100, 107):
        agenda.carry_out()
        seen.append("".join(done))
    assert seen == ["", "", "", "a", "ab", "abcd", "abcd"]


@given(st.lists(st.integers(0, 1000)))
def test_the_next_one_is_shown_in_seconds(delays: list[int]) -> None:
    cell = np.array(inf)
    agenda = Agenda(cell)
    for delay in delays:
        agenda.add(delay, lambda: None)
    for agenda.cycle in sorted(set(delays)):
        assert cell == agenda.cycle / 1000
        assert agenda.next_cycle == agenda.cycle
        agenda.carry_out()
        assert agenda.next_cycle > agenda.cycle
    assert cell == agenda.next_cycle == inf


def test_what_is_forgotten_does_not_happen() -> None:
    cell = np.array(inf)
    agenda, done = Agenda(cell), list[int]()
    agenda.add(3, lambda: done.append(3))
    agenda.clear()
    agenda.cycle = 10
    agenda.carry_out()
    assert (done, cell, agenda.next_cycle) == ([], inf, inf)
