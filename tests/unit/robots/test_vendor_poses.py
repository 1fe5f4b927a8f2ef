"""The poses that the vendor names for its robots are within the limits of ours.

They are the states and demonstrations of movensys-manipulator (SRDF and trajectory.yaml of
2026-07-31). Its limits change, and so do signs of joints: a robot with older ones refuses them.
"""

from itertools import permutations

import numpy as np
import pytest
from robot_goals import goal

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from wmx_ros2_package.nodes.follow_joint_trajectory.parameters import (
    FollowJointTrajectoryParameters,
)
from wmx_ros2_package.robots.catalogue import CONFIG, ROBOTS
from wmx_ros2_package.robots.parameter_files import sections_of
from wmx_ros2_package.trajectories.goal import Joints, Start
from wmx_ros2_package.trajectories.plan import require_plan
from wmx_ros2_package.validation import BadRequest

POSES = {
    "cr3a": {
        "zero": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "initial": (0.0, 0.0, -1.57, 0.0, 1.57, 0.0),
        "test": (0.7649, -0.0398, -1.5332, -0.0004, 1.5697, 0.765),
        "stance": (-0.0003, 0.7041, -1.9892, -0.2873, 1.57, 0.0),
    },
    "cr5a": {
        "zero": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "initial": (1.57, 0.0, 1.57, 0.0, -1.57, 0.0),
        "test": (0.976, 0.0067, 1.5651, 0.0001, -1.5698, -0.594),
        "first demonstration": (1.9849, 0.3740, 1.7320, -0.5349, -1.5705, 0.4149),
        "second demonstration": (0.8903, 0.1999, 1.9766, -0.6049, -1.5696, -0.6795),
    },
}


def parameters(robot: str, node: str) -> dict[str, object]:
    own = sections_of(ROBOTS[robot].parameters)[f"/**/{node}"]
    return {name: tuple(v) if isinstance(v, list) else v for name, v in own.items()}


def server(robot: str) -> FollowJointTrajectoryParameters:
    return FollowJointTrajectoryParameters(**parameters(robot, "follow_joint_trajectory_server"))


def send(robot: str, begin: tuple[float, ...], end: tuple[float, ...]) -> None:
    """Have the trajectory server of the robot judge and plan a goal between two poses."""
    its = server(robot)
    joints: Joints = its.joints()
    there = np.array(begin)
    nothing = np.zeros(len(begin))
    start = Start(actual=there, position=there, velocity=nothing, acceleration=nothing)
    wanted = goal(
        joint_names=joints.names,
        times=(0.0, 10.0),
        positions=(begin, end),
        velocities=((), ()),
        accelerations=((), ()),
    )
    require_plan(wanted, joints, start, its.rules(stream=False))


@pytest.mark.parametrize(
    ("robot", "begin", "end"),
    [(robot, *pair) for robot, poses in POSES.items() for pair in permutations(poses, 2)],
)
def test_it_goes_from_each_to_each(robot: str, begin: str, end: str) -> None:
    send(robot, POSES[robot][begin], POSES[robot][end])


@pytest.mark.parametrize("robot", POSES)
def test_the_server_and_the_actuators_have_the_same_limits(robot: str) -> None:
    """Those of the actuators are those of the URDF, see test_robot_files."""
    joints, actuators = server(robot).joints(), parameters(robot, "wmx_actuator_node")
    assert joints.lower.tolist() == list(actuators["position_min"])  # type: ignore[call-overload]
    assert joints.upper.tolist() == list(actuators["position_max"])  # type: ignore[call-overload]


def test_a_refusal_names_where_it_would_be_outside() -> None:
    """Not the least and the greatest, which read as a way."""
    with pytest.raises(BadRequest) as refused:
        send("cr3a", (0.0,) * 6, (0.0, 0.0, 0.5, 0.0, 0.0, 0.0))
    assert str(refused.value) == "joint3 would reach 0.5: must stay within -2.55 to 0.2"
    with pytest.raises(BadRequest, match=r"joint5 would reach -1.57: must stay within -0.1 to 3"):
        send("cr3a", (0.0,) * 6, (0.0, 0.0, 0.0, 0.0, -1.57, 0.0))


def test_the_file_of_the_vendors_own_launch_file_has_the_same_limits() -> None:
    content = sections_of(CONFIG / "cr3a_manipulator_config.yaml")
    robot = parameters("cr3a", "follow_joint_trajectory_server")
    for node, section in content.items():
        its = parameters("cr3a", node.strip("/"))
        for name, value in section.items():
            if name not in ("wmx_gripper_topic", "gripper_address"):
                assert its[name] == (tuple(value) if isinstance(value, list) else value), name
    arm = content["/follow_joint_trajectory_server"]
    assert arm["position_lower"] == [*robot["position_lower"]]  # type: ignore[misc]
