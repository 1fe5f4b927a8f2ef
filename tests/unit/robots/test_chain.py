"""Where links of robots are by their joints, and how they move, compared with pinocchio."""

import math

import numpy as np
import pytest

from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.chain import (
    Chain,
    NoChain,
    Pose,
    rotation_about,
    tool_links,
    turn_between,
)
from wmx_ros2_package.robots.urdf import RobotModel, read_urdf, read_urdf_file

POSES = [
    (
        "cr3a",
        "gripper",
        [0.61, 0.616, 0.031, -0.428, -0.892, -0.233],
        [-0.220152, -0.395532, 0.626803],
        [-0.171445, -0.092799, 2.887398],
    ),
    (
        "cr5a",
        "Link6",
        [-0.902, 0.998, 0.305, -0.531, -0.13, 0.948],
        [-0.684551, 0.470881, 0.54656],
        [2.13196, 1.400045, -0.440823],
    ),
    (
        "arm",
        "gripper_link",
        [0.795, 0.688, -0.215, -0.014, 0.353, -0.878],
        [0.104054, 0.338716, 0.658069],
        [0.169967, -0.438184, 1.041326],
    ),
    ("gantry", "r_link", [0.759, -0.872, 0.358, 0.74], [0.759, -0.872, -0.218], [0.0, 0.0, -0.74]),
    (
        "mobile_manipulator",
        "gripper_link",
        [-0.545, 0.791, 0.744, -0.963, 0.415, -0.998],
        [0.586215, -0.105606, 0.669338],
        [0.245248, -0.453523, -0.299442],
    ),
]
"""Of pinocchio 4.1.0 (`pin` of PyPI) for the same URDFs: robot, link, joints, xyz (m) and rpy."""


def model(robot: str) -> RobotModel:
    return read_urdf_file(ROBOTS[robot].urdf)


def axes(robot: str) -> list[str]:
    """The joints of its arm."""
    names = [joint.name for joint in model(robot).joints if joint.kind != "fixed"]
    return [name for name in names if not name.startswith(("picker", "left", "right"))]


def chain(robot: str, link: str) -> Chain:
    return Chain(model(robot), link, axes(robot))


@pytest.mark.parametrize(("robot", "link", "joints", "xyz", "rpy"), POSES)
def test_poses_are_those_of_pinocchio(
    robot: str, link: str, joints: list[float], xyz: list[float], rpy: list[float]
) -> None:
    pose = chain(robot, link).pose(joints)
    assert pose.position == pytest.approx(xyz, abs=1e-6)
    assert pose.rpy == pytest.approx(rpy, abs=1e-6)


@pytest.mark.parametrize(("robot", "link", "joints", "xyz", "rpy"), POSES)
def test_the_jacobian_is_the_change_of_the_pose(
    robot: str, link: str, joints: list[float], xyz: list[float], rpy: list[float]
) -> None:
    way, small = chain(robot, link), 1e-6
    jacobian = way.pose_and_jacobian(joints)[1]
    for i in range(len(joints)):
        ahead, behind = (
            way.pose([q + sign * small * (j == i) for j, q in enumerate(joints)])
            for sign in (1.0, -1.0)
        )
        linear = (ahead.position - behind.position) / (2.0 * small)
        turned = turn_between(ahead.rotation, behind.rotation) / (2.0 * small)
        assert jacobian[:3, i] == pytest.approx(linear, abs=1e-8)
        assert jacobian[3:, i] == pytest.approx(turned, abs=1e-8)


@pytest.mark.parametrize("pitch", [0.0, 1.0, -1.5, math.pi / 2.0, -math.pi / 2.0])
def test_roll_pitch_and_yaw_are_those_that_turn_back(pitch: float) -> None:
    x, y, z = np.eye(3)
    turned = rotation_about(z, 2.0) @ rotation_about(y, pitch) @ rotation_about(x, -0.4)
    roll, same, yaw = Pose(np.zeros(3), turned).rpy
    assert same == pytest.approx(pitch, abs=1e-9)
    again = rotation_about(z, yaw) @ rotation_about(y, same) @ rotation_about(x, roll)
    assert again == pytest.approx(turned, abs=1e-9)


@pytest.mark.parametrize(
    ("robot", "links"),
    [
        ("arm", ["gripper_link", "link6", "link5", "link4", "link3", "link2", "link1"]),
        ("gantry", ["r_link", "z_link", "y_link", "x_link"]),
        ("cr5a", ["Link6", "Link5", "Link4", "Link3", "Link2", "Link1"]),
    ],
)
def test_the_last_link_of_the_arm_comes_first(robot: str, links: list[str]) -> None:
    assert [way.link for way in tool_links(model(robot), axes(robot))] == links


def test_what_no_axis_moves_is_no_tool() -> None:
    with pytest.raises(NoChain, match="picker_1_joint on the way to picker_1_link is moved by no"):
        chain("arm", "picker_1_link")
    with pytest.raises(NoChain, match="no axis moves base_link"):
        chain("arm", "base_link")
    with pytest.raises(NoChain, match="arm has no link 'hand'"):
        chain("arm", "hand")


def test_a_joint_that_follows_another_one_is_no_axis() -> None:
    robot = read_urdf(
        """<robot name="r"><link name="a"/><link name="b"/>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/>
        <mimic joint="k"/></joint></robot>"""
    )
    with pytest.raises(NoChain, match="j on the way to b is moved by no axis of its own"):
        Chain(robot, "b", ["j"])


def test_the_length_of_an_axis_does_not_count() -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/>
    <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/>
    </joint></robot>"""
    assert Chain(read_urdf(text), "b", ["j"]).pose([0.5]).position.tolist() == [0.0, 0.0, 0.5]
    as_urdf_has_it = read_urdf(text.replace('<axis xyz="0 0 2"/>', ""))
    assert Chain(as_urdf_has_it, "b", ["j"]).pose([0.5]).position.tolist() == [0.5, 0.0, 0.0]
    with pytest.raises(NoChain, match="j has no axis"):
        Chain(read_urdf(text.replace("0 0 2", "0 0 0")), "b", ["j"])
