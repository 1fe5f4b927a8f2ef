"""Actuators <-> ROS messages."""

from collections.abc import Sequence

from wmx_ros2_message.msg import (
    ActuatorCommand,
    ActuatorGroup,
    ActuatorValue,
    ActuatorValues,
)

from ..actuators.command import Command, Point
from .motions import uuid
from .times import seconds


def command(message: ActuatorCommand) -> Command:
    """Return the command of `message` as a value."""
    return Command(
        name=message.name,
        type=message.type,
        value=message.value,
        velocity=message.velocity,
        acceleration=message.acceleration,
        duration=seconds(message.duration),
        points=tuple(
            Point(
                time=seconds(point.time_from_start),
                positions=tuple(point.positions),
                velocities=tuple(point.velocities),
                accelerations=tuple(point.accelerations),
            )
            for point in message.points
        ),
        repeat=message.repeat,
        decelerate=message.decelerate,
        id=uuid(message.command_id),
    )


def group_values(message: ActuatorGroup) -> list[list[tuple[int, float]]]:
    """The values of each actuator of `message`, with their semantics."""
    return [[(v.semantics, v.value) for v in values.values] for values in message.actuators]


def actuator_values(values: Sequence[tuple[int, float]]) -> ActuatorValues:
    """`values` of one actuator, with their semantics."""
    return ActuatorValues(
        values=[ActuatorValue(semantics=int(kind), value=value) for kind, value in values]
    )
