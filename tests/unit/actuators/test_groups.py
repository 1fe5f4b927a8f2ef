"""Several properties at once: each combination that means something, and each that does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.actuators.command import Command, CommandType
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.groups import Semantics, group_commands
from wmx_ros2_package.validation import BadRequest

P, S, A, F = Semantics
ACTUATORS = {name: Actuator(name=name, axis=axis) for axis, name in enumerate(("a", "b"))}


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        ([(P, 1.0)], Command(name="a", type=CommandType.POSITION, value=1.0)),
        (
            [(P, 1.0), (S, 2.0), (A, 3.0)],
            Command(name="a", type=CommandType.POSITION, value=1.0, velocity=2.0, acceleration=3.0),
        ),
        ([(S, -2.0)], Command(name="a", type=CommandType.VELOCITY, value=-2.0)),
        (
            [(A, 3.0), (S, -2.0)],
            Command(name="a", type=CommandType.VELOCITY, value=-2.0, acceleration=3.0),
        ),
        ([(F, -5.0)], Command(name="a", type=CommandType.EFFORT, value=-5.0)),
    ],
)
def test_what_means_something(values: list[tuple[int, float]], meaning: Command) -> None:
    assert group_commands(["a"], [values], ACTUATORS) == [meaning]


def test_without_names_they_are_all_in_order() -> None:
    commands = group_commands([], [[(P, 1.0)], [(P, 2.0)]], ACTUATORS)
    assert [(command.name, command.value) for command in commands] == [("a", 1.0), ("b", 2.0)]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no value for 'a' means nothing"),
        ([(A, 1.0)], "ACCELERATION for 'a' means nothing: must be POSITION with"),
        ([(P, 1.0), (F, 1.0)], "POSITION with FORCE for 'a' means nothing"),
        ([(S, 1.0), (F, 1.0)], "SPEED with FORCE for 'a' means nothing"),
        ([(7, 1.0)], r"semantics of 'a' is 7: must be 0 \(POSITION\) to 3 \(FORCE\)"),
        ([(P, 1.0), (P, 2.0)], "'a' has a semantics more than once"),
        ([(P, 1.0), (S, 0.0)], "SPEED of 'a' is 0.0: as a limit it must be greater than 0"),
    ],
)
def test_what_means_nothing_is_refused(values: list[tuple[int, float]], reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        group_commands(["a"], [values], ACTUATORS)


def test_ragged_arrays_are_refused() -> None:
    with pytest.raises(BadRequest, match="actuators has 1 elements but there are 2 names"):
        group_commands(["a", "b"], [[(P, 1.0)]], ACTUATORS)


@given(st.lists(st.lists(st.tuples(st.integers(0, 255), st.floats())), max_size=4))
def test_whatever_comes_is_taken_or_refused(values: list[list[tuple[int, float]]]) -> None:
    try:
        commands = group_commands([], values, ACTUATORS)
    except BadRequest:
        return
    assert [command.name for command in commands] == list(ACTUATORS)
