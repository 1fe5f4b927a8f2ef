"""A folder for a robot of one's own, made from its URDF and from what is known of its motors.

What protects a machine is in it from the first day: position, velocity and effort of each joint are
limited as in the URDF, and following errors, widths and decelerations are so many seconds of the
joint's velocity, as in the robots that are shipped. No servo comes on until a client asks for it.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...validation import BadRequest
from ..finding import mesh_file
from ..urdf import RobotModel, read_urdf_file
from .base import Wheels, navigation_files
from .drives import Drive
from .engine import engine_files
from .nodes import hardware_files, node_files
from .ros2_control import with_hardware


def make_robot(
    folder: Path,
    urdf: Path,
    drives: Sequence[Drive],
    wheels: Wheels | None = None,
    *,
    ros2_control: bool = False,
) -> list[str]:
    """Make the folder of a robot; return what of its shape is not drawn, in words.

    With `wheels` it is a base: they are the first two of `drives`. With `ros2_control` it is an
    arm that is led by controllers of ros2_control. The folder is complete as soon as it is there.
    BadRequest where there is something already; OSError.
    """
    if folder.exists():
        raise BadRequest([f"{folder} is there already: must be a new folder"])
    if ros2_control and wheels is not None:
        raise BadRequest(["the hardware of ros2_control has wheels: must be an arm without"])
    model = read_urdf_file(urdf)
    name = folder.name
    texts = engine_files(name, model, drives)
    if ros2_control:
        texts |= {**hardware_files(name, drives), "robot.urdf": with_hardware(urdf, drives)}
    else:
        texts |= node_files(name, drives, wheels)
    if wheels is not None:
        texts |= navigation_files(name, wheels)
    draft = folder.with_name(f".{name}.{os.getpid()}")
    draft.mkdir(parents=True)
    try:
        for file, text in texts.items():
            (draft / file).write_text(text, encoding="utf-8")
        if not ros2_control:
            shutil.copyfile(urdf, draft / "robot.urdf")
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return [*_not_drawn(model, folder / "robot.urdf")]


def _not_drawn(model: RobotModel, urdf: Path) -> Iterable[str]:
    for name in dict.fromkeys(s.file for link in model.links.values() for s in link if s.file):
        try:
            mesh_file(name, urdf)
        except ValueError as error:
            yield f"{name}: {error}"
