"""A motion has arrived when its motors are in position: it ends as NOT_ARRIVED if they are late."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest
from gate_requests import issue
from held_engine import HeldEngine, position_move, velocity_move
from held_node import LATENCY, HeldNode
from tracked import Tracked
from trajectory_server import Server, goal, tolerances

from wmx_core.interface import Motion
from wmx_core.values import (
    REST_VELOCITY,
    HomeType,
    LinearMove,
    MotionStatus,
    OperationState,
    SplineMove,
)
from wmx_ros2_package.control.conditions import out_of_position
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.motion_ends import IN_POSITION_WIDTH, InPosition
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind
from wmx_ros2_package.control.tracker import MotionTracker

TIMEOUT = InPosition().timeout
WIDTH = 0.001
"""InPosWidth of the machine of the tests, u."""


def freeze(held: HeldEngine, *, frozen: bool = True) -> None:
    held.fake.call("motion", "freeze_encoder", 0, frozen=frozen)


def to_place(motion: Motion) -> None:
    motion.move_absolute([position_move(0, 0.3)])


BOTH = (0.3, 0.4)
LINE = LinearMove(axes=(0, 1), targets=BOTH, velocity=1.0, acc=5.0, dec=5.0)
SPLINE = SplineMove(axes=(0, 1), times=np.array([0.0, 0.5]), positions=np.array([[0.0, 0.0], BOTH]))
BEGINS: dict[str, tuple[dict[str, Any], Callable[[Motion], None]]] = {
    "position": ({"targets": (0.3,)}, to_place),
    "line": ({"axes": (0, 1), "targets": BOTH}, lambda m: m.move_linear(LINE)),
    "spline": (
        {"axes": (0, 1), "targets": BOTH, "kind": MotionKind.TRAJECTORY},
        lambda m: m.move_spline(SPLINE),
    ),
    "velocity for a time": (
        {"kind": MotionKind.VELOCITY, "run_time": 0.4},
        lambda m: m.jog([velocity_move(0, run_time=0.4)]),
    ),
    "stream": ({"kind": MotionKind.STREAM}, to_place),
    "velocity to a limit": (
        {"kind": MotionKind.VELOCITY, "targets": (0.3,), "limit": "position_max"},
        to_place,
    ),
}


def begin(node: HeldNode, what: str = "position") -> None:
    fields, order = BEGINS[what]
    node.gate.issue([node.request(**fields)], order)


def ends_in_position(node: HeldNode, end: End) -> bool:
    """Whether every motor of a motion is where its command is, and rests."""
    status, axes = node.held.status(), list(end.axes)
    off = np.abs(status.pos_cmd[axes] - status.actual_pos[axes])
    return bool((off <= WIDTH).all() and (status.actual_velocity[axes] <= REST_VELOCITY).all())


@pytest.mark.parametrize("what", BEGINS)
def test_a_motion_ends_when_its_motors_are_in_position(node: HeldNode, what: str) -> None:
    begin(node, what)
    node.after(5.0, until=node.ends)
    [end] = node.ends()
    expected = EndReason.LIMIT if what == "velocity to a limit" else EndReason.ARRIVED
    assert end.reason is expected
    assert ends_in_position(node, end)
    assert list(end.final) == [node.held.status().actual_pos[axis] for axis in end.axes]


@pytest.mark.parametrize("what", BEGINS)
def test_where_a_motor_does_not_move_nothing_has_arrived(node: HeldNode, what: str) -> None:
    freeze(node.held)
    begin(node, what)
    node.after(1.0, until=lambda: node.held.status().op_state[0] == OperationState.IDLE)
    off = abs(float(node.held.status().pos_cmd[0]))
    assert off > 0.2
    node.after(TIMEOUT - 0.1)
    assert node.ends() == []
    node.after(0.2)
    [end] = node.ends()
    assert end.reason is EndReason.NOT_ARRIVED
    assert f"axis 0: the motor is {off:.6g} u from its target" in end.message
    assert end.final[0] == 0.0


def test_homing_whose_motor_is_elsewhere_has_not_arrived(node: HeldNode) -> None:
    node.held.apply(home_type=HomeType.CURRENT_POS, home_position=0.0)
    node.held.motion.move_absolute([position_move(0, 0.3)])
    freeze(node.held)
    node.after(1.0)
    request = node.request(0, kind=MotionKind.HOMING)
    node.gate.issue([request], lambda m: m.home(0))
    node.after(TIMEOUT + 1.0)
    assert node.held.status().home_done[0]
    assert node.reasons() == [EndReason.NOT_ARRIVED]


def test_an_encoder_that_works_again_in_time_lets_a_motion_arrive(node: HeldNode) -> None:
    freeze(node.held)
    begin(node)
    node.after(TIMEOUT)
    freeze(node.held, frozen=False)
    node.after(1.0)
    assert node.reasons() == [EndReason.ARRIVED]


@pytest.mark.parametrize(
    ("in_pos_width", "off", "reason"),
    [
        (0.001, 0.002, EndReason.NOT_ARRIVED),
        (0.001, 0.0005, EndReason.ARRIVED),
        (1000.0, 0.3, EndReason.NOT_ARRIVED),
        (1000.0, 0.009, EndReason.ARRIVED),
        (0.0, 0.009, EndReason.ARRIVED),
        (0.0, 0.011, EndReason.NOT_ARRIVED),
    ],
)
def test_inposwidth_counts_where_it_is_less_than_the_greatest_width(
    node: HeldNode, in_pos_width: float, off: float, reason: EndReason
) -> None:
    node.held.apply(in_pos_width=in_pos_width)
    freeze(node.held)
    node.gate.issue(
        [node.request(0, targets=(off,))], lambda m: m.move_absolute([position_move(0, off)])
    )
    node.after(TIMEOUT + 1.0)
    assert node.reasons() == [reason]
    status = node.held.status()
    shown = out_of_position(status, IN_POSITION_WIDTH, node.in_position_widths)
    assert shown == ({0: pytest.approx(off)} if reason is EndReason.NOT_ARRIVED else {})


@pytest.mark.parametrize("fails", [False, True])
def test_other_motions_end_while_the_engine_is_asked_for_inposwidth(
    tracked: Tracked, *, fails: bool
) -> None:
    """Which hardware takes long to answer; where that fails the greatest width decides."""
    answered, ends = Event(), list[Begin | End]()

    def slow(axes: Sequence[int]) -> list[float]:
        assert answered.wait(10.0)
        return [1 / 0] if fails else [0.001] * len(axes)

    freeze(tracked.held)
    with ThreadPoolExecutor(1) as threads:
        tracked.tracker = MotionTracker(
            "/node",
            LATENCY,
            tracked.node.now,
            in_position_widths=slow,
            aside=threads.submit,
        )
        tracked.tracker.listen(ends.append)
        late, other = tracked.move(0, 0.005), tracked.move(1, 0.3)
        tracked.after(1.0)
        tracked.after(TIMEOUT + 0.1)
        tracked.after(0.1)
        assert [(end.id, end.reason) for end in ends[2:]] == [(other, EndReason.ARRIVED)]
        answered.set()
    tracked.after(0.1)
    reason = EndReason.ARRIVED if fails else EndReason.NOT_ARRIVED
    assert [(end.id, end.reason) for end in ends[3:]] == [(late, reason)]


def test_noise_of_an_encoder_keeps_nothing_from_arriving(tracked: Tracked) -> None:
    tracked.move(0, 0.3)
    rests = tracked.held.after(5.0)
    noisy = replace(rests, actual_velocity=np.full(2, 2.0 * REST_VELOCITY))
    tracked.tracker.update(noisy)
    assert tracked.node.ends() == []
    tracked.tracker.update(replace(noisy, time=noisy.time + TIMEOUT + 0.001))
    assert tracked.end().reason is EndReason.ARRIVED


# What else may happen before the motors are in position


def settling(node: HeldNode) -> None:
    """A move of axis 0 whose command has ended, with a motor that does not come."""
    freeze(node.held)
    begin(node)
    node.after(1.0)
    assert node.ends() == []


def test_a_command_that_takes_over_before_replaces_it(node: HeldNode) -> None:
    settling(node)
    issue(node, "absolute", 0)
    assert node.reasons() == [EndReason.REPLACED]


def test_a_command_of_another_node_takes_over(node: HeldNode) -> None:
    settling(node)
    node.held.motion.move_absolute([position_move(0, 1.0)])
    node.after(0.1)
    [end] = node.ends()
    assert end.reason is EndReason.REPLACED
    assert end.message == "another command moved its axis before its motor was in position"


@pytest.mark.parametrize("quick", [False, True])
def test_a_stop_that_comes_too_late_makes_no_arrival(node: HeldNode, *, quick: bool) -> None:
    settling(node)
    node.gate.stop([0], quick=quick)
    node.after(TIMEOUT)
    assert node.reasons() == [EndReason.NOT_ARRIVED]


def test_an_alarm_is_said_at_once(node: HeldNode) -> None:
    settling(node)
    node.held.raise_alarm(0)
    node.after(0.01)
    assert node.reasons() == [EndReason.ALARM]


def test_what_was_stopped_ends_when_its_motor_rests(node: HeldNode) -> None:
    node.gate.issue([node.request(0)], lambda m: m.move_absolute([position_move(0, 9.0)]))
    node.after(0.5)
    node.gate.stop([0], quick=True)
    node.period = 0.001

    def at_rest() -> bool:
        return bool(node.held.status().op_state[0] == OperationState.IDLE)

    node.after(1.0, until=at_rest)
    assert abs(node.held.status().actual_velocity[0]) > REST_VELOCITY
    assert node.ends() == []
    node.after(1.0, until=node.ends)
    [end] = node.ends()
    assert end.reason is EndReason.STOPPED
    assert abs(node.held.status().actual_velocity[0]) <= REST_VELOCITY
    assert end.final[0] == node.held.status().actual_pos[0]


def test_an_axis_whose_motion_has_ended_takes_a_torque(node: HeldNode) -> None:
    """It rests by the same rule that decides what may be set."""
    begin(node)
    node.period = 0.001
    node.after(5.0, until=node.ends)
    issue(node, "torque")
    assert node.reasons() == [EndReason.ARRIVED]


# Trajectories


@pytest.mark.parametrize("judged", [None, tolerances(settling=0.5, goal_position=0.01)])
def test_a_trajectory_and_its_motion_end_alike(server: Server, judged: Any) -> None:
    freeze(server.held)
    execution = server.start(goal((1.0, 0.3)), tolerances=judged)
    server.node.after(4.0)
    outcome = execution.outcome.result()
    [end] = server.node.ends()
    assert end.reason is EndReason.NOT_ARRIVED
    if judged is None:  # by the motors alone
        assert "the motor is 0.3 u from its target" in end.message
        return
    assert outcome.ending is TrajectoryEnd.OFF_GOAL
    assert end.message == outcome.text


def test_the_tolerance_of_a_goal_is_what_its_motion_is_judged_by(server: Server) -> None:
    freeze(server.held)
    judged = tolerances(settling=0.5, goal_position=0.5)
    execution = server.start(goal((1.0, 0.3)), tolerances=judged)
    server.node.after(2.0)
    assert execution.outcome.result().ending is TrajectoryEnd.SUCCEEDED
    assert server.node.reasons() == [EndReason.ARRIVED]


# What is shown meanwhile


def test_a_motor_elsewhere_is_shown_as_soon_as_it_stands(node: HeldNode) -> None:
    def shown(status: MotionStatus) -> dict[int, float]:
        return out_of_position(status, IN_POSITION_WIDTH, node.in_position_widths)

    begin(node)
    for _ in range(100):
        assert shown(node.after(0.01)) == {}, "a motor on its way is no fault"
    freeze(node.held)
    node.gate.issue([node.request(0)], lambda m: m.move_absolute([position_move(0, 0.5)]))
    node.after(1.0)
    assert shown(node.held.status()) == {0: pytest.approx(0.2, abs=1e-3)}
    node.held.motion.set_servo(0, on=False)
    assert shown(node.after(0.1)) == {}, "no command holds it"
