"""The robot in three dimensions, live; its joints and its tool moved; the path of a base."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import app, ui

from ...robots.finding import FoundRobot, find_robot
from ...robots.urdf import MOVING, Shape
from ..description import ShownAxis, numbers_of
from ..file_reader import FileError
from ..frame import Frame
from .base import base
from .joints import joints
from .taught import taught
from .tool import tool

MESHES = "/meshes"
"""Not below `/panel`, whose folder would be looked into."""


async def build(frame: Frame) -> None:
    """Make the page."""
    if not frame.link.actuators:
        ui.label(frame.link.problem)
        return
    missing = (
        "No URDF of this machine is known: start the panel with --urdf FILE, or publish "
        "robot_description."
    )
    with ui.element("div").classes("two-columns robot"):
        with ui.card().classes("card") as drawn:
            ui.label("reading the robot ...")
        with ui.column().classes("w-full gap-3"):
            if frame.link.joints:
                with ui.card().classes("card"):
                    joints(frame)
                with ui.card().classes("card"):
                    taught(frame)
            if frame.link.base_topic:
                with ui.card().classes("card"):
                    base(frame)
            if not frame.link.joints and not frame.link.base_topic:
                ui.label("Neither an arm nor a base runs: the system was started without a robot.")
            of_tool = ui.column().classes("w-full")  # the last, so that it moves nothing
    axes = {each.name: each.reach for each in frame.link.actuators}
    asked = frame.panel.urdf, frame.link.robot_description, axes
    try:
        found = await frame.panel.files.run(find_robot, *asked)
    except FileError as error:
        found, missing = None, str(error)
    if drawn.is_deleted:
        return  # another page is shown by now
    drawn.clear()
    with drawn:
        if found is None:
            ui.label(missing).props("id=no-robot")
        else:
            _scene(frame, found)
    if found is not None and (chains := frame.panel.tool.show(found)):
        with of_tool, ui.card().classes("card"):
            tool(frame, chains)


def _scene(frame: Frame, robot: FoundRobot) -> None:
    model = robot.model
    moving: list[dict[str, Any]] = []
    still: list[str] = []
    """Joints that are drawn at 0, for it is not known where they are in rad or m, and why."""
    missing: dict[str, str] = {}
    """Why a mesh is not shown, by its name."""
    actuators = frame.link.actuators
    axes = numbers_of(actuators)
    scene = ui.scene(width=560, height=520, grid=(3, 30), background_color="#e5e7eb")
    scene.classes("w-full robot-scene")

    def draw(link: str) -> None:
        for shape in model.links.get(link, ()):
            try:
                _draw(scene, shape, robot.meshes)
            except ValueError as error:
                missing[shape.file] = str(error)
        for joint in model.after(link):
            with scene.group().move(*joint.xyz).rotate(*joint.rpy), scene.group() as moved:
                axis = axes.get(joint.name)
                factor = None if axis is None else joint_factor(actuators[axis].unit, joint.kind)
                if axis is not None and joint.kind != "fixed" and factor is None:
                    still.append(f"{joint.name} ({actuators[axis].unit})")
                elif axis is None and joint.kind in MOVING:
                    still.append(f"{joint.name} (no axis)")
                elif axis is not None and joint.kind != "fixed":
                    moving.append(
                        {
                            "object": moved.id,
                            "axis": joint.axis,
                            "kind": joint.kind,
                            "number": axis,
                            "factor": factor,
                        }
                    )
                draw(joint.child)

    with scene, scene.group() as base:
        draw(model.root)
    scene.move_camera(0.7, -0.8, 0.75, 0.0, 0.0, 0.42, duration=0)
    ui.run_javascript(
        "import('/panel/robot.js').then(() => "
        f"wmxRobot.start({{scene: {scene.id}, base: {base.id!r}, joints: {json.dumps(moving)}}}))"
    )
    ui.label(f"{model.name}: drag to turn, wheel to zoom").classes("text-caption")
    if still:
        text = f"Drawn at 0, for it is not known where it is: {', '.join(still)}"
        ui.label(text).classes("level-warn").props("id=still-joints")
    if missing:
        lines = "".join(f"\n{name}: {why}" for name, why in missing.items())
        ui.label(f"{len(missing)} meshes are not shown:{lines}").classes("level-warn mono").props(
            "id=missing-meshes"
        )


def joint_factor(unit: str, kind: str) -> float | None:
    """How many rad, or m of a prismatic joint, the unit of its axis is; None where it is none."""
    length = kind == "prismatic"
    return ShownAxis(name="", unit=unit).si if (unit == "m") == length else None


def url_of(file: Path) -> str:
    """Serve a mesh, whichever page asks for it; its address, which has no `..`.

    A browser takes that out of an address, and would ask for another file.
    """
    path = f"{MESHES}{file.resolve()}"
    app.remove_route(path)  # that of the last page that has asked: it would stay for ever
    return app.add_static_file(local_file=file, url_path=path)


def _draw(scene: ui.scene, shape: Shape, meshes: Mapping[str, Path | str]) -> None:
    """Draw a shape; ValueError has the reason why a mesh is not drawn."""
    with scene.group().move(*shape.xyz).rotate(*shape.rpy):
        if shape.kind == "box":
            x, y, z = shape.size
            drawn: Any = scene.box(x, y, z)
        elif shape.kind == "cylinder":
            radius, length = shape.size
            # three.js draws cylinders along y, URDF along z.
            drawn = scene.cylinder(radius, radius, length, 32).rotate(math.pi / 2, 0.0, 0.0)
        elif shape.kind == "sphere":
            drawn = scene.sphere(shape.size[0])
        else:
            file = meshes[shape.file]
            if isinstance(file, str):
                raise ValueError(file)
            url = url_of(file)
            if file.suffix.lower() == ".stl":
                drawn = scene.stl(url).scale(*shape.size)
            else:
                scene.gltf(url).scale(*shape.size)
                return
        drawn.material(shape.color)
