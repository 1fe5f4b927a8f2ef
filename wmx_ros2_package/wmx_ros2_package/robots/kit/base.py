"""A base of one's own on two wheels: its measures, its section of parameters, Nav2's files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...validation import BadRequest
from ..catalogue import ROBOTS
from ..urdf import RobotModel
from .drives import Drive
from .measures import direction, places, radius, reach
from .text import listed, number, plain

AHEAD = 0.7
"""The part of what the wheels reach that is for driving ahead; the rest is for turning."""
FULL_SPEED = 1.0
"""s from rest to the largest velocity."""
CLEARANCE = 1.05
"""How much larger than the base the circle is that Nav2 keeps free."""
STRAIGHT = 1e-2
"""How far wheels may stand off their line, in distances between them, or point off it, in rad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheels:
    """The wheels of a base, left and right, and its measures in m."""

    names: tuple[str, str]
    radius: float
    separation: float
    """From wheel to wheel."""
    reach: float
    """Radius of the circle in which the base turns."""
    frame: str
    """The root of the URDF: between the wheels."""
    linear: float
    """m/s, rad/s: with both at once no wheel is faster than the limit of its joint."""
    angular: float


def wheels_of(
    model: RobotModel,
    drives: Sequence[Drive],
    *,
    wheel_radius: float | None = None,
    wheel_separation: float | None = None,
    robot_radius: float | None = None,
) -> Wheels:
    """Return the wheels that the first two of `drives` turn, left and right.

    What is not given is measured in the URDF. BadRequest with all that it leaves open, or where
    wheels do not stand side by side with axes that point to the left.
    """
    left, right = (drive.joint for drive in drives[:2])
    wrong: list[str] = []
    where = places(model)
    across = where[left.child][:3, 3] - where[right.child][:3, 3]
    if not across[1] > 0.0 or abs(across[0]) > STRAIGHT * across[1]:
        wrong.append(
            f"{left.name} must stand to the left of {right.name}, along y of {model.root}: "
            f"it is {across[0]:.3g} m ahead and {across[1]:.3g} m to the left of it"
        )
    for joint in (left, right):
        x, y, z = direction(where[joint.child], joint)
        if not y >= 1.0 - STRAIGHT:  # nor NaN, which the URDF may have
            wrong.append(
                f"{joint.name}: its axis is {x:.3g} {y:.3g} {z:.3g} in {model.root}: "
                "must point to the left, 0 1 0, so that it turns forwards as the base drives ahead"
            )
    if wheel_radius is None:
        found = [radius(model, joint.child) for joint in (left, right)]
        if not found[0] or found[0] != found[1]:
            wrong.append(
                "wheel radius: the wheels are no cylinders of one radius in the URDF: must be "
                "given, --wheel-radius"
            )
        wheel_radius = found[0] or 0.0
    if robot_radius is None:
        robot_radius, unknown = reach(model)
        if unknown or not robot_radius:
            rule = f"{', '.join(unknown)} drawn as meshes" if unknown else "no shapes in the URDF"
            wrong.append(f"robot radius: {rule}: must be given, --robot-radius")
        robot_radius *= CLEARANCE
    if wrong:
        raise BadRequest(wrong)
    distance = wheel_separation or float(across[1])
    rim = min(left.velocity, right.velocity) * wheel_radius
    return Wheels(
        names=(left.name, right.name),
        radius=wheel_radius,
        separation=distance,
        reach=robot_radius,
        frame=model.root,
        linear=AHEAD * rim,
        angular=(1.0 - AHEAD) * rim * 2.0 / distance,
    )


def base_section(wheels: Wheels) -> str:
    """Return the parameters of the node that drives the base."""
    return f"""\
/**/diff_drive_controller:
  ros__parameters:
    left_axis: 0
    right_axis: 1
    wheel_radius: {number(wheels.radius)}                 # m
    wheel_to_wheel: {number(wheels.separation)}                # m
    # With both at once no wheel is faster than the limit of its joint; nav2.yaml is within them.
    max_linear_velocity: {number(wheels.linear, 4)}         # m/s
    max_linear_acceleration: {number(wheels.linear / FULL_SPEED, 4)}
    max_linear_deceleration: {number(wheels.linear / FULL_SPEED, 4)}
    max_angular_velocity: {number(wheels.angular, 4)}         # rad/s
    max_angular_acceleration: {number(wheels.angular / FULL_SPEED, 4)}
    cmd_vel_topic: /cmd_vel_safe
    use_stamped_vel: true               # TwistStamped, as Nav2 sends it; false for Twist
    encoder_odometry_topic: /odom_enc
    encoder_omega_topic: /omega_enc
    cmd_omega_topic: /omega_cmd
    joint_name: {listed(wheels.names)}
    odom_frame: odom
    base_frame: {plain(wheels.frame)}
    publish_tf: false                   # true needs tf2_msgs
    auto_servo_on: false                # true: servos come on at the start, when signs are checked
"""


def navigation_files(name: str, wheels: Wheels) -> dict[str, str]:
    """Return the files of Nav2 and robot_localization: those of the base that is shipped.

    They have the frame, the size and the limits of this one; Nav2 drives at half of its velocities.
    """
    linear, angular = wheels.linear, wheels.angular

    def three(ahead: float, turning: float) -> str:
        return f"[{number(ahead * linear, 3)}, 0.0, {number(turning * angular, 3)}]"

    values = {
        "desired_linear_vel": number(0.5 * linear, 3),
        "rotate_to_heading_angular_vel": number(0.5 * angular, 3),
        "max_rotational_vel": number(0.5 * angular, 3),
        "min_rotational_vel": number(0.1 * angular, 3),
        "max_angular_accel": number(0.8 * angular / FULL_SPEED, 3),
        "rotational_acc_lim": number(0.8 * angular / FULL_SPEED, 3),
        "robot_radius": number(wheels.reach, 3),
        "inflation_radius": number(2.0 * wheels.reach, 3),
        "max_velocity": three(0.5, 0.5),
        "min_velocity": three(-0.2, -0.5),
        "max_accel": three(0.8 / FULL_SPEED, 0.8 / FULL_SPEED),
        "max_decel": three(-0.8 / FULL_SPEED, -0.8 / FULL_SPEED),
    }
    frames = dict.fromkeys(
        ("base_frame_id", "robot_base_frame", "base_frame", "base_link_frame"), plain(wheels.frame)
    )
    folder = ROBOTS["base"].folder
    return {
        file: _with_values((folder / file).read_text(encoding="utf-8"), values | frames)
        for file in ("nav2.yaml", "ekf.yaml")
    }


def _with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text of a YAML file with other values behind some keys; comments stay."""
    keys = "|".join(values)
    return re.sub(
        rf"^( *(?:{keys}): +)((?:\[[^\]]*\])|[^ #\n]+)",
        lambda found: found[1] + values[found[1].strip().rstrip(": ")],
        text,
        flags=re.MULTILINE,
    )
