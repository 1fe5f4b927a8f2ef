"""Comparing logs: rest may last differently, motion may not; and which are not to be compared."""

from pathlib import Path

import pytest

from wmx_sim.compare.comparable import before_the_next, other_program, raced
from wmx_sim.compare.traces import Row, Trace, first_difference, read_trace, without_cruises

MOVE = [0.0, 0.005, 0.02, 0.045, 0.08, 0.115, 0.14, 0.155, 0.16, 0.16]


def trace(*columns: list[float]) -> Trace:
    rows: list[Row] = [*zip(*columns, strict=True)]
    return Trace(tuple(f"CMDPOS{i}" for i in range(len(columns))), rows)


@pytest.mark.parametrize(
    "theirs",
    [
        [*MOVE],
        [0.0, 0.0, 0.0, *MOVE],  # longer at rest before
        [*MOVE, 0.16, 0.16],  # or after
        [0.0, 0.005, 0.02, 0.044, 0.08, 0.116, 0.14, 0.155, 0.16],  # rounded the other way
    ],
)
def test_the_same_motion_is_equal(theirs: list[float]) -> None:
    assert first_difference(trace(MOVE), trace(theirs)) is None
    assert first_difference(trace(theirs), trace(MOVE)) is None


@pytest.mark.parametrize(
    ("theirs", "row"),
    [
        ([0.0, 0.005, 0.02, 0.045, 0.08, 0.08, 0.115, 0.14, 0.155, 0.16], None),
        ([0.0, 0.005, 0.02, 0.045, 0.083, 0.115, 0.14, 0.155, 0.16], 4),  # elsewhere
        ([0.0, 0.005, 0.02, 0.08, 0.115, 0.14, 0.155, 0.16], 3),  # a cycle is missing
        ([*MOVE, 0.165, 0.17], 9),  # moves on
        ([0.0], 1),  # does not move
        ([0.2, 0.21], 0),
    ],
)
def test_another_motion_is_not(theirs: list[float], row: int | None) -> None:
    difference = first_difference(trace(MOVE), trace(theirs))
    assert (difference.row if difference else None) == row


def test_a_program_may_end_its_log_while_something_moves() -> None:
    """When that was is the computer's affair."""
    assert first_difference(trace(MOVE), trace(MOVE[:5])) is None
    assert first_difference(trace(MOVE[:5]), trace(MOVE)) is None
    assert first_difference(trace(MOVE), trace([*MOVE[:5], MOVE[4]])) is not None, "it stands"


def test_logs_of_other_columns_are_different() -> None:
    moved = trace(MOVE)
    assert first_difference(moved, Trace(("CMDPOS1",), moved.rows)) is not None


def test_a_jog_lasts_as_long_as_the_computer_lets_it() -> None:
    up, down = [0.01 * n for n in range(60)], [0.6, 0.605]
    longer = [*up, *(0.6 + 0.01 * n for n in range(30)), 0.9, 0.905]
    ours, theirs = trace([*up, *down, 0.605]), trace([*longer, 0.905])
    assert first_difference(ours, theirs) is not None
    assert first_difference(without_cruises(ours), without_cruises(theirs)) is None


# What is not to be compared


def test_a_log_of_another_program_is_told_by_columns_and_begin() -> None:
    ours = trace(MOVE)
    assert other_program(ours, ours) == ""
    assert "columns" in other_program(ours, trace(MOVE, MOVE))
    assert "begins elsewhere" in other_program(ours, trace([x + 500.0 for x in MOVE]))


@pytest.mark.parametrize(("rows", "hung"), [(9_999, False), (10_001, True)])
def test_a_program_hung_where_nothing_moved_for_long(rows: int, hung: bool) -> None:
    assert bool(other_program(trace(MOVE), trace([0.0] * rows))) is hung


def test_homing_for_the_next_program_is_none_of_this_one() -> None:
    at_rest = [*(50.0 + x for x in MOVE), *([50.16] * 5)]
    assert before_the_next(trace([*at_rest, 0.0, 0.0])) == trace(at_rest)
    assert before_the_next(trace(at_rest)) == trace(at_rest)
    there_and_back = trace([*at_rest, *(x / 10.0 for x in range(501, -1, -1))])
    assert before_the_next(there_and_back) == there_and_back, "it moved there"


def late(cycles: int, end: float = 3.0) -> Trace:
    """Two axes, of which one begins so many cycles after the other."""
    one = [end * n / 30.0 for n in range(31)]
    return trace([*one, *([end] * cycles)], [*([0.0] * cycles), *(n / 10.0 for n in range(31))])


def test_axes_that_begin_some_cycles_apart_raced() -> None:
    assert first_difference(late(2), late(3)) is not None
    assert raced(late(2), late(3), jogs=False, acted=False)
    assert not raced(late(2), late(3), jogs=False, acted=True), "the engine itself began one"
    assert not raced(late(2), late(14), jogs=False, acted=False), "too far apart"
    assert not raced(late(2), late(3, 4.0), jogs=False, acted=False), "to another place"


def jog_and_move(cycles: int, target: float) -> Trace:
    """A jog at 0.1 u a cycle, a rest, and a move to a place."""
    up = [0.005 * n * n for n in range(11)]
    cruise = [up[-1] + 0.1 * n for n in range(1, cycles + 1)]
    down = [cruise[-1] + 0.5 - 0.005 * (10 - n) ** 2 for n in range(1, 11)]
    way = target - down[-1]
    return trace(
        [*up, *cruise, *down, *([down[-1]] * 3), *(down[-1] + way * n / 100 for n in range(101))]
    )


def test_where_a_jog_came_to_rest_was_decided_by_when_it_was_stopped() -> None:
    ours, theirs = jog_and_move(100, 50.0), jog_and_move(140, 50.0)
    assert first_difference(without_cruises(ours), without_cruises(theirs)) is not None
    assert "jog" in raced(ours, theirs, jogs=True, acted=False)
    assert not raced(ours, jog_and_move(100, 55.0), jogs=True, acted=False), "it lasted as long"


def test_a_delimiter_behind_the_last_column_is_no_column(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("CYCLE\tCMDPOS0\tout_0.0\t\n1\t0.005\t0\t\n2\t0.020\t0\t\n3\t0.0")
    assert read_trace(log) == Trace(("CMDPOS0", "out_0.0"), [(0.005, 0.0)])
