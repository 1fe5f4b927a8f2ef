"""What an engine keeps of every cycle is what a status showed then, to the last bit."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from cases import cases
from held_engine import HeldEngine, position_move, same
from hypothesis import given, settings
from random_orders import Script, carry_out, machine_with_ends, scripts

from wmx_core.values import MotionStatus
from wmx_sim.engine.clock import Instant
from wmx_sim.engine.motion import history
from wmx_sim.engine.motion.history import STILL_CYCLES, HistoryReader


def read(held: HeldEngine, reader: HistoryReader) -> dict[int, MotionStatus]:
    """What is new, by its cycle."""
    newest = held.fake.call("motion", "history", reader.number)
    found = [values for span in reader.spans(newest) for values in span.values()]
    return {status.cycle: status for values in found for status in statuses(values)}


def statuses(values: Mapping[str, Any]) -> Iterator[MotionStatus]:
    """The status of each cycle."""
    shared = {name: value for name, value in values.items() if np.ndim(value) < 2}
    for i, (time, cycle) in enumerate(zip(shared.pop("time"), shared.pop("cycle"), strict=True)):
        own = {name: value[i] for name, value in values.items() if np.ndim(value) == 2}
        yield MotionStatus(time=time, cycle=cycle, **shared, **own)


MOST_CYCLES = 5_000
"""Of one case: each is read and compared, and a script may have eight times as many."""


def short(script: Script) -> Iterator[tuple[int, tuple[str, int, Any]]]:
    """The first steps of a script, which take MOST_CYCLES together."""
    left = MOST_CYCLES
    for wait, order in script:
        if wait > left:
            return
        left -= wait
        yield wait, order


@pytest.mark.long
@settings(max_examples=max(3, cases(8)))  # each reads a status at every one of thousands of cycles
@given(scripts)
def test_every_cycle_is_kept(script: Script) -> None:
    held, reader = machine_with_ends(), HistoryReader()
    start = held.status().cycle
    seen: dict[int, MotionStatus] = {}
    kept: dict[int, MotionStatus] = {}
    for wait, order in short(script):
        for _ in range(wait):
            status = held.after(0.001)
            seen[status.cycle] = status
        carry_out(held, *order)  # which returns a refusal
        status = held.status()
        seen[status.cycle] = status
    kept |= read(held, reader)
    for cycle, status in kept.items():
        if cycle > start:
            assert same(status, seen[cycle]), cycle
            assert status.time == seen[cycle].time
    if seen:
        assert max(kept) == max(seen)
    for one, other in pairwise(sorted(kept)):
        between = range(one + 1, other)
        assert len(between) < STILL_CYCLES
        assert all(same(kept[one], seen[cycle]) for cycle in between if cycle > start)


@settings(max_examples=max(3, cases(8)))  # thousands of cycles each
@given(scripts)
def test_it_may_be_read_in_parts(script: Script) -> None:
    held, reader = machine_with_ends(), HistoryReader()
    kept: dict[int, MotionStatus] = {}
    commanded = set()
    """The cycles that were read before something was commanded in them."""
    for wait, order in short(script):
        held.clock.advance(wait / 1000)
        commanded.add(held.status().cycle)
        part = read(held, reader)
        assert not kept or not part or min(part) == max(kept) + 1
        kept |= part
        carry_out(held, *order)  # which returns a refusal
    kept |= read(held, reader)
    with patch.object(history, "MOST_CELLS", 50):  # which is a part of its own, too
        whole = read(held, HistoryReader())
    for cycle in (kept.keys() & whole.keys()) - commanded:
        assert same(kept[cycle], whole[cycle])


def test_what_is_too_much_is_dropped_and_left_out() -> None:
    held, reader = machine_with_ends(), HistoryReader()
    read(held, reader)
    before = held.status().cycle
    with patch.object(history, "MOST_BYTES", 4000):
        for target in range(20):
            held.motion.move_absolute([position_move(0, 0.1 * (target % 3))])
            held.after(0.1)
    kept = read(held, reader)
    assert min(kept) > before + 1000
    assert max(kept) == held.status().cycle


def test_states_of_long_ago_are_dropped_though_none_has_read_them() -> None:
    """An engine that runs for days takes no more memory than one that runs for a minute."""
    kept = history.History()
    for second in range(1000):
        kept.note(float(second), f"{second:04}".encode())
    *_, noted = kept.since(0, Instant(0, 0.0, 0.0), 1.0)
    assert [time for time, _ in noted] == [*map(float, range(938, 1000))]
    assert kept.number == 1000


def test_what_is_commanded_in_the_cycle_of_a_reading_is_not_lost() -> None:
    held, reader = machine_with_ends(), HistoryReader()
    assert min(read(held, reader)) == 0
    held.motion.move_absolute([position_move(0, 1.0)])
    held.after(0.05)
    [*cycles] = read(held, reader).values()
    assert same(cycles[-1], held.status())
    assert cycles[-1].pos_cmd[0] > 0.0
