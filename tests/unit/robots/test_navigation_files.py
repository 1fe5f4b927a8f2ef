"""nav2.yaml and ekf.yaml of the base: they agree with its parameters, and with how it is drawn."""

import math
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from wmx_ros2_package.bases.differential import Base, Twist
from wmx_ros2_package.nodes.diff_drive.parameters import DiffDriveParameters
from wmx_ros2_package.robots.catalogue import ROBOTS

FOLDER = ROBOTS["base"].folder
NODES = yaml.safe_load((FOLDER / "parameters.yaml").read_text())
GIVEN = NODES["/**/diff_drive_controller"]["ros__parameters"]
BASE = DiffDriveParameters(**{k: tuple(v) if isinstance(v, list) else v for k, v in GIVEN.items()})
NAV2 = yaml.safe_load((FOLDER / "nav2.yaml").read_text())
EKF = yaml.safe_load((FOLDER / "ekf.yaml").read_text())["ekf_filter_node"]["ros__parameters"]
SMOOTHER = NAV2["velocity_smoother"]["ros__parameters"]
MONITOR = NAV2["collision_monitor"]["ros__parameters"]
SPEEDS = {
    "desired_linear_vel": BASE.max_linear_velocity,
    "rotate_to_heading_angular_vel": BASE.max_angular_velocity,
    "max_rotational_vel": BASE.max_angular_velocity,
    "max_angular_accel": BASE.max_angular_acceleration,
    "rotational_acc_lim": BASE.max_angular_acceleration,
}
"""Limits in the files, and that of the base for each."""


def leaves(content: Any, node: str = "") -> Iterator[tuple[str, str, Any]]:
    """Each value, with the node that it is for and its name."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, node or name)
        else:
            yield node, name, value


def values(*names: str) -> list[Any]:
    found = [value for _, name, value in leaves(NAV2) if name in names]
    assert found, names
    return found


def test_frames_are_those_of_the_base() -> None:
    assert {*values("robot_base_frame", "base_frame_id", "base_frame")} == {BASE.base_frame}
    assert {*values("odom_frame_id", "local_frame", "fixed_frame")} == {BASE.odom_frame}
    assert {*values("global_frame", "global_frame_id")} == {"map", BASE.odom_frame}
    frames = EKF["odom_frame"], EKF["world_frame"], EKF["base_link_frame"]
    assert frames == (BASE.odom_frame, BASE.odom_frame, BASE.base_frame)


def test_one_of_the_two_publishes_where_the_base_is() -> None:
    assert EKF["publish_tf"] is not BASE.publish_tf


def test_velocities_reach_the_base_and_odometry_its_users() -> None:
    assert MONITOR["cmd_vel_in_topic"] == "cmd_vel_smoothed", "where velocity_smoother publishes"
    assert MONITOR["cmd_vel_out_topic"] == BASE.cmd_vel_topic
    assert {*values("odom_topic"), EKF["odom0"]} == {BASE.encoder_odometry_topic}


def test_every_node_with_velocities_has_the_type_of_the_base() -> None:
    stamped = {node: v for node, name, v in leaves(NAV2) if name == "enable_stamped_cmd_vel"}
    assert stamped == dict.fromkeys(
        (
            "controller_server",
            "behavior_server",
            "velocity_smoother",
            "collision_monitor",
            "docking_server",
        ),
        BASE.use_stamped_vel,
    )


def test_limits_are_within_those_of_the_base() -> None:
    for name, limit in SPEEDS.items():
        assert all(0.0 < value <= limit for value in values(name)), name
    ahead = BASE.max_linear_velocity, BASE.max_linear_acceleration, BASE.max_linear_deceleration
    turning = BASE.max_angular_velocity, BASE.max_angular_acceleration
    assert all((*ahead, *turning)), "0 is none"
    for name, of_ahead, of_turning in (
        ("max_velocity", ahead[0], turning[0]),
        ("min_velocity", ahead[0], turning[0]),
        ("max_accel", ahead[1], turning[1]),
        ("max_decel", ahead[2], BASE.max_angular_deceleration or turning[1]),
    ):
        x, y, theta = map(abs, SMOOTHER[name])
        assert (x <= of_ahead, y, theta <= of_turning) == (True, 0.0, True), name
    assert values("desired_linear_vel") <= [SMOOTHER["max_velocity"][0]]


def test_the_wheels_reach_what_the_smoother_lets_through() -> None:
    x, _, theta = SMOOTHER["max_velocity"]
    base = Base(wheel_radius=BASE.wheel_radius, wheel_distance=BASE.wheel_to_wheel)
    most = NODES["/**/wmx_actuator_node"]["ros__parameters"]["velocity_max"][0]
    assert max(base.wheels(Twist(x, theta))) <= most


def test_commands_and_odometry_come_in_time() -> None:
    assert 3.0 / SMOOTHER["smoothing_frequency"] <= BASE.cmd_vel_timeout, "two may be late"
    assert EKF["frequency"] <= BASE.rate
    assert EKF["sensor_timeout"] >= 3.0 / BASE.rate


@pytest.mark.parametrize("direction", ["linear", "angular"])
def test_the_base_follows_the_ramp_of_the_smoother(direction: str) -> None:
    """Without limits of acceleration of its own it would be a second behind."""
    period = 1.0 / SMOOTHER["smoothing_frequency"]
    top, growth, slowing = (
        SMOOTHER[name][0 if direction == "linear" else 2]
        for name in ("max_velocity", "max_accel", "max_decel")
    )
    steps = math.ceil(top / growth / period)
    ramp = [min(top, growth * period * i) for i in range(1, steps + 1)]
    ramp += [max(0.0, top + slowing * period * i) for i in range(1, 2 * steps)]
    speed = BASE.speed(direction)
    for target in ramp:
        speed.set_target(target)
        for _ in range(round(period * BASE.rate)):
            speed.step(1.0 / BASE.rate)
        assert speed.velocity == pytest.approx(target, abs=1e-9)


def test_the_radius_is_that_of_the_circle_in_which_the_base_turns() -> None:
    urdf = ElementTree.parse(ROBOTS["base"].urdf).getroot()
    box = urdf.find("link[@name='base_link']/visual/geometry/box")
    tyre = urdf.find("link[@name='left_wheel']/visual/geometry/cylinder")
    assert box is not None
    assert tyre is not None
    length, width, _ = map(float, (box.get("size") or "").split())
    wheels = BASE.wheel_to_wheel + float(tyre.get("length") or "")
    reach = max(math.hypot(length, width), math.hypot(2.0 * BASE.wheel_radius, wheels)) / 2.0
    assert all(reach <= radius <= 1.2 * reach for radius in values("robot_radius"))
    assert all(inflated > max(values("robot_radius")) for inflated in values("inflation_radius"))


def test_the_filter_fuses_the_twist_alone() -> None:
    pose, twist, acceleration = (EKF["odom0_config"][i : i + 6] for i in (0, 6, 12))
    assert not any((*pose, *acceleration))
    measured = [variance < 1.0 for variance in BASE.twist_covariance_diagonal]
    assert twist == measured == [True, True, False, False, False, True]
