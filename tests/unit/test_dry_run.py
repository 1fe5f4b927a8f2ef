"""A dry run says what then happens on the simulated engine, to the last bit, in the same words."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from math import inf, isfinite
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import numpy as np
import pytest
from cases import cases
from held_engine import HeldEngine, same
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from random_orders import PARAMETERS, WITH_ENDS

from wmx_core.values import CommandMode, LimitType, MotionStatus
from wmx_ros2_package.actuators.command import Command, CommandType, Point
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.engine_calls import RunTimes, engine_call, motion_requests
from wmx_ros2_package.actuators.trajectories import RULES, goal_of, request_of
from wmx_ros2_package.control.following.context import ExecutionContext
from wmx_ros2_package.control.following.executor import TrajectoryExecutor
from wmx_ros2_package.control.gate import Gate
from wmx_ros2_package.control.motion_ends import InPosition
from wmx_ros2_package.control.ownership import Ownership
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind, MotionRequest
from wmx_ros2_package.control.tracker import MotionTracker
from wmx_ros2_package.dry_run import DryRun, Outcome, StepRefused, Trial, axes_of
from wmx_ros2_package.dry_run.messages import in_words
from wmx_ros2_package.dry_run.rehearsal import LATENCY
from wmx_ros2_package.dry_run.run import MOST_STEPS, line_call
from wmx_ros2_package.nodes.actuators.continuous import RUN_TIME
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.engine_copy import copy_from_status, exact_copy
from wmx_sim.engine.proxies import StatesProxy

AXES = 3
ACTUATORS = {
    f"joint{axis}": Actuator(
        name=f"joint{axis}", axis=axis, position_min=-4.0, position_max=4.0, effort_max=50.0
    )
    for axis in range(AXES)
}
RENEWED = RunTimes(seconds=RUN_TIME, renewed=True)
"""How long the engine lets what has no duration run, where a node renews it."""
Step = list[Command]


def held_engine(clock_rate: float = 1.0) -> HeldEngine:
    """Switches at 3 revolutions and ends at 3.5, soft limits of homed axes at 2.5."""
    limits = {"soft_limit_type": 3, "soft_limit_positive": 2.5, "soft_limit_negative": -2.5}
    parameters = {**PARAMETERS, **limits}
    held = HeldEngine(AXES, model=WITH_ENDS, clock_rate=clock_rate, **parameters).servo_on()
    held.motion.set_position(2, 0.0)  # its home is done, so that its soft limits hold
    return held


class Machine:
    """The path of motions over a held engine, as a node has it; every cycle is looked at."""

    def __init__(self, held: HeldEngine) -> None:
        self.held = held
        self.events: list[tuple[int, Begin | End]] = []
        self.statuses: list[MotionStatus] = [held.status()]
        self._tasks: list[Any] = []
        self.tracker = MotionTracker("", LATENCY, self.now, in_position_widths=self._widths)
        self.tracker.listen(lambda event: self.events.append((held.status().cycle, event)))
        ownership = Ownership("fake", held.motion.status, 0.0)
        self.gate = Gate(held.motion, ownership, self.tracker)
        self.gate.open()
        context = ExecutionContext(
            gate=self.gate,
            tracker=self.tracker,
            latency=LATENCY,
            plan_in=at_once,
            log=lambda _: None,
        )
        self.executor = TrajectoryExecutor(context, self)
        self.executor.attach(1e-3)

    def now(self) -> float:
        return self.held.status().time

    def _widths(self, axes: Sequence[int]) -> list[float]:
        known = self.held.motion.parameters()
        return [known.axis(axis).in_pos_width for axis in axes]

    def add_task(self, name: str, task: Any, period: float = 0.0) -> None:
        self._tasks.append(task)

    def start(self, step: Step, *, line: bool = False) -> None:
        step = [replace(command, id=uuid4()) for command in step]
        if step[0].type == CommandType.TRAJECTORY:
            prepared = self.executor.prepare(*goal_of(step, ACTUATORS), RULES)
            request = request_of(step, prepared.plan, self.now(), "")
            execution = self.executor.start(prepared, request, mode=CommandMode.POSITION)
            if execution.outcome.done() and execution.outcome.result().text:
                raise BadRequest([execution.outcome.result().text])
            self._look()
            return
        if line:
            made = line_call(step, ACTUATORS)
        else:
            made = engine_call(step, ACTUATORS, self.held.status(), RENEWED)
        requests = motion_requests(step, made, self.now(), "")
        if line:
            names = tuple(command.name for command in step)
            requests = [replace(requests[0], axes=made.axes, targets=made.targets, names=names)]
        self.gate.issue(requests, made.start, made.mode)
        for request in requests:
            if request.kind is MotionKind.EFFORT:
                self.release_when_held(request)
        self._look()

    def release_when_held(self, request: MotionRequest) -> None:
        """As `ContinuousCommands`: an effort ends when its axis holds its position."""

        def update(status: MotionStatus) -> bool:
            held = status.command_mode[request.axes[0]] == CommandMode.POSITION
            if held:
                self.tracker.release(request.id)
            return not held

        self.add_task("position mode", update)

    def _look(self) -> None:
        """Of the cycle in which a step begins only the first is seen with what was commanded."""
        if len(self.statuses) == 1:
            self.statuses[0] = self.held.status()

    def cycle(self) -> None:
        status = self.held.after(0.001)
        self.statuses.append(status)
        self.tracker.update(status)
        self._tasks = [task for task in self._tasks if task(status)]
        self.tracker.update(status)

    def to_rest(self) -> None:
        for _ in range(60_000):
            if not self.tracker and not self._tasks:
                return
            self.cycle()
        raise AssertionError("it does not come to rest")


def at_once(work: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(work())
    return future


def tried(held: HeldEngine, steps: Sequence[Step], **options: Any) -> Outcome:
    trial = Trial(steps=steps, **{"samples": 100, **options})
    axes = axes_of(trial, ACTUATORS)
    copy = exact_copy(StatesProxy(held.fake.call).copy(axes), axes)
    return DryRun(trial, ACTUATORS, copy).outcome()


def command(name: str, type: CommandType, value: float, **fields: Any) -> Command:
    return Command(name=name, type=type, value=value, **fields)


def follow(*ways: Sequence[float], spacing: float = 0.5) -> Step:
    """One trajectory of the first joints through places, one row for each joint."""
    return [
        Command(
            name=f"joint{axis}",
            type=CommandType.TRAJECTORY,
            points=tuple(
                Point(time=spacing * (i + 1), positions=(at,)) for i, at in enumerate(way)
            ),
        )
        for axis, way in enumerate(ways)
    ]


names = st.lists(st.sampled_from([*ACTUATORS]), min_size=1, max_size=AXES, unique=True)
speeds = st.fixed_dictionaries(
    {}, optional={"velocity": st.floats(0.5, 4.0), "acceleration": st.floats(0.5, 50.0)}
)
positions = st.tuples(
    names, st.lists(st.floats(-4.5, 4.5), min_size=AXES, max_size=AXES), speeds
).map(lambda d: [command(n, CommandType.POSITION, v, **d[2]) for n, v in zip(*d[:2], strict=False)])
velocities = st.tuples(st.sampled_from([*ACTUATORS]), st.floats(-4.0, 4.0), st.floats(0.01, 2.0))
efforts = st.tuples(st.sampled_from([*ACTUATORS]), st.floats(-16.0, 16.0), st.floats(0.01, 0.3))
steps = st.one_of(
    positions,
    velocities.map(lambda d: [command(d[0], CommandType.VELOCITY, d[1], duration=d[2])]),
    st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=6).map(follow),
    st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=6).map(
        lambda places: follow(*zip(*places, strict=True))
    ),
)


@pytest.mark.long
@settings(max_examples=cases(60), phases=[Phase.generate])
@given(st.lists(steps, min_size=1, max_size=3), st.booleans())
def test_what_is_said_is_what_happens(wanted: list[Step], lead: bool) -> None:
    held = held_engine()
    if lead:  # from a motion that is under way
        Machine(held).start([command("joint0", CommandType.POSITION, 1.0, velocity=2.0)])
        held.after(0.2)
    tried_and_done(held, wanted)


def tried_and_done(
    held: HeldEngine, wanted: Sequence[Step], *, line: bool = False
) -> Outcome | None:
    """What a dry run says, which is then what happens; None where that is a refusal."""
    before = held.status()
    refused: StepRefused | None = None
    outcome: Outcome | None = None
    try:
        outcome = tried(held, wanted, line=line)
    except StepRefused as error:
        refused = error
    assert same(held.status(), before), "nothing moves"
    machine = Machine(held)
    for i, step in enumerate(wanted):
        if refused is not None and refused.step == i:
            with pytest.raises(type(refused.error)) as really:
                machine.start(step, line=line)
            assert str(refused.error) == str(really.value)
            return None
        machine.start(step, line=line)
        machine.to_rest()
    assert outcome is not None, refused
    compare(outcome, machine)
    return outcome


def compare(outcome: Outcome, machine: Machine) -> None:
    first = machine.statuses[0].cycle
    begins = [event for _, event in machine.events if isinstance(event, Begin)]
    ends = {event.id: (cycle, event) for cycle, event in machine.events if isinstance(event, End)}
    assert len(outcome.motions) == len(begins)
    for said, begin in zip(outcome.motions, begins, strict=True):
        cycle, end = ends[begin.id]
        assert said.end is not None
        assert (said.begin.kind, said.begin.axes) == (begin.kind, begin.axes)
        assert (said.begin.initial, said.end.final) == (begin.initial, end.final)
        assert (said.end.reason, said.end.code, said.end.message) == (
            end.reason,
            end.code,
            end.message,
        )
        assert round(said.ends * 1000) == cycle - first
    while machine.statuses[-1].cycle < first + round(outcome.times[-1] * 1000):
        machine.cycle()
    by_cycle = {status.cycle: status for status in machine.statuses}
    for i, peaks in enumerate(outcome.axes):
        axis = peaks.axis
        seen = [by_cycle[first + k] for k in range(round(outcome.times[-1] * 1000) + 1)]
        assert peaks.velocity == max(abs(float(s.velocity_cmd[axis])) for s in seen)
        assert peaks.torque == max(abs(float(s.actual_torque[axis])) for s in seen)
        assert peaks.following_error == max(abs(float(s.following_error[axis])) for s in seen)
        assert (peaks.low, peaks.high) == (
            min(float(s.pos_cmd[axis]) for s in seen),
            max(float(s.pos_cmd[axis]) for s in seen),
        )
        for time_, at, motor in zip(
            outcome.times, outcome.paths[:, i], outcome.motors[:, i], strict=True
        ):
            status = by_cycle[first + round(time_ * 1000)]
            assert (at, motor) == (status.pos_cmd[axis], status.actual_pos[axis])
        if isfinite(peaks.settled):
            settled = first + round(peaks.settled * 1000)
            assert by_cycle[settled].motion_complete[axis]
            assert settled == first or not by_cycle[settled - 1].motion_complete[axis]
        for time_, _ in peaks.limits:
            status = by_cycle[first + round(time_ * 1000)]
            flags = "positive_ls", "negative_ls", "positive_soft_limit", "negative_soft_limit"
            assert any(getattr(status, flag)[axis] for flag in flags)


@settings(max_examples=cases(20), phases=[Phase.explicit, Phase.generate])
@given(efforts)
@example(("joint1", 0.1, 0.1))  # its end is a cycle, which the sum of two times is not exactly
def test_an_effort_ends_as_it_would(given: tuple[str, float, float]) -> None:
    name, value, duration = given
    step = [command(name, CommandType.EFFORT, value, duration=duration)]
    tried_and_done(held_engine(), [step])


def test_a_line_is_tried_on_the_line() -> None:
    step = [
        command("joint0", CommandType.POSITION, 1.0, velocity=2.0),
        command("joint1", CommandType.POSITION, -0.5),
    ]
    outcome = tried_and_done(held_engine(), [step], line=True)
    assert outcome is not None
    assert outcome.paths[:, 1] == pytest.approx(-0.5 * outcome.paths[:, 0])


def test_a_line_has_no_duration() -> None:
    step = [
        command("joint0", CommandType.POSITION, 1.0),
        command("joint1", CommandType.POSITION, -0.5, duration=5.0),
    ]
    with pytest.raises(StepRefused, match="duration of 'joint1' is 5: must be 0 on a line"):
        tried(held_engine(), [step], line=True)


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (follow([0.2, 0.4]), "TRAJECTORY"),
        ([command("joint0", CommandType.VELOCITY, 1.0, duration=0.5)], "VELOCITY"),
    ],
)
def test_a_line_is_one_of_positions(step: Step, kind: str) -> None:
    with pytest.raises(StepRefused, match=rf"type is \d \({kind}\): a line must be of POSITION"):
        tried(held_engine(), [step], line=True)


@pytest.mark.parametrize("kind", [LimitType.DEC, LimitType.SERVO_OFF])
def test_a_limit_is_met_where_and_when_it_is(kind: LimitType) -> None:
    """Also one whose command goes back to the motor, which may be within the limit."""
    held = held_engine()
    held.apply(soft_limit_type=kind)
    outcome = tried_and_done(held, [[command("joint2", CommandType.POSITION, 3.0)]])
    assert outcome is not None
    [(at, words)] = outcome.axes[0].limits
    assert words.startswith("positive soft limit reached, met at 2.")
    [motion] = outcome.motions
    assert motion.end is not None
    assert motion.end.reason is EndReason.LIMIT
    assert motion.end.message.startswith("axis 2: positive soft limit reached at ")
    assert 0.0 < at <= motion.ends < inf
    assert (at < motion.ends) == held.status().servo_on[2] == (kind is LimitType.DEC)


def test_a_velocity_without_duration_goes_on_to_its_limit_or_for_ever() -> None:
    held = held_engine()
    step = [command("joint0", CommandType.VELOCITY, 0.5)]
    outcome = tried(held, [step], longest=2.0)
    assert outcome.duration == inf
    assert outcome.motions[0].end is None
    near = {"joint0": replace(ACTUATORS["joint0"], position_max=0.5)}
    copy = exact_copy(StatesProxy(held.fake.call).copy([0]), [0])
    ended = DryRun(Trial(steps=[step]), near, copy).outcome().motions[0].end
    assert ended is not None
    assert (ended.reason, ended.final) == (EndReason.LIMIT, pytest.approx((0.5,), abs=0.001))


@pytest.mark.parametrize("type", [CommandType.VELOCITY, CommandType.EFFORT])
def test_one_step_may_have_what_ends_and_what_does_not(type: CommandType) -> None:
    held = held_engine()
    step = [command("joint0", type, 0.1, duration=1.0), command("joint1", type, 0.1)]
    ended, endless = tried(held, [step], longest=2.0).motions
    assert ended.end is not None
    assert (ended.end.reason, endless.end) == (EndReason.ARRIVED, None)
    machine = Machine(held)
    machine.start(step)
    assert [event.axes for _, event in machine.events] == [(0,), (1,)]


def test_a_trajectory_without_end_is_seen_once_and_does_not_end() -> None:
    step = follow([0.5, 0.0])
    outcome = tried(held_engine(), [[replace(step[0], repeat=-1)]])
    assert outcome.duration == inf
    assert outcome.motions[0].end is None
    assert in_words(outcome) == "Would go on without end"


@pytest.mark.parametrize("rate", [0.5, 4.0])
def test_a_trajectory_that_stands_on_its_way_goes_on_in_time_whatever_the_clock_rate(
    rate: float,
) -> None:
    """Times are of the clients, who wait so much longer for an engine that is slower."""
    usual, other = (tried(held_engine(r), [follow([0.5, 0.5, 1.0])]) for r in (1.0, rate))
    assert other.duration == pytest.approx(usual.duration / rate)
    assert other.axes[0].settled == pytest.approx(usual.axes[0].settled / rate)
    assert (other.times, other.paths) == (
        pytest.approx(usual.times / rate),
        pytest.approx(usual.paths),
    )


@pytest.mark.parametrize("rate", [0.5, 4.0])
def test_a_run_ends_after_its_duration_whatever_the_clock_rate(rate: float) -> None:
    step = [command("joint0", CommandType.VELOCITY, 0.5, duration=1.0, acceleration=50.0)]
    outcome = tried(held_engine(rate), [step], longest=2.0)
    assert 1.0 <= outcome.duration < 1.3, "it slows down, and its motor comes to its place"


def test_each_axis_of_a_step_ends_when_it_does() -> None:
    held = held_engine()
    Machine(held).start([command("joint0", CommandType.POSITION, 1.0, velocity=2.0)])
    held.after(0.2)
    step = [command(name, CommandType.POSITION, 0.0) for name in ACTUATORS]
    ends = [motion.ends for motion in tried(held, [step]).motions]
    assert ends[0] > 0.5
    assert ends[1:] == [0.001, 0.001]


def test_holds_and_stops_come_to_rest() -> None:
    for type in CommandType.HOLD, CommandType.STOP:
        held = held_engine()
        Machine(held).start([command("joint0", CommandType.POSITION, 2.0, velocity=2.0)])
        held.after(0.3)
        outcome = tried(held, [[command("joint0", type, 0.0)]])
        held.motion.stop([0]) if type is CommandType.HOLD else held.motion.quick_stop([0])
        final = held.after(outcome.duration)
        assert outcome.axes[0].high == final.pos_cmd[0] > 0.0
        assert final.velocity_cmd[0] == 0.0


def test_a_real_engine_is_tried_from_its_status_and_parameters() -> None:
    held = held_engine()
    held.motion.set_position(1, 0.5)
    trial = Trial(steps=[[command("joint1", CommandType.POSITION, 1.5, velocity=1.0)]])
    copy = copy_from_status(held.status(), held.motion.parameters(), [1])
    outcome = DryRun(trial, ACTUATORS, copy).outcome()
    exact = tried(held, trial.steps)
    assert not outcome.exact
    assert exact.exact
    assert outcome.duration == exact.duration
    assert (outcome.axes[0].low, outcome.axes[0].high) == (0.5, 1.5)
    assert outcome.axes[0].velocity == exact.axes[0].velocity


@pytest.mark.parametrize(
    ("trial", "rule"),
    [
        (Trial(steps=[]), f"there are 0 steps: must be 1 to {MOST_STEPS}"),
        (Trial(steps=[[]] * 101), "there are 101 steps: must be 1 to 100"),
        (Trial(steps=[[command("joint0", CommandType.STOP, 0.0)]], longest=4e3), "longest is"),
        (Trial(steps=[[command("joint0", CommandType.STOP, 0.0)]], longest=-1.0), "longest is"),
        (Trial(steps=[[command("joint0", CommandType.STOP, 0.0)]], samples=10**6), "samples is"),
    ],
)
def test_trials_that_cannot_be_meant(trial: Trial, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        axes_of(trial, ACTUATORS)


def test_the_step_that_breaks_a_rule_is_named() -> None:
    good = [command("joint0", CommandType.POSITION, 1.0)]
    wrong = [command("nose", CommandType.POSITION, 1.0)]
    for bad, words in (([], "there are 0 commands"), (wrong, "there is no actuator 'nose'")):
        for steps in ([bad], [good, bad]):
            with pytest.raises(StepRefused, match=words) as refused:
                tried(held_engine(), steps)
            assert refused.value.step == len(steps) - 1
    jogs = [[command("joint0", CommandType.VELOCITY, 0.1)]] * 2
    with pytest.raises(StepRefused, match="the step before has not ended in 1 s"):
        tried(held_engine(), jogs, longest=1.0)


def test_a_path_has_no_more_times_than_were_asked_for() -> None:
    held = held_engine()
    for samples in (1, 2, 3, 50, 999):
        outcome = tried(held, [[command("joint0", CommandType.POSITION, 2.0)]], samples=samples)
        assert samples / 2 <= len(outcome.times) <= samples
        apart = np.diff(outcome.times)
        assert apart[:-1] == pytest.approx(apart[:1].repeat(len(apart[:-1])))
        assert outcome.paths[-1, 0] == 2.0


def test_it_ends_when_it_is_not_wanted_any_more() -> None:
    held = held_engine()
    trial = Trial(steps=[[command("joint0", CommandType.VELOCITY, 0.001)]], longest=3600.0)
    copy = exact_copy(StatesProxy(held.fake.call).copy([0]), [0])
    with pytest.raises(BadRequest, match="deactivated"):
        DryRun(trial, ACTUATORS, copy, wanted=lambda: False).outcome()


def test_a_motor_that_is_waited_for_is_computed_in_parts() -> None:
    """In each of 2000 cycles its motion may end, but a course of each of them costs seconds."""
    trial = Trial(steps=[[command("joint0", CommandType.POSITION, 0.1, velocity=2.0)]])
    copy = exact_copy(StatesProxy(held_engine().fake.call).copy([0]), [0])
    never = InPosition(width=-1.0, timeout=2.0)
    with patch.object(copy, "course", wraps=copy.course) as course:
        outcome = DryRun(trial, ACTUATORS, copy, in_position=never).outcome()
    [motion] = outcome.motions
    assert motion.end is not None
    assert motion.end.reason is EndReason.NOT_ARRIVED
    assert outcome.duration > 2.0
    assert course.call_count < 60


def test_minutes_are_within_the_bound_of_work_and_many_axes_for_an_hour_are_not() -> None:
    step = [command("joint0", CommandType.VELOCITY, 0.004)]
    outcome = tried(held_engine(), [step], longest=300.0, samples=1000)
    assert outcome.axes[0].high == pytest.approx(1.2, rel=0.01)
    assert np.all(np.diff(outcome.times) > 0.0)
    slow = [command(name, CommandType.VELOCITY, 0.0001) for name in ACTUATORS]
    with (
        patch("wmx_ros2_package.dry_run.run.MOST_WORK", 0.01),
        pytest.raises(BadRequest, match=r"s of the motion took 0.01 s to compute: try a part of"),
    ):
        tried(held_engine(), [slow], longest=3600.0)
