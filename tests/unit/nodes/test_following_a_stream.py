"""What `joint_position_controller` makes of a stream, with the clock in hand."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np
import pytest
from axis_files import axis_file
from held_engine import HeldEngine
from held_node import HeldNode
from std_msgs.msg import Bool
from stubborn import Stubborn
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_core.errors import CommandRefused
from wmx_core.values import MotionStatus
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.leases import MustPause
from wmx_ros2_package.messages.times import duration_message, time_message
from wmx_ros2_package.nodes.joint_position.node import (
    CLAIMED_BY,
    WATCH_PERIOD,
    JointPositionController,
)
from wmx_ros2_package.nodes.joint_position.parameters import JointPositionParameters
from wmx_ros2_package.nodes.joint_position.stream import Setpoints
from wmx_ros2_package.validation import BadRequest

PERIOD = 0.02
"""Of the messages, s."""
SPEED = 0.5
NAMES = ["joint1", "joint2"]


def message(positions: Sequence[float], seconds: float, stamp: float = 0.0) -> JointTrajectory:
    made = JointTrajectory(joint_names=NAMES)
    made.points = [JointTrajectoryPoint(positions=list(positions))]
    made.points[0].time_from_start = duration_message(seconds)
    made.header.stamp = time_message(round(stamp * 1e9))
    return made


Made = Callable[..., tuple[JointPositionController, HeldNode]]


@pytest.fixture
def make(held: HeldEngine, nodes: Callable[..., HeldNode]) -> Made:
    def made(motion: Any = None, **parameters: Any) -> tuple[JointPositionController, HeldNode]:
        given = JointPositionParameters(joint_number=2, **{"velocity_limit": (3.1,), **parameters})
        node = nodes(held, parameters=given, motion=motion)
        return JointPositionController(node), node  # type: ignore[arg-type]

    return made


def stream(controller: JointPositionController, node: HeldNode, seconds: float) -> None:
    """Move on from where the joints are."""
    begin = float(node.held.status().pos_cmd[0])
    for i in range(round(seconds / PERIOD)):
        asked = begin + SPEED * (i + 1) * PERIOD
        controller.follow(message([asked] * 2, PERIOD), node.now())
        node.after(PERIOD)


def test_a_new_stream_is_not_stopped_by_the_end_of_the_one_before(
    make: Made, held: HeldEngine
) -> None:
    """The one before slows down for so long that another one comes in between."""
    motion = Stubborn(held, "stop", "quick_stop")
    controller, node = make(motion, velocity_limit=(), stop_time=5.0)
    stream(controller, node, 0.5)
    node.after(0.3)
    assert node.supervisor.names() == ["stopping"]
    stream(controller, node, 0.3)
    assert node.held.status().velocity_cmd.tolist() == pytest.approx([SPEED] * 2, rel=0.05)
    assert node.supervisor.names() == ["stream"]


def test_a_setpoint_that_begins_late_is_stopped(make: Made, held: HeldEngine) -> None:
    """On a busy machine the status shows it later than the driver says."""
    controller, node = make()
    before = node.held.status()
    target = float(before.pos_cmd[0]) + 1.0
    controller.follow(message([target] * 2, 1.0), node.now())
    node.commands[node.parameters.execution_active_topic](Bool(data=True))
    for _ in range(3):
        held.clock.advance(node.period)
        node.supervisor.read(replace(before, time=node.now()))
    status = node.after(2.0)
    assert not status.velocity_cmd.any()
    assert (status.pos_cmd[:2] < target - 0.5).all()


def test_a_trajectory_that_is_announced_is_waited_for_and_not_for_ever(make: Made) -> None:
    """Where it does not begin, who announced it has died."""
    controller, node = make()
    node.commands[node.parameters.execution_active_topic](Bool(data=True))
    for begun in 0, 1:
        controller.follow(message([0.1] * 2, 0.5), node.now())
        assert len(node.begins()) == begun
        node.after(CLAIMED_BY + 0.1)


# Messages that ask for more than joints may do in their time


def fastest(node: HeldNode, seconds: float) -> tuple[float, float]:
    """The greatest speed and acceleration that are commanded in the next `seconds`."""
    speeds = [node.held.status().velocity_cmd]
    for _ in range(round(seconds / 0.001)):
        node.supervisor.read(node.held.after(0.001))
        speeds.append(node.held.status().velocity_cmd)
    return float(np.abs(speeds).max()), float(np.abs(np.diff(speeds, axis=0)).max() / 0.001)


def test_a_single_stale_message_does_not_throw_the_arm(make: Made) -> None:
    controller, node = make()
    with pytest.raises(BadRequest, match=r"joint2 is at 0 and asked to go 0.5 u in 0.025 s") as why:
        controller.follow(message([0.0, 0.5], 0.025), node.now())
    assert "must be 0.0875 u or less (velocity_limit, start_tolerance)" in str(why.value)
    assert fastest(node, 0.5) == (0.0, 0.0)
    assert node.events == []


def test_a_joint_without_a_limit_has_a_reach_too(make: Made) -> None:
    controller, node = make(velocity_limit=())
    with pytest.raises(BadRequest, match=r"must be 0.135 u or less"):
        controller.follow(message([0.0, 0.5], 0.025), node.now())


def test_what_joints_may_go_in_its_time_is_followed(make: Made) -> None:
    controller, node = make()
    controller.follow(message([0.0, 0.5], 0.5), node.now())
    speed, acceleration = fastest(node, 0.15)
    assert 0.5 < speed <= 3.1
    assert acceleration <= 31.0 + 1e-6


@pytest.mark.long
def test_a_far_message_is_approached_at_the_stated_speed_where_that_is_chosen(make: Made) -> None:
    controller, node = make(far_setpoint="approach", approach_velocity=0.2)
    for _ in range(200):
        controller.follow(message([0.25, 0.5], 0.025), node.now())
        speed, acceleration = fastest(node, 0.02)
        assert speed <= 0.2 + 1e-9 or node.held.status().pos_cmd[1] > 0.48
        assert acceleration <= 31.0 + 1e-6
    assert node.held.status().pos_cmd == pytest.approx([0.25, 0.5], abs=1e-3)
    [line] = node.logged
    assert "Approached at 0.2 u/s: joint1 is at 0 and asked to go 0.25 u in 0.025 s" in line


def test_one_far_message_in_a_stream_is_left_out_and_the_stream_goes_on(make: Made) -> None:
    controller, node = make()
    stream(controller, node, 0.4)
    before = node.held.status()
    for _ in range(3):
        with pytest.raises(BadRequest, match="asked to go"):
            controller.follow(message([-1.0, -1.0], PERIOD), node.now())
    stream(controller, node, 0.2)
    after = node.held.status()
    assert (after.pos_cmd > before.pos_cmd + 0.05).all()
    assert after.velocity_cmd == pytest.approx([SPEED] * 2, rel=0.1)


def test_far_messages_do_not_come_into_reach_because_they_go_on(make: Made) -> None:
    controller, node = make()
    stream(controller, node, 0.4)
    for _ in range(50):
        with pytest.raises((BadRequest, CommandRefused)):
            controller.follow(message([1.0, 1.0], PERIOD), node.now())
        node.after(PERIOD)
    assert not node.held.status().velocity_cmd.any()
    assert (node.held.status().pos_cmd < 0.3).all()


def test_a_stall_is_made_up_for(make: Made) -> None:
    controller, node = make()
    stream(controller, node, 0.4)
    begin = node.now()
    node.after(0.15)
    asked = 0.2 + SPEED * (node.now() - begin + PERIOD)
    controller.follow(message([asked] * 2, PERIOD), node.now())
    node.after(0.1)
    assert (node.held.status().pos_cmd > 0.25).all()


def test_a_stream_whose_points_have_times_is_as_fast_at_any_override(make: Made) -> None:
    controller, node = make()
    for percent in 20, 100:
        axis_file(node).speed = Speed(percent)
        stream(controller, node, 0.5)
        assert node.held.status().velocity_cmd == pytest.approx([SPEED] * 2, rel=0.02)
    assert node.held.status().pos_cmd == pytest.approx([SPEED] * 2, abs=1e-3)


def test_a_setpoint_without_a_time_is_slower_at_an_override(make: Made) -> None:
    controller, node = make(default_velocity=0.5)
    axis_file(node).speed = Speed(20)
    controller.follow(message([0.5, 0.5], 0.0), node.now())
    assert fastest(node, 0.5)[0] == pytest.approx(0.1)


def test_the_acceleration_is_bounded_by_its_limit(make: Made) -> None:
    controller, node = make(acceleration_limit=(4.0, 8.0))
    samples = []
    for i in range(60):
        place = min(SPEED * 2 * (i + 1) * PERIOD, 0.6)
        with suppress(BadRequest):
            controller.follow(message([place] * 2, PERIOD), node.now())
        for _ in range(20):
            node.supervisor.read(node.held.after(0.001))
            samples.append(node.held.status().velocity_cmd)
    steepest = np.abs(np.diff(samples, axis=0)).max(axis=0) / 0.001
    assert (steepest <= np.array([4.0, 8.0]) + 1e-6).all()
    assert steepest[0] > 3.0


@pytest.mark.parametrize("age", [1.5, 3600.0])
def test_a_message_with_an_old_stamp_moves_nothing(make: Made, age: float) -> None:
    controller, node = make()
    node.held.after(age)
    with pytest.raises(BadRequest, match=r"header.stamp is .* s in the past"):
        controller.follow(message([0.01] * 2, 0.1, stamp=node.now() - age), node.now())
    controller.follow(message([0.01] * 2, 0.1, stamp=node.now() - 0.5), node.now())
    node.after(0.15)
    assert node.held.status().pos_cmd == pytest.approx([0.01] * 2, abs=1e-3)


# What stops one joint


STOPS: dict[str, Callable[[HeldNode], object]] = {
    "stop": lambda node: node.gate.stop([0]),
    "quick stop": lambda node: node.gate.stop([0], quick=True),
    "limit switch": lambda node: node.held.play(
        "[{stick_switch: {axis: 0, switch: positive, state: true}}]"
    ),
}


@pytest.mark.parametrize("stop", STOPS)
def test_what_stops_one_joint_stops_the_others_nearly_on_their_line(
    make: Made, nodes: Callable[..., HeldNode], held: HeldEngine, stop: str
) -> None:
    """They go on for as long as it takes to see it."""
    held.apply(ls_dec=20.0)
    controller, node = make()
    node.period = WATCH_PERIOD
    stream(controller, node, 0.4)
    STOPS[stop](nodes(held, "/other"))
    node.after(0.5)
    status = node.held.status()
    assert not status.velocity_cmd.any()
    apart = status.pos_cmd[1] - status.pos_cmd[0]
    assert abs(apart) < SPEED * 2.0 * WATCH_PERIOD + 1e-3


def test_a_stop_of_a_stream_that_holds_still_lasts_until_it_pauses(make: Made) -> None:
    """Nothing shows it in the status, so that only its record keeps the stream from going on."""
    controller, node = make()
    stream(controller, node, 0.2)
    place = [float(node.held.status().pos_cmd[0])] * 2

    def hold(seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            controller.follow(message(place, PERIOD), node.now())
            node.after(PERIOD)

    hold(1.0)
    node.gate.stop([0, 1])
    for _ in range(50):
        with pytest.raises(MustPause):
            controller.follow(message([place[0] + 0.05] * 2, PERIOD), node.now())
        node.after(PERIOD)
    assert node.held.status().pos_cmd[:2].tolist() == pytest.approx(place, abs=1e-6)
    assert not any("has stopped" in line for line in node.logged)
    node.after(0.3)
    stream(controller, node, 0.2)
    assert (node.held.status().pos_cmd[:2] > place[0] + 0.05).all()


def test_a_joint_that_came_to_rest_while_nobody_looked_stops_the_others(make: Made) -> None:
    controller, node = make()
    stream(controller, node, 0.4)
    node.held.motion.stop([0])
    node.held.after(0.1)
    with pytest.raises(MustPause, match="axis 0 was stopped at"):
        stream(controller, node, 0.1)
    assert not node.after(0.3).velocity_cmd.any()


def test_a_detach_waits_until_the_supervisor_has_looked_after_the_stream(
    make: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, node = make()
    stream(controller, node, 0.1)
    detach, waits = Thread(target=node.on_detach[-1]), list[bool]()
    interrupted = Setpoints.interrupted

    def look(setpoints: Setpoints, status: MotionStatus) -> str:
        if not waits:
            detach.start()
            detach.join(0.1)
            waits.append(detach.is_alive())
        return interrupted(setpoints, status)

    monkeypatch.setattr(Setpoints, "interrupted", look)
    node.after(PERIOD)
    detach.join()
    assert waits == [True]
