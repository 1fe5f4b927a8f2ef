"""What commands would do: carried out on a copy of the engine, by the rules that they really have.

Each step begins where the one before has ended. What has no duration goes on as if it were renewed.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf, isfinite
from uuid import UUID, uuid4

from wmx_core.errors import WmxError
from wmx_core.interface import EngineCopy
from wmx_core.values import CommandMode, Course, LinearMove, MotionStatus

from ..actuators.command import REPEAT_FOREVER, Command, CommandType
from ..actuators.description import Actuator
from ..actuators.engine_calls import EngineCall, RunTimes, engine_call, motion_requests
from ..actuators.limits import effort_ends, limit_words
from ..actuators.rules import check, require_axes
from ..actuators.trajectories import RULES, goal_of, request_of
from ..control.following.context import TrajectoryEnd
from ..control.motion_ends import InPosition
from ..control.request import Begin, End, EndReason, MotionKind
from ..validation import BadRequest
from .extremes import Seen
from .rehearsal import CYCLE_TIME, UNSEEN_CYCLES, Rehearsal
from .values import Outcome, Peaks, Step, Trial, Tried

MOST_STEPS = 100
MOST_SAMPLES = 100_000
"""The greatest number of samples of all axes together."""
LONGEST = 3600.0
"""How long is computed at most, s of the motion."""
AS_RENEWED = RunTimes(seconds=20.0 * LONGEST, renewed=True)
"""What has no duration has a run time, as in the node, in which its end is never seen: only so it
may begin in one cycle with what has one."""
MOST_WORK = 5.0
"""How much time of the processor the computation may take, s; it is refused then."""
SETTLING = 2.0
"""How long after the last motion the motors may take to be in position, s."""


class StepRefused(Exception):
    """A step would be refused, because of `error`."""

    def __init__(self, step: int, error: BadRequest | WmxError) -> None:
        super().__init__(str(error))
        self.step = step
        self.error = error


def axes_of(trial: Trial, actuators: Mapping[str, Actuator]) -> list[int]:
    """The axes of all steps that there are; a StepRefused where the first has none.

    BadRequest for a trial that breaks a rule.
    """
    if not 1 <= len(trial.steps) <= MOST_STEPS:
        raise BadRequest([f"there are {len(trial.steps)} steps: must be 1 to {MOST_STEPS}"])
    if not 0.0 < trial.longest <= LONGEST:
        raise BadRequest([f"longest is {trial.longest}: must be 0 to {LONGEST:g} s"])
    with _of_step(0):
        check(trial.steps[0], actuators)
    names = dict.fromkeys(command.name for step in trial.steps for command in step)
    axes = list(dict.fromkeys(actuators[name].axis for name in names if name in actuators))
    if not 0 <= trial.samples <= (most := MOST_SAMPLES // len(axes)):
        raise BadRequest([f"samples is {trial.samples}: must be 0 to {most} of {len(axes)} axes"])
    return axes


class DryRun:
    """Carries out `trial` on `copy`, which has the axes that `axes_of` names."""

    def __init__(
        self,
        trial: Trial,
        actuators: Mapping[str, Actuator],
        copy: EngineCopy,
        judge: Callable[[Step], None] = lambda step: None,
        wanted: Callable[[], bool] = lambda: True,
        in_position: InPosition | None = None,
    ) -> None:
        """`judge` refuses a step for what no copy contains, such as another owner."""
        self._trial = trial
        self._actuators = actuators
        self._copy = copy
        self._judge = judge
        self._wanted = wanted
        self._until = time.thread_time() + MOST_WORK
        self._axes = axes_of(trial, actuators)
        self._names = {actuator.axis: actuator.name for actuator in actuators.values()}
        self._seen = Seen(len(self._axes), trial.samples)
        self._rehearsal = Rehearsal(copy, self._take, in_position)
        self._first = self._rehearsal.status.cycle
        self._cycle_time = CYCLE_TIME / self._rehearsal.status.clock_rate
        """A cycle, s of the steady clock: times are of that, as those of a motion are."""
        self._step = 0
        self._begins: dict[UUID, tuple[int, Begin, float]] = {}
        self._ends: dict[UUID, tuple[End, float]] = {}
        self._endless: set[UUID] = set()
        self._rehearsal.tracker.listen(self._on_event)

    def outcome(self) -> Outcome:
        """Carry the trial out, or StepRefused.

        BadRequest where the computation takes too long, or is not `wanted` any more.
        """
        last = self._first + round(self._trial.longest / self._cycle_time)
        rehearsal, rests = self._rehearsal, True
        for i, step in enumerate(self._trial.steps):
            self._step = i
            with _of_step(i):
                if not rests:
                    words = f"the step before has not ended in {self._trial.longest:g} s"
                    raise BadRequest([f"{words}: no step can follow it"])
                self._start([replace(command, id=uuid4()) for command in step])
            axes = [self._actuators[command.name].axis for command in step]
            rests = rehearsal.run(last, axes) and not self._endless
        duration = self._now() if rests else inf
        self._settle(last)
        return Outcome(
            exact=self._copy.exact,
            duration=duration,
            longest=self._trial.longest,
            motions=tuple(self._tried()),
            axes=tuple(self._peaks()),
            **self._seen.paths(self._first, self._cycle_time),
        )

    def _start(self, step: Step) -> None:
        """Begin a step as `ActuatorControl` does."""
        rehearsal, status = self._rehearsal, self._rehearsal.status
        check(step, self._actuators)
        self._judge(step)
        require_axes(step, self._actuators, status.axes)
        if self._trial.line:
            made = line_call(step, self._actuators)
        elif step[0].type == CommandType.TRAJECTORY:
            self._start_trajectory(step)
            return
        else:
            made = engine_call(step, self._actuators, status, AS_RENEWED)
        requests = motion_requests(step, made, status.time, "")
        if self._trial.line:
            names = tuple(command.name for command in step)
            targets = made.targets
            requests = [replace(requests[0], axes=made.axes, names=names, targets=targets)]
        if made.kind is MotionKind.STOP:
            made.start(self._copy.motion)
            return
        rehearsal.gate.issue(requests, made.start, made.mode)
        for command in step:
            if command.type == CommandType.EFFORT:
                self._release_when_held(self._actuators[command.name].axis, command.id)
                self._watch_limits(self._actuators[command.name], command)

    def _start_trajectory(self, step: Step) -> None:
        executor = self._rehearsal.executor
        prepared = executor.prepare(*goal_of(step, self._actuators), RULES)
        request = request_of(step, prepared.plan, self._rehearsal.status.time, "")
        if step[0].repeat == REPEAT_FOREVER:  # the goal is its first part, whose end is none of it
            self._endless.add(request.id)
        execution = executor.start(prepared, request, mode=CommandMode.POSITION)
        if execution.outcome.done():
            outcome = execution.outcome.result()
            if outcome.ending is TrajectoryEnd.NOT_STARTED:
                raise BadRequest([outcome.text])

    def _release_when_held(self, axis: int, effort: UUID) -> None:
        """Let an effort end once its axis holds its position again, as the node does."""

        def update(status: MotionStatus) -> bool:
            if status.command_mode[axis] == CommandMode.POSITION:
                self._rehearsal.tracker.release(effort)
                return False
            return self._rehearsal.tracker.is_open(effort)

        self._rehearsal.add_task("position mode", update, period=inf)

    def _watch_limits(self, actuator: Actuator, command: Command) -> None:
        """End an effort at the limits of its actuator, as the node does."""
        if not (isfinite(actuator.position_min) or isfinite(actuator.position_max)):
            return
        gate, tracker, axis = self._rehearsal.gate, self._rehearsal.tracker, actuator.axis

        def update(status: MotionStatus) -> bool:
            if not tracker.runs(command.id):
                return False
            position, velocity = float(status.actual_pos[axis]), float(status.actual_velocity[axis])
            rate = status.clock_rate
            direction = effort_ends(actuator, command.value, position, velocity, rate)
            if direction:
                words = limit_words(actuator, direction)
                gate.end_motion([axis], reason=EndReason.LIMIT, message=words)
            return not direction

        self._rehearsal.add_task("limits", update)

    def _settle(self, last: int) -> None:
        """Let the motors come to their places."""
        rehearsal = self._rehearsal
        deadline = min(last, rehearsal.status.cycle + round(SETTLING / CYCLE_TIME))
        while rehearsal.status.cycle < deadline:
            if rehearsal.status.motion_complete[self._axes].all():
                return
            rehearsal.advance(min(deadline, rehearsal.status.cycle + UNSEEN_CYCLES))

    def _take(self, course: Course) -> None:
        if not self._wanted():
            raise BadRequest(["the node is being deactivated"])
        if time.thread_time() > self._until:
            seconds = (int(course.cycles[-1]) - self._first) * self._cycle_time
            raise BadRequest(
                [f"{seconds:.1f} s of the motion took {MOST_WORK:g} s to compute: try a part of it"]
            )
        self._seen.take(course)

    def _now(self) -> float:
        return (self._rehearsal.status.cycle - self._first) * self._cycle_time

    def _on_event(self, event: Begin | End) -> None:
        now = self._now()
        if isinstance(event, Begin):
            self._begins[event.id] = self._step, event, now
        elif event.id in self._begins and event.id not in self._endless:
            self._ends[event.id] = event, now

    def _tried(self) -> Iterator[Tried]:
        for id, (step, begin, begins) in self._begins.items():
            end, ends = self._ends.get(id, (None, inf))
            yield Tried(step=step, begin=begin, begins=begins, end=end, ends=ends)

    def _peaks(self) -> Iterator[Peaks]:
        seen, cycle_time = self._seen, self._cycle_time
        for i, axis in enumerate(self._axes):
            in_position = seen.in_position[i]
            yield Peaks(
                name=self._names[axis],
                axis=axis,
                settled=(in_position - self._first) * cycle_time if in_position >= 0 else inf,
                low=float(seen.low[i]),
                high=float(seen.high[i]),
                **{name: float(values[i]) for name, values in seen.greatest.items()},
                limits=tuple(
                    ((cycle - self._first) * cycle_time, words) for cycle, words in seen.met[i]
                ),
            )


@contextmanager
def _of_step(step: int) -> Iterator[None]:
    """Raise StepRefused, of step `step`, for a refusal inside."""
    try:
        yield
    except (BadRequest, WmxError) as error:
        raise StepRefused(step, error) from None


def line_call(commands: Sequence[Command], actuators: Mapping[str, Actuator]) -> EngineCall:
    """Return the call for POSITION commands along a straight line, or BadRequest.

    The velocity and the acceleration of the first are those along the line.
    """
    check(commands, actuators)
    if (kind := CommandType(commands[0].type)) is not CommandType.POSITION:
        raise BadRequest([f"type is {kind:d} ({kind.name}): a line must be of POSITION"])
    if timed := [command for command in commands if command.duration]:
        given = f"duration of {timed[0].name!r} is {timed[0].duration:g}"
        raise BadRequest([f"{given}: must be 0 on a line, whose velocity is that of the first"])
    first, actuator = commands[0], actuators[commands[0].name]
    acceleration = first.acceleration or actuator.acceleration
    move = LinearMove(
        axes=tuple(actuators[command.name].axis for command in commands),
        targets=tuple(command.value for command in commands),
        velocity=first.velocity or actuator.velocity,
        acc=acceleration,
        dec=acceleration,
    )
    return EngineCall(
        kind=MotionKind.POSITION,
        mode=CommandMode.POSITION,
        axes=move.axes,
        targets=move.targets,
        run_times=(0.0,) * len(commands),
        start=lambda motion: motion.move_linear(move),
    )
