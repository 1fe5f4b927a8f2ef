"""A gripper that knows two positions."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.robots.gripper import Gripper, Jaws, jaws, require_address
from wmx_ros2_package.validation import BadRequest

GRIPPER = Gripper(opened=0.0, closed=0.045)


@pytest.mark.parametrize(
    ("position", "closed"),
    [(0.0, False), (0.045, True), (0.022, False), (0.023, True), (0.0454, True), (-0.0004, False)],
)
def test_a_position_closes_it_or_opens_it(position: float, closed: bool) -> None:
    assert GRIPPER.closes([position]) is closed
    assert GRIPPER.closes([position, position]) is closed
    # one that is closed at 0
    other = Gripper(opened=0.045, closed=0.0)
    assert other.closes([0.045 - position]) is closed


@pytest.mark.parametrize("position", [0.05, -0.001, nan, inf, -inf])
def test_a_position_out_of_reach_is_refused(position: float) -> None:
    with pytest.raises(BadRequest, match=rf"position is {position}: must be 0 to 0.045"):
        GRIPPER.closes([position])


def test_joints_that_are_told_different_things_are_refused() -> None:
    with pytest.raises(BadRequest, match="must all be open or all be closed"):
        GRIPPER.closes([0.0, 0.045])
    with pytest.raises(BadRequest, match="must have one"):
        GRIPPER.closes([])


def test_open_and_closed_are_two_positions() -> None:
    with pytest.raises(BadRequest, match=r"gripper_close_value is 0\.3"):
        Gripper(opened=0.3, closed=0.3)


@pytest.mark.parametrize("address", [(), (1,), (0, 1, 2), (8000, 0), (-1, 0), (0, 8), (0, -1)])
def test_an_address_is_a_byte_and_a_bit(address: tuple[int, ...]) -> None:
    require_address("confirm_address", (7999, 7))
    with pytest.raises(BadRequest, match="confirm_address"):
        require_address("confirm_address", address)


@given(st.booleans(), st.floats(-10.0, 10.0), st.floats(0.001, 10.0))
def test_where_it_is_is_where_it_was_told_to_be(closed: bool, opened: float, way: float) -> None:
    gripper = Gripper(opened=opened, closed=opened + way)
    here = jaws(output=closed, confirmed=None)
    assert gripper.closes([gripper.position(here)]) is closed
    assert gripper.has_reached([gripper.position(here)], here, 0.0)


@pytest.mark.parametrize(
    ("output", "confirmed", "expected", "position"),
    [
        (True, True, Jaws.CLOSED, 0.045),
        (True, False, Jaws.BETWEEN, 0.0225),
        (False, False, Jaws.OPEN, 0.0),
        (False, True, Jaws.CLOSED, 0.045),
    ],
)
def test_its_input_shows_where_it_is(
    output: bool, confirmed: bool, expected: Jaws, position: float
) -> None:
    here = jaws(output=output, confirmed=confirmed)
    assert (here, GRIPPER.position(here)) == (expected, position)


@pytest.mark.parametrize(
    ("command", "here", "reached"),
    [
        (0.045, Jaws.CLOSED, True),
        (0.036, Jaws.CLOSED, True),
        (0.034, Jaws.CLOSED, False),
        (0.02, Jaws.OPEN, False),
        (0.0, Jaws.OPEN, True),
        (0.0225, Jaws.BETWEEN, False),
    ],
)
def test_a_goal_is_reached_where_the_joints_are(command: float, here: Jaws, reached: bool) -> None:
    assert GRIPPER.has_reached([command, command], here, 0.01) is reached
