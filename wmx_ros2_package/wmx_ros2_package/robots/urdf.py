"""A robot as its URDF has it: links with shapes, joints with limits. Pure, without ROS.

Lengths in m, angles in rad. A robot is a tree: each joint moves one link against another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from wmx_core.regular_file import read_regular_file

from ..validation import BadRequest

Three = tuple[float, float, float]
GREY = "#b0b6bd"
MOVING = "revolute", "continuous", "prismatic"
"""The kinds of joints that one axis moves."""
LIMITS = {"low": "lower", "high": "upper", "velocity": "velocity", "effort": "effort"}
"""The limits of a joint, and what the URDF calls them."""
MOST_BYTES = 4 << 20
MOST_LINKS = 1000
MOST_LEVELS = 100
"""How many joints may stand between the root of a robot and a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One part of the shape of a link, placed in the frame of the link."""

    kind: str
    """box, cylinder, sphere or mesh."""
    size: tuple[float, ...] = ()
    """box: three lengths; cylinder: radius and length; sphere: radius; mesh: three scales."""
    file: str = ""
    """Of a mesh, as the URDF names it."""
    xyz: Three
    rpy: Three
    color: str = GREY


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What moves `child` against `parent`."""

    name: str
    kind: str
    """revolute, continuous, prismatic or fixed; others are drawn as fixed."""
    parent: str
    child: str
    xyz: Three
    rpy: Three
    axis: Three
    low: float
    high: float
    velocity: float
    """m/s or rad/s, 0 where the URDF names none."""
    effort: float
    """N or N*m, 0 where the URDF names none."""
    mimic: bool
    """Whether it follows another joint, and is no axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotModel:
    """The links with their shapes, and the joints between them."""

    name: str
    links: dict[str, tuple[Shape, ...]]
    """How each is drawn."""
    solids: dict[str, tuple[Shape, ...]]
    """What of each must not collide, where the URDF has it."""
    joints: tuple[Joint, ...]

    @property
    def root(self) -> str:
        """The link that no joint moves."""
        children = {joint.child for joint in self.joints}
        return next(link for link in self.links if link not in children)

    @property
    def moving(self) -> dict[str, Joint]:
        """The joints that move by themselves, and so may be axes, by their names."""
        return {each.name: each for each in self.joints if each.kind in MOVING and not each.mimic}

    def after(self, link: str) -> Iterator[Joint]:
        """The joints whose parent is `link`."""
        return (joint for joint in self.joints if joint.parent == link)


def read_urdf(text: str) -> RobotModel:
    """The robot that `text` describes; ValueError where it is no URDF."""
    try:
        robot = ElementTree.fromstring(text)
        colors = {m.get("name", ""): _color(m) for m in robot.findall("material")}
        links, solids = (
            {
                link.attrib["name"]: tuple(_shapes(link, of, colors))
                for link in robot.findall("link")
            }
            for of in ("visual", "collision")
        )
        joints = tuple(_joint(joint) for joint in robot.findall("joint"))
        name = robot.get("name", "robot")
        model = RobotModel(name=name, links=links, solids=solids, joints=joints)
        _require_tree(model)
    except (ElementTree.ParseError, KeyError, StopIteration, AttributeError) as error:
        raise ValueError(f"no URDF: {error!r}") from None
    return model


def _require_tree(model: RobotModel) -> None:
    """ValueError where the links are no tree that can be drawn; StopIteration without a root."""
    if len(model.links) > MOST_LINKS:
        raise ValueError(f"no URDF that is drawn: it has more than {MOST_LINKS} links")
    parents = {joint.child: joint.parent for joint in model.joints}
    if len(parents) < len(model.joints):
        raise ValueError("no URDF: two joints have the same child")
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    level = [model.root]
    reached = {*level}
    for _ in range(MOST_LEVELS):
        level = [child for link in level for child in children.get(link, ())]
        reached |= {*level}
    if level:
        raise ValueError(f"no URDF that is drawn: it has more than {MOST_LEVELS} joints in a row")
    # A loop of joints is never reached: who goes up from one of its links would never end.
    named = {*model.links, *parents, *parents.values()}
    if apart := sorted(named - (reached & model.links.keys())):
        raise ValueError(f"no URDF: {apart[0]!r} is no link that joints connect to {model.root!r}")


def read_urdf_file(urdf: Path) -> RobotModel:
    """The robot of a file; BadRequest where it is no URDF."""
    try:
        return read_urdf(read_regular_file(f"{urdf.absolute()}", MOST_BYTES).decode())
    except ValueError as error:
        raise BadRequest([f"{urdf}: {error}"]) from None


def _joint(joint: ElementTree.Element) -> Joint:
    axis, limit = joint.find("axis"), joint.find("limit")
    xyz, rpy = _origin(joint)
    return Joint(
        name=joint.attrib["name"],
        kind=joint.attrib["type"],
        parent=_link(joint, "parent"),
        child=_link(joint, "child"),
        xyz=xyz,
        rpy=rpy,
        axis=_three(axis.get("xyz") if axis is not None else None, (1.0, 0.0, 0.0)),
        **{
            field: float(limit.get(name, "0")) if limit is not None else 0.0
            for field, name in LIMITS.items()
        },
        mimic=joint.find("mimic") is not None,
    )


def _link(joint: ElementTree.Element, role: str) -> str:
    link = joint.find(role)
    if link is None:
        raise KeyError(f"joint {joint.get('name')} has no {role}")
    return link.attrib["link"]


def _shapes(link: ElementTree.Element, of: str, colors: dict[str, str]) -> Iterator[Shape]:
    for visual in link.findall(of):
        xyz, rpy = _origin(visual)
        material = visual.find("material")
        color = GREY
        if material is not None:
            named = colors.get(material.get("name", ""), GREY)
            color = _color(material) if material.find("color") is not None else named
        for geometry in visual.findall("geometry/*"):
            kind, size, file = geometry.tag, _size(geometry), geometry.get("filename", "")
            if kind in ("box", "cylinder", "sphere", "mesh"):
                yield Shape(kind=kind, size=size, file=file, xyz=xyz, rpy=rpy, color=color)


def _size(geometry: ElementTree.Element) -> tuple[float, ...]:
    if geometry.tag == "box":
        return _three(geometry.attrib["size"], (0.0, 0.0, 0.0))
    if geometry.tag == "mesh":
        return _three(geometry.get("scale"), (1.0, 1.0, 1.0))
    names = ("radius", "length") if geometry.tag == "cylinder" else ("radius",)
    return tuple(float(geometry.get(name, "0")) for name in names)


def _origin(element: ElementTree.Element) -> tuple[Three, Three]:
    zero = (0.0, 0.0, 0.0)
    origin = element.find("origin")
    if origin is None:
        return zero, zero
    return _three(origin.get("xyz"), zero), _three(origin.get("rpy"), zero)


def _three(text: str | None, otherwise: Three) -> Three:
    if text is None:
        return otherwise
    x, y, z = map(float, text.split())
    return x, y, z


def _color(material: ElementTree.Element) -> str:
    color = material.find("color")
    if color is None:
        return GREY
    parts = map(float, color.attrib["rgba"].split())
    red, green, blue, *_ = (round(255 * min(max(each, 0.0), 1.0)) for each in parts)
    return f"#{red:02x}{green:02x}{blue:02x}"
