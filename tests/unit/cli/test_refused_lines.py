"""Lines of refused commands are bounded, and what is left out is counted."""

from hand_clock import Clock

from wmx_ros2_package.cli.refused_lines import MOST_LINES, RefusedLines


def test_a_few_are_printed_each_second_and_the_others_counted() -> None:
    clock = Clock()
    lines = RefusedLines(clock)
    for second in range(3):
        printed = [lines.admits() for _ in range(100)]
        assert sum(printed) == MOST_LINES, second
        assert printed[:MOST_LINES] == [True] * MOST_LINES
        assert lines.summary() == "", "more may come"
        clock.now += 1.0
        assert lines.summary() == f"... and {100 - MOST_LINES} more commands were refused"
        assert lines.summary() == ""


def test_few_are_all_printed() -> None:
    clock = Clock()
    lines = RefusedLines(clock)
    for _ in range(20):
        assert lines.admits()
        clock.now += 0.25
        assert lines.summary() == ""


def test_none_is_lost_where_the_summary_is_late() -> None:
    clock = Clock()
    lines = RefusedLines(clock)
    printed = sum(lines.admits() for _ in range(10))
    clock.now += 5.0
    printed += sum(lines.admits() for _ in range(10))
    assert lines.summary() == f"... and {20 - printed} more commands were refused"
