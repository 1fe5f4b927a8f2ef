"""nav2.yaml and ekf.yaml of bases: they agree with parameters and shape of the base."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from wmx_ros2_package.bases.differential import Base, Twist
from wmx_ros2_package.nodes.diff_drive.parameters import DiffDriveParameters
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.kit.base import wheels_of
from wmx_ros2_package.robots.kit.drives import drives_of
from wmx_ros2_package.robots.kit.making import make_robot
from wmx_ros2_package.robots.urdf import read_urdf_file


@dataclass(frozen=True)
class Navigation:
    """What the folder of a base has for Nav2, and the base itself."""

    folder: Path

    def _content(self, file: str) -> Any:
        return yaml.safe_load((self.folder / file).read_text())

    @property
    def nodes(self) -> Any:
        return self._content("parameters.yaml")

    @property
    def base(self) -> DiffDriveParameters:
        given = self.nodes["/**/diff_drive_controller"]["ros__parameters"]
        return DiffDriveParameters(
            **{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
        )

    @property
    def nav2(self) -> Any:
        return self._content("nav2.yaml")

    @property
    def ekf(self) -> Any:
        return self._content("ekf.yaml")["ekf_filter_node"]["ros__parameters"]

    @property
    def smoother(self) -> Any:
        return self.nav2["velocity_smoother"]["ros__parameters"]

    def values(self, *names: str) -> list[Any]:
        found = [value for _, name, value in leaves(self.nav2) if name in names]
        assert found, names
        return found


SHIPPED = ROBOTS["base"]


@pytest.fixture(scope="module", params=["shipped", "made"])
def of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Navigation:
    """The files of the base that is shipped, or of one that is made of another URDF."""
    if request.param == "shipped":
        return Navigation(SHIPPED.folder)
    place = tmp_path_factory.mktemp("bases")
    urdf = place / "footprint.urdf"
    urdf.write_text(SHIPPED.urdf.read_text().replace("base_link", "base_footprint"))
    model = read_urdf_file(urdf)
    drives = drives_of(model, [524288], [20.0], ["left_wheel_joint", "right_wheel_joint"])
    make_robot(place / "small", urdf, drives, wheels_of(model, drives))
    return Navigation(place / "small")


def leaves(content: Any, node: str = "") -> Iterator[tuple[str, str, Any]]:
    """Each value, with the node that it is for and its name."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, node or name)
        else:
            yield node, name, value


def test_frames_are_those_of_the_base(of: Navigation) -> None:
    assert {*of.values("robot_base_frame", "base_frame_id", "base_frame")} == {of.base.base_frame}
    assert {*of.values("odom_frame_id", "local_frame", "fixed_frame")} == {of.base.odom_frame}
    assert {*of.values("global_frame", "global_frame_id")} == {"map", of.base.odom_frame}
    frames = of.ekf["odom_frame"], of.ekf["world_frame"], of.ekf["base_link_frame"]
    assert frames == (of.base.odom_frame, of.base.odom_frame, of.base.base_frame)


def test_one_of_the_two_publishes_where_the_base_is(of: Navigation) -> None:
    assert of.ekf["publish_tf"] is not of.base.publish_tf


def test_velocities_reach_the_base_and_odometry_its_users(of: Navigation) -> None:
    monitor = of.nav2["collision_monitor"]["ros__parameters"]
    assert monitor["cmd_vel_in_topic"] == "cmd_vel_smoothed", "where velocity_smoother publishes"
    assert monitor["cmd_vel_out_topic"] == of.base.cmd_vel_topic
    assert {*of.values("odom_topic"), of.ekf["odom0"]} == {of.base.encoder_odometry_topic}


def test_every_node_with_velocities_has_the_type_of_the_base(of: Navigation) -> None:
    stamped = {node: v for node, name, v in leaves(of.nav2) if name == "enable_stamped_cmd_vel"}
    assert stamped == dict.fromkeys(
        (
            "controller_server",
            "behavior_server",
            "velocity_smoother",
            "collision_monitor",
            "docking_server",
        ),
        of.base.use_stamped_vel,
    )


def test_limits_are_within_those_of_the_base(of: Navigation) -> None:
    speeds = {
        "desired_linear_vel": of.base.max_linear_velocity,
        "rotate_to_heading_angular_vel": of.base.max_angular_velocity,
        "max_rotational_vel": of.base.max_angular_velocity,
        "max_angular_accel": of.base.max_angular_acceleration,
        "rotational_acc_lim": of.base.max_angular_acceleration,
    }
    for name, limit in speeds.items():
        assert all(0.0 < value <= limit for value in of.values(name)), name
    ahead = (
        of.base.max_linear_velocity,
        of.base.max_linear_acceleration,
        of.base.max_linear_deceleration,
    )
    turning = of.base.max_angular_velocity, of.base.max_angular_acceleration
    assert all((*ahead, *turning)), "0 is none"
    for name, of_ahead, of_turning in (
        ("max_velocity", ahead[0], turning[0]),
        ("min_velocity", ahead[0], turning[0]),
        ("max_accel", ahead[1], turning[1]),
        ("max_decel", ahead[2], of.base.max_angular_deceleration or turning[1]),
    ):
        x, y, theta = map(abs, of.smoother[name])
        assert (x <= of_ahead, y, theta <= of_turning) == (True, 0.0, True), name
    assert of.values("desired_linear_vel") <= [of.smoother["max_velocity"][0]]


def test_the_wheels_reach_what_the_smoother_lets_through(of: Navigation) -> None:
    x, _, theta = of.smoother["max_velocity"]
    base = Base(wheel_radius=of.base.wheel_radius, wheel_distance=of.base.wheel_to_wheel)
    most = of.nodes["/**/wmx_actuator_node"]["ros__parameters"]["velocity_max"][0]
    assert max(base.wheels(Twist(x, theta))) <= most


def test_commands_and_odometry_come_in_time(of: Navigation) -> None:
    assert 3.0 / of.smoother["smoothing_frequency"] <= of.base.cmd_vel_timeout, "two may be late"
    assert of.ekf["frequency"] <= of.base.rate
    assert of.ekf["sensor_timeout"] >= 3.0 / of.base.rate


@pytest.mark.long
@pytest.mark.parametrize("direction", ["linear", "angular"])
def test_the_base_follows_the_ramp_of_the_smoother(of: Navigation, direction: str) -> None:
    """Without limits of acceleration of its own it would be a second behind."""
    period = 1.0 / of.smoother["smoothing_frequency"]
    top, growth, slowing = (
        of.smoother[name][0 if direction == "linear" else 2]
        for name in ("max_velocity", "max_accel", "max_decel")
    )
    steps = math.ceil(top / growth / period)
    ramp = [min(top, growth * period * i) for i in range(1, steps + 1)]
    ramp += [max(0.0, top + slowing * period * i) for i in range(1, 2 * steps)]
    speed = of.base.speed(direction)
    for target in ramp:
        speed.set_target(target)
        for _ in range(round(period * of.base.rate)):
            speed.step(1.0 / of.base.rate)
        assert speed.velocity == pytest.approx(target, abs=1e-9)


def test_the_radius_is_that_of_the_circle_in_which_the_base_turns(of: Navigation) -> None:
    urdf = ElementTree.parse(of.folder / "robot.urdf").getroot()
    box = urdf.find(f"link[@name='{of.base.base_frame}']/visual/geometry/box")
    tyre = urdf.find("link[@name='left_wheel']/visual/geometry/cylinder")
    assert box is not None
    assert tyre is not None
    length, width, _ = map(float, (box.get("size") or "").split())
    wheels = of.base.wheel_to_wheel + float(tyre.get("length") or "")
    reach = max(math.hypot(length, width), math.hypot(2.0 * of.base.wheel_radius, wheels)) / 2.0
    assert all(reach <= radius <= 1.2 * reach for radius in of.values("robot_radius"))
    assert all(
        inflated > max(of.values("robot_radius")) for inflated in of.values("inflation_radius")
    )


def test_the_filter_fuses_the_twist_alone(of: Navigation) -> None:
    pose, twist, acceleration = (of.ekf["odom0_config"][i : i + 6] for i in (0, 6, 12))
    assert not any((*pose, *acceleration))
    measured = [variance < 1.0 for variance in of.base.twist_covariance_diagonal]
    assert twist == measured == [True, True, False, False, False, True]
