"""The robot in three dimensions, live; its joints moved by sliders; the path of a base."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import app, ui

from ...robots.catalogue import ROBOTS
from ...trajectories.point_files import smooth_move
from ..frame import Frame
from ..trajectories import follow
from ..urdf import RobotModel, Shape, mesh_file, read_urdf, read_urdf_file
from .base import base

MESHES = "/meshes"
"""Not below `/panel`, whose folder would be looked into."""


def build(frame: Frame) -> None:
    """Make the page."""
    missing = (
        "No URDF of this machine is known: start the panel with --urdf FILE, or publish "
        "robot_description."
    )
    try:
        found = _model_of(frame)
    except ValueError as error:
        found, missing = None, str(error)
    with ui.element("div").classes("two-columns robot"):
        with ui.card().classes("card"):
            if found is None:
                ui.label(missing)
            else:
                _scene(frame, *found)
        with ui.column().classes("w-full gap-3"):
            if frame.link.joints:
                with ui.card().classes("card"):
                    _sliders(frame)
            if frame.link.base_topic:
                with ui.card().classes("card"):
                    base(frame)
            if not frame.link.joints and not frame.link.base_topic:
                ui.label("No server of trajectories and no base runs:  make run ROBOT=arm")


def _model_of(frame: Frame) -> tuple[RobotModel, Path | None] | None:
    """The robot, and the file that names it: of an option, of ROS, or one that is shipped.

    A shipped robot is taken where all axes of the machine have the names of its joints. None where
    none is known, BadRequest where a file is no URDF.
    """
    if (urdf := frame.panel.urdf) is not None:
        return read_urdf_file(urdf), urdf
    if frame.link.robot_description:
        return read_urdf(frame.link.robot_description), None
    names = {actuator.name for actuator in frame.link.actuators}
    for robot in ROBOTS.values():
        if not robot.urdf.is_file():
            continue
        model = read_urdf_file(robot.urdf)
        if names <= {joint.name for joint in model.joints}:
            return model, robot.urdf
    return None


def _scene(frame: Frame, model: RobotModel, urdf: Path | None) -> None:
    moving: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    """Why a mesh is not shown, by its name."""
    axes = {actuator.name: axis for axis, actuator in enumerate(frame.link.actuators)}
    scene = ui.scene(width=560, height=520, grid=(3, 30), background_color="#e5e7eb")
    scene.classes("w-full robot-scene")

    def draw(link: str) -> None:
        for shape in model.links.get(link, ()):
            try:
                _draw(scene, shape, urdf)
            except ValueError as error:
                missing[shape.file] = str(error)
        for joint in model.after(link):
            with scene.group().move(*joint.xyz).rotate(*joint.rpy), scene.group() as moved:
                if joint.name in axes and joint.kind != "fixed":
                    moving.append(
                        {
                            "object": moved.id,
                            "axis": joint.axis,
                            "kind": joint.kind,
                            "number": axes[joint.name],
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
    if missing:
        lines = "".join(f"\n{name}: {why}" for name, why in missing.items())
        ui.label(f"{len(missing)} meshes are not shown:{lines}").classes("level-warn mono").props(
            "id=missing-meshes"
        )


def _draw(scene: ui.scene, shape: Shape, urdf: Path | None) -> None:
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
            file = mesh_file(shape.file, urdf)
            url = app.add_static_file(local_file=file, url_path=f"{MESHES}{file}")
            if file.suffix.lower() == ".stl":
                drawn = scene.stl(url).scale(*shape.size)
            else:
                scene.gltf(url).scale(*shape.size)
                return
        drawn.material(shape.color)


def _sliders(frame: Frame) -> None:
    server = frame.link.joints
    names = list(server["joint_name"])
    with ui.row().classes("items-center w-full justify-between"):  # above what notices cover
        ui.label("Joints").classes("text-h6")
        frame.stop_all_button()
    ui.label(
        "Set where the joints shall go (→), then move: the server of trajectories moves them "
        "together. Behind that, where they are, in rad or m."
    )
    now = frame.link.joint_positions
    sliders = {}
    for i, name in enumerate(names):
        low, high = server["position_lower"][i], server["position_upper"][i]
        low, high = (-math.pi if low is None else low), (math.pi if high is None else high)
        axis = next((n for n, a in enumerate(frame.link.actuators) if a.name == name), 0)
        digits = _digits(high - low)
        with ui.row().classes("w-full items-center no-wrap gap-2"):
            ui.label(name).classes("w-14")
            place = round(now.get(name, 0.0), digits)
            with ui.column().classes("grow gap-0"):
                slider = ui.slider(min=low, max=high, step=10.0**-digits, value=place)
                slider.props(f'label id=slider-{name} aria-label="{name}, {low:g} to {high:g}"')
                ui.html(
                    f'<div class="range"><span>{low:.4g}</span><span>{high:.4g}</span></div>',
                    sanitize=False,
                ).classes("w-full")
            target = ui.label().classes(f"w-16 no-wrap target-{name}")
            target.bind_text_from(slider, "value", partial(_target, digits=digits))
            ui.html(
                f'<span class="mono" data-live="position:{axis}">…</span>', sanitize=False
            ).classes("w-16 text-right")
        sliders[name] = slider
    with ui.row().classes("items-center"):
        speed = ui.select(
            {10: "10 %", 25: "25 %", 50: "50 %", 100: "100 %"},
            value=25,
            label="Of the highest velocity",
        ).classes("w-48")

    async def move() -> None:
        now = frame.link.joint_positions
        limits = [(limit or 1.0) * speed.value / 100.0 for limit in server["velocity_limit"]]
        goal = [float(sliders[name].value) for name in names]
        start = [now.get(name, 0.0) for name in names]
        trajectory = smooth_move(names, start, goal, limits)
        text = ", ".join(f"{name} {value + 0.0:g}" for name, value in zip(names, goal, strict=True))
        await frame.order(
            f"move the joints to {text}",
            lambda: follow(frame.link.connected, server, trajectory),
        )

    def take() -> None:
        for name, value in frame.link.joint_positions.items():
            if name in sliders:
                sliders[name].value = round(value, _digits(_range(sliders[name])))

    def zero() -> None:
        for slider in sliders.values():
            slider.value = min(max(0.0, slider.props["min"]), slider.props["max"])

    with ui.row():
        frame.on_click(ui.button("Move the joints", icon="play_arrow"), move)
        ui.button("Where it is", on_click=take).props("outline")
        ui.button("All to 0", on_click=zero).props("outline")


def _range(slider: ui.slider) -> float:
    return float(slider.props["max"] - slider.props["min"])


def _digits(range: float) -> int:
    """How many decimals a joint is set with: a few hundred steps over its range (rad or m)."""
    return 2 - math.floor(math.log10(range / 5.0)) if range < 5.0 else 2


def _target(value: float, digits: int) -> str:
    return f"→ {round(value, digits) + 0.0:.{digits}f}"
