"""The way of a tool that is jogged: straight, no joint too fast or too far, and why it ends."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmx_core.values import Floats
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.chain import Chain, rotation_about, turn_between
from wmx_ros2_package.robots.tool_way import (
    LONGEST_TIME,
    RAMP,
    STEPS,
    STILL_POSSIBLE,
    TOLERANCE,
    TURN_LENGTH,
    JointLimits,
    Line,
    NoWay,
    Place,
    ToolMove,
    ToolWay,
    tool_way,
)
from wmx_ros2_package.robots.urdf import read_urdf_file

LINKS = {"arm": "gripper_link", "cr3a": "gripper", "cr5a": "Link6", "gantry": "r_link"}
BENT = [0.1, 0.4, 1.0, 0.3, 0.8, 0.2]
"""Joints of the arm far from any singular pose."""


def robot(name: str, share: float = 0.25) -> tuple[Chain, JointLimits]:
    """The chain of a shipped robot, and limits as the panel has them."""
    model = read_urdf_file(ROBOTS[name].urdf)
    known = {each.name: each for each in model.joints}
    axes = [each for each in known if each.startswith(("joint", "axis"))]
    chain = Chain(model, LINKS[name], axes)
    joints = [known[each] for each in chain.joints]
    return chain, JointLimits(
        low=np.array([j.low if j.low < j.high else -np.inf for j in joints]),
        high=np.array([j.high if j.low < j.high else np.inf for j in joints]),
        speed=share * np.array([j.velocity for j in joints]),
    )


def move(what: str, *, of_tool: bool = False, speed: float = 0.1) -> ToolMove:
    """Such as `+x`, or `-turn z`."""
    way = -1 if what[0] == "-" else 1
    turn = "turn" in what
    return ToolMove(turn=turn, axis="xyz".index(what[-1]), way=way, of_tool=of_tool, speed=speed)


def off_line(chain: Chain, way: ToolWay, asked: ToolMove) -> float:
    """How far the link is from its line at most, m, a turn as the way counts it."""
    start = chain.pose(way.positions[0])
    direction = asked.direction(start)
    found = []
    for joints in way.positions:
        pose = chain.pose(joints)
        gone = pose.position - start.position
        if asked.turn:  # which leaves its own axis as it is
            aside, turned = gone, pose.rotation @ start.rotation.T @ direction - direction
        else:
            aside = gone - direction * (gone @ direction)
            turned = turn_between(pose.rotation, start.rotation)
        found.append(np.hypot(np.linalg.norm(aside), TURN_LENGTH * np.linalg.norm(turned)))
    return float(max(found))


def speeds(way: ToolWay) -> Floats:
    found: Floats = np.abs(np.diff(way.positions, axis=0) / np.diff(way.times)[:, None])
    return found


@pytest.mark.parametrize("of_tool", [False, True])
@pytest.mark.parametrize("what", ["+x", "-y", "-z", "+turn x", "-turn y", "+turn z"])
def test_the_tool_goes_the_way_of_its_button(what: str, *, of_tool: bool) -> None:
    chain, limits = robot("arm")
    asked = move(what, of_tool=of_tool)
    way = tool_way(chain, BENT, asked, limits)
    start, end = chain.pose(BENT), chain.pose(way.positions[-1])
    direction = asked.direction(start)
    if asked.turn:
        assert end.rotation == pytest.approx(
            rotation_about(direction, way.length) @ start.rotation, abs=0.005
        )
        assert end.position == pytest.approx(start.position, abs=TOLERANCE)
    else:
        gone = start.position + way.length * direction
        assert end.position == pytest.approx(gone, abs=TOLERANCE)
        assert end.rotation == pytest.approx(start.rotation, abs=0.005)
    assert way.positions[0].tolist() == BENT
    assert off_line(chain, way, asked) < 2.0 * TOLERANCE


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(LINKS)),
    turn=st.booleans(),
    axis=st.integers(0, 2),
    way=st.sampled_from([-1, 1]),
    of_tool=st.booleans(),
    speed=st.floats(0.001, 0.25),
    shares=st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6),
)
def test_no_way_is_too_fast_or_too_far_wherever_it_begins(
    name: str,
    turn: bool,
    axis: int,
    way: int,
    of_tool: bool,
    speed: float,
    shares: list[float],
) -> None:
    chain, limits = robot(name)
    low, high = np.maximum(limits.low, -3.0), np.minimum(limits.high, 3.0)
    start = low + np.array(shares[: len(low)]) * (high - low)
    asked = ToolMove(turn=turn, axis=axis, way=way, of_tool=of_tool, speed=speed)
    try:
        found = tool_way(chain, start, asked, limits)
    except NoWay:
        return
    assert (np.diff(found.times) > 0.0).all()
    assert found.times[-1] <= LONGEST_TIME / 0.1 + 2.0
    assert (found.positions >= limits.low - 1e-9).all()
    assert (found.positions <= limits.high + 1e-9).all()
    assert (speeds(found) <= limits.speed * 1.001).all()
    assert off_line(chain, found, asked) < 2.0 * TOLERANCE
    between = 0.5 * (np.diff(found.times)[1:] + np.diff(found.times)[:-1])
    moving = np.diff(found.positions, axis=0) / np.diff(found.times)[:, None]
    if len(between):
        harder = np.abs(np.diff(moving, axis=0)) / between[:, None]
        assert (harder <= 4.0 * limits.speed / RAMP).all()


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(LINKS)),
    turn=st.booleans(),
    axis=st.integers(0, 2),
    way=st.sampled_from([-1, 1]),
    of_tool=st.booleans(),
    speed=st.sampled_from([0.01, 0.05, 0.25]),
    speed_back=st.sampled_from([0.01, 0.05, 0.25]),
    shares=st.lists(st.floats(0.05, 0.95), min_size=6, max_size=6),
)
def test_a_way_can_be_gone_back_from_its_end(
    name: str,
    turn: bool,
    axis: int,
    way: int,
    of_tool: bool,
    speed: float,
    speed_back: float,
    shares: list[float],
) -> None:
    chain, limits = robot(name)
    low, high = np.maximum(limits.low, -3.0), np.minimum(limits.high, 3.0)
    start = low + np.array(shares[: len(low)]) * (high - low)
    asked = ToolMove(turn=turn, axis=axis, way=way, of_tool=of_tool, speed=speed)
    try:
        found = tool_way(chain, start, asked, limits)
    except NoWay:
        return
    turned = replace(asked, way=-way, speed=speed_back)
    back = tool_way(chain, found.positions[-1], turned, limits)
    assert off_line(chain, back, turned) < TOLERANCE * 1.01
    if near_singular(chain, start, asked) < STILL_POSSIBLE:  # else none leads back into it
        assert back.length > 0.8 * min(found.length, 20.0 * speed_back)


def near_singular(chain: Chain, joints: Floats, asked: ToolMove) -> float:
    """The share of the step that no joints can make, as damping has it."""
    return Place(Line(chain, joints, asked), joints, 0.0).missed


@pytest.mark.parametrize("joint3", [0.14, 0.236])
def test_no_tool_is_driven_into_a_pose_that_it_cannot_leave(joint3: float) -> None:
    chain, limits = robot("arm")
    start = [*BENT[:2], 0.9, *BENT[3:]]
    up = tool_way(chain, start, move("+z", speed=0.25), limits)
    down = tool_way(chain, up.positions[-1], move("-z", speed=0.25), limits)
    assert down.length > 0.9 * up.length
    near = [*BENT[:2], joint3, *BENT[3:]]
    told = [
        outcome(chain, near, move(f"{way}{what}", speed=0.25), limits)
        for way in "+-"
        for what in ("x", "y", "z", "turn x", "turn y", "turn z")
    ]
    assert "" in told, "there is a way out"
    assert all("move a joint first" in each or "at its limit" in each for each in told if each)


def outcome(chain: Chain, joints: list[float], asked: ToolMove, limits: JointLimits) -> str:
    """Why there is no way; empty where there is one."""
    try:
        tool_way(chain, joints, asked, limits)
    except NoWay as error:
        return str(error)
    return ""


def test_a_limit_ends_the_way_and_is_named() -> None:
    chain, limits = robot("gantry")
    way = tool_way(chain, [0.0, 0.02, 0.05, 0.0], move("+x"), limits)
    assert way.end == "axis_x is at its limit, 0.1 m"
    assert way.positions[-1] == pytest.approx([0.1, 0.02, 0.05, 0.0])
    assert way.length == pytest.approx(0.1)
    with pytest.raises(NoWay, match=r"^axis_x is at its limit, 0\.1 m$"):
        tool_way(chain, way.positions[-1], move("+x"), limits)
    back = tool_way(chain, way.positions[-1], move("-x"), limits)
    assert back.length == pytest.approx(0.215)
    one_step = tool_way(chain, [0.0995, 0.02, 0.05, 0.0], move("+x"), limits)
    assert one_step.times.tolist() == [0.0, RAMP]


@pytest.mark.parametrize(("speed", "length"), [(0.25, 3.0), (0.05, 1.0)])
def test_one_press_goes_so_far_and_no_further(speed: float, length: float) -> None:
    """3 rad at most, and for 20 s."""
    chain, limits = robot("gantry")
    way = tool_way(chain, [0.0, 0.0, 0.05, 0.0], move("+turn z", speed=speed), limits)
    assert way.end == "one press goes no further"
    assert way.length == pytest.approx(length)
    assert len(way.times) == STEPS + 1


def test_a_joint_beyond_its_limit_may_come_back_only() -> None:
    chain, limits = robot("gantry")
    with pytest.raises(NoWay, match=r"^axis_x is at its limit, 0\.1 m$"):
        tool_way(chain, [0.12, 0.0, 0.05, 0.0], move("+x"), limits)
    back = tool_way(chain, [0.12, 0.0, 0.05, 0.0], move("-x"), limits)
    assert back.length == pytest.approx(0.235)


def test_a_joint_at_its_limit_does_not_creep_beyond_it() -> None:
    """By less than counts as a move, at each of many steps."""
    chain, limits = robot("cr5a")
    joints = np.array([-1.57, 0.0, 1.175, 0.0, -1.45, -3.0])
    limits = replace(limits, low=np.array([-1.57, *limits.low[1:]]))
    way = tool_way(chain, joints, move("-z", speed=0.03125), limits)
    assert (way.positions >= limits.low).all()


@pytest.mark.parametrize("what", ["+turn x", "-turn y"])
def test_what_few_joints_cannot_do_is_refused(what: str) -> None:
    chain, limits = robot("gantry")
    with pytest.raises(NoWay, match="its 4 joints allow no such move alone"):
        tool_way(chain, [0.0, 0.0, 0.05, 0.3], move(what), limits)


@pytest.mark.parametrize("what", ["+z", "-y", "+turn x"])
def test_a_singular_pose_is_refused(what: str) -> None:
    chain, limits = robot("arm")
    with pytest.raises(NoWay, match="this pose is singular: move a joint first"):
        tool_way(chain, [0.0] * 6, move(what), limits)


def test_the_tool_slows_down_and_ends_before_a_singular_pose_and_says_so() -> None:
    chain, limits = robot("arm")
    way = tool_way(chain, BENT, move("+x", speed=0.25), limits)
    assert "near a singular pose" in way.end
    assert way.slowed == "slower on the way: joint3 goes at 0.775 rad/s at most"
    assert (speeds(way) / limits.speed).max() > 0.9, "and no slower than joints have to be"
    jacobians = [chain.pose_and_jacobian(joints)[1] for joints in way.positions]
    least = min(np.linalg.svd(jacobian)[1][-1] for jacobian in jacobians)
    assert least > 1e-3


def test_a_way_that_no_joint_slows_down_has_the_speed_that_was_asked() -> None:
    chain, limits = robot("gantry")
    way = tool_way(chain, [-0.1, 0.0, 0.05, 0.0], move("+x", speed=0.05), limits)
    assert way.slowed == ""
    assert speeds(way)[:, 0].max() == pytest.approx(0.05, rel=1e-6)
    assert way.times[-1] == pytest.approx(0.2 / 0.05 + RAMP, abs=0.1)
