"""Which URDF is that of a machine, and where the files of its shapes are. Pure, without ROS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path

from .catalogue import LOW_LEVEL, ROBOTS
from .parameter_files import sections_of
from .urdf import MOST_BYTES, Joint, RobotModel, read_urdf, read_urdf_file

Range = tuple["float | None", "float | None"]
"""The least and the greatest position of an axis, rad or m; None where there is no limit."""
MESHES = ".stl", ".gltf", ".glb"
"""The kinds of files that a browser draws."""
SAME_LIMIT = 1e-3
"""How much a limit of a URDF may be rounded, rad or m."""
ACTUATORS = LOW_LEVEL[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRobot:
    """A robot, and where the files of its shapes are."""

    model: RobotModel
    meshes: dict[str, Path | str]
    """The file of each mesh, by the name that the URDF has for it; or why it is not drawn."""
    guessed: bool = False
    """Whether nobody has named it: a shipped one whose joints are as the axes of the machine."""


class OtherRobot(ValueError):
    """The robot that was named is not that of the machine; the text has the differences."""


def find_robot(
    path: Path | None, published: str, axes: Mapping[str, Range | None]
) -> FoundRobot | None:
    """The robot of an option, of ROS, or one that is shipped; run by `file_reader`.

    `axes` of the machine have ranges in rad or m; None where its unit is neither. A shipped robot
    is taken where all of them have the names and the limits of its joints. None where none is
    known, ValueError where a file is no URDF, OtherRobot where it is that of another machine.
    """
    if path is not None or published:
        if len(published) > MOST_BYTES:
            raise ValueError(f"robot_description is larger than {MOST_BYTES >> 20} MiB")
        model = read_urdf(published) if path is None else read_urdf_file(path)
        own = None if path is None else _own_axes(path.parent)
        if found := "; ".join(_differences(model, own, axes)):
            raise OtherRobot(f"{model.name} is not drawn: the machine is another robot. {found}")
        return _with_meshes(model, path)
    for robot in ROBOTS.values():
        if robot.urdf.is_file():
            model = read_urdf_file(robot.urdf)
            joints = model.moving
            if all(name in joints and _has(joints[name], axes[name]) for name in axes):
                return replace(_with_meshes(model, robot.urdf), guessed=True)
    return None


def _differences(
    model: RobotModel, own: set[str] | None, axes: Mapping[str, Range | None]
) -> Iterator[str]:
    """In what a robot is another one than a machine with `axes`; `own` are its axes if known.

    A URDF may have joints that are no axes, as the fingers of a gripper, and a machine axes that
    are no joints; but where both is so, they are of two machines.
    """
    joints = model.moving
    for name in (name for name in joints if name in axes):
        if (reach := axes[name]) is not None and not _has(joints[name], reach):
            yield f"{name} goes {_words(_limits(joints[name]))}, its axis {_words(reach)}"
    robot = joints.keys() if own is None else own
    more, less = sorted(robot - axes.keys()), sorted(axes.keys() - robot)
    if (more and less) or (own is not None and (more or less)):
        yield from (f"it has {name}, which is no axis" for name in more)
        yield from (f"it has no {name}, which is an axis" for name in less)


def _own_axes(folder: Path) -> set[str] | None:
    """The names of the axes of the robot in a folder; None where there is none."""
    if not (folder / "robot.yaml").is_file():
        return None
    sections = sections_of(folder / "parameters.yaml").items()
    names = [values.get("names") for pattern, values in sections if pattern.endswith(ACTUATORS)]
    return {str(name) for each in names for name in each or ()} or None


def _has(joint: Joint, limits: Range | None) -> bool:
    """Whether a joint has these limits; none where the URDF has none."""
    return limits is not None and all(
        _same(ours, theirs) for ours, theirs in zip(_limits(joint), limits, strict=True)
    )


def _limits(joint: Joint) -> Range:
    return (joint.low, joint.high) if joint.low < joint.high else (None, None)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, abs_tol=SAME_LIMIT)


def _words(limits: Range) -> str:
    low, high = ("no limit" if each is None else f"{each:g}" for each in limits)
    return "without limits" if limits == (None, None) else f"from {low} to {high}"


def _with_meshes(model: RobotModel, urdf: Path | None) -> FoundRobot:
    meshes: dict[str, Path | str] = {}
    for shapes in model.links.values():
        for name in (shape.file for shape in shapes if shape.kind == "mesh"):
            try:
                meshes[name] = mesh_file(name, urdf)
            except ValueError as error:
                meshes[name] = str(error)
    return FoundRobot(model=model, meshes=meshes)


def mesh_file(name: str, urdf: Path | None) -> Path:
    """The file of a mesh: a path, `file://`, or `package://`; ValueError names why none is found.

    A package is looked for above the folder of the URDF, then among the installed ones.
    """
    kind = Path(name).suffix.lower()
    if kind not in MESHES:
        raise ValueError(f"{kind or 'no suffix'}: only {', '.join(MESHES)} are drawn")
    if not name.startswith("package://"):
        path = Path(name.removeprefix("file://"))
        places = [path if urdf is None else urdf.parent / path]
    else:
        package, *inside = Path(name.removeprefix("package://")).parts
        above = urdf.resolve().parents if urdf is not None else ()
        places = [p / q for p in above for q in (Path(package, *inside), Path(*inside))]
        if share := _share_of(package):
            places.append(share.joinpath(*inside))
        elif not any(place.is_file() for place in places):
            raise ValueError(f"the package {package} is not installed where the panel runs")
    try:
        return next(place for place in places if place.is_file())
    except StopIteration:
        raise ValueError("there is no such file where the panel runs") from None


def _share_of(package: str) -> Path | None:
    """The `share` folder of an installed package."""
    try:
        from ament_index_python.packages import get_package_share_path

        return Path(get_package_share_path(package))
    except (ImportError, LookupError, ValueError):
        return None
