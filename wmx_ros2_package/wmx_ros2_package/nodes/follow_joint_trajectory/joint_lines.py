"""The log lines of each joint when a server attaches: they show a swapped axis, a wrong unit."""

from collections.abc import Container, Iterator

from ...drivers.parameters.parameter_set import ParameterSet
from ...drivers.values import MotionStatus
from ...robots.joint_layout import unit_of
from ...trajectories.goal import Joints


def joint_lines(
    joints: Joints, status: MotionStatus, parameters: ParameterSet, converted: Container[int]
) -> Iterator[str]:
    """A line for each joint: its axis, its unit, how far it may go, and where it stands.

    Joints on the axes that are `converted` are in radians.
    """
    for i, (name, axis) in enumerate(zip(joints.names, joints.axes, strict=True)):
        unit = unit_of(parameters.axis(axis).gear_ratio_denominator)
        unit += ", taken as rad" if axis in converted else ""
        yield (
            f"{name}: axis {axis}, in {unit}, {joints.lower[i]:g} to {joints.upper[i]:g}, "
            f"stands at {status.actual_pos[axis]:.6g}"
        )
