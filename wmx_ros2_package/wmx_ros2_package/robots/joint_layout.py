"""Which joints a node has, by the three parameters for them.

`joint_axes` names the axis of each joint; without it the joints are on the axes 0 to
`joint_number` - 1. `joint_name` names them; names beyond the axes are those of gripper joints.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose, pi

from wmx_core.errors import ErrorCode, WmxError
from wmx_core.values import MAX_AXES

from ..validation import BadRequest

USUAL_JOINTS = 6
"""How many joints a node has where `joint_number` is not given."""
USUAL_ACTUATORS = tuple(f"axis_{axis}" for axis in range(6))
"""The actuators of a node where `names` is not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointLayout:
    """The joints of a node, and the axis of each; gripper joints have none."""

    names: tuple[str, ...]
    axes: tuple[int, ...]
    gripper: tuple[str, ...]


def joint_layout(
    joint_number: int,
    joint_axes: Sequence[int],
    joint_name: Sequence[str],
    gripper_joint_name: Sequence[str] = (),
) -> JointLayout:
    """The joints of these parameters; BadRequest if they contradict each other.

    Without names the joints are called joint1, joint2 and so on.
    """
    if reasons := list(_reasons(joint_axes, (*joint_name, *gripper_joint_name))):
        raise BadRequest(reasons)
    axes = tuple(joint_axes) or tuple(range(joint_number))
    names = tuple(joint_name) or tuple(f"joint{i + 1}" for i in range(len(axes)))
    if len(names) < len(axes):
        raise BadRequest(
            [f"joint_name has {len(names)} elements: must have one for each of {len(axes)} axes"]
        )
    return JointLayout(
        names=names[: len(axes)],
        axes=axes,
        gripper=(*names[len(axes) :], *gripper_joint_name),
    )


def per_joint(values: Sequence[float], count: int, name: str, missing: float) -> list[float]:
    """One value a joint: none given, one for all, or one for each; BadRequest otherwise."""
    if not values:
        return [missing] * count
    if len(values) == 1:
        return list(values) * count
    if len(values) != count:
        raise BadRequest([f"{name} has {len(values)} elements: must have 0, 1 or {count}"])
    return list(values)


def require_axes(
    axes: Sequence[int], count: int, *, named_by: str = "joints are on the axes"
) -> None:
    """Refuse axes that an engine with `count` axes has not got; they are those of joints."""
    if absent := [axis for axis in axes if axis >= count]:
        raise WmxError(
            ErrorCode.ParamOutOfRange,
            f"{named_by} {absent}: must be 0 to {count - 1}, the axes of the engine",
        )


def unit_of(revolution: float) -> str:
    """The user unit of an axis of which so many are `revolution`, where that number shows it."""
    for unit, its in (("rad", 2.0 * pi), ("deg", 360.0), ("1/60 revolution (u/s: rpm)", 60.0)):
        if isclose(revolution, its, rel_tol=1e-6):
            return unit
    return "user units"


def _reasons(axes: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    for axis in axes:
        if not 0 <= axis < MAX_AXES:
            yield f"joint_axes names axis {axis}: must be 0 to {MAX_AXES - 1}"
    for name, values in (("joint_axes", axes), ("joint_name", names)):
        if len(set(values)) < len(values):
            yield f"{name} is {list(values)}: must name each once"
    if "" in names:
        yield f"joint_name is {list(names)}: must not be empty"
