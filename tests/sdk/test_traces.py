"""Comparing logs: rest may last differently, motion may not."""

import pytest

from wmx_sim.compare.traces import Row, Trace, first_difference, without_cruises


def trace(*positions: float) -> Trace:
    return Trace(("CMDPOS0",), [(position,) for position in positions])


MOVE = [0.0, 0.005, 0.02, 0.045, 0.08, 0.115, 0.14, 0.155, 0.16, 0.16]


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
    assert first_difference(trace(*MOVE), trace(*theirs)) is None
    assert first_difference(trace(*theirs), trace(*MOVE)) is None


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
    difference = first_difference(trace(*MOVE), trace(*theirs))
    assert (difference.row if difference else None) == row


def test_a_program_may_end_its_log_while_something_moves() -> None:
    """When that was is the computer's affair."""
    assert first_difference(trace(*MOVE), trace(*MOVE[:5])) is None
    assert first_difference(trace(*MOVE[:5]), trace(*MOVE)) is None
    assert first_difference(trace(*MOVE), trace(*MOVE[:5], MOVE[4])) is not None, "it stands"


def test_logs_of_other_columns_are_different() -> None:
    rows: list[Row] = [(0.0,)]
    assert first_difference(Trace(("CMDPOS0",), rows), Trace(("CMDPOS1",), rows)) is not None


def test_a_jog_lasts_as_long_as_the_computer_lets_it() -> None:
    up, down = [0.01 * n for n in range(60)], [0.6, 0.605]
    longer = [*up, *(0.6 + 0.01 * n for n in range(30)), 0.9, 0.905]
    ours, theirs = trace(*up, *down, 0.605), trace(*longer, 0.905)
    assert first_difference(ours, theirs) is not None
    assert first_difference(without_cruises(ours), without_cruises(theirs)) is None
