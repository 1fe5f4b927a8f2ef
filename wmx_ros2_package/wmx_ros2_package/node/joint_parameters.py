"""The parameters that say which joints a node has, on which axes and in which units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..drivers.units import DEGREE, RPM
from ..robots.joint_layout import JointLayout, joint_layout
from ..validation import BadRequest
from .parameters import parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class JointParameters:
    """The parameters that every node of an arm has."""

    joint_number: int = parameter(6, "joints on axes 0 to joint_number - 1", (1, 128))
    joint_axes: tuple[int, ...] = parameter((), "axis of each joint, instead of joint_number")
    joint_name: tuple[str, ...] = parameter(
        (), "name of each joint; empty: joint1, joint2 and so on; further ones are a gripper's"
    )
    degree_axes: tuple[int, ...] = parameter((), "axes of joints whose user unit is the degree")
    rpm_axes: tuple[int, ...] = parameter(
        (), "axes of joints with 60 user units a revolution, whose velocity is in rpm"
    )

    def __post_init__(self) -> None:
        axes = self.layout().axes
        for name in ("degree_axes", "rpm_axes"):
            if strange := [axis for axis in getattr(self, name) if axis not in axes]:
                raise BadRequest([f"{name} names {strange}: must be of the joints' axes {axes}"])
        if both := set(self.degree_axes) & set(self.rpm_axes):
            raise BadRequest([f"axes {sorted(both)} are in degree_axes and in rpm_axes"])

    def layout(self) -> JointLayout:
        """The joints and their axes."""
        return joint_layout(self.joint_number, self.joint_axes, self.joint_name)

    def axis_units(self) -> Mapping[int, float]:
        """How many rad the user unit of an axis is, where joints are not in user units."""
        return {
            **dict.fromkeys(self.degree_axes, DEGREE),
            **dict.fromkeys(self.rpm_axes, RPM),
        }
