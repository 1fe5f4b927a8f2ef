"""Three parameters say which joints there are; contradictions are refused."""

import pytest

from wmx_ros2_package.robots.joint_layout import joint_layout, per_joint, unit_of
from wmx_ros2_package.validation import BadRequest


def test_a_number_alone_names_joints_by_it() -> None:
    layout = joint_layout(3, (), ())
    assert layout.names == ("joint1", "joint2", "joint3")
    assert (layout.axes, layout.gripper) == ((0, 1, 2), ())


def test_names_beyond_the_axes_are_those_of_the_gripper() -> None:
    layout = joint_layout(6, (4, 2), ("a", "b", "c"), ("d",))
    assert (layout.names, layout.axes, layout.gripper) == (("a", "b"), (4, 2), ("c", "d"))


@pytest.mark.parametrize(
    ("axes", "names", "text"),
    [
        ((0, 128), (), "joint_axes names axis 128: must be 0 to 127"),
        ((0, 0), (), "joint_axes is [0, 0]: must name each once"),
        ((0, 1), ("a",), "joint_name has 1 elements: must have one for each of 2 axes"),
        ((0, 1), ("a", "a"), "joint_name is ['a', 'a']: must name each once"),
        ((0,), ("",), "must not be empty"),
    ],
)
def test_what_contradicts_itself(axes: tuple[int, ...], names: tuple[str, ...], text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        joint_layout(2, axes, names)
    assert text in str(refused.value)


def test_numbers_for_all_joints_or_each() -> None:
    assert per_joint((), 2, "x", 7.0) == [7.0, 7.0]
    assert per_joint((1.0,), 2, "x", 7.0) == [1.0, 1.0]
    assert per_joint((1.0, 2.0), 2, "x", 7.0) == [1.0, 2.0]
    with pytest.raises(BadRequest, match="x has 3 elements: must have 0, 1 or 2"):
        per_joint((1.0, 2.0, 3.0), 2, "x", 7.0)


def test_the_unit_follows_from_a_revolution() -> None:
    units = [unit_of(revolution) for revolution in (6.2831853, 360.0, 60.0, 1000.0)]
    assert units == ["rad", "deg", "1/60 revolution (u/s: rpm)", "user units"]
