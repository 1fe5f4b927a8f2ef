"""The begin and the end of a motion as lines that people read."""

import pytest

from wmx_ros2_package.cli.event_lines import begin_line, end_line
from wmx_ros2_package.control.request import EndReason, MotionKind


@pytest.mark.parametrize(
    ("node", "unit"),
    [
        ("wmx_actuator_node", "deg"),
        ("wmx_core_motion_node", "deg"),
        ("follow_joint_trajectory_server", "rad"),
    ],
)
def test_an_axis_in_degrees_has_the_unit_of_the_node_that_moves_it(node: str, unit: str) -> None:
    who = f"/cell1/{node}", [0], ["joint1"]
    names, units = {0: "joint1"}, {0: "deg"}
    begin = begin_line(0.0, MotionKind.POSITION, [30.0], *who, names=names, units=units)
    end = end_line(0.0, EndReason.ARRIVED, "", [30.0], *who, names=names, units=units)
    assert f"joint1: position to 30.0000 {unit} begins" in begin
    assert end.endswith(f"joint1: arrived at 30.0000 {unit}")
