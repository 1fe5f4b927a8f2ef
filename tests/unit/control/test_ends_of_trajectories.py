"""What ends a trajectory, and how its axes are stopped."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode
from stubborn import Stubborn
from trajectory_server import LONG, NEXT, STANDS, BusyMotion, Server, goal, reasons

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EmergencyStop, OperationState
from wmx_ros2_package.control.axis_file.records import StopCause
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.following.execution import END_TIME, REST_TIME, Execution
from wmx_ros2_package.control.leases import StreamLeases
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.trajectories.goal import STOPPING_TIME

# What ends it

ENDS: dict[str, tuple[Callable[[HeldNode], object], EndReason, str]] = {
    "stop": (lambda node: node.gate.stop([1]), EndReason.STOPPED, "b (axis 1) was stopped"),
    "quick stop": (
        lambda node: node.gate.stop([1], quick=True),
        EndReason.STOPPED,
        "b (axis 1) was stopped",
    ),
    "refuse earlier": (
        lambda node: node.gate.refuse_earlier([1]),
        EndReason.STOPPED,
        "b (axis 1) was stopped",
    ),
    "servo off, which no status shows yet": (
        lambda node: node.gate.refuse_earlier([1], StopCause.SERVO_OFF),
        EndReason.STOPPED,
        "b (axis 1): servo off",
    ),
    "emergency stop, which no status shows yet": (
        lambda node: node.gate.refuse_earlier([1], StopCause.EMERGENCY_STOP),
        EndReason.STOPPED,
        "b (axis 1): emergency stop",
    ),
    "servo off": (
        lambda node: node.gate.set_servo(1, on=False),
        EndReason.SERVO_OFF,
        "b (axis 1): servo off",
    ),
    "alarm": (lambda node: node.held.raise_alarm(1), EndReason.ALARM, "b (axis 1): alarm"),
    "emergency stop": (
        lambda node: node.gate.emergency_stop(EmergencyStop.LEVEL1),
        EndReason.EMERGENCY_STOP,
        "emergency stop",
    ),
}


@pytest.mark.parametrize("at", [0.5, 2.0])
@pytest.mark.parametrize("wanted", [LONG, STANDS], ids=["moves", "stands"])
@pytest.mark.parametrize("end", ENDS)
def test_what_happens_to_one_axis_ends_it_for_all(
    server: Server, nodes: Callable[..., HeldNode], end: str, wanted: Any, at: float
) -> None:
    act, reason, words = ENDS[end]
    other = nodes(server.held, "/other")
    execution = server.start(wanted)
    server.node.after(at)
    act(other)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert words in outcome.text
    server.node.after(20.0)
    assert not server.held.status().velocity_cmd.any()
    assert len(server.node.begins()) == 1
    assert server.node.reasons() == [reason]
    assert server.counts == [1, 0]


def test_the_reason_of_an_abort_is_known_before_the_axes_rest(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(2.0)
    server.held.motion.stop([1])  # past the nodes
    server.node.after(0.02)
    assert server.held.status().velocity_cmd[1] > 0.0
    assert execution.outcome.result(0).ending is TrajectoryEnd.OFF_PATH
    assert "was stopped" in execution.outcome.result(0).text
    assert not execution.ended
    server.end(execution)
    server.rests()


def test_a_limit_switch_is_named(held: HeldEngine, nodes: Callable[..., HeldNode]) -> None:
    held.apply(soft_limit_type=3, soft_limit_positive=0.3, soft_limit_negative=-0.3)
    held.motion.set_position(1, 0.0)  # soft limits are those of an axis that is homed
    server = Server(nodes(held))
    execution = server.start(LONG)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    server.rests()
    assert reasons(server) == [EndReason.LIMIT]


def test_a_stop_by_the_node_itself_ends_it(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(1.0)
    server.node.gate.end_motion([1], reason=EndReason.CANCELED, message="by command")
    assert server.end(execution).ending is TrajectoryEnd.OFF_PATH
    server.rests()
    server.node.after(0.1)
    assert [(e.reason, e.message) for e in server.node.ends()] == [
        (EndReason.CANCELED, "by command")
    ]


def test_a_segment_that_the_engine_refuses_ends_it(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = BusyMotion(held)
    server = Server(nodes(held, motion=motion))
    execution = server.start(STANDS)
    server.node.after(5.0)

    def refuse(_: Any) -> None:
        raise CommandRefused(ErrorCode.StatusChannelError)

    motion.move_spline = refuse  # type: ignore[method-assign]
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "StatusChannelError" in outcome.text
    assert server.rests().pos_cmd[0] == pytest.approx(0.1)
    server.node.after(0.1)
    assert len(server.node.ends()) == 1


@pytest.mark.parametrize("at", [0.4, 5.0], ids=["moves", "stands"])
@pytest.mark.parametrize("asleep", [1.0, 6.0])
def test_a_suspension_before_its_next_segment_ends_it(
    server: Server, at: float, asleep: float
) -> None:
    execution = server.start(STANDS)
    leases = StreamLeases(server.node.clock)
    server.require_awake = leases.require_sent_after_suspension
    server.node.after(at, leases.detect_suspension)
    server.held.after(asleep)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "suspended" in outcome.text
    assert server.rests().pos_cmd[0] == pytest.approx(0.1)


def test_a_closed_gate_ends_it_at_the_next_segment(server: Server) -> None:
    execution = server.start(STANDS)
    server.node.after(5.0)
    server.node.gate.close()
    assert server.end(execution).ending is TrajectoryEnd.OFF_PATH
    server.rests()


def test_a_spline_that_never_ends_is_given_up(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """An engine carries it out at a quarter of its speed."""
    motion = BusyMotion(held)
    motion.move_spline = lambda s: held.motion.move_spline(  # type: ignore[method-assign]
        type(s)(axes=s.axes, times=4.0 * s.times, positions=s.positions)
    )
    server = Server(nodes(held, motion=motion))
    began = server.node.now()
    execution = server.start(goal((1.0, 1.0)))
    server.node.after(5.0, execution.outcome.done)
    assert execution.outcome.result(0).ending is TrajectoryEnd.OFF_PATH
    assert "not at the end of the path" in execution.outcome.result(0).text
    assert server.node.now() - began == pytest.approx(1.0 + END_TIME, abs=0.02)
    server.end(execution)
    server.rests()


def test_a_command_that_the_engine_takes_and_does_not_carry_out_is_found(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = BusyMotion(held)
    motion.move_spline = lambda _: None  # type: ignore[method-assign]
    server = Server(nodes(held, motion=motion))
    began = server.node.now()
    outcome = server.end(server.start(NEXT))
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "rests before the end" in outcome.text
    assert server.node.now() - began < 0.2


# How its axes are stopped


@pytest.mark.parametrize("refusals", [1, 5])
def test_a_stop_that_is_refused_is_given_again_and_logged_once(
    held: HeldEngine, nodes: Callable[..., HeldNode], refusals: int
) -> None:
    motion = Stubborn(held, "stop", "quick_stop", refusals=refusals)
    server = Server(nodes(held, motion=motion))
    execution = server.start(LONG)
    server.node.after(1.0)
    execution.cancel()
    assert server.end(execution).ending is TrajectoryEnd.CANCELED
    server.rests()
    assert len(motion.taken) == 1, "and once is enough"
    [line] = server.node.logged
    assert "axes [0, 1]" in line
    assert "StartingPreviousCommand" in line


def test_what_another_request_has_begun_is_not_stopped(server: Server) -> None:
    """Of one axis, while the other one slows down."""
    execution = server.start(LONG)
    server.node.after(1.0)
    server.held.motion.stop([0, 1])
    while server.held.after(0.001).busy.size:
        pass
    server.held.motion.jog([velocity_move(0)])
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "another client commands it" in outcome.text
    assert server.node.after(1.0).op_state[0] == OperationState.JOG


# Its axes


def test_its_axes_are_its_own_until_it_has_ended(
    server: Server, nodes: Callable[..., HeldNode]
) -> None:
    other = nodes(server.held, "/other")
    execution = server.start(STANDS)
    server.node.after(5.0)

    def refused() -> bool:
        return bool(other.ownership.owners([0, 1], server.held.status()))

    assert refused()
    execution.cancel()
    server.end(execution)
    assert not refused()


def test_another_command_of_the_node_takes_it_over(server: Server) -> None:
    """In the moment in which it stands."""
    execution = server.start(STANDS)
    server.node.after(5.0)
    request = server.node.request(0, purpose="trajectory")
    server.node.gate.issue([request], lambda motion: motion.move_absolute([position_move(0, 9.0)]))
    assert server.end(execution).ending is TrajectoryEnd.PREEMPTED
    assert server.node.after(0.5).velocity_cmd[0] > 0.0, "which goes on"
    assert server.node.reasons() == [EndReason.REPLACED]


def test_axes_that_cannot_be_stopped_are_reported_and_stopped_again_and_again(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, "stop", "quick_stop")
    server = Server(nodes(held, motion=motion))
    server.node.period = 0.02
    execution = server.start(goal((60.0, 60.0)))
    server.node.after(1.0)
    execution.cancel()
    server.node.after(REST_TIME - 0.1)
    assert not execution.outcome.done()
    server.node.after(0.2)
    outcome = execution.outcome.result(0)
    assert outcome.ending is TrajectoryEnd.CANCELED
    assert "axes [0, 1] still move" in outcome.text
    assert "StartingPreviousCommand" in outcome.text
    assert not execution.ended
    motion.refusals = 0
    server.node.after(15.0, lambda: execution.ended)
    assert execution.ended
    server.rests()
    assert len(server.node.logged) == 2


# How hard they are stopped

GENTLE = goal((60.0, 30.0), names="abc")
"""0.7 u/s in its middle, with 0.05 u/s^2: a stop with that would take more than 10 s."""
FAULTS: dict[str, Callable[[HeldNode], object]] = {
    "alarm": lambda node: node.held.raise_alarm(1),
    "servo off": lambda node: node.gate.set_servo(1, on=False),
    "servo off past the nodes": lambda node: node.held.motion.set_servo(1, on=False),
    "drive lost": lambda node: node.held.play("[{drop_slave: {master: 0, slave: 1}}]"),
    "limit switch": lambda node: node.held.play(
        "[{stick_switch: {axis: 1, switch: positive, state: true}}]"
    ),
}
STOPS: dict[str, Callable[[Execution, HeldNode], object]] = {
    "cancel": lambda execution, _: execution.cancel(),
    "a stop": lambda _, node: node.gate.stop([0, 1, 2]),
    "a stop of one": lambda _, node: node.gate.stop([1]),
    "a stop past the nodes": lambda _, node: node.held.motion.stop([1]),
}


@pytest.fixture
def three(nodes: Callable[..., HeldNode]) -> Server:
    """A server of three joints."""
    held = HeldEngine(3, quick_stop_dec=20.0).servo_on()
    return Server(nodes(held), count=3)


def stopped(server: Server, execution: Execution, others: Sequence[int]) -> float:
    """How long `others` take to rest, which stay on the straight path of `GENTLE`, s."""
    began = server.node.now()
    server.node.after(10.0, lambda: execution.ended)
    assert execution.ended
    at = server.held.status().pos_cmd
    assert at[others[0]] == pytest.approx(at[others[-1]], abs=1e-6)
    return server.node.now() - began


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_stops_the_others_as_hard_as_they_can_along_the_path(
    three: Server, nodes: Callable[..., HeldNode], fault: str
) -> None:
    execution = three.start(GENTLE)
    status = three.node.after(20.0)
    assert status.velocity_cmd.min() > 0.5
    FAULTS[fault](nodes(three.held, "/other"))
    assert stopped(three, execution, [0, 2]) < 0.15
    assert three.held.status().pos_cmd[0] - status.pos_cmd[0] < 0.05
    assert execution.outcome.result(0).ending is TrajectoryEnd.OFF_PATH


@pytest.mark.long
@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_is_not_as_gentle_as_a_slow_path(
    three: Server, nodes: Callable[..., HeldNode], stop: str
) -> None:
    execution = three.start(GENTLE)
    three.node.after(20.0)
    STOPS[stop](execution, nodes(three.held, "/other"))
    assert stopped(three, execution, [0, 1, 2]) < 0.15


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_that_is_short_by_itself_is_as_gentle_as_the_path(
    three: Server, nodes: Callable[..., HeldNode], stop: str
) -> None:
    execution = three.start(goal((1.0, 0.5), names="abc"))
    three.node.after(0.5)
    STOPS[stop](execution, nodes(three.held, "/other"))
    status = three.node.after(0.1)
    assert status.velocity_cmd.min() > 0.1
    assert stopped(three, execution, [0, 1, 2]) < 0.25


def test_an_engine_that_stops_a_spline_too_gently_gets_a_quick_stop(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """How an engine stops one is its own: this one takes the stop and goes on."""
    motion = BusyMotion(held)
    motion.stop = lambda _: None  # type: ignore[method-assign]
    server = Server(nodes(held, motion=motion))
    execution = server.start(goal((1.0, 0.5)))
    server.node.after(0.4)
    execution.cancel()
    began = server.node.now()
    server.end(execution)
    assert server.node.now() - began < STOPPING_TIME + 0.15
    assert server.rests().pos_cmd[0] < 0.5 - 1e-3
