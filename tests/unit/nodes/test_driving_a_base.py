"""What `diff_drive_controller` makes of velocity commands, with the clock in hand."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from axis_files import axis_file
from geometry_msgs.msg import Twist, TwistStamped
from held_engine import HeldEngine
from held_node import HeldNode
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, WmxError
from wmx_core.values import CommandMode, OperationState, PositionMove
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.leases import MustPause
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.messages.times import time_message
from wmx_ros2_package.nodes.diff_drive.node import DiffDrive
from wmx_ros2_package.nodes.diff_drive.parameters import DiffDriveParameters
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.fault_proxies import AxisFaults

AXES = [0, 1]
PERIOD = 0.05
"""Of the commands, s."""


class Base:
    """A base that is driven by a stream of commands."""

    def __init__(self, node: HeldNode, **parameters: Any) -> None:
        node.period = 0.025
        given = {"acc_time": 0.2, "dec_time": 0.2, "rate": 40, "use_stamped_vel": False}
        node.parameters = DiffDriveParameters(**{**given, **parameters})
        self.node = node
        self.drive = DiffDrive(node)  # type: ignore[arg-type]
        self.refused: list[CommandRefused] = []

    def send(self, ahead: float, turn: float = 0.0) -> None:
        twist = Twist()
        twist.linear.x, twist.angular.z = ahead, turn
        try:
            self.drive.follow(twist, self.node.now())
        except CommandRefused as error:
            self.refused.append(error)

    def stream(self, seconds: float, ahead: float = 0.5, turn: float = 0.0) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.send(ahead, turn)
            self.node.after(PERIOD)

    @property
    def turns(self) -> bool:
        """Whether a wheel is commanded to turn."""
        return bool(self.node.held.status().velocity_cmd.any())


@pytest.fixture
def base(node: HeldNode) -> Base:
    return Base(node)


def test_a_stream_is_one_motion_that_ends_when_it_ends(base: Base) -> None:
    base.stream(1.0)
    assert base.turns
    [begin] = base.node.begins()
    assert (begin.kind, begin.axes, begin.arrival) == (MotionKind.STREAM, (0, 1), None)
    base.node.after(0.1)
    assert base.turns
    base.node.after(0.4)
    assert not base.turns, "0.25 s after the last command it has slowed down for 0.2 s"
    base.node.after(0.5)
    assert base.node.reasons() == [EndReason.ARRIVED]
    base.stream(0.5)
    assert base.turns, "its own end needs no pause"


def test_what_comes_after_a_command_to_stand_is_another_motion(base: Base) -> None:
    """Also while a motor has yet to be in position: a client waits for the begin of its own."""
    AxisFaults(base.node.held.fake.call).freeze_encoder(0, frozen=True)
    base.stream(0.3)
    base.send(0.0)
    base.node.after(0.5)
    assert not base.turns
    assert base.node.ends() == []
    base.send(0.0)
    base.stream(0.3)
    assert base.turns
    old, new = base.node.begins()
    assert [(each.id, each.reason) for each in base.node.ends()] == [(old.id, EndReason.REPLACED)]
    base.send(0.0)
    base.node.after(3.0)
    assert [each.id for each in base.node.ends()] == [old.id, new.id]
    assert base.node.reasons()[1] is EndReason.NOT_ARRIVED, "the motor is judged as before"


@pytest.mark.parametrize("mode", [CommandMode.POSITION, CommandMode.VELOCITY])
def test_the_wheels_keep_their_ratio_whatever_the_speed_of_the_system_becomes(
    nodes: Callable[..., HeldNode], mode: CommandMode
) -> None:
    """Each change of it is one as of the twist: both wheels are under way for 0.2 s, evenly."""
    base = Base(nodes(HeldEngine().servo_on(mode=mode)))
    begin = np.zeros(2)
    for percent, ahead, turn in [(50, 0.5, 0.0), (100, 0.5, 0.0), (100, 0.5, 0.5), (20, 0.5, 0.6)]:
        axis_file(base.node).speed = Speed(percent)
        seen = []
        for _ in range(6):
            base.send(ahead, turn)
            seen.append(base.node.after(PERIOD).velocity_cmd)
        end = np.array([ahead - turn * 0.275, ahead + turn * 0.275]) / 0.095 * percent / 100.0
        done = (np.array(seen) - begin) / (end - begin)
        assert done[:, 0] == pytest.approx(done[:, 1])
        assert max(np.diff(done[:, 0])) <= PERIOD / 0.2 + 1e-6
        assert done[-1] == pytest.approx(1.0)
        begin = end
    assert base.node.reasons() == []


def test_odometry_is_how_far_the_wheels_turned_whatever_the_clock_rate(
    nodes: Callable[..., HeldNode],
) -> None:
    held = HeldEngine(clock_rate=20.0).servo_on()
    base = Base(nodes(held))
    begin = float(base.node.after(0.1).actual_pos[0])
    base.node.period *= held.clock.rate  # it is of the engine
    for _ in range(20):
        base.send(0.5)
        base.node.after(PERIOD * held.clock.rate)
    base.node.after(20.0)
    turned = float(held.status().actual_pos[0]) - begin
    assert turned > 50.0
    [*_, odometry] = base.node.published["odom_enc"]
    assert odometry.pose.pose.position.x == pytest.approx(turned * 0.095, abs=1e-3)


STOPS: dict[str, Callable[[HeldNode], object]] = {
    "stop of both": lambda node: node.gate.stop(AXES),
    "stop of one": lambda node: node.gate.stop([1]),
    "another device": lambda node: node.held.motion.stop(AXES),
    "alarm": lambda node: node.held.raise_alarm(0),
    "suspension": lambda node: node.leases.interrupt("this process was suspended"),
    "another engine": lambda node: node.leases.attach(),
}


@pytest.mark.parametrize("stop", STOPS)
def test_what_was_stopped_stays_stopped_until_the_stream_pauses(base: Base, stop: str) -> None:
    base.stream(1.0)
    STOPS[stop](base.node)
    base.stream(2.0)
    assert not base.turns
    assert all(isinstance(error, MustPause) for error in base.refused)
    assert len(base.refused) > 35
    base.node.held.motion.clear_alarm(0)
    for axis in AXES:
        base.node.held.motion.set_servo(axis, on=True)
    base.node.after(0.3)
    base.stream(1.0)
    assert base.turns


def test_a_rate_with_which_the_engine_stops_between_two_steps_is_refused(node: HeldNode) -> None:
    with pytest.raises(BadRequest, match=r"cmd_vel_timeout is 0.24 s: must be 0.25 s"):
        Base(node, rate=4, cmd_vel_timeout=0.24)
    base = Base(node, rate=4, cmd_vel_timeout=0.25)
    for i in range(60):
        base.send(0.5)
        status = node.held.after(PERIOD)
        if i % 5 == 4:
            node.supervisor.read(status)
    assert base.turns
    assert len(node.begins()) == 1


def test_a_wheel_on_an_axis_that_the_engine_has_not_is_refused(node: HeldNode) -> None:
    Base(node, right_axis=2)
    [attach] = node.on_attach
    with pytest.raises(WmxError, match=r"\[2\]: must be 0 to 1, the axes of the engine"):
        attach()


def test_a_command_to_stand_is_a_pause(base: Base) -> None:
    base.stream(1.0)
    base.node.gate.stop(AXES)
    base.stream(1.0)
    base.send(0.0)
    base.stream(0.5)
    assert base.turns


def test_a_command_to_stand_takes_back_what_has_not_begun(base: Base) -> None:
    base.send(0.5)
    base.send(0.0)
    base.node.after(0.2)
    assert not base.turns
    base.stream(0.5)
    assert base.turns


@pytest.mark.parametrize("axis", AXES)
def test_when_one_wheel_is_stopped_the_other_stops_as_hard_as_it_can(base: Base, axis: int) -> None:
    base.stream(1.0)
    rolled = base.node.held.status().pos_cmd[1 - axis]
    base.node.held.motion.quick_stop([axis])
    base.node.after(2.0)
    assert not base.turns
    speed = 0.5 / base.node.parameters.wheel_radius
    way = base.node.held.status().pos_cmd[1 - axis] - rolled
    assert way < speed**2 / (2.0 * 20.0) + 2 * base.node.period * speed, "the quick stop's 20 u/s^2"


def test_a_stop_that_is_refused_is_given_again(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, "quick_stop", refusals=0)
    base = Base(nodes(held, motion=motion), cmd_vel_timeout=5.0)
    base.stream(1.0)
    motion.refusals = 3
    base.node.leases.interrupt("this process was suspended")
    base.node.after(1.0)
    assert not base.turns
    assert len(motion.taken) == 1, "and once is enough"


def test_a_new_stream_is_not_stopped_by_the_end_of_the_one_before(base: Base) -> None:
    base.stream(1.0)
    base.send(0.0)
    base.node.leases.interrupt("this process was suspended")
    base.node.after(0.3)
    base.stream(1.0)
    assert base.turns
    assert base.node.supervisor.names() == []


def test_wheels_that_another_client_moves_are_left_alone(base: Base) -> None:
    far = [PositionMove(axis=axis, target=9.0, velocity=1.0, acc=9.0, dec=9.0) for axis in AXES]
    base.node.held.motion.move_absolute(far)
    base.node.leases.interrupt("this process was suspended")
    base.node.after(1.0)
    assert (base.node.held.status().op_state == OperationState.POS).all()


def test_without_the_heartbeat_of_the_engine_node_it_does_not_drive(base: Base) -> None:
    base.stream(1.0)
    base.node.leases.on_heartbeat_change(lost=True)
    base.stream(1.0)
    assert not base.turns
    assert all(isinstance(error, MustPause) for error in base.refused)
    refused = len(base.refused)
    base.send(0.0)  # a stop, which needs no lease
    assert len(base.refused) == refused


def test_a_refusal_is_logged_once_and_does_not_grow(base: Base) -> None:
    """However long the stream goes on."""
    base.node.held.motion.set_command_mode(0, CommandMode.VELOCITY)
    base.stream(5.0)
    assert not base.turns
    assert max(map(len, base.node.logged)) < 200
    assert max(len(str(error)) for error in base.refused) < 300
    assert sum("both wheels must be in position mode" in text for text in base.node.logged) == 1


@pytest.mark.parametrize("speed", [(nan, 0.0), (0.0, inf), (-1001.0, 0.0), (0.0, 1001.0)])
def test_what_no_base_drives_is_refused(base: Base, speed: tuple[float, float]) -> None:
    with pytest.raises(BadRequest, match="must be -1000 to 1000"):
        base.send(*speed)
    base.node.after(0.1)
    assert not base.turns


@pytest.mark.parametrize("speed", [(0.5, 0.0), (0.0, 0.5), (0.0, 0.0)])
def test_two_bases_that_one_command_would_drive_only_stand(
    base: Base, speed: tuple[float, float]
) -> None:
    base.node.graph.subscribers = lambda _: ["/other/node"]
    base.send(*speed)
    assert len(base.refused) == any(speed)


def stamped(ahead: float, stamp: float) -> TwistStamped:
    message = TwistStamped()
    message.twist.linear.x = ahead
    message.header.stamp = time_message(round(stamp * 1e9))
    return message


def test_a_command_with_an_old_stamp_is_refused_and_a_stop_is_not(node: HeldNode) -> None:
    base = Base(node, use_stamped_vel=True)
    command = node.commands["cmd_vel_safe"]
    with pytest.raises(BadRequest, match=r"header.stamp is 0.300 s in the past: must be 0.25 s"):
        command(stamped(0.5, node.now() - 0.3), node.now())
    node.after(0.2)
    assert not base.turns
    command(stamped(0.5, node.now() - 0.2), node.now())
    node.after(0.1)
    assert base.turns
    command(stamped(0.0, node.now() - 9.0), node.now())
    node.after(0.5)
    assert not base.turns


def test_a_command_without_a_stamp_counts_as_new(node: HeldNode) -> None:
    base = Base(node, use_stamped_vel=True)
    node.commands["cmd_vel_safe"](stamped(0.5, 0.0), node.now())
    node.after(0.1)
    assert base.turns
