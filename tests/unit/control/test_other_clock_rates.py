"""Motion on an engine whose time passes faster or slower than that of its clients."""

from collections import Counter
from collections.abc import Callable

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from supervisor_loop import Loop
from test_endless_executions import SPAN, Swing
from test_speed import set_speed
from tracked import Tracked
from trajectory_server import CYCLE, NEXT, SLOW, BusyMotion, Server, goal

from wmx_core.values import CommandMode, MotionStatus, OperationState, SplineMove, TorqueMove
from wmx_ros2_package.control.disarming import disarm
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.control.supervisor import TASK_PERIOD
from wmx_ros2_package.trajectories.goal import STOPPING_TIME, Rules, Start
from wmx_ros2_package.trajectories.plan import Plan, require_plan

STEPS = goal((0.2, 0.1), (0.5, 0.1), (0.7, 0.2))
"""Stands on its way: its second part is commanded there."""


@pytest.fixture(params=[0.1, 0.5, 4.0])
def held(request: pytest.FixtureRequest) -> HeldEngine:
    held = HeldEngine(clock_rate=request.param).servo_on()
    held.after(1.0)
    return held


def test_a_trajectory_has_the_status_read_once_a_period_or_cycle_and_on_time(
    held: HeldEngine, loop: Loop, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_spline, begun = held.motion.move_spline, list[int]()

    def noted(move: SplineMove) -> None:
        begun.append(held.status().cycle)
        move_spline(move)

    monkeypatch.setattr(held.motion, "move_spline", noted)
    node.supervisor = loop.supervisor  # type: ignore[assignment]
    samples: list[MotionStatus] = []
    execution = Server(node).start(STEPS, report=lambda _, status, __: samples.append(status))
    loop.run(1.0 / held.clock.rate)
    assert execution.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    assert max(Counter(sample.cycle for sample in samples).values()) <= 2
    cycles = max(1, round(TASK_PERIOD * held.clock.rate / CYCLE))  # whole ones between two samples
    assert len(samples) == pytest.approx(0.7 / (cycles * CYCLE), rel=0.1)
    assert begun[1] - begun[0] == pytest.approx(500, abs=2)


def move(tracked: Tracked) -> None:
    tracked.move(0, 0.5)


def velocity(tracked: Tracked) -> None:
    tracked.jog(0, run_time=4.0, kind=MotionKind.VELOCITY)


def effort(tracked: Tracked) -> None:
    tracked.held.servo_on(0, mode=CommandMode.TORQUE)
    tracked.held.motion.move_torque([TorqueMove(axis=0, torque=1.0, run_time=1.5)])
    tracked.begin(0, kind=MotionKind.EFFORT, run_time=1.5)


def trajectory(tracked: Tracked) -> None:
    Server(tracked.node).start(goal((1.0, 0.5)))


@pytest.mark.parametrize("begin", [move, velocity, effort, trajectory])
def test_an_arrival_is_of_the_clock_of_clients(
    tracked: Tracked, begin: Callable[[Tracked], None]
) -> None:
    begin(tracked)
    arrival = tracked.node.begins()[0].arrival
    assert arrival is not None
    lasts = arrival - tracked.node.now()
    tracked.held.sleep(0.9 * lasts)
    assert tracked.held.status().op_state[0] != OperationState.IDLE
    tracked.held.sleep(0.15 * lasts)
    assert tracked.held.status().op_state[0] in (OperationState.IDLE, OperationState.STOP)


def test_what_its_node_ends_arrives_then(tracked: Tracked) -> None:
    """A velocity to a limit, with a duration: the node lives by the steady clock."""
    tracked.move(0, 60.0, kind=MotionKind.VELOCITY, limit="its limit", run_time=1.5)
    assert tracked.node.begins()[0].arrival == pytest.approx(tracked.node.now() + 1.5, abs=0.02)


@pytest.mark.parametrize("stops_splines", [True, False])
def test_a_cancel_is_as_gentle_and_as_short_as_at_the_usual_rate(
    held: HeldEngine, nodes: Callable[..., HeldNode], *, stops_splines: bool
) -> None:
    """What the engine does not stop by itself gets a quick stop."""
    motion = BusyMotion(held)
    if not stops_splines:
        motion.stop = lambda _: None  # type: ignore[method-assign]
    server = Server(nodes(held, motion=motion))
    execution = server.start(goal((1.0, 0.5)))
    server.node.after(0.4)
    execution.cancel()
    begin = held.clock.now()
    server.end(execution)
    lasted, usual = held.clock.now() - begin, 0.31 if stops_splines else STOPPING_TIME + 0.1
    assert lasted == pytest.approx(usual, abs=0.05)


def test_what_is_planned_for_a_time_begins_then(held: HeldEngine, node: HeldNode) -> None:
    """Such as a chunk, whose points are due at times of the clock of clients."""
    times: list[float] = []

    def planned_from(start: Start, time: float) -> Plan:
        times.append(time)
        return require_plan(NEXT, server.joints, start, rules)

    server, rules = Server(node), Rules(allow_partial=True)
    server.start(SLOW)
    status = node.after(1.0)
    prepared = server.executor.prepare(NEXT, server.joints, rules, planned_from)
    execution = server.executor.start(prepared, server.request(prepared))
    cycles = execution.first_cycle - status.cycle
    assert cycles > 10
    assert times[-1] == pytest.approx(status.time + cycles * CYCLE / held.clock.rate)


def test_no_servo_goes_off_before_the_time_of_the_engine_to_come_to_rest_is_over() -> None:
    held = HeldEngine(clock_rate=0.1).servo_on()
    node = HeldNode(held)
    held.motion.jog([velocity_move(0, dec=1.0)])  # it takes 2 s to slow down, 20 of the clients
    held.after(1.0)
    assert disarm(node.driver, node.gate) == []
    status = held.status()
    assert not status.servo_on.any()
    assert status.pos_cmd[0] == pytest.approx(0.9 * 2.0 + 2.0, abs=0.05)


def test_a_pause_of_an_endless_trajectory_has_time_until_the_next_part(
    held: HeldEngine, node: HeldNode
) -> None:
    swing = Swing(Server(node))
    node.after(SPAN - 0.25)
    set_speed(node, paused=True)
    node.after(2.0)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)
    assert (held.status().op_state == OperationState.IDLE).all()
