"""Where a link of a robot is, and how it moves when the joints before it do. Pure, without ROS.

A chain leads from the root of a URDF to a link. Lengths in m, angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from wmx_core.values import Floats

from .urdf import MOVING, Joint, RobotModel, Three

GIMBAL = 1e-6
"""Where the pitch is so near to a quarter turn (rad), roll and yaw turn the same way."""


class NoChain(ValueError):
    """Where a link is does not follow from the axes; the text has the reason."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a link is in the frame of the root."""

    position: Floats
    """(3,), m."""
    rotation: Floats
    """(3, 3): its columns are the axes of the link."""

    @property
    def rpy(self) -> Three:
        """Roll, pitch and yaw (rad), as a URDF has them: about the fixed x, then y, then z.

        With the pitch at a quarter turn only their sum or difference is known: the roll is 0 then.
        """
        r = self.rotation
        level = math.hypot(r[0, 0], r[1, 0])
        pitch = math.atan2(-r[2, 0], level)
        if level < GIMBAL:
            return 0.0, pitch, math.atan2(-r[0, 1], r[1, 1])
        return math.atan2(r[2, 1], r[2, 2]), pitch, math.atan2(r[1, 0], r[0, 0])


class Chain:
    """The joints from the root of a robot to `link`, by the names of its axes."""

    def __init__(self, model: RobotModel, link: str, axes: Collection[str]) -> None:
        """NoChain where a joint on the way is moved by none of `axes`, or none is on the way."""
        if link not in model.links:
            raise NoChain(f"{model.name} has no link {link!r}")
        way = _way(model, link)
        moved = [joint for joint in way if joint.kind != "fixed"]
        for joint in moved:
            if joint.mimic or joint.kind not in MOVING or joint.name not in axes:
                raise NoChain(f"{joint.name} on the way to {link} is moved by no axis of its own")
        if not moved:
            raise NoChain(f"no axis moves {link}")
        self.root, self.link = model.root, link
        self.joints = tuple(joint.name for joint in moved)
        self.prismatic = tuple(joint.kind == "prismatic" for joint in moved)
        self._axes = [_unit(joint) for joint in moved]
        self._before, self._last = _fixed_parts(way)

    def pose(self, positions: Sequence[float] | Floats) -> Pose:
        """Where the link is with the joints at `positions` (rad or m), in the order of `joints`."""
        return self._follow(positions)[0]

    def pose_and_jacobian(self, positions: Sequence[float] | Floats) -> tuple[Pose, Floats]:
        """As `pose`, and how the link moves for each joint, (6, joints), in the frame of the root.

        The first three are the velocity of its origin, the others are how it turns.
        """
        pose, places, axes = self._follow(positions)
        jacobian = np.empty((6, len(self.joints)))
        linear = np.where(
            np.array(self.prismatic)[:, None], axes, np.cross(axes, pose.position - places)
        )
        jacobian[:3] = linear.T
        jacobian[3:] = np.where(np.array(self.prismatic), 0.0, axes.T)
        return pose, jacobian

    def _follow(self, positions: Sequence[float] | Floats) -> tuple[Pose, Floats, Floats]:
        """The pose, and the origin and the axis of each joint in the frame of the root."""
        count = len(self.joints)
        if len(positions) != count:
            raise ValueError(f"positions has {len(positions)} elements: must have {count}")
        place, turn = np.zeros(3), np.eye(3)
        places, axes = np.empty((count, 3)), np.empty((count, 3))
        for i, (shift, fixed) in enumerate(self._before):
            place = place + turn @ shift
            turn = turn @ fixed
            places[i], axes[i] = place, turn @ self._axes[i]
            if self.prismatic[i]:
                place = place + axes[i] * positions[i]
            else:
                turn = turn @ rotation_about(self._axes[i], float(positions[i]))
        shift, fixed = self._last
        return Pose(place + turn @ shift, turn @ fixed), places, axes


def tool_links(model: RobotModel, axes: Collection[str]) -> list[Chain]:
    """The chains to all links that only `axes` move, those with most joints on their way first.

    Of links with as many the last of the way comes first: a flange before the link that bears it.
    """
    chains = []
    for link in model.links:
        try:
            chains.append((Chain(model, link, axes), len(_way(model, link))))
        except NoChain:
            continue
    return [chain for chain, _ in sorted(chains, key=lambda each: (-len(each[0].joints), -each[1]))]


def rotation_about(axis: Floats, angle: float) -> Floats:
    """The rotation by `angle` (rad) about the unit vector `axis`, (3, 3)."""
    x, y, z = axis.tolist()
    c, s = math.cos(angle), math.sin(angle)
    t = 1.0 - c
    return np.array(
        [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
        ]
    )


def rotation_of(rpy: Three) -> Floats:
    """The rotation by roll, pitch and yaw (rad), see `Pose.rpy`, (3, 3)."""
    roll, pitch, yaw = rpy
    x, y, z = np.eye(3)
    made: Floats = rotation_about(z, yaw) @ rotation_about(y, pitch) @ rotation_about(x, roll)
    return made


def turn_between(there: Floats, here: Floats) -> Floats:
    """The turn that leads from the rotation `here` to `there`: rad about each axis, (3,).

    For small turns, as those of one step are.
    """
    off = there @ here.T
    return 0.5 * np.array([off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]])


def _way(model: RobotModel, link: str) -> list[Joint]:
    """The joints from the root to `link`."""
    above = {joint.child: joint for joint in model.joints}
    way: list[Joint] = []
    while link in above:
        way.append(above[link])
        link = above[link].parent
    return way[::-1]


def _fixed_parts(
    way: Sequence[Joint],
) -> tuple[list[tuple[Floats, Floats]], tuple[Floats, Floats]]:
    """What does not move before each moving joint, and after the last: shift and rotation."""
    parts = []
    shift, turn = np.zeros(3), np.eye(3)
    for joint in way:
        shift = shift + turn @ np.array(joint.xyz)
        turn = turn @ rotation_of(joint.rpy)
        if joint.kind != "fixed":
            parts.append((shift, turn))
            shift, turn = np.zeros(3), np.eye(3)
    return parts, (shift, turn)


def _unit(joint: Joint) -> Floats:
    axis = np.array(joint.axis)
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise NoChain(f"{joint.name} has no axis")
    unit: Floats = axis / length
    return unit
