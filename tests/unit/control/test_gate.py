"""The gate: a refused request changes nothing, and nothing outlives a stop."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from uuid import uuid4

import pytest
from axis_files import axis_file
from gate_requests import AXES, COMMANDS, issue, jog, leave_motor_turning, refused, rests, state
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode
from refusing import refuses
from stubborn import Stubborn, Unanswered

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Motion
from wmx_core.values import CommandMode, MotionStatus, PositionMove, TorqueMove, VelocityMove
from wmx_ros2_package.control.gate import Gate, GateClosed, StoppedSince
from wmx_ros2_package.control.ownership import AxisOwned
from wmx_ros2_package.control.request import EndReason, MotionKind, requests_of
from wmx_ros2_package.control.stops import device_stops
from wmx_ros2_package.control.tracker import MotionOver

# What passes


@pytest.mark.parametrize("command", COMMANDS)
def test_what_passes_begins_one_motion_for_each_request(node: HeldNode, command: str) -> None:
    issue(node, command)
    status = node.after(0.1)
    assert status.velocity_cmd.all() or status.actual_torque.all()
    assert [begin.axes for begin in node.begins()] == [(0,), (1,)]
    assert node.ends() == []
    mode, _ = COMMANDS[command]
    assert node.fed == [([0, 1], [] if mode in {None, CommandMode.POSITION} else [0, 1])]
    assert node.ownership.last_commanded() == [0, 1]
    assert node.ownership.owners(AXES, status).keys() == {0, 1}


def test_a_command_that_replaces_another_ends_it_where_it_is(node: HeldNode) -> None:
    issue(node, "absolute")
    node.after(0.2)
    issue(node, "absolute")
    assert node.reasons() == [EndReason.REPLACED] * 2
    assert [end.replaced_by for end in node.ends()] == [b.id for b in node.begins()[2:]]


def test_a_motion_that_had_arrived_is_not_replaced(held: HeldEngine, node: HeldNode) -> None:
    """Also where no status was read since it arrived."""
    issue(node, "absolute")
    held.after(60.0)
    issue(node, "absolute")
    assert node.reasons() == [EndReason.ARRIVED] * 2


# What is refused


@pytest.mark.parametrize("command", COMMANDS)
def test_while_the_gate_is_closed_nothing_is_commanded(node: HeldNode, command: str) -> None:
    """As it is at first."""
    node.gate = Gate(node.driver.motion, node.ownership, node.tracker)
    before = state(node)
    with pytest.raises(GateClosed):
        issue(node, command)
    assert state(node) == before
    assert node.events == []
    node.gate.open()
    issue(node, command)
    assert node.after(0.1).velocity_cmd.any() or node.held.status().actual_torque.any()


def test_what_was_asked_before_the_gate_was_closed_does_not_pass_once_it_is_open(
    node: HeldNode,
) -> None:
    earlier = node.request()
    node.after(0.1)
    node.gate.close()
    node.gate.open()
    with pytest.raises(GateClosed):
        node.gate.issue([earlier], lambda motion: motion.move_absolute([position_move()]))
    assert not node.after(0.1).velocity_cmd.any()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_the_engine_refuses_changes_nothing(node: HeldNode, command: str) -> None:
    node.held.raise_alarm(1)
    node.after(1.0)
    refused(node, command, ErrorCode.AxisAmpAlarm)


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_a_mode_is_what_it_was_after_a_refusal(
    held: HeldEngine, nodes: Callable[..., HeldNode], command: str
) -> None:
    """Each axis has its own: one of both was in the mode of the command already."""
    mode, _ = COMMANDS[command]
    assert mode is not None
    held.motion.set_command_mode(1, mode)
    code = ErrorCode.NotIdleOrVelocityState
    node = nodes(held, motion=Stubborn(held, "move_velocity", "move_torque", code=code))
    assert held.status().command_mode.tolist() == [CommandMode.POSITION, mode]
    refused(node, command, code)


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_a_mode_is_what_it_was_where_its_change_was_not_answered(
    held: HeldEngine, nodes: Callable[..., HeldNode], command: str
) -> None:
    motion = Unanswered(held, "set_command_mode", refusals=1, code=ErrorCode.WaitTimeout)
    node = nodes(held, motion=motion)
    with refuses(ErrorCode.WaitTimeout):
        issue(node, command)
    assert node.after(0.1).command_mode.tolist() == [CommandMode.POSITION] * 2
    assert node.supervisor.names() == []


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_a_mode_that_was_refused_for_a_motion_is_not_switched_back(
    held: HeldEngine, nodes: Callable[..., HeldNode], command: str
) -> None:
    """It was taken by no engine; a task for it could undo what the next attempt sets."""
    motion = Stubborn(held, "set_command_mode", refusals=1, code=ErrorCode.NotIdleState)
    node = nodes(held, motion=motion)
    with refuses(ErrorCode.NotIdleState):
        issue(node, command)
    assert node.supervisor.names() == []
    motion.refusals = 1
    with refuses(ErrorCode.NotIdleState):
        node.gate.set_command_mode(0, CommandMode.TORQUE)
    assert node.supervisor.names() == []


class NoWayBack(Stubborn):
    """Takes no torque, and refuses position mode for `axes` as often as it is told."""

    def __init__(self, held: HeldEngine, axes: Sequence[int], times: float) -> None:
        super().__init__(held, "move_torque", code=ErrorCode.NotIdleOrTorqueState)
        self.axes, self.times = axes, times

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        if mode is CommandMode.POSITION and axis in self.axes and self.times > 0:
            self.times -= 1
            raise CommandRefused(ErrorCode.NotIdleState)
        self._motion.set_command_mode(axis, mode)


@pytest.mark.parametrize("closed", [False, True])
def test_an_axis_that_cannot_go_back_keeps_no_other_from_its_mode(
    held: HeldEngine, nodes: Callable[..., HeldNode], *, closed: bool
) -> None:
    """And stays as it is once it moves in its new mode, or the gate is closed."""
    motion = NoWayBack(held, [0], times=inf)
    node = nodes(held, motion=motion)
    with refuses(ErrorCode.NotIdleOrTorqueState):
        issue(node, "torque")
    node.after(0.1)
    modes = [CommandMode.TORQUE, CommandMode.POSITION]
    assert (held.status().command_mode.tolist(), len(node.supervisor.names())) == (modes, 1)
    motion.refusals = 0
    if closed:
        node.gate.close()
    else:
        effort = [TorqueMove(axis=0, torque=20.0)]
        node.gate.issue([node.request(0)], lambda m: m.move_torque(effort), CommandMode.TORQUE)
    node.after(0.01)
    motion.times = 0
    node.after(0.1)
    assert (held.status().command_mode.tolist(), node.supervisor.names()) == (modes, [])


def test_an_axis_that_cannot_go_back_at_once_goes_back_soon(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """As an engine that takes some cycles for a new mode; another request decides otherwise."""
    node = nodes(held, motion=NoWayBack(held, AXES, times=3))
    with pytest.raises(CommandRefused):
        issue(node, "torque")
    node.after(0.1)
    assert held.status().command_mode.tolist() == [CommandMode.POSITION] * 2
    assert node.supervisor.names() == []
    assert node.reasons() == [EndReason.REFUSED] * 2


@pytest.mark.parametrize("command", ["velocity", "torque"])
def test_no_mode_is_changed_where_one_axis_cannot_change_it(node: HeldNode, command: str) -> None:
    node.held.motion.move_absolute([position_move(1, 10.0)])
    node.after(0.2)
    before = node.held.status().command_mode.tolist()
    with pytest.raises(CommandRefused, match="axis 1 moves to a position: must be at rest"):
        issue(node, command)
    assert node.held.status().command_mode.tolist() == before
    assert node.reasons() == [EndReason.REFUSED] * 2


def test_no_mode_is_changed_while_a_motor_turns(held: HeldEngine, node: HeldNode) -> None:
    """A motor lags behind its command, and a new mode would let it coast."""
    leave_motor_turning(held)
    with refuses(ErrorCode.NotIdleState, match="the motor of axis 0 still turns"):
        issue(node, "torque")
    assert held.status().command_mode[0] == CommandMode.POSITION
    node.after(1.0)
    issue(node, "torque")


def test_without_the_file_that_nodes_share_nothing_is_commanded(node: HeldNode) -> None:
    folder = axis_file(node).settings_path.parent
    folder.rename(folder.with_name("away"))
    folder.touch()
    assert node.ownership.check_file()
    with refuses(ErrorCode.FileOperationFailed):
        issue(node, "jog")
    rests(node)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_another_node_owns_is_refused(node: HeldNode, other: HeldNode, command: str) -> None:
    with other.gate.claim(other.request(1)):
        node.after(1.0)
        error = refused(node, command, ErrorCode.ResourceInUse)
    assert isinstance(error, AxisOwned)
    issue(node, command)


def test_a_refusal_of_a_claim_is_the_end_of_its_request(node: HeldNode, other: HeldNode) -> None:
    jog(other, 1)
    request = node.request(0, 1, id=uuid4(), names=("a", "b"))
    with pytest.raises(AxisOwned), node.gate.claim(request):
        pytest.fail("nothing is claimed")
    [end] = node.ends()
    assert (end.id, end.axes, end.names) == (request.id, (0, 1), ("a", "b"))
    assert (end.reason, end.code) == (EndReason.REFUSED, ErrorCode.ResourceInUse)


def test_a_refusal_has_the_id_and_the_names_of_its_request(node: HeldNode) -> None:
    node.gate.stop([0])
    request = node.request(0, asked_at=0.0, id=uuid4(), names=("elbow",))
    with pytest.raises(StoppedSince) as error:
        node.gate.issue([request], lambda motion: motion.jog([velocity_move()]))
    [end] = node.ends()
    assert (end.id, end.names, end.message) == (request.id, ("elbow",), str(error.value))


class Unseen(Stubborn):
    """Takes a velocity, and refuses the status after it."""

    def __init__(self, held: HeldEngine) -> None:
        super().__init__(held, "status", refusals=0, code=ErrorCode.WaitTimeout)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        self._motion.move_velocity(moves)
        self.refusals = 1


def test_what_the_engine_has_taken_but_does_not_show_is_stopped_by_its_owner(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    node = nodes(held, motion=Unseen(held))
    with refuses(ErrorCode.WaitTimeout, match="it was taken, and is stopped"):
        issue(node, "velocity")
    assert node.ownership.owners(AXES, held.status()).keys() == {0, 1}
    assert not held.after(1.0).velocity_cmd.any(), "at once, for there may be no status for long"
    assert node.reasons() == [EndReason.REFUSED] * 2


@pytest.mark.parametrize("call", ["move_velocity", "status"])
def test_what_an_engine_that_seems_lost_may_have_taken_is_stopped(
    held: HeldEngine, nodes: Callable[..., HeldNode], call: str
) -> None:
    """It lives, and one answer was late: nothing else would end what moves."""
    motion = Unanswered(held, call, refusals=0, code=ErrorCode.WaitTimeout, error=EngineLost)
    node = nodes(held, motion=motion)

    def order(given: Motion) -> None:
        motion.refusals = 1
        given.move_velocity([velocity_move(axis) for axis in AXES])

    with pytest.raises(EngineLost):
        node.gate.issue([node.request(*AXES)], order, CommandMode.VELOCITY)
    assert held.after(0.01).velocity_cmd.all()
    assert not node.after(1.0).velocity_cmd.any()
    assert node.events == [], "its caller answers"
    assert node.supervisor.names() == []


# Motions of several commands


def test_a_command_that_extends_a_motion_is_no_new_one_and_its_refusal_no_end(
    node: HeldNode,
) -> None:
    request = node.request(0, kind=MotionKind.VELOCITY, id=uuid4(), run_time=0.5, renewable=True)
    move = [velocity_move(0, run_time=0.5)]
    for _ in range(3):
        node.gate.issue([request], lambda motion: motion.jog(move))
        node.after(0.3)
    with pytest.raises(CommandRefused):
        node.gate.issue([request], lambda motion: motion.move_velocity(move))
    assert len(node.events) == 1
    node.after(2.0)
    assert node.reasons() == [EndReason.LEASE_EXPIRED]
    with pytest.raises(MotionOver):
        node.gate.issue([request], lambda motion: motion.jog(move))
    assert not node.after(0.1).velocity_cmd.any()
    assert len(node.events) == 2


def test_requests_of_moves_have_their_targets_and_run_times(node: HeldNode) -> None:
    moves: list[PositionMove | VelocityMove | TorqueMove] = [
        position_move(0, 2.5),
        velocity_move(1, run_time=0.2),
        velocity_move(2),
        TorqueMove(axis=3, torque=1.0, run_time=0.3),
    ]
    made = requests_of(MotionKind.JOG, moves, 7.0, "jog")
    assert [request.axes for request in made] == [(0,), (1,), (2,), (3,)]
    assert [request.targets for request in made] == [(2.5,), (), (), ()]
    assert [request.run_time for request in made] == [0.0, 0.2, 0.0, 0.3]
    assert [request.renewable for request in made] == [False, True, False, True]
    assert {(request.kind, request.asked_at, request.purpose) for request in made} == {
        (MotionKind.JOG, 7.0, "jog")
    }
    [relative] = requests_of(MotionKind.POSITION, moves[:1], 7.0, relative=True)
    assert (relative.targets, relative.by) == ((), (2.5,))


class Early(Stubborn):
    """Shows what a command has begun in the second status after it only."""

    def __init__(self, held: HeldEngine) -> None:
        super().__init__(held, refusals=0)
        self.seen: list[MotionStatus] = []

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        self.seen = [self._motion.status()]
        self._motion.move_relative(moves)

    def status(self) -> MotionStatus:
        return self.seen.pop() if self.seen else self._motion.status()


@pytest.mark.parametrize(
    ("by", "late", "early"), [(0.0, 0.0, False), (1e-3, 0.1, False), (0.5, 0.0, True)]
)
def test_a_relative_move_has_a_target_though_its_axis_rests_in_the_next_status(
    held: HeldEngine, nodes: Callable[..., HeldNode], by: float, late: float, *, early: bool
) -> None:
    """It is over by then, or is not shown yet."""
    held.motion.set_position(0, 3.0)
    node = nodes(held, motion=Early(held) if early else None)
    moves = [position_move(0, by)]

    def order(motion: Motion) -> None:
        motion.move_relative(moves)
        held.after(late)

    node.gate.issue(requests_of(MotionKind.POSITION, moves, node.now(), relative=True), order)
    node.after(5.0, until=node.ends)
    [begin], [end] = node.begins(), node.ends()
    assert (begin.targets, begin.arrival is None) == ((pytest.approx(3.0 + by),), False)
    assert (end.reason, end.message) == (EndReason.ARRIVED, "")


def test_a_relative_move_of_an_axis_that_moves_ends_where_the_engine_shows(node: HeldNode) -> None:
    node.gate.issue(
        [node.request(targets=(9.0,))], lambda m: m.move_absolute([position_move(0, 9.0)])
    )
    node.after(0.5)
    moves = [position_move(0, 1.0)]
    requests = requests_of(MotionKind.POSITION, moves, node.now(), relative=True)
    node.gate.issue(requests, lambda motion: motion.move_relative(moves))
    assert node.begins()[-1].targets == (node.held.status().target[0],)
    node.after(9.0, until=lambda: len(node.ends()) == 2)
    assert node.reasons() == [EndReason.REPLACED, EndReason.ARRIVED]


def test_a_relative_move_has_no_target_from_a_status_that_shows_not_all_before_it(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """The move before it was commanded a moment ago."""
    motion = Early(held)
    node = nodes(held, motion=motion)
    first = [node.request(targets=(9.0,))]
    node.gate.issue(first, lambda given: given.move_absolute([position_move(0, 9.0)]))
    at_rest = replace(held.status(), op_state=held.status().op_state * 0)
    moves = [position_move(0, 1.0)]

    def order(given: Motion) -> None:
        held.motion.move_relative(moves)

    motion.seen = [at_rest]
    node.gate.issue(requests_of(MotionKind.POSITION, moves, node.now(), relative=True), order)
    node.after(9.0, until=lambda: len(node.ends()) == 2)
    assert node.reasons() == [EndReason.REPLACED, EndReason.ARRIVED]


# Programs that are no nodes


@pytest.fixture
def devices(held: HeldEngine, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What devices are created with; of those that are closed it is nothing."""
    noted: list[tuple[str, ...]] = []
    monkeypatch.setattr(held.engine, "create_device", lambda *a: noted.append(a), raising=False)
    monkeypatch.setattr(held.engine, "close_device", lambda: noted.append(()), raising=False)
    return noted


def test_a_program_stops_axes(node: HeldNode, devices: list[tuple[str, ...]]) -> None:
    jog(node)
    node.after(0.2)
    asked_at = node.now()
    driver = replace(node.driver, name="held")  # which its ownership is of
    with device_stops(driver, "", "program") as stops:
        assert stops.status().velocity_cmd[0] > 0.0
        stops.stop([0])
        assert node.ownership.owners([0], stops.status())[0].startswith(node.name)
    rests(node)
    assert node.reasons() == [EndReason.STOPPED]
    with pytest.raises(StoppedSince):
        jog(node, asked_at=asked_at)
    assert devices == [("", "program"), ()]


def test_a_program_closes_its_device_whatever_fails(
    node: HeldNode, devices: list[tuple[str, ...]]
) -> None:
    with pytest.raises(CommandRefused), device_stops(node.driver, "/a\0b", "program"):
        pytest.fail("there is no such engine")
    assert devices == [("/a\0b", "program"), ()]
