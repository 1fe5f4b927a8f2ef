"""What `joint_position_controller` makes of the messages of ros2_control's hardware on topics.

`Manager.write` is that of joint_state_topic_hardware_interface (ros-controls, July 2026);
`Controller` is what of a joint_trajectory_controller shows in the commands.
"""

from collections.abc import Callable
from math import isfinite, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from held_engine import HeldEngine
from held_node import HeldNode
from sensor_msgs.msg import JointState

from wmx_core.values import Floats
from wmx_ros2_package.control.leases import MustPause
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.messages.times import time_message
from wmx_ros2_package.nodes.joint_position.node import JointPositionController
from wmx_ros2_package.nodes.joint_position.parameters import JointPositionParameters
from wmx_ros2_package.robots.catalogue import ROBOTS, find_robot
from wmx_ros2_package.robots.kit.drives import drives_of
from wmx_ros2_package.robots.kit.making import make_robot
from wmx_ros2_package.robots.urdf import read_urdf_file
from wmx_ros2_package.validation import BadRequest

NAMES = ["joint1", "joint2"]
PERIOD = 0.01
"""Of the controller manager, s."""


class Controller:
    """Holds the position at which it was activated, and goes to goals from there."""

    def __init__(self, position: Floats) -> None:
        self._begin = self._target = position
        self._since, self._lasts = 0.0, 1.0

    def go(self, target: list[float], now: float, lasts: float) -> None:
        self._begin, self._target = self.at(now), np.array(target)
        self._since, self._lasts = now, lasts

    def at(self, now: float) -> Floats:
        u = min(max((now - self._since) / self._lasts, 0.0), 1.0)
        s = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        return np.asarray(self._begin + s * (self._target - self._begin))


class Manager:
    """Reads, updates and writes once a period."""

    threshold = 1e-5

    def __init__(self, follower: JointPositionController, node: HeldNode) -> None:
        self.follower, self.node = follower, node
        self.controller: Controller | None = None
        self.published = self.refused = 0

    def write(self, state: Floats, command: Floats, now: float) -> None:
        """Publish what is commanded where it differs from the state, a NaN always."""
        if np.abs(state - command).sum() <= self.threshold:
            return
        message = JointState(name=NAMES, position=command.tolist())
        message.header.stamp = time_message(round(now * 1e9))
        self.published += 1
        try:
            self.follower.follow_commands(message, now)
        except MustPause:
            self.refused += 1

    def run(self, seconds: float) -> list[float]:
        """Return how far the commanded joints were from what was asked for, in each period."""
        off = []
        for _ in range(round(seconds / PERIOD)):
            now, status, command = self.node.now(), self.node.held.status(), np.full(2, nan)
            if self.controller:
                off.append(float(np.abs(status.pos_cmd - self.controller.at(now - PERIOD)).max()))
                command = self.controller.at(now)
            self.write(status.actual_pos, command, now)
            self.node.after(PERIOD)
        return off

    def activate(self) -> Controller:
        self.controller = Controller(self.node.held.status().actual_pos)
        return self.controller


Make = Callable[..., Manager]


@pytest.fixture
def make(held: HeldEngine, nodes: Callable[..., HeldNode]) -> Make:
    def made(**given: Any) -> Manager:
        given = {"joint_commands_topic": "/arm/joint_commands", "velocity_limit": (3.1,), **given}
        node = nodes(held, parameters=JointPositionParameters(joint_number=2, **given))
        follower = JointPositionController(node)  # type: ignore[arg-type]
        assert node.commands["/arm/joint_commands"] == follower.follow_commands
        assert JointPositionParameters().joint_trajectory_topic not in node.commands
        return Manager(follower, node)

    return made


def test_nothing_moves_before_a_controller_commands(make: Make) -> None:
    manager = make()
    manager.run(1.0)
    assert manager.published == 100
    assert manager.node.events == []
    assert manager.node.logged == []


def test_a_trajectory_is_followed_to_its_end(make: Make) -> None:
    manager = make()
    manager.activate().go([0.8, -0.4], manager.node.now(), 2.0)
    assert max(manager.run(2.5)) < 0.005
    status = manager.node.held.status()
    assert status.pos_cmd[:2].tolist() == pytest.approx([0.8, -0.4], abs=1e-5)
    published = manager.published
    manager.run(1.0)
    assert manager.published == published, "the hardware publishes no more once it is there"
    assert len(manager.node.begins()) == 1


@pytest.mark.long
def test_a_stop_holds_until_the_controller_is_activated_anew(
    make: Make, nodes: Callable[..., HeldNode], held: HeldEngine
) -> None:
    manager = make()
    manager.activate().go([0.8, -0.4], manager.node.now(), 2.0)
    manager.run(0.8)
    nodes(held, "/other").gate.stop([0])
    manager.run(0.5)
    stopped = manager.node.held.status().pos_cmd[:2].tolist()
    manager.run(1.0)
    assert manager.node.held.status().pos_cmd[:2].tolist() == stopped
    assert manager.refused > 140
    assert manager.node.reasons() == [EndReason.STOPPED]

    manager.activate()
    manager.run(0.5)
    assert manager.controller
    manager.controller.go([0.1, 0.1], manager.node.now(), 2.0)
    manager.run(2.5)
    assert manager.node.held.status().pos_cmd[:2].tolist() == pytest.approx([0.1] * 2, abs=1e-5)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"position": [0.0, 0.0], "velocity": [0.1, 0.1]}, "velocity has 2 elements"),
        ({"position": [0.0, 0.0], "effort": [1.0]}, "effort has 1 elements"),
        ({"velocity": [0.1, 0.1]}, "position is empty"),
        ({"position": [0.0, nan]}, "position of joint2 is nan"),
        ({"position": [0.0]}, "positions of the last point has 1 elements"),
        ({"name": ["joint1"], "position": [0.0]}, "must name each of joint1, joint2"),
    ],
)
def test_what_is_not_a_position_of_each_joint_is_refused(
    make: Make, fields: dict[str, Any], reason: str
) -> None:
    manager = make()
    with pytest.raises(BadRequest, match=reason):
        manager.follower.follow_commands(
            JointState(**{"name": NAMES, **fields}), manager.node.now()
        )
    assert manager.node.events == []


# What `wmx robot new --ros2-control` makes


def test_the_files_of_the_hardware_fit_together(tmp_path: Path) -> None:
    joints = [f"joint{number}" for number in range(1, 7)]
    shape = ROBOTS["arm"].urdf
    drives = drives_of(read_urdf_file(shape), [524288], [101.0], joints)
    make_robot(tmp_path / "made", shape, drives, ros2_control=True)
    made = find_robot(str(tmp_path / "made"))
    assert made.nodes[-2:] == ("manipulator_state", "joint_position_controller")

    urdf = ElementTree.parse(made.urdf).getroot().find("ros2_control")
    assert urdf is not None
    hardware = {each.get("name"): each.text for each in urdf.iter("param")}
    assert urdf.findtext("hardware/plugin") == (
        "joint_state_topic_hardware_interface/JointStateTopicSystem"
    )
    assert [each.get("name") for each in urdf.iter("joint")] == joints
    commands = [each.get("name") for each in urdf.iter("command_interface")]
    assert commands == ["position"] * len(joints)

    nodes = yaml.safe_load(made.parameters.read_text())
    state = nodes["/**/manipulator_state"]["ros__parameters"]
    follower = nodes["/**/joint_position_controller"]["ros__parameters"]
    assert state["encoder_joint_topic"] == hardware["joint_states_topic"]
    assert follower["joint_commands_topic"] == hardware["joint_commands_topic"]
    assert state["joint_name"] == follower["joint_name"] == joints
    rules = JointPositionParameters(
        **{key: tuple(v) if isinstance(v, list) else v for key, v in follower.items()}
    )

    controllers = yaml.safe_load((made.folder / "ros2_controllers.yaml").read_text())
    manager = controllers["controller_manager"]["ros__parameters"]
    assert {key for key in manager if key != "update_rate"} == {
        "joint_state_broadcaster",
        "joint_trajectory_controller",
    }
    arm = controllers["joint_trajectory_controller"]["ros__parameters"]
    assert arm["joints"] == joints
    assert arm["command_interfaces"] == ["position"]
    assert (manager["update_rate"], rules.joint_commands_time) == (100, 0.01)
    assert isfinite(rules.rules().top.max())
