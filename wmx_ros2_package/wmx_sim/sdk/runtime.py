"""The simulated engine under a program: its time, its cycles and what watches each of them.

Time passes only here, a communication cycle at a time, and what watches the engine is called in
every one: triggers, events and logs are as exact as the real engine's. With `fast` a cycle takes as
long as it takes to compute; else it is a millisecond of real time. Where time is `held` calls take
none at all: it passes only in `advance`, or elsewhere, where the engine is given.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from wmx_core.errors import WmxError
from wmx_core.values import MotionStatus, OperationState

from ..engine.clock import CYCLE, HeldClock
from ..engine.engine import SimulatedEngine
from ..engine.machine.description import (
    AxisModel,
    Machine,
    MasterDescription,
    SlaveDescription,
)
from ..engine.motion.axis import CHANGE_INITIAL_VELOCITY
from ..engine.motion.profile import Profile, hold
from ..engine.proxies import EcatProxy, EngineProxy, IoProxy, LocalMotion, MotionProxy
from .enums import code_of
from .overrides import Overrides

AXES = 32
NETWORK_TIME = 0.05
"""How long the network takes to start or stop after a signal, s; the real one takes seconds."""
LAST_MOTIONS = 60_000
"""Cycles that the engine runs on after a program has ended, at most."""
LAST_CYCLES = 2
"""Cycles that pass while a program ends: an event may come true in them."""
SHOWN = 9
"""Decimals within which a place is a whole turn, and so is called 0."""
READS = 100
"""So many values may be read in one cycle: then the next one begins."""
Watcher = Callable[[], None]
Command = Callable[[], Any]

_sleep = time.sleep
_now = time.monotonic


class OutOfTime(SystemExit):
    """The program has used up the engine time that it was given."""


class Engine(Protocol):
    """The engine that a runtime calls."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of one part, see `SimulatedEngine.call`."""

    def try_read(self) -> MotionStatus | None:
        """Return the status, or None where it has to be called for."""


class Runtime:
    """One engine, for `limit` seconds of its time; of `AXES` axes, unless a machine is given.

    Or the `engine` that is given, whose time passes elsewhere.
    """

    def __init__(
        self,
        *,
        fast: bool = False,
        limit: float = 3600.0,
        machine: Machine | None = None,
        held: bool = False,
        engine: Engine | None = None,
        newer: bool = False,
    ) -> None:
        """With `newer` the module has functions that the listed release lacks."""
        self._clock = HeldClock()
        self.engine: Engine = engine or SimulatedEngine(
            machine or logged_machine(), self._clock, vendor_rules=True
        )
        self.motion = MotionProxy(self.engine.call)
        self.local = LocalMotion(self.engine.call)
        self.io = IoProxy(self.engine.call)
        self.ecat = EcatProxy(self.engine.call)
        self.device = EngineProxy(self.engine.call)
        self.newer = newer
        self.watchers: list[Watcher] = []
        """Called in every cycle, before the log is written."""
        self.logs: list[Watcher] = []
        self.at_end: list[Watcher] = []
        """Called when the program has ended, however it did."""
        self.waiting: dict[int, Watcher] = {}
        """What looks for the trigger of each axis that waits for one."""
        self.overrides = Overrides(
            self.motion, self.local, lambda axis: OperationState(self.status.op_state[axis])
        )
        self.masters: dict[int, int] = {}
        """The axis that a slave follows, or followed last."""
        self.paths: dict[int, tuple[int, ...]] = {}
        """The axes of the line that an axis is on, or was on last."""
        self.engine_number, self.engine_ended = 0, False
        """How often a program has ended the engine, and whether it has not started it again."""
        self.starting_velocities: dict[int, float] = {}
        """Starting velocities of position moves that have none of their own, by axis, u/s."""
        self.single_turns: dict[int, float] = {}
        """The turn of axes whose positions are those within one, u."""
        self.folder = Path()
        """Where the files are whose paths are those of another machine, and the logs."""
        self.logs_to_rest = False
        """Whether a log continues until nothing moves, whenever the program stops it."""
        self.recording: list[Command] | None = None
        """Commands are kept here instead, for later."""
        self.user_memory: dict[int, int] = {}
        """The bytes of the engine's user memory that were set."""
        self.acted = False
        """Whether the engine did anything by itself: what a trigger, event or buffer began."""
        self._fast = fast
        self.elsewhere = engine is not None
        """Whether time passes elsewhere, where the engine is given."""
        self._held = held or self.elsewhere
        self._limit = limit
        self._begun = _now()
        self._watching = False
        self._commanded: dict[int, int] = {}
        """The cycle in which each axis was last commanded to move."""
        self._signals: list[tuple[int, Command]] = []
        """What was signalled to the network, and in which cycle it happens."""
        self._reads, self._read_in = 0, -1
        """How many values were read in a row, and in which cycle."""
        self._first_cycle: int | None = None
        self._counted = 0
        self.status = self._read()
        if machine is None and engine is None:
            every = range(self.axes)
            # The logs of the real engine show that they had it so.
            self.configure(*every, prohibit_overtravel=CHANGE_INITIAL_VELOCITY)
            # Nor did their motors lag behind.
            self.configure(*every, velocity_feedforward_gain=100.0)
            self.status = self._read()

    def _read(self) -> MotionStatus:
        """Return the present status, computed again only where it has changed."""
        read = self.engine.try_read()
        return self.motion.status() if read is None else read

    @property
    def axes(self) -> int:
        """How many axes the machine has."""
        return self.status.axes

    @property
    def cycle(self) -> int:
        """The present cycle of the engine."""
        return self.status.cycle

    def start_communication(self) -> None:
        """Start communication, from which on cycles are counted."""
        self.device.start_communication()
        self._first_cycle = None

    def signal(self, change: Command) -> None:
        """Let `change` happen to the network some time later."""
        self._signals.append((self.cycle + round(NETWORK_TIME / CYCLE), change))

    def count_cycles(self) -> int:
        """Return how many cycles have passed since communication started."""
        if self.status.communicating:
            if self._first_cycle is None:
                self._first_cycle = self.cycle
            self._counted = self.cycle - self._first_cycle
        return self._counted

    def commanded(self, axes: Iterable[int]) -> None:
        """Remember that `axes` have been commanded to move in this cycle."""
        self._commanded |= dict.fromkeys(axes, self.cycle)

    def is_starting(self, axis: int) -> bool:
        """Return whether the newest command of `axis` starts only in the next cycle."""
        return self._commanded.get(axis) == self.cycle

    def configure(self, *axes: int, **changes: float) -> None:
        """Put parameters of `axes` in force."""
        parameters = self.motion.parameters()
        for axis in axes:
            parameters = parameters.with_axis(axis, **changes)
        typed = [parameters.axis(axis) for axis in range(self.axes)]
        self.local.apply_parameters(parameters, typed)

    def step(self) -> None:
        """A call returns: let a cycle pass, but not while time is held."""
        if self._held:
            self.status = self._read()
            while self._signals and self._signals[0][0] <= self.cycle:
                self.command_now(self._signals.pop(0)[1])
        else:
            self.advance()

    def count_read(self) -> None:
        """A value is read, which takes no time: let a cycle pass where a program does only that.

        Else one that polls, and does not sleep, would never come to an end.
        """
        if self._held or self._watching:
            return
        if self._read_in != self.cycle:
            self._reads, self._read_in = 0, self.cycle
        self._reads += 1
        if self._reads > READS:
            self.advance()

    def advance(self, cycles: int = 1) -> None:
        """Let cycles pass; at once where time is held and nothing reads each of them."""
        if self._held and not (self.watchers or self.logs):
            self._clock.advance(cycles * CYCLE)
            self.status = self._read()
            return
        for _ in range(cycles):
            self._advance()

    def _advance(self) -> None:
        next_cycle = self.cycle + 1
        if next_cycle * CYCLE > self._limit:
            raise OutOfTime(f"stopped after {self._limit:g} s of the engine's time")
        if not self._fast and (early := self._begun + next_cycle * CYCLE - _now()) > 0.0:
            _sleep(early)
        self._clock.advance(CYCLE)
        self.look()

    def look(self) -> None:
        """A cycle has begun: call all that watches the engine."""
        self.status = self._read()
        self._watching = True
        for watcher in [*self.watchers]:
            watcher()
        self._watching = False
        for log in self.logs:
            log()

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass; at once where nothing can happen in between."""
        cycles = max(1, round(seconds / CYCLE))
        busy = self.logs or self.watchers or not self.idle(*range(self.axes))
        if self._fast and not busy and self.status.servo_on.any():
            self._clock.advance((cycles - 1) * CYCLE)
            self.status = self._read()
            cycles = 1
        self.advance(cycles)

    def watch(self, watcher: Watcher) -> None:
        """Call `watcher` in every cycle from now on."""
        if watcher not in self.watchers:
            self.watchers.append(watcher)

    def until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until `condition` is true, and is still a cycle later."""
        if self._held:
            raise RuntimeError("nothing can be waited for while time is held")
        while not condition():
            self.step()
        self.step()
        if not condition():
            self.until(condition)

    def wait(self, condition: Callable[[], bool]) -> int:
        """Let time pass until `condition` is true, or keep that while a buffer is recorded."""
        if not self.records(condition):
            self.until(condition)
        return 0

    def records(self, command: Command) -> bool:
        """Return whether a buffer is recorded, which keeps `command` for later."""
        if self.recording is None:
            return False
        self.recording.append(command)
        return True

    def command(self, command: Command) -> int:
        """Carry out a command; return 0 or a code a cycle later, as the vendor does."""
        if self.records(command):
            return 0
        code = self.command_now(command)
        self.step()
        return code

    def output(self, command: Command) -> int:
        """Carry out a command in this cycle, or keep it; nothing waits for an output."""
        return 0 if self.records(command) else self.command_now(command)

    def command_now(self, command: Command) -> int:
        """Carry out a command in this cycle; return 0 or the code of the refusal."""
        self.acted = self.acted or self._watching
        try:
            if self._held:
                self.status = self._read()
            command()
        except WmxError as error:
            return code_of(error)
        self.status = self._read()
        return 0

    def put(self, axis: int, place: float) -> None:
        """Let the command of `axis` be at `place` in this cycle, wherever it was."""
        self.command_now(lambda: self.local.follow([axis], [hold(place)], OperationState.IDLE))

    def follow_path(self, axes: tuple[int, ...], profiles: Sequence[Profile]) -> None:
        """Let `axes` go along a path together: distances are those along it."""
        self.local.follow(axes, profiles, OperationState.INTPL)
        self.paths |= dict.fromkeys(axes, axes)

    def idle(self, *axes: int) -> bool:
        """Return whether none of `axes` moves or waits for a trigger."""
        still = all(self.status.op_state[axis] == OperationState.IDLE for axis in axes)
        return still and not self.waits(*axes)

    def waits(self, *axes: int) -> bool:
        """Return whether one of `axes` waits for a trigger."""
        return not self.waiting.keys().isdisjoint(axes)

    def wait_no_longer(self, axes: Iterable[int]) -> None:
        """Forget the triggers of `axes`."""
        for axis in axes:
            self.waiting.pop(axis, None)

    def position(self, axis: int) -> float:
        """Return where `axis` is commanded to be, u."""
        return float(self.status.pos_cmd[axis])

    def positions(self, axes: Iterable[int]) -> tuple[float, ...]:
        """Return where `axes` are commanded to be, u."""
        return tuple(self.position(axis) for axis in axes)

    def shown(self, axis: int, place: float) -> float:
        """Return what `place` is called on an axis that turns: positions of one turn."""
        turn = self.single_turns.get(axis, 0.0)
        return round(place, SHOWN) % turn if turn else place

    @property
    def time(self) -> float:
        """The engine's time, s."""
        return self.cycle * CYCLE

    def come_to_rest(self, least: int = 0) -> None:
        """Let what is logged come to its end, and `least` cycles pass."""
        for n in range(LAST_MOTIONS):
            still = (self.status.op_state == OperationState.IDLE).all()
            if not self.logs or (still and n >= least):
                break
            self.advance()

    def end(self) -> None:
        """The program has ended: what still moves comes to its end, what is open is closed."""
        self._limit += LAST_MOTIONS * CYCLE
        try:
            self.come_to_rest(LAST_CYCLES)
        finally:
            self.close()

    def close(self) -> None:
        """Close all that is open, whatever still moves; then raise what has failed of it."""
        with ExitStack() as closing:
            for close in self.at_end:
                closing.callback(close)


def logged_machine() -> Machine:
    """Return the machine of the logs, whose motors have no load."""
    drives = MasterDescription(slaves=(SlaveDescription(name="drive", axes=16),) * (AXES // 16))
    return Machine(masters=(drives,), axes=(AxisModel(),) * AXES, parameters=None)
