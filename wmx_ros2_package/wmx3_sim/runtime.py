"""The simulated engine under a program: its time, its cycles and what looks at each of them.

Time goes on only here, a communication cycle at a time, and what watches the engine sees every
one: triggers, events and logs are as exact as the real engine's. With `fast` a cycle takes as long
as it takes to reckon; else it is a millisecond of the clock on the wall. Where time is `held`,
calls take none at all, and whoever holds it lets cycles pass.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.fake.clock import HeldClock
from wmx_ros2_package.drivers.fake.engine import FakeEngine
from wmx_ros2_package.drivers.fake.machine.description import (
    AxisModel,
    Machine,
    MasterDescription,
    SlaveDescription,
)
from wmx_ros2_package.drivers.fake.motion.axis import CHANGE_INITIAL_VELOCITY
from wmx_ros2_package.drivers.fake.motion.profile import hold
from wmx_ros2_package.drivers.fake.proxies import EngineProxy, IoProxy, MotionProxy
from wmx_ros2_package.drivers.values import MotionStatus, OperationState

AXES = 32
CYCLE = 0.001
ROUNDS_OFF = 60_000
"""Cycles that the engine goes on after a program has ended, at most."""
LAST_CYCLES = 2
"""Cycles that pass while a program ends: an event may come true in them."""
SHOWN = 9
"""Decimals within which a place is a whole turn, and so is called 0."""
Watcher = Callable[[], None]
Order = Callable[[], Any]

_sleep = time.sleep
_now = time.monotonic


class OutOfTime(SystemExit):
    """The program has used up the engine time that it was given."""


class Runtime:
    """One engine, for `limit` seconds of its time; of `AXES` axes, unless a machine is given."""

    def __init__(
        self,
        *,
        fast: bool = False,
        limit: float = 3600.0,
        machine: Machine | None = None,
        held: bool = False,
    ) -> None:
        self._clock = HeldClock()
        self.engine = FakeEngine(machine or logged_machine(), self._clock)
        self.motion = MotionProxy(self.engine.call)
        self.io = IoProxy(self.engine.call)
        self.device = EngineProxy(self.engine.call)
        self.cycle = 0
        self.watchers: list[Watcher] = []
        """Called in every cycle, before the log is written."""
        self.logs: list[Watcher] = []
        self.at_end: list[Watcher] = []
        """Called when the program has ended, however it did."""
        self.waiting: set[int] = set()
        """Axes that wait for a trigger."""
        self.paths: dict[int, tuple[int, ...]] = {}
        """The axes of the line that an axis is on, or was on last."""
        self.starting_velocities: dict[int, float] = {}
        """What position moves of an axis begin with that do not say it, u/s."""
        self.single_turns: dict[int, float] = {}
        """The turn of axes whose positions are those within one, u."""
        self.folder = Path()
        """Where the files are whose paths are those of another machine, and the logs."""
        self.recording: list[Order] | None = None
        """What is ordered is kept here instead, for later."""
        self.attached = False
        self.watchdog = 0
        """Milliseconds, if one was set; nothing is done with it."""
        self.acted = False
        """Whether the engine did anything by itself: what a trigger, event or buffer began."""
        self._fast = fast
        self._held = held
        self._limit = limit
        self._begun = _now()
        self._watching = False
        self.status: MotionStatus = self.motion.status()
        self.axes = self.status.axes
        if machine is None:
            every = range(self.axes)
            # The logs of the real engine show that they had it so.
            self.configure(*every, prohibit_overtravel=CHANGE_INITIAL_VELOCITY)
            # Nor did their motors lag behind.
            self.configure(*every, velocity_feedforward_gain=100.0)
            self.status = self.motion.status()

    def configure(self, *axes: int, **changes: float) -> None:
        """Put parameters of `axes` in force."""
        parameters = self.motion.parameters()
        for axis in axes:
            parameters = parameters.with_axis(axis, **changes)
        typed = [parameters.axis(axis) for axis in range(self.axes)]
        self.engine.call("motion", "apply_parameters", parameters, typed)

    def step(self) -> None:
        """A call has come back: let a cycle pass, but not while time is held."""
        if self._held:
            self.status = self.motion.status()
        else:
            self.advance()

    def advance(self, cycles: int = 1) -> None:
        """Let cycles pass; at once where time is held and nothing looks at each of them."""
        if self._held and not (self.watchers or self.logs):
            self._clock.advance(cycles * CYCLE)
            self.cycle += cycles
            self.status = self.motion.status()
            return
        for _ in range(cycles):
            self._advance()

    def _advance(self) -> None:
        self.cycle += 1
        if self.cycle * CYCLE > self._limit:
            raise OutOfTime(f"stopped after {self._limit:g} s of the engine's time")
        if not self._fast and (early := self._begun + self.cycle * CYCLE - _now()) > 0.0:
            _sleep(early)
        self._clock.advance(CYCLE)
        self.status = self.motion.status()
        self._watching = True
        for watcher in [*self.watchers]:
            watcher()
        self._watching = False
        for log in self.logs:
            log()

    def catch_up(self) -> None:
        """In real time, let the cycles pass that are over."""
        while not self._fast and self._begun + (self.cycle + 1) * CYCLE < _now():
            self.advance()

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass; at once where nothing can happen meanwhile."""
        cycles = max(1, round(seconds / CYCLE))
        busy = self.logs or self.watchers or not all(self.idle(axis) for axis in range(self.axes))
        if self._fast and not busy and self.status.servo_on.any():
            self._clock.advance((cycles - 1) * CYCLE)
            self.cycle += cycles - 1
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

    def order(self, give: Order) -> int:
        """Give an order, and come back a cycle later, as the vendor's functions do: 0 or a code."""
        if self.recording is not None:
            self.recording.append(give)
            return 0
        code = self.give(give)
        self.step()
        return code

    def give_or_record(self, order: Order) -> int:
        """Give an order in this cycle, or keep it while a buffer is recorded."""
        if self.recording is not None:
            self.recording.append(order)
            return 0
        return self.give(order)

    def give(self, order: Order) -> int:
        """Give an order in this cycle; 0 or the code of why not."""
        self.acted = self.acted or self._watching
        try:
            order()
        except CommandRefused as refused:
            return int(refused.code)
        self.status = self.motion.status()
        return 0

    def put(self, axis: int, place: float) -> None:
        """Let the command of `axis` be at `place` in this cycle, wherever it was."""
        self.give(lambda: self.motion.follow([axis], [hold(place)], OperationState.IDLE))

    def idle(self, axis: int) -> bool:
        """Whether `axis` neither moves nor waits for a trigger."""
        return bool(self.status.op_state[axis] == OperationState.IDLE) and axis not in self.waiting

    def position(self, axis: int) -> float:
        """Where `axis` is commanded to be, u."""
        return float(self.status.pos_cmd[axis])

    def shown(self, axis: int, place: float) -> float:
        """What `place` is called on an axis that turns: positions of one turn."""
        turn = self.single_turns.get(axis, 0.0)
        return round(place, SHOWN) % turn if turn else place

    @property
    def time(self) -> float:
        """The engine's time, s."""
        return self.cycle * CYCLE

    def come_to_rest(self, least: int = 0) -> None:
        """Let what is logged come to its end, and `least` cycles pass."""
        for n in range(ROUNDS_OFF):
            still = (self.status.op_state == OperationState.IDLE).all()
            if not self.logs or (still and n >= least):
                break
            self.advance()

    def end(self) -> None:
        """The program has ended: what still moves comes to its end, what is open is closed."""
        self._limit += ROUNDS_OFF * CYCLE
        self.come_to_rest(LAST_CYCLES)
        for close in [*self.at_end]:
            close()


def logged_machine() -> Machine:
    """The machine of the logs: motors that nothing hinders."""
    drives = MasterDescription(slaves=(SlaveDescription(name="drive", axes=16),) * (AXES // 16))
    return Machine(masters=(drives,), axes=(AxisModel(),) * AXES, parameters=None)
