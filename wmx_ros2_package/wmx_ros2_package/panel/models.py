"""Which robot a machine is: from an option, from ROS, or one of those that are shipped."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..robots.catalogue import ROBOTS
from ..validation import BadRequest
from .plant import Plant
from .urdf import RobotModel, read_urdf


def model_of(plant: Plant, urdf: Path | None) -> tuple[RobotModel, Path | None] | None:
    """The robot, and the file that names it; None where none is known.

    A shipped robot is taken where all its moving axes have the names of its joints. BadRequest
    where a file is no URDF.
    """
    if urdf is not None:
        return read_urdf_file(urdf), urdf
    if plant.robot_description:
        return read_urdf(plant.robot_description), None
    names = {actuator.name for actuator in plant.actuators}
    for robot in ROBOTS.values():
        if not robot.urdf.is_file():
            continue
        model = read_urdf_file(robot.urdf)
        if names <= {joint.name for joint in model.joints}:
            return model, robot.urdf
    return None


def joint_positions(plant: Plant) -> dict[str, float]:
    """Where each axis is commanded to be now, by its name; empty without a status."""
    status = plant.status
    if status is None:
        return {}
    return {
        actuator.name: float(position)
        for actuator, position in zip(plant.actuators, status.command, strict=False)
    }


@cache
def read_urdf_file(urdf: Path) -> RobotModel:
    """The robot of a file; BadRequest where it is no URDF."""
    try:
        return read_urdf(urdf.read_text())
    except (OSError, ValueError) as error:
        raise BadRequest([f"{urdf}: {error}"]) from None
