"""What the shapes of a URDF measure: where links are, how large wheels are, what a base covers."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..chain import rotation_of
from ..urdf import Joint, RobotModel, Shape, Three

Matrix = NDArray[np.float64]
CORNERS = 32
"""Of the polygon that is taken for the end of a cylinder."""


def places(model: RobotModel) -> dict[str, Matrix]:
    """Return where each link is in the frame of the root while all joints are at 0, as 4 x 4."""
    found = {model.root: np.eye(4)}
    waiting = [model.root]
    while waiting:
        link = waiting.pop()
        for joint in model.after(link):
            found[joint.child] = found[link] @ _placed(joint.xyz, joint.rpy)
            waiting.append(joint.child)
    return found


def direction(place: Matrix, joint: Joint) -> Matrix:
    """Return the axis of a joint in the frame of the root; `place` is that of its child."""
    axis: Matrix = place[:3, :3] @ np.array(joint.axis)
    length = float(np.linalg.norm(axis))
    return axis if length == 0.0 else axis * (1.0 / length)


def radius(model: RobotModel, link: str) -> float | None:
    """Return the radius of a wheel: of its largest cylinder or sphere; None where it has none."""
    for shapes in (model.solids[link], model.links[link]):
        round_ones = [shape.size[0] for shape in shapes if shape.kind in ("cylinder", "sphere")]
        if round_ones:
            return max(round_ones)
    return None


def reach(model: RobotModel) -> tuple[float, list[str]]:
    """Return the radius of the circle around the root that covers the robot, seen from above.

    The links whose shape is a mesh are not measured: they are returned, too.
    """
    most, unknown = 0.0, []
    for link, place in places(model).items():
        for shape in model.solids[link] or model.links[link]:
            if shape.kind == "mesh":
                unknown.append(link)
                continue
            pose = place @ _placed(shape.xyz, shape.rpy)
            own = shape.size[0] if shape.kind == "sphere" else 0.0
            for corner in _corners(shape):
                x, y, _ = (pose @ np.array([*corner, 1.0]))[:3]
                most = max(most, math.hypot(x, y) + own)
    return most, [*dict.fromkeys(unknown)]


def _corners(shape: Shape) -> Iterator[Three]:
    if shape.kind == "box":
        x, y, z = (each / 2.0 for each in shape.size)
        yield from ((a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z))
    elif shape.kind == "cylinder":
        size, length = shape.size
        for i in range(CORNERS):
            angle = 2.0 * math.pi * i / CORNERS
            for z in (-length / 2.0, length / 2.0):
                yield size * math.cos(angle), size * math.sin(angle), z
    else:
        yield 0.0, 0.0, 0.0


def _placed(xyz: Three, rpy: Three) -> Matrix:
    placed = np.eye(4)
    placed[:3, :3], placed[:3, 3] = rotation_of(rpy), xyz
    return placed
