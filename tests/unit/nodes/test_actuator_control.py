"""What becomes of commands to named actuators, with the clock in hand."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from math import inf, nan
from threading import Thread
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from axis_files import axis_file
from builtin_interfaces.msg import Duration
from held_engine import HeldEngine
from held_node import HeldNode
from refusing import refuses
from std_msgs.msg import Header
from stubborn import Stubborn
from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.errors import CommandRefused, ErrorCode, RefusalCode
from wmx_core.values import CommandMode, MotionStatus, OperationState
from wmx_ros2_package.actuators.command import Command, CommandType, Point
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.leases import LEASE_TIMEOUT
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.messages.times import time_message
from wmx_ros2_package.node_base.refusals import ReportedRefusal
from wmx_ros2_package.nodes.actuators.control import ActuatorControl
from wmx_ros2_package.nodes.actuators.delayed import MOST_WAITING, Due
from wmx_ros2_package.nodes.actuators.groups import ActuatorGroups
from wmx_ros2_package.nodes.actuators.parameters import ActuatorNodeParameters
from wmx_ros2_package.validation import BadRequest

VELOCITY, STOP = CommandType.VELOCITY, CommandType.STOP


class Control(ActuatorControl):
    """The actuators `a`, on axis 0, `b`, on axis 1, and `c`, whose axis the engine has not."""

    def __init__(self, node: HeldNode) -> None:
        node.parameters = ActuatorNodeParameters(
            names=("a", "b", "c"), acceleration=(10.0,), open_loop=("a", "c")
        )
        planner = SimpleNamespace(submit=lambda work: work(), do=lambda work, **_: work())
        node.threads = SimpleNamespace(planner=planner)
        super().__init__(node)  # type: ignore[arg-type]
        for attach in node.on_attach:
            attach()
        self.node = node

    def change(self, **parameters: Any) -> None:
        """Change parameters of the node."""
        self.node.parameters = replace(self.node.parameters, **parameters)
        for change in self.node.on_change:
            change(self.node.parameters)

    def due(self, seconds: float) -> Due | None:
        """When a start so many seconds from now is due."""
        return self.node.ros_time.when_in(seconds) if seconds else None

    def begin_now(self, *commands: Command) -> None:
        """Begin what is sent now, and let it run for a moment."""
        self.start(commands, self.node.now())
        self.node.after(0.2)


@pytest.fixture
def control(node: HeldNode) -> Control:
    return Control(node)


def asked(
    control: Control, name: str, ahead: float, type: int = ActuatorCommand.TRAJECTORY
) -> ActuatorCommand:
    """One that is to start so many seconds from now."""
    stamp = time_message(round((control.node.now() + ahead) * 1e9))
    return ActuatorCommand(name=name, type=type, header=Header(stamp=stamp))


def run(name: str, value: float = 1.0) -> Command:
    return Command(name=name, type=VELOCITY, value=value, id=uuid4())


def test_a_trajectory_at_half_speed_is_expected_when_it_arrives(control: Control) -> None:
    axis_file(control.node).speed = Speed(percent=50)
    end = Point(time=1.0, positions=(0.5,))
    command = Command(name="a", type=CommandType.TRAJECTORY, points=(end,))
    [started] = control.trajectories.start([command], control.node.now())
    control.node.after(10.0, until=control.node.ends)
    assert started.arrival == pytest.approx(control.node.ends()[0].time, abs=0.1)


def test_a_stop_of_a_slow_engine_is_expected_to_end_by_the_clock_of_clients(
    nodes: Callable[..., HeldNode],
) -> None:
    held = HeldEngine(clock_rate=0.25).servo_on()
    control = Control(nodes(held))
    control.begin_now(run("a"))
    [started] = control.start([Command(name="a", type=STOP)], control.node.now())
    assert started.arrival is not None
    left = started.arrival - control.node.now()
    for passes, state in (0.9 * left, OperationState.STOP), (0.2 * left, OperationState.IDLE):
        held.sleep(passes)
        assert held.status().op_state[0] == state


def test_velocity_0_is_a_pause_of_what_was_stopped_and_effort_0_is_none(control: Control) -> None:
    node = control.node
    control.change(timeout=0.5)
    go, pause = (Command(name="a", type=VELOCITY, value=value) for value in (1.0, 0.0))
    control.begin_now(go)
    node.gate.stop([0])
    node.after(0.1)
    for command in go, Command(name="a", type=CommandType.EFFORT), go:
        with pytest.raises(BadRequest, match=r"pause for 0\.5 s, or at velocity 0, before"):
            control.begin_now(command)
    control.begin_now(pause)
    control.begin_now(go)
    assert node.held.status().velocity_cmd[0] == 1.0


@pytest.mark.parametrize("kind", [VELOCITY, CommandType.EFFORT])
def test_a_lease_is_one_of_the_timeout_that_it_began_with(
    control: Control, kind: CommandType
) -> None:
    control.change(timeout=0.5)
    control.begin_now(Command(name="a", type=kind, value=1.0))
    control.change(timeout=0.0)
    control.node.after(3.0)
    assert control.node.reasons() == [EndReason.LEASE_EXPIRED]


def test_a_command_that_is_refused_leases_no_motion(control: Control) -> None:
    """One with the id of a motion whose client did not ask for a lease."""
    node, going_on = control.node, run("a")
    control.begin_now(going_on)
    again = asked(control, "a", 0.0, ActuatorCommand.VELOCITY)
    again.leased, again.command_id.uuid = True, list(going_on.id.bytes)
    with pytest.raises(BadRequest, match="was used before: must be new"):
        control.accept([again])
    node.after(LEASE_TIMEOUT + 0.5)
    assert not node.motion_leases.has_expired(going_on.id)
    assert node.reasons() == [EndReason.REFUSED]


@pytest.mark.parametrize(("percent", "limit", "rests"), [(10, 1.5, 0.2), (100, 3.0, 2.0)])
@pytest.mark.parametrize("duration", [0.0, 2.0])
def test_near_a_limit_a_velocity_lasts_no_longer_than_elsewhere(
    control: Control, percent: int, limit: float, rests: float, duration: float
) -> None:
    """At full speed the first would pass its limit, and the other with another lease."""
    node = control.node
    axis_file(node).speed = Speed(percent)
    control.change(timeout=2.0, position_max=(limit,))
    [started] = control.start([replace(run("a"), duration=duration)], node.now())
    status = node.after(10.0, until=node.ends)
    assert status.pos_cmd[0] == pytest.approx(rests, abs=0.01)
    if duration:
        assert started.arrival == pytest.approx(node.ends()[0].time, abs=0.2)
    assert node.reasons() == [EndReason.ARRIVED if duration else EndReason.LEASE_EXPIRED]


@pytest.mark.parametrize("limit", [0.5, 5.0])
def test_without_a_heartbeat_no_velocity_goes_on_to_its_limit(
    control: Control, limit: float
) -> None:
    """Neither one that is led there at once, nor one that was renewed before."""
    node = control.node
    control.change(position_max=(limit,))
    control.begin_now(run("a"))
    node.after(0.9 * limit - 0.2)
    node.leases.on_heartbeat_change(lost=True)
    status = node.after(2.0, until=node.ends)
    assert status.pos_cmd[0] < limit - 0.01
    assert node.reasons() == [EndReason.LEASE_EXPIRED]


def test_a_velocity_that_begins_as_the_heartbeat_is_lost_does_not_go_on(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, motion = control.node, control.node.held.motion
    jog = motion.jog

    def jog_and_lose(moves: Any) -> None:
        jog(moves)
        if not node.leases.heartbeat_lost:  # the thread that spins notices it once
            node.leases.on_heartbeat_change(lost=True)

    monkeypatch.setattr(motion, "jog", jog_and_lose)
    control.begin_now(run("a"))
    node.after(1.0, until=node.ends)
    assert node.reasons() == [EndReason.LEASE_EXPIRED]


def test_a_velocity_is_renewed_though_another_one_began_as_the_supervisor_looked(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, motion = control.node, control.node.held.motion
    control.begin_now(run("a"))
    jog = motion.jog

    def jog_later(moves: Any) -> None:
        looking = Thread(target=node.supervisor.read, args=[node.held.status()])
        looking.start()
        looking.join()
        jog(moves)

    with monkeypatch.context() as patch:
        patch.setattr(motion, "jog", jog_later, raising=False)
        control.start([run("b")], node.now())
    assert node.after(3.0).velocity_cmd.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("refusals", [1, 3])
def test_velocities_of_which_one_cannot_be_led_to_its_limit_are_stopped_together(
    held: HeldEngine, nodes: Callable[..., HeldNode], refusals: int
) -> None:
    """However often that is refused."""
    motion = Stubborn(held, "move_absolute", "stop", refusals=refusals)
    control = Control(nodes(held, motion=motion))
    control.change(position_max=(0.5, 1e3, 1e3))
    begun = [replace(run(name), duration=5.0) for name in "ab"]
    with refuses(ErrorCode.StartingPreviousCommand, match="a part was taken, and is stopped"):
        control.start(begun, control.node.now())
    status = control.node.after(0.5)
    assert not status.velocity_cmd.any()
    assert [(end.id, end.reason) for end in control.node.ends()] == [
        (command.id, EndReason.REFUSED) for command in begun
    ]


def test_what_is_held_is_held_by_its_position_loop(control: Control) -> None:
    """Whatever has left it in torque mode, in which a motor that rests would coast."""
    control.start([Command(name="a", type=CommandType.HOLD)], control.node.now())
    control.node.held.motion.set_command_mode(0, CommandMode.TORQUE)
    assert control.node.after(0.1).command_mode[0] == CommandMode.POSITION


def test_efforts_that_replace_each_other_leave_no_task_each(control: Control) -> None:
    """Else a stream of them keeps the loop from all else that it has to look after."""
    for _ in range(5):
        control.begin_now(Command(name="a", type=CommandType.EFFORT, value=1.0))
    assert control.node.supervisor.names().count("position mode") == 1


# What takes over from a trajectory


def follow(control: Control, *points: Point) -> None:
    """Let a trajectory run for a moment."""
    control.begin_now(Command(name="a", type=CommandType.TRAJECTORY, points=points))
    control.node.after(3.0)


def test_a_hold_that_takes_over_from_a_trajectory_is_not_ended_with_it(control: Control) -> None:
    node, hold = control.node, Command(name="a", type=CommandType.HOLD, id=uuid4())
    follow(control, Point(time=40.0, positions=(20.0,)))
    control.start([hold], node.now())
    assert node.after(0.01).velocity_cmd[0] > 0.0
    assert node.after(3.0).velocity_cmd[0] == 0.0
    assert node.reasons() == [EndReason.REPLACED]
    assert node.tracker.runs(hold.id)


@pytest.mark.parametrize("later", [0.0, 0.01])
def test_a_hold_of_a_slow_trajectory_is_not_as_gentle_as_its_path(
    control: Control, monkeypatch: pytest.MonkeyPatch, later: float
) -> None:
    """It slows down by 0.075 u/s^2. Also where samples are read before the stop is recorded."""
    node, hold = control.node, Command(name="a", type=CommandType.HOLD, id=uuid4())
    record = node.gate.refuse_earlier

    def record_later(axes: Iterable[int]) -> None:
        if later:
            node.after(later)
        record(axes)

    monkeypatch.setattr(node.gate, "refuse_earlier", record_later)
    follow(control, Point(time=40.0, positions=(20.0,)))
    assert node.after(17.0).velocity_cmd[0] > 0.7
    control.start([hold], node.now())
    assert node.after(0.5).velocity_cmd[0] == 0.0
    assert node.after(1.0).op_state[0] == OperationState.IDLE
    assert node.reasons() == [EndReason.REPLACED]
    assert node.tracker.runs(hold.id)


@pytest.mark.parametrize("ended", ["stopped", "canceled"])
def test_a_command_just_after_the_end_of_a_trajectory_is_not_stopped_with_it(
    control: Control, ended: str
) -> None:
    """Where it stands, for what follows a path is not taken over by other commands."""
    node, move = control.node, Command(name="a", type=CommandType.POSITION, value=1.0, id=uuid4())
    follow(control, *(Point(time=time, positions=(0.1,)) for time in (1.0, 40.0)))
    if ended == "stopped":
        node.gate.stop([0])
    else:
        control.trajectories.executor.cancel_all()
    node.held.sleep(0.001)
    control.start([move], node.now())
    node.after(0.2)
    assert node.tracker.runs(move.id), "so that a pause holds it"
    node.after(20.0, until=lambda: len(node.ends()) == 2)
    assert node.reasons()[1] is EndReason.ARRIVED


# Starts that are still to come


@pytest.mark.parametrize(("ahead", "delay"), [(-0.5, 0.0), (0.0005, 0.0), (2.0, 2.0)])
def test_a_start_that_is_past_or_a_cycle_away_is_now(
    control: Control, ahead: float, delay: float
) -> None:
    assert control.delay([asked(control, "a", ahead)]) == pytest.approx(delay)


def test_starts_that_differ_are_refused_unless_both_are_past(control: Control) -> None:
    assert control.delay([asked(control, "a", -0.5), asked(control, "b", -0.25)]) == 0.0
    for ahead in 1.0, -0.5:
        with pytest.raises(BadRequest, match="stamp differs: commands of one message start tog"):
            control.delay([asked(control, "a", ahead), asked(control, "b", 2.0)])


@pytest.mark.parametrize("ahead", [(1.0, 2.0), (0.0, 2.0), (61.0, 61.0)])
def test_stops_whose_starts_differ_or_are_too_far_ahead_begin_now(
    control: Control, ahead: tuple[float, float]
) -> None:
    control.begin_now(run("a"), run("b"))
    stops = [asked(control, name, at, STOP) for name, at in zip("ab", ahead, strict=True)]
    commands, due = control.accept(stops)
    control.start(commands, control.node.now(), due)
    assert not control.node.after(0.2).velocity_cmd.any()


@pytest.mark.parametrize("lacks", ["room", "status"])
def test_a_stop_that_cannot_wait_for_its_start_begins_now(
    held: HeldEngine, nodes: Callable[..., HeldNode], lacks: str
) -> None:
    motion = Stubborn(held, "status", refusals=0)
    control = Control(nodes(held, motion=motion))
    control.begin_now(run("a"))
    if lacks == "room":
        for _ in range(MOST_WAITING):
            control.start([run("b")], control.node.now(), control.due(50.0))
    else:
        motion.refusals = inf
    control.start([Command(name="a", type=STOP)], control.node.now(), control.due(1.0))
    assert control.node.after(0.3).velocity_cmd[0] == 0.0


def test_what_a_stop_has_overtaken_ends_as_refused(control: Control) -> None:
    overtaken = run("a")
    sent = control.node.now()
    control.node.gate.refuse_earlier([0])
    with pytest.raises(CommandRefused, match="it was stopped after the command was sent"):
        control.start([overtaken], sent, control.due(0.5))
    [end] = control.node.ends()
    assert (end.id, end.reason, end.code) == (
        overtaken.id,
        EndReason.REFUSED,
        ErrorCode.NotIdleState,
    )


def test_a_suspension_before_its_start_lets_a_motion_never_begin(control: Control) -> None:
    control.start([run("a")], control.node.now(), control.due(0.5))
    control.node.held.after(6.0)
    control.node.after(0.1)
    [end] = control.node.ends()
    assert end.message == "it has waited while this process was suspended for 6.0 s"
    assert control.node.begins() == []


def test_what_waits_in_the_worker_as_the_process_is_suspended_never_begins(
    control: Control,
) -> None:
    node, queue = control.node, list[Callable[[], object]]()
    awaited: Any = node
    awaited.worker = SimpleNamespace(submit=queue.append)
    awaited.require_prompt = partial(node.leases.require_sent_after_suspension, patience=2.0)
    control.begin([run("a")], node.now())
    node.held.after(6.0)
    with pytest.raises(CommandRefused, match="it has waited while this process was suspended"):
        queue.pop()()
    [end] = node.ends()
    assert (end.reason, end.code) == (EndReason.REFUSED, ErrorCode.NotIdleState)


def test_a_later_trajectory_is_planned_beside_what_else_is_commanded_and_begins_in_time(
    control: Control,
) -> None:
    """However long its planning takes."""
    node, planner = control.node, list[Callable[[], object]]()
    node.threads.planner.submit = planner.append
    later = asked(control, "a", 0.5)
    later.points = [JointTrajectoryPoint(positions=[0.5], time_from_start=Duration(sec=1))]
    start = node.now() + 0.5
    commands, due = control.accept([later])
    control.begin(commands, node.now(), due)
    control.begin_now(run("b"))
    assert [begin.axes for begin in node.begins()] == [(1,)]
    planner.pop()()
    node.after(1.0)
    assert [begin.axes for begin in node.begins()] == [(1,), (0,)]
    assert node.begins()[1].time == pytest.approx(start, abs=0.02)


def test_a_trajectory_that_a_later_command_has_overtaken_ends_as_refused(control: Control) -> None:
    node, planner = control.node, list[Callable[[], object]]()
    node.threads.planner.submit = planner.append
    overtaken = Command(name="a", type=CommandType.TRAJECTORY, points=(WAY,), id=uuid4())
    control.begin([overtaken], node.now())
    node.after(0.1)
    control.begin_now(Command(name="a", type=CommandType.POSITION, value=0.05))
    node.after(1.0, until=node.ends)
    with pytest.raises(ReportedRefusal, match="axis 0: a command that was sent later has") as told:
        planner.pop()()
    assert told.value.code == ErrorCode.NotIdleState
    assert node.after(1.0).pos_cmd[0] == pytest.approx(0.05)
    assert node.ends()[-1].id == overtaken.id
    assert node.reasons() == [EndReason.ARRIVED, EndReason.REFUSED]


def test_a_trajectory_that_waits_for_a_cancel_is_overtaken_by_a_later_command(
    control: Control,
) -> None:
    node = control.node
    follow(control, *(Point(time=time, positions=(0.1,)) for time in (1.0, 40.0)))
    control.trajectories.executor.cancel_all()
    overtaken = Command(name="a", type=CommandType.TRAJECTORY, points=(WAY,), id=uuid4())
    control.start([overtaken], node.now())
    node.held.sleep(0.001)
    control.start([Command(name="a", type=CommandType.POSITION, value=0.1001)], node.now())
    node.after(9.0)
    assert node.held.status().pos_cmd[0] == pytest.approx(0.1001)
    [end] = [end for end in node.ends() if end.id == overtaken.id]
    assert (end.reason, end.code) == (EndReason.REFUSED, ErrorCode.NotIdleState)


def test_what_starts_later_is_overtaken_by_nothing_that_comes_before_its_start(
    control: Control,
) -> None:
    node = control.node
    later = Command(name="a", type=CommandType.TRAJECTORY, points=(WAY,), id=uuid4())
    control.start([later], node.now(), control.due(2.0))
    node.after(0.1)
    control.begin_now(Command(name="a", type=CommandType.POSITION, value=0.05))
    node.after(6.0, until=lambda: len(node.ends()) == 2)
    assert node.reasons() == [EndReason.ARRIVED, EndReason.ARRIVED]


def test_what_finds_no_place_in_the_worker_ends_as_refused(control: Control) -> None:
    def submit(_: Any) -> Any:
        raise BadRequest(["100 messages wait already"])

    awaited: Any = control.node
    awaited.worker, awaited.require_prompt = SimpleNamespace(submit=submit), lambda _: None
    begun = run("a")
    with pytest.raises(BadRequest, match="100 messages wait"):
        control.begin([begun], control.node.now())
    [end] = control.node.ends()
    assert (end.id, end.reason) == (begun.id, EndReason.REFUSED)


def test_a_later_stop_of_several_axes_of_which_one_was_stopped_begins_now(control: Control) -> None:
    control.begin_now(Command(name="b", type=CommandType.POSITION, value=100.0))
    sent = control.node.now()
    control.node.gate.stop([0])
    control.start(
        [Command(name="a", type=STOP), Command(name="b", type=STOP)], sent, control.due(0.5)
    )
    control.node.after(0.3)
    assert control.node.reasons() == [EndReason.STOPPED], "that of the motion: none is refused"
    assert not control.node.held.status().velocity_cmd.any()


@pytest.mark.parametrize("stopped", [[0], [0, 1]])
def test_a_stop_of_several_axes_waits_for_its_start_until_all_of_them_were_stopped(
    control: Control, stopped: list[int]
) -> None:
    control.begin_now(Command(name="b", type=CommandType.POSITION, value=100.0))
    stops = [Command(name=name, type=STOP, id=uuid4()) for name in "ab"]
    control.start(stops, control.node.now(), control.due(0.5))
    control.node.after(0.1)
    control.node.gate.stop(stopped)
    control.node.after(1.0)
    refused = [end.id for end in control.node.ends() if end.reason is EndReason.REFUSED]
    assert refused == [stop.id for stop in stops if len(stopped) == 2]
    assert not control.node.held.status().velocity_cmd.any()


WAY = Point(time=1.0, positions=(0.5,))


@pytest.mark.parametrize(
    ("kind", "answered"),
    [(VELOCITY, 0), *((CommandType.TRAJECTORY, statuses) for statuses in range(3))],
)
@pytest.mark.parametrize("delay", [0.0, 0.5])
def test_what_begins_while_no_status_is_answered_ends_as_refused(
    control: Control,
    monkeypatch: pytest.MonkeyPatch,
    kind: CommandType,
    answered: int,
    delay: float,
) -> None:
    """Also where some of the statuses that it asks for are answered."""
    node, command = control.node, Command(name="a", type=kind, value=1.0, points=(WAY,), id=uuid4())
    status, answers = node.gate.status, iter([*[True] * answered, False])

    def answer() -> MotionStatus:
        if next(answers, True):
            return status()
        raise CommandRefused(ErrorCode.StatusChannelError)

    if delay:
        control.start([command], node.now(), control.due(delay))
    with monkeypatch.context() as patch:
        patch.setattr(node.gate, "status", answer)
        if delay:
            node.after(1.0)
        else:
            with pytest.raises((CommandRefused, BadRequest), match="StatusChannelError"):
                control.start([command], node.now())
    assert next(answers, None) is None, "all were asked for"
    [end] = node.ends()
    assert (end.id, end.reason, end.code) == (
        command.id,
        EndReason.REFUSED,
        ErrorCode.StatusChannelError,
    )
    assert node.begins() == []
    control.begin_now(run("a"))
    assert node.held.status().velocity_cmd[0] == 1.0


@pytest.mark.parametrize("kind", [VELOCITY, CommandType.TRAJECTORY])
def test_what_is_to_begin_later_while_no_status_is_answered_ends_as_refused(
    held: HeldEngine, nodes: Callable[..., HeldNode], kind: CommandType
) -> None:
    motion = Stubborn(held, "status", refusals=0)
    control = Control(nodes(held, motion=motion))
    command = Command(name="a", type=kind, value=1.0, points=(WAY,), id=uuid4())
    motion.refusals = 1
    with pytest.raises(CommandRefused):
        control.start([command], control.node.now(), control.due(0.5))
    [end] = control.node.ends()
    assert (end.id, end.reason) == (command.id, EndReason.REFUSED)


def test_what_is_planned_for_later_while_the_node_lets_go_never_begins(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor once the node has attached again."""
    node, command = control.node, Command(name="a", type=CommandType.TRAJECTORY, points=(WAY,))
    command, prepare = replace(command, id=uuid4()), control.trajectories.prepare

    def let_go(commands: Any) -> Any:
        prepared = prepare(commands)
        node.held.after(0.01)
        node.gate.close()
        for hook in node.on_let_go:
            hook()
        node.supervisor.stop()
        return prepared

    with monkeypatch.context() as patch:
        patch.setattr(control.trajectories, "prepare", let_go)
        with pytest.raises(ReportedRefusal, match="let go of the engine before its start"):
            control.start([command], node.now(), control.due(1.0))
    [end] = node.ends()
    assert (end.id, end.reason, end.code) == (
        command.id,
        EndReason.REFUSED,
        RefusalCode.NOT_READY,
    )
    node.gate.open()
    node.after(3.0)
    assert node.begins() == []


def test_a_stop_that_is_due_does_not_wait_for_the_worker(control: Control) -> None:
    control.begin_now(Command(name="a", type=CommandType.POSITION, value=100.0))
    worker = list[Callable[[], object]]()
    control.node.worker = SimpleNamespace(do=lambda work, **_: worker.append(work))
    control.start([Command(name="a", type=STOP)], control.node.now(), control.due(0.5))
    control.node.after(0.8)
    assert control.node.held.status().velocity_cmd[0] == 0.0
    assert worker == []


def test_a_stop_is_carried_out_however_late(control: Control) -> None:
    control.begin_now(Command(name="a", type=CommandType.POSITION, value=100.0))
    control.start([Command(name="a", type=STOP)], control.node.now(), control.due(0.5))
    control.node.held.after(6.0)
    control.node.after(0.1)
    assert control.node.held.status().velocity_cmd[0] == 0.0


# What is published


def test_an_estimate_is_where_the_commands_put_an_actuator_at_any_speed(control: Control) -> None:
    node = control.node
    ActuatorGroups(node, control)  # type: ignore[arg-type]
    control.begin_now(Command(name="a", type=CommandType.POSITION, value=0.5))
    for percent in 10, 100:
        axis_file(node).speed = Speed(percent)
        status = node.after(0.3)
        [estimate] = node.published["wmx/actuator/estimated"][-1:]
        assert estimate.name == ["a"]
        assert (estimate.position[0], estimate.velocity[0]) == (
            status.pos_cmd[0],
            status.velocity_cmd[0],
        )


@pytest.mark.parametrize("rate", [1.0, 4.0])
def test_a_group_shows_what_is_measured(nodes: Callable[..., HeldNode], rate: float) -> None:
    node = nodes(HeldEngine(clock_rate=rate).servo_on())
    control = Control(node)
    control.change(effort_per_percent=(0.5,))
    ActuatorGroups(node, control)  # type: ignore[arg-type]
    control.begin_now(run("a", 10.0))  # at 10 u/s^2 of the engine
    status = node.after(0.02)
    [message] = node.published["wmx/actuator_group/state"][-1:]
    assert list(message.names) == ["a", "b"], "the engine has no axis for c"
    shown = {each.semantics: each.value for each in message.actuators[0].values}
    assert (shown[0], shown[1]) == (status.actual_pos[0], status.actual_velocity[0])
    assert shown[2] == pytest.approx(10.0, rel=0.1)
    assert shown[3] == 0.5 * status.actual_torque[0] != 0.0


# Stops


def test_a_stop_needs_no_status(held: HeldEngine, nodes: Callable[..., HeldNode]) -> None:
    motion = Stubborn(held, "status", refusals=0)
    control = Control(nodes(held, motion=motion))
    control.begin_now(run("a"))
    motion.refusals = inf
    [started] = control.start([Command(name="a", type=STOP)], control.node.now())
    assert started.arrival is None, "when it rests is not known"
    assert control.node.after(0.5).velocity_cmd[0] == 0.0


@pytest.mark.parametrize("fields", [{"velocity": nan}, {"value": nan}, {"acceleration": 1e9}, {}])
def test_a_stop_is_obeyed_whatever_its_numbers_and_its_id_are(
    control: Control, fields: dict[str, Any]
) -> None:
    moving = run("a")
    control.begin_now(moving)
    control.begin_now(Command(name="a", type=STOP, id=moving.id, **fields))
    assert control.node.held.status().velocity_cmd[0] == 0.0


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (Command(name="nose", type=STOP), "there is no actuator 'nose'"),
        (Command(name="c", type=STOP), "axis of actuator 'c' is 2: the engine has 0 to 1"),
        (Command(name="a", type=STOP), "'a' is named 2 times"),
    ],
)
@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_what_is_wrong_with_a_stop_is_said_when_the_others_are_stopped(
    control: Control, other: Command, why: str, delay: float
) -> None:
    control.begin_now(run("a"), run("b"))
    stops = [Command(name=name, type=STOP) for name in "ab"]
    with pytest.raises(BadRequest, match=why):
        control.start([*stops, other], control.node.now(), control.due(delay))
    control.node.after(0.2)
    assert not any(control.node.held.status().velocity_cmd)
