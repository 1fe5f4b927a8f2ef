"""Arms, grippers and bases by the client library."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arms import ACTION
from builtin_interfaces.msg import Duration as DurationMessage
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import TwistStamped
from held_robots import Robots
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from until import until

from wmx_ros2_package.client import (
    EndReason,
    Machine,
    MotionBegin,
    MotionEnd,
    MotionFailed,
    NoPart,
    NotReady,
    Refused,
    Result,
    SeveralSystems,
)
from wmx_ros2_package.client import base as module
from wmx_ros2_package.client.base import STREAM_PERIOD
from wmx_ros2_package.client.motions import LEASE_TOPIC
from wmx_ros2_package.client.states import STATUS_TIMEOUT
from wmx_ros2_package.messages.motions import uuid_message
from wmx_ros2_package.panel.description import (
    ACTUATORS,
    SERVER,
    base_topic_of,
    parts_running,
    server_of,
)
from wmx_ros2_package.robots.catalogue import ROBOTS


@contextmanager
def robot(robots: Robots, name: str, *parameters: str) -> Iterator[Machine]:
    """A robot that has switched its servos on."""
    system = robots.of(name, *parameters)
    with Machine(domain=system.place.domain, timeout=30.0) as machine:
        yield machine


@pytest.fixture
def arm(robots: Robots) -> Iterator[Machine]:
    with robot(robots, "arm") as machine:
        yield machine


@pytest.fixture
def base(robots: Robots) -> Iterator[Machine]:
    with robot(robots, "base") as machine:
        yield machine


@contextmanager
def robot_with(robots: Robots, name: str, to: Path, *nodes: str) -> Iterator[Machine]:
    """A shipped robot with other nodes."""
    folder = shutil.copytree(ROBOTS[name].folder, to / name)
    (folder / "robot.yaml").write_text(f"nodes: [{', '.join(nodes)}]\n")
    with robot(robots, str(folder)) as machine:
        yield machine


@pytest.mark.long
def test_units_are_those_that_the_nodes_know(robots: Robots) -> None:
    with robot(robots, "gantry") as gantry:
        assert gantry.axes.units == ("m", "m", "m", "rad")
        assert gantry.actuators["axis_z"].position_min == 0.012
        assert "axis_z  m " in str(gantry.status())


@pytest.mark.long
def test_units_of_axes_that_are_not_in_radians(robots: Robots) -> None:
    with robot(robots, "arm", "degree_axes:=[4]", "rpm_axes:=[5]") as arm:
        assert arm.axes.units == ("rad", "rad", "rad", "rad", "deg", "u")


@pytest.mark.long
def test_joints_are_axes(arm: Machine) -> None:
    joints = arm.arm.joints
    assert joints.names == tuple(f"joint{i}" for i in range(1, 7))
    assert joints.move([0.1] * 6, velocity=1.0).wait().arrived
    assert until(
        arm, lambda: arm.arm.positions == pytest.approx([0.1] * 6, abs=1e-3), "they are there"
    )
    assert arm.axes["joint3"].move(0.0, velocity=1.0).wait().arrived


@pytest.mark.long
def test_a_trajectory(arm: Machine) -> None:
    joints = arm.arm.joints
    start = [float(position) for position in arm.status().command]
    there = [position + 0.1 for position in start]
    motion = joints.follow([0.5, 1.0], [there, start])
    assert motion.wait().arrived
    assert motion.result is not None
    assert motion.result.positions == pytest.approx(dict(enumerate(start)), abs=0.001)
    with joints.follow([0.5, 1.0], [there, start], repeat=-1) as motion:
        until(arm, lambda: abs(arm.status().command_velocity).max() > 0.01, "they move")
    assert not motion.result.arrived


def goal_of(places: list[float], seconds: int) -> FollowJointTrajectory.Goal:
    point = JointTrajectoryPoint(positions=places, time_from_start=DurationMessage(sec=seconds))
    names = [f"joint{i}" for i in range(1, 7)]
    return FollowJointTrajectory.Goal(trajectory=JointTrajectory(joint_names=names, points=[point]))


@pytest.mark.long
def test_a_goal_of_this_program_is_leased(arm: Machine) -> None:
    start = [float(position) for position in arm.status().command]
    goal = goal_of([place + 1.0 for place in start], 20)
    leases: list[UuidMessage] = []
    ends: list[Result] = []
    arm.ros.subscribe(UuidMessage, LEASE_TOPIC, leases.append)
    with arm.events() as events:
        handle = arm.send_goal(FollowJointTrajectory, ACTION, goal, range(6), ended=ends.append)
        begin = events.get()
        assert uuid_message(begin.id) == handle.goal_id
        until(arm, lambda: leases.count(handle.goal_id) > 2, "its lease is renewed")
        arm.ros.cancel_goal(handle)
        end = next(event for event in events if isinstance(event, MotionEnd))
    assert (end.id, end.reason) == (begin.id, EndReason.CANCELED)
    until(arm, lambda: [each.ends for each in ends] == [(end,)], "its end is passed on")


@pytest.mark.long
def test_a_goal_whose_lease_is_renewed_no_more_ends(arm: Machine) -> None:
    start = [float(position) for position in arm.status().command]
    goal = goal_of([place + 1.0 for place in start], 20)
    with arm.events() as events:
        handle = arm.ros.send_goal(FollowJointTrajectory, ACTION, goal)
        begin = events.get()
        arm.ros.publisher(UuidMessage, LEASE_TOPIC).publish(handle.goal_id)
        end = next(event for event in events if isinstance(event, MotionEnd))
    assert (end.id, end.reason) == (begin.id, EndReason.LEASE_EXPIRED)


def test_a_goal_is_sent_to_one_of_two_servers_no_more(
    arm: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arm.ros, "servers", lambda _: 2)
    with pytest.raises(SeveralSystems):
        arm.ros.send_goal(FollowJointTrajectory, ACTION, goal_of([0.0] * 6, 20))


def test_a_goal_that_is_rejected_has_its_reason(arm: Machine) -> None:
    with pytest.raises(Refused, match="joint3 would reach 50"):
        arm.send_goal(FollowJointTrajectory, ACTION, goal_of([0.0, 0.0, 50.0, 0, 0, 0], 20), [0])


def test_a_gripper(arm: Machine) -> None:
    gripper = arm.arm.gripper
    gripper.close()
    assert arm.io.outputs[0, 0] is True
    gripper.open()
    assert arm.io.outputs[0, 0] is False


@pytest.mark.long
def test_a_gripper_without_a_server_of_trajectories(robots: Robots, tmp_path: Path) -> None:
    with robot_with(robots, "arm", tmp_path, "gripper_controller") as machine:
        machine.gripper.close()
        assert machine.io.outputs[0, 0] is True


@pytest.mark.long
def test_an_arm_and_a_base_by_the_names_of_the_newer_packages(
    robots: Robots, tmp_path: Path
) -> None:
    with robot_with(robots, "arm", tmp_path, "joint_trajectory_controller") as machine:
        assert machine.arm.joints.numbers == tuple(range(6))
        assert server_of(machine)["joint_name"] == [f"joint{i}" for i in range(1, 7)]
        assert parts_running(machine.nodes) == {ACTUATORS, SERVER}
    with robot_with(robots, "base", tmp_path, "differential_drive_controller") as machine:
        begin = machine.base.pose.x
        assert base_topic_of(machine) == "/odom_enc"
        with machine.base.drive(0.3):
            until(machine, lambda: machine.base.pose.x > begin + 0.02, "it drives")


@pytest.mark.long
@pytest.mark.parametrize(
    ("of", "part", "node"),
    [("arm", "base", "diff_drive_controller"), ("base", "arm", "follow_joint_trajectory_server")],
)
def test_a_robot_lacks_the_part_of_another(robots: Robots, of: str, part: str, node: str) -> None:
    domain = robots.of(of).place.domain
    with Machine(domain=domain, timeout=2.0) as machine, pytest.raises(NoPart) as missing:
        getattr(machine, part)
    assert node in missing.value.text
    assert "other nodes of the system" in missing.value.text
    assert f"make run ROBOT={part} " in missing.value.remedy


@pytest.mark.long
def test_a_wheel_whose_position_is_set_has_not_turned_however_seldom_odometry_comes(
    robots: Robots,
) -> None:
    with robot(robots, "base", "rate:=4") as machine:
        machine.base.wheels[0].set_position(100.0)
        machine.clock.sleep(1.0)
        assert machine.base.pose.heading == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("moved_by", ["a jog", "a drive that slows down"])
def test_a_base_whose_wheels_move_is_not_commanded_to_drive(base: Machine, moved_by: str) -> None:
    """A stop that frees them would be one of before the drive, or after it: nobody can tell."""
    car = base.base
    with car.drive(0.3):  # all that a drive needs is discovered now
        pass
    if moved_by == "a jog":
        motion = car.wheels["left_wheel_joint"].jog(1.0)
    else:
        motion = car.drive(0.3)
        until(base, lambda: base.status().command_velocity[0] > 1.0, "it drives")
        motion.cancel()
    with base.events() as events:
        with pytest.raises(Refused, match="the wheels move: must rest"):
            car.drive(-0.3)
        motion.cancel()
        motion.wait()
        base.clock.sleep(10.0 * STREAM_PERIOD)
        begun = [each for each in events.waiting() if isinstance(each, MotionBegin)]
    assert begun == []
    assert base.status().at_rest.all()


def test_a_drive_whose_commands_came_no_more_has_not_arrived(
    base: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as that of a process that was suspended: it goes on no more, and says so."""
    monkeypatch.setattr(module, "in_time", lambda command, *_: first_only(command))
    motion = base.base.drive(0.3)
    with pytest.raises(MotionFailed, match="its commands came no more") as failed:
        motion.wait(60.0)
    assert failed.value.result.reason is EndReason.LEASE_EXPIRED


def first_only(command: Callable[[], object]) -> Callable[[], object]:
    commands = [command] * 3
    return lambda: commands.pop()() if commands else None


def test_a_pose_of_before_is_none_of_now(base: Machine) -> None:
    car = base.base
    _ = car.pose
    base.nodes.change("diff_drive_controller", "deactivate")
    base.clock.sleep(STATUS_TIMEOUT)
    with pytest.raises(NotReady, match="odometry"):
        _ = car.pose
    base.nodes.change("diff_drive_controller", "activate")
    _ = car.pose


def test_a_base_is_commanded_twenty_times_a_second_until_its_drive_has_ended(
    base: Machine,
) -> None:
    """Also by a stop: else it would drive on as soon as its wheels rest."""
    car, commands = base.base, list[TwistStamped]()
    base.ros.subscribe(TwistStamped, "/cmd_vel_safe", commands.append)
    begin = car.pose.x
    with car.drive(0.3) as motion:
        commands.clear()
        base.clock.sleep(1.0)
        assert len(commands) == pytest.approx(20, abs=1)
        assert car.pose.x > begin + 0.05
        with pytest.raises(Refused):
            car.forward(1.0)
    assert motion.done
    assert until(base, lambda: base.status().at_rest.all(), "it rests")
    motion = car.drive(0.3)
    base.stop()
    with pytest.raises(MotionFailed):
        motion.wait()
    base.clock.sleep(STREAM_PERIOD)
    assert commands.pop().twist.linear.x == 0.0
    commands.clear()
    base.clock.sleep(10.0 * STREAM_PERIOD)
    assert not commands


@pytest.mark.long
def test_a_base_that_cannot_drive(base: Machine) -> None:
    base.axes.off()
    with pytest.raises(Refused) as failed:
        base.base.drive(0.3)
    assert "wmx on " in failed.value.remedy
    said: list[TwistStamped] = []
    base.ros.subscribe(TwistStamped, "/cmd_vel_safe", said.append)
    base.axes.on()
    base.clock.sleep(10.0 * STREAM_PERIOD)
    assert not said, "it is not commanded to drive any more"
