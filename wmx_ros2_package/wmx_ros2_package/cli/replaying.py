"""The commands of a recording, carried out on a simulated engine, cycle by cycle on a held clock.

The engine begins where the axes of the recording rest first, in the same cycle, so that what it
computes is the same to the last bit. What came from outside happens as the statuses show it:
alarms, drives that went offline, inputs. A command comes into force in one of the cycles between
its call and the answer: in the one after which the axes do what they did.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from wmx_core.errors import CommandRefused, ParameterFileError
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import MotionStatus, OperationState
from wmx_sim.engine.clock import CYCLES_PER_SECOND, HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.engine_copy import exact_copy
from wmx_sim.engine.fault_proxies import AxisFaults, InputFaults
from wmx_sim.engine.machine.description import (
    AxisModel,
    Machine,
    MachineFileError,
    MasterDescription,
    SlaveDescription,
    default_machine,
    load_machine,
)
from wmx_sim.engine.proxies import (
    Copied,
    EngineProxy,
    LocalMotion,
    MotionProxy,
    StatesProxy,
)

from ..recordings.errors import RecordingError
from ..recordings.reading import Recording
from ..recordings.script import (
    RecordedCommand,
    cycle_at,
    read_script,
    statuses,
)
from .comparing import Comparison, Replay

TRIED = 12
"""After so many cycles it is decided in which one a command came into force."""
MOST_CANDIDATES = 40

Sample = tuple[int, MotionStatus]


def replay(recording: Recording, tolerance: float) -> Replay:
    """Replay `recording`; feedback that is `tolerance` u, u/s or % away differs.

    RecordingError where there is nothing to replay.
    """
    return _Replaying(recording, tolerance).replay()


def _nothing(recording: Recording, lacks: str) -> str:
    """Why there is nothing to replay in a file that lacks something."""
    if recording.cut_off:
        return f"{recording.path} has nothing that can be replayed: {recording.cut_off}"
    return f"{recording.path} has no status {lacks}"


class _Replaying:
    def __init__(self, recording: Recording, tolerance: float) -> None:
        self._script = read_script(recording)
        self._recording = recording
        self._found = Replay(left_out=list(self._script.unread))
        self._commands: deque[RecordedCommand] = deque()
        self._inputs = deque(self._script.inputs)
        self._tolerance = tolerance

    def replay(self) -> Replay:
        samples = statuses(self._recording, self._found.left_out.append)
        before = next(samples, None)
        if before is None:
            lacks = "; ".join(["of axes, as a recorder of WMX writes them", *self._found.left_out])
            raise RecordingError(_nothing(self._recording, lacks))
        first = next((each for each in chain([before], samples) if _rests(each[1])), None)
        if first is None:
            raise RecordingError(_nothing(self._recording, "in which all axes rest"))
        machine = _machine_of(self._recording, first[1].axes)
        self._comparison = self._compared(first[1].axes)
        self._rate = 1.0 / (machine.clock_rate * CYCLES_PER_SECOND)
        self._begin(machine, first)
        self._run(samples)
        if not self._found.statuses:
            raise RecordingError(_nothing(self._recording, "after its axes rest"))
        return self._found

    def _compared(self, axes: int) -> Comparison:
        """What the replay is compared with: the motions of `axes`, not those of another system."""
        all_motions = self._script.motions
        motions = [each for each in all_motions if {*each.begin.axes} <= {*range(axes)}]
        if left := len(all_motions) - len(motions):
            self._found.left_out.append(f"{left} motions of axes that the statuses do not have")
        simulated = self._recording.about.get("simulated", "true") == "true"
        return Comparison(self._found, motions, self._tolerance, simulated=simulated)

    # The engine

    def _begin(self, machine: Machine, first: Sample) -> None:
        stamp, status = first
        self._clock = HeldClock(machine.clock_rate)  # run times are in steady time
        self._engine = SimulatedEngine(machine, self._clock)
        call = self._engine.call
        self._motion, self._local = MotionProxy(call), LocalMotion(call)
        EngineProxy(call).start_communication()
        self._cycle = 0
        self._go_to(status.cycle)
        self._apply(stamp)
        self._local.stand_as(status)
        self._before = status
        self._found.first = stamp
        skipped = [c for c in self._script.commands if c.answered_at < status.time]
        if skipped:
            self._found.left_out.append(f"{len(skipped)} commands before the axes rested first")
        self._commands.extend(c for c in self._script.commands if c.answered_at >= status.time)

    def _apply(self, stamp: int) -> None:
        """Put the newest parameters that had been read by `stamp` in force."""
        self._in_force = known = self._parameters_by(stamp)
        if not known:
            self._found.left_out.append("parameters: the recording has none, defaults are in force")
            return
        try:
            read = ParameterSet.from_xml(known, "parameters of the recording")
        except ParameterFileError as error:
            raise RecordingError(f"{self._recording.path}: {error.detail}") from None
        typed = [read.axis(axis) for axis in range(self._engine.axes)]
        self._local.apply_parameters(read, typed)

    def _parameters_by(self, stamp: int) -> bytes:
        known = [xml for at, xml in self._script.parameters if at <= stamp]
        return (known or [xml for _, xml in self._script.parameters[:1]] or [b""])[-1]

    def _go_to(self, cycle: int) -> MotionStatus:
        self._clock.advance((cycle - self._cycle) / CYCLES_PER_SECOND)
        status = self._motion.status()
        self._cycle = status.cycle
        return status

    # Through the recording

    def _run(self, samples: Iterator[Sample]) -> None:
        ahead: deque[Sample] = deque()
        for sample in samples:
            ahead.append(sample)
            while ahead and self._knows_enough(ahead):
                self._take(ahead.popleft(), ahead)
        while ahead:
            self._take(ahead.popleft(), ahead)
        if self._commands:
            text = f"{len(self._commands)} commands after the last status"
            self._found.left_out.append(text)

    def _knows_enough(self, ahead: Sequence[Sample]) -> bool:
        """Whether what follows the first of the statuses is known as far as it is needed."""
        if not self._commands:
            return True
        newest = ahead[-1][1].cycle
        _, last = self._window(self._commands[0])
        return newest >= max(ahead[0][1].cycle, min(last, ahead[0][1].cycle + 1)) + TRIED

    def _take(self, sample: Sample, ahead: Sequence[Sample]) -> None:
        """Carry out what came into force by `sample`, and compare the axes with it."""
        stamp, status = sample
        while self._commands and self._window(self._commands[0])[0] <= status.cycle:
            cycle = self._cycle_of(self._commands[0], [sample, *ahead])
            if cycle > status.cycle:
                break
            self._outside(status, stamp, cycle)
            self._carry_out(self._commands.popleft(), cycle)
        self._outside(status, stamp, status.cycle)
        self._comparison.compare(stamp, status, self._go_to(status.cycle))
        self._before = status

    def _window(self, command: RecordedCommand) -> tuple[int, int]:
        """The first and the last cycle in which a command may have come into force."""
        status = self._before
        first, last = (
            cycle_at(time, status, self._rate) for time in (command.called_at, command.answered_at)
        )
        first = max(first, self._cycle)
        return first, max(first, min(last, first + MOST_CANDIDATES))

    def _cycle_of(self, command: RecordedCommand, samples: Sequence[Sample]) -> int:
        """The cycle after which the axes would do most nearly what they did."""
        first, last = self._window(command)
        if first == last or command.code:
            return first
        others = list(self._commands)[1:2]
        until = min([last + TRIED, *(max(last, self._window(other)[0]) for other in others)])
        near = takewhile(lambda sample: sample[1].cycle <= until, samples)
        seen = {status.cycle: status for _, status in near}
        axes = range(self._engine.axes)
        copied = StatesProxy(self._engine.call).copy([*axes])
        errors = [self._error(command, cycle, copied, seen) for cycle in range(first, last + 1)]
        return first + int(np.argmin(errors))

    def _error(
        self,
        command: RecordedCommand,
        cycle: int,
        copied: Copied,
        seen: dict[int, MotionStatus],
    ) -> float:
        """How far the axes are from what they did where `command` comes into force in `cycle`."""
        copy = exact_copy(copied, range(self._engine.axes))
        error = 0.0
        for at in sorted({cycle, *seen}):
            while copy.motion.status().cycle < at:
                copy.run(at)
            if at == cycle:
                with suppress(CommandRefused, AttributeError):
                    getattr(copy.motion, command.method)(**command.arguments)
            if at in seen:
                now, then = copy.motion.status(), seen[at]
                error += float(np.abs(now.pos_cmd - then.pos_cmd).sum())
                error += 1e3 * float((now.op_state != then.op_state).sum())
                error += 1e3 * float((now.servo_on != then.servo_on).sum())
        return error

    def _carry_out(self, command: RecordedCommand, cycle: int) -> None:
        self._go_to(cycle)
        code, words = 0, ""
        try:
            if command.method == "load_parameters":
                # The recording has what is in force, not the file that was refused or taken.
                after = [at for at, _ in self._script.parameters if at >= command.stamp]
                code = command.code
                if after and not code:
                    self._apply(after[0])
            else:
                getattr(self._motion, command.method)(**command.arguments)
        except CommandRefused as error:
            code, words = error.code, str(error)
        self._comparison.compare_answer(command, code, words)

    def _outside(self, now: MotionStatus, stamp: int, cycle: int) -> None:
        """Let happen what no command has done: by `cycle`, of what `now` shows."""
        while self._inputs and self._inputs[0][0] <= stamp:
            _, address, data = self._inputs.popleft()
            InputFaults(self._engine.call).force_input_bytes(address, data)
        if cycle != now.cycle:
            return
        here = self._go_to(cycle)
        new = now.amp_alarm & ~here.amp_alarm & ~self._before.amp_alarm
        for axis in np.flatnonzero(new).tolist():
            AxisFaults(self._engine.call).raise_alarm(axis, int(now.alarm_code[axis]))
        if now.communicating is not here.communicating:
            engine = EngineProxy(self._engine.call)
            (engine.start_communication if now.communicating else engine.stop_communication)()
        elif (now.servo_offline != here.servo_offline).any():
            self._local.follow_network(offline=np.flatnonzero(now.servo_offline).tolist())
        self._unrecorded(now, stamp)

    def _unrecorded(self, now: MotionStatus, stamp: int) -> None:
        """Do what `now` shows of a client whose commands were not recorded."""
        here = self._motion.status()
        if now.emergency_stop is not here.emergency_stop:
            if now.emergency_stop is None:
                self._motion.release_emergency_stop()
            else:
                self._motion.emergency_stop(now.emergency_stop)
            here = self._motion.status()
        if (newest := self._parameters_by(stamp)) != self._in_force and _rests(here):
            self._in_force = newest
            self._apply(stamp)
            here = self._motion.status()
        if (came_on := np.flatnonzero(now.servo_on & ~here.servo_on)).size:
            self._local.switch_on(came_on.tolist())
        for axis in np.flatnonzero(~now.servo_on & here.servo_on).tolist():
            self._motion.set_servo(axis, on=False)


def _rests(status: MotionStatus) -> bool:
    idle = (status.op_state == OperationState.IDLE).all()
    return bool(idle and not status.velocity_cmd.any() and not status.actual_velocity.any())


def _machine_of(recording: Recording, axes: int) -> Machine:
    """The machine that was recorded, or one of `axes` usual axes."""
    if (attached := recording.attachments.get("machine.yaml")) is not None:
        lines = attached.data.decode(errors="replace").splitlines()
        text = "\n".join(line for line in lines if not line.startswith("parameters:"))
        with TemporaryDirectory() as folder:
            path = Path(folder, "machine.yaml")
            path.write_text(text)
            try:
                machine = load_machine(path)
            except MachineFileError as error:
                words = error.detail.replace(str(path), "machine.yaml")
                raise RecordingError(f"{recording.path}: {words}") from None
        if len(machine.axes) == axes:
            return machine
        raise RecordingError(
            f"{recording.path}: its machine.yaml has {len(machine.axes)} axes, its statuses {axes}"
        )
    usual = default_machine()
    if len(usual.axes) == axes:
        return usual
    drive = SlaveDescription(name="drive", axes=1)
    return Machine(
        masters=(MasterDescription(slaves=(drive,) * axes),),
        axes=(AxisModel(),) * axes,
        parameters=None,
    )
