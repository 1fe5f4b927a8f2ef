"""The tool of a robot in the panel: where it is, and what a button that is held begins."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from waits import eventually

from wmx_ros2_package.client import MachineError
from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.joint_targets import JointsNotReady
from wmx_ros2_package.panel.numbers import NoNumber
from wmx_ros2_package.panel.safety.held_buttons import TOO_SLOW, HeldTool, Hold
from wmx_ros2_package.panel.tool_jog import JOINT_SHARE, ToolJog
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.finding import FoundRobot
from wmx_ros2_package.robots.tool_way import NoWay
from wmx_ros2_package.robots.urdf import read_urdf_file

NAMES = ["axis_x", "axis_y", "axis_z", "axis_r"]
AT = [0.0, 0.02, 0.05, 0.3]


class Machine:
    """A gantry that notes what its axes shall follow."""

    simulated = True

    def __init__(self) -> None:
        self.at_rest = [True] * 4
        self.followed: list[Any] = []
        self.refuses: Exception | None = None
        self.axes = self

    def __getitem__(self, names: tuple[str, ...]) -> Any:
        return SimpleNamespace(follow=partial(self.follow, names))

    def follow(self, *way: Any, before: Callable[[], object]) -> Any:
        before()
        if self.refuses is not None:
            raise self.refuses
        self.followed.append(way)
        return SimpleNamespace(done=False, cancel=lambda: None)

    def status(self) -> Any:
        at = np.array(AT)
        return SimpleNamespace(command=at, position=at + 0.001, at_rest=np.array(self.at_rest))


@pytest.fixture
def machine() -> Any:
    return Machine()


@pytest.fixture
def link(machine: Any) -> Any:
    ranges = ((-0.115, 0.1), (-0.1, 0.1), (0.012, 0.09), (None, None))
    units = ("m", "m", "m", "rad")
    return SimpleNamespace(
        generation=3,
        status=machine.status(),
        joint_positions=dict(zip(NAMES, AT, strict=True)),
        actuators=tuple(
            ShownAxis(name=name, unit=unit, low=low, high=high, velocity=0.5)
            for name, unit, (low, high) in zip(NAMES, units, ranges, strict=True)
        ),
        joints={
            "joint_name": NAMES,
            "position_lower": [None] * 4,
            "position_upper": [0.08, None, None, None],
            "velocity_limit": [0.2, 0.0, None, None],
        },
    )


@pytest.fixture
def jog(link: Any) -> ToolJog:
    made = ToolJog(link)
    made.show(FoundRobot(model=read_urdf_file(ROBOTS["gantry"].urdf), meshes={}))
    return made


def held(number: int = 0, way: int = 1, speed: str = "0,05", link: str = "r_link") -> Hold:
    directions = [0] * 6
    directions[number] = way
    speeds = ["?"] * 6
    speeds[number] = speed
    return Hold("1", None, tuple(directions), tuple(speeds), HeldTool(link, of_tool=False))


def test_where_a_tool_is_follows_from_what_is_measured(jog: ToolJog, link: Any) -> None:
    chains = jog.show(FoundRobot(model=read_urdf_file(ROBOTS["gantry"].urdf), meshes={}))
    pose = jog.pose(chains[0])
    assert pose is not None
    expected = chains[0].pose(np.array(AT) + 0.001)
    assert pose.position == pytest.approx(expected.position)
    link.status = None
    assert jog.pose(chains[0]) is None


def test_a_press_begins_the_whole_way_from_where_the_joints_are(jog: ToolJog, machine: Any) -> None:
    jog.plan(machine, held())()
    [(names, times, positions)] = machine.followed
    assert names == tuple(NAMES)
    assert times[0] == 0.0, "the joints have to be there, or it is refused"
    assert positions[0] == AT
    assert positions[-1] == pytest.approx([0.08, *AT[1:]]), "the narrower limit holds"
    assert jog.said == "0.080 m at most: then axis_x is at its limit, 0.08 m"


def test_no_joint_is_faster_than_a_share_of_its_velocity(jog: ToolJog, machine: Any) -> None:
    jog.plan(machine, held(speed="0.25"))()
    [(_, times, positions)] = machine.followed
    fastest = (np.abs(np.diff(positions, axis=0)) / np.diff(times)[:, None]).max(axis=0)
    assert fastest.max() <= JOINT_SHARE * 0.2 * 1.001
    assert "slower on the way: axis_x goes at 0.05 m/s at most" in jog.said


def test_a_tool_that_is_let_go_before_its_axes_are_commanded_does_not_move(
    jog: ToolJog, machine: Any, link: Any
) -> None:
    asked, let_go, follow = Event(), Event(), machine.follow

    def late(*way: Any, before: Callable[[], object]) -> Any:
        asked.set()
        let_go.wait(10.0)
        return follow(*way, before=before)

    machine.follow, link.connected = late, machine
    press = jog.press(held(), lambda: False)
    assert asked.wait(10.0)
    press.release()
    let_go.set()
    eventually(lambda: press.ended, "it is over")
    assert (press.error, press.begun, machine.followed) == (None, False, [])


@pytest.mark.parametrize("speed", ["", "0", "-0.1", "0.26", "1e-1", "x", "0.0001"])
def test_a_speed_of_the_tool_that_is_none_moves_nothing(
    jog: ToolJog, machine: Any, speed: str
) -> None:
    with pytest.raises(NoNumber, match="speed: "):
        jog.plan(machine, held(speed=speed))()
    assert not machine.followed


def test_what_cannot_be_moved_says_why(jog: ToolJog, machine: Any, link: Any) -> None:
    with pytest.raises(NoWay, match="cannot turn about x of base_link here: its 4 joints allow"):
        jog.plan(machine, held(3, speed="0.2"))()
    with pytest.raises(NoWay, match="where hand is is not known: load the page again"):
        jog.plan(machine, held(link="hand"))()
    machine.at_rest[2] = False
    with pytest.raises(JointsNotReady, match="axis_z moves: stop it"):
        jog.plan(machine, held())()
    machine.at_rest[2] = True
    link.actuators = (replace(link.actuators[0], unit="u"), *link.actuators[1:])
    with pytest.raises(NoWay, match="axis_x has the unit u: must be m, as the URDF has it"):
        jog.plan(machine, held())()
    link.generation += 1
    with pytest.raises(NoWay, match="load the page again"):
        jog.plan(machine, held())()
    assert not machine.followed


def test_a_real_machine_whose_robot_is_guessed_is_not_moved_by_its_tool(
    jog: ToolJog, machine: Any
) -> None:
    model = read_urdf_file(ROBOTS["gantry"].urdf)
    jog.show(FoundRobot(model=model, meshes={}, guessed=True))
    machine.simulated = False
    with pytest.raises(NoWay, match="start the panel with --robot or --urdf"):
        jog.plan(machine, held())()
    jog.show(FoundRobot(model=model, meshes={}))
    jog.plan(machine, held())()
    assert len(machine.followed) == 1


def test_why_a_press_does_nothing_is_said_until_the_next(
    jog: ToolJog, link: Any, machine: Any
) -> None:
    link.connected = machine
    press = jog.press(held(3, speed="0.2"), lambda: False)
    eventually(lambda: press.over, "it is over")
    assert "its 4 joints allow" in jog.said
    press.release()
    assert "its 4 joints allow" in jog.said
    machine.refuses = MachineError("the axes are paused")
    press = jog.press(held(), lambda: False)
    eventually(lambda: press.over, "it is over")
    assert "the axes are paused" in jog.said
    machine.refuses = None
    press = jog.press(held(), lambda: False)
    eventually(lambda: press.over, "it ends without an answer of the browser")
    assert jog.said == TOO_SLOW
    jog.press(held(), lambda: False).release()
    assert jog.said != TOO_SLOW


def test_a_press_waits_until_the_joints_of_the_one_before_rest(
    jog: ToolJog, machine: Any, link: Any
) -> None:
    assert jog.rests(held())
    machine.at_rest[0] = False
    link.status = machine.status()
    assert not jog.rests(held())
    assert jog.rests(Hold("1", 0, (1,), ("0.1",))), "a jog of an axis does not wait"
