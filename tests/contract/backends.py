"""What a test holds in its hand: a driver, the axes it may move, and the engine's time.

A test gives orders through the Protocols and lets time pass through its backend. Where the clock
is held, time stands still meanwhile and is `exact`; where it runs, a backend waits by watching
the engine's cycle, never by sleeping for a time it guessed. `engines` has the ways to open one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import ceil
from pathlib import Path

import pytest
import simulation
import yaml
from textbook import Order, Plan, Quantity
from textbook import axis as of_axis

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver, Ecat, Engine, Faults, Io, Motion
from wmx_core.reactions import Reactions
from wmx_core.values import CommandMode, MotionStatus, OperationState

STATE = "servo_on", "amp_alarm", "alarm_code", "home_done", "command_mode", "op_state"
MOTION = "pos_cmd", "velocity_cmd", "actual_pos", "actual_velocity", "actual_torque"
"""What a refused order must not change; the latter change by themselves where the clock runs."""


class Backend(ABC):
    """A machine and its engine. `x` and `y` are the axes a test may move."""

    exact = False
    """Whether time passes only when a test says so."""
    simulated = True
    """Whether the machine is that of `simulation`, which no wrong motion can damage."""
    may_lack = False
    """Whether the installed SDK may be without some functions."""
    vendor_rules = False
    """Whether the engine does by its own rules what the driver has to bring about through it."""
    restarts = True
    """Whether an engine that is lost can be started again."""
    tolerance = 1e-9
    """How far a commanded position (u) or velocity (u/s) may be from what the rule says."""
    clock_rate: float | None = None
    """How many times as fast as real time a simulated engine runs, unless it is 1."""
    standstill = 1e-3
    """Below this velocity (u/s) a motor is said to stand."""
    start_delay = 0
    """Cycles after an order has returned by which it is taken up at the latest."""

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        self.folder = folder
        self.machine = simulation.write_machine(folder, axis_model, self.clock_rate)
        self.axes: tuple[int, ...] = (0, 1)
        self.outputs: range | None = range(simulation.IO_SIZE)
        """Output bytes that a test may set."""
        self._opened: list[Driver] = []
        self._files = 0
        self.cycle_time = 0.001

    # Opening

    @abstractmethod
    def open(self) -> Driver:
        """One more driver on this machine, not attached yet; closed after the test."""

    @property
    def path(self) -> str:
        """The device path of the engine."""
        return str(self.machine)

    def attach(self) -> None:
        """Open the driver that the test uses, and attach it."""
        self.driver = self.open()
        self.engine.create_device(self.path, "contract")

    def communicate(self) -> None:
        """Start communication; every axis is at rest at 0 in position mode, its servo off."""
        self.engine.start_communication()
        self.cycle_time = self.ecat.network_state(0).statistics.comm_period / 1e6

    def close(self) -> None:
        """Leave the machine as it was found."""
        for driver in self._opened:
            driver.engine.close_device()

    # Handles

    @property
    def engine(self) -> Engine:
        return self.driver.engine

    @property
    def motion(self) -> Motion:
        return self.driver.motion

    @property
    def io(self) -> Io:
        return self.driver.io

    @property
    def ecat(self) -> Ecat:
        return self.driver.ecat

    @property
    def reactions(self) -> Reactions:
        return self.driver.reactions

    @property
    def x(self) -> int:
        return self.axes[0]

    @property
    def y(self) -> int:
        return self.axes[1]

    # Time

    @abstractmethod
    def wait_for_cycle(self, cycle: int) -> MotionStatus:
        """The first status seen at or after a communication cycle."""

    def advance(self, seconds: float) -> MotionStatus:
        """Let `seconds` pass, or where the clock runs, hardly more."""
        cycles = ceil(round(seconds / self.cycle_time, 6))
        return self.wait_for_cycle(self.motion.status().cycle + cycles)

    def until(
        self,
        condition: Callable[[MotionStatus], object],
        timeout: float = 10.0,
        *,
        cycles: int = 1,
    ) -> MotionStatus:
        """The first status that fulfils `condition`, looking again after so many `cycles`.

        It must come within `timeout` seconds of the engine's time.
        """
        status = self.motion.status()
        last = status.cycle + ceil(timeout / self.cycle_time)
        while not condition(status):
            assert status.cycle < last, f"it does not happen within {timeout} s: {status}"
            status = self.wait_for_cycle(status.cycle + cycles)
        return status

    def edge(
        self, condition: Callable[[MotionStatus], object], order: Order | None = None
    ) -> tuple[MotionStatus, ...]:
        """The last status seen before `condition` came true, and the first one after.

        What an `order` makes true may be so before the first look, where the clock runs.
        """
        before = [] if order is None else [order.before]

        def is_true(status: MotionStatus) -> bool:
            if not condition(status):
                before.append(status)
                return False
            return True

        after = self.until(is_true)
        assert before, "it is true already"
        return before[-1], after

    def at_rest(self, *axes: int) -> MotionStatus:
        """Wait until `axes`, or x and y, do nothing any more and their motors stand."""
        chosen = list(axes or self.axes)

        def stand(status: MotionStatus) -> bool:
            idle = status.op_state[chosen] == OperationState.IDLE
            return bool((idle & (abs(status.actual_velocity[chosen]) < self.standstill)).all())

        return self.until(stand, cycles=20)

    # Orders

    def order(self, give: Callable[[], object]) -> Order:
        """Give an order, and keep between which cycles that was."""
        before = self.motion.status()
        give()
        last = self.motion.status().cycle + self.start_delay
        return Order(before, range(before.cycle, last + 1), self.cycle_time)

    def seen(self, order: Order, times: Iterable[float]) -> list[MotionStatus]:
        """Statuses at `times` (s, increasing) after an order, or where the clock runs, then on."""
        last = order.starts[-1]
        return [self.wait_for_cycle(last + round(time / self.cycle_time)) for time in times]

    def follows(
        self, order: Order, plan: Plan, times: Iterable[float], of: int | Quantity
    ) -> list[MotionStatus]:
        """See to it that after `order` an axis, or another quantity, follows `plan`."""
        seen = self.seen(order, times)
        quantity = of_axis(of) if isinstance(of, int) else of
        order.follows(plan, seen, quantity, self.tolerance)
        return seen

    def servo_on(self, *axes: int, mode: CommandMode = CommandMode.POSITION) -> None:
        """Switch the servos of `axes` on, or of x and y, in `mode`, and wait until they are."""
        chosen = list(axes or self.axes)
        for axis in chosen:
            self.motion.set_command_mode(axis, mode)
            self.motion.set_servo(axis, on=True)
        self.until(lambda status: status.servo_on[chosen].all())
        self.at_rest(*chosen)

    def home(self) -> None:
        """Home x to the end."""
        self.motion.home(self.x)
        self.until(lambda status: status.home_done[self.x], cycles=20)
        self.at_rest()

    def load(self, **changes: float) -> None:
        """Load the parameters of the contract with some elements of x and y changed.

        `HomeParam_HomeType=2` changes HomeParam/HomeType.
        """
        elements = {name.replace("_", "/"): number for name, number in changes.items()}
        base = self.motion.parameters()
        text = simulation.changed(base, self.axes, elements)
        self._files += 1
        path = self.folder / f"parameters_{self._files}.xml"
        path.write_text(text)
        self.motion.load_parameters(str(path))

    # Refusals and faults

    @contextmanager
    def refuses(self, code: ErrorCode | str) -> Iterator[None]:
        """Whatever is ordered in here is refused with `code`, or its name, and changes nothing."""
        before, parameters = self.motion.status(), self.motion.parameters()
        with pytest.raises(CommandRefused) as refused:
            yield
        self._skip_if_lacking(refused.value)
        assert code in (refused.value.code, refused.value.name), str(refused.value)
        after = self.motion.status()
        # Where the refusal itself has taken time, what moves has gone on.
        still = (before.op_state == OperationState.IDLE) | (after.cycle == before.cycle)
        for name in (*STATE, *MOTION) if self.exact else STATE:
            chosen = still if name in MOTION else slice(None)
            kept, shown = getattr(before, name)[chosen], getattr(after, name)[chosen]
            assert shown.tolist() == kept.tolist(), f"{name} has changed"
        assert self.motion.parameters() == parameters

    @contextmanager
    def where_supported(self) -> Iterator[None]:
        """Skip the test where the installed SDK says that it lacks the function."""
        try:
            yield
        except CommandRefused as refused:
            self._skip_if_lacking(refused)
            raise

    def _skip_if_lacking(self, refused: CommandRefused) -> None:
        if self.may_lack and refused.code == ErrorCode.NoSupportedFunction:
            pytest.skip(str(refused))

    @property
    def faults(self) -> Faults | None:
        """What plays faults on the machine: the driver, or whatever stands behind it."""
        return self.driver.faults

    def play(self, *faults: Mapping[str, object]) -> None:
        """Let `faults` of the simulated machine happen now."""
        if not self.simulated:
            pytest.skip("real hardware has no faults to play")
        assert self.faults is not None, "a simulated engine plays faults"
        self.faults.play(yaml.safe_dump(list(faults)))

    def freeze_engine(self) -> None:
        """The engine stands still, though what it said last can still be read."""
        pytest.skip("this engine stands still only together with the test")

    def kill_engine(self) -> None:
        """The engine is gone, as after a crash, for every device."""
        self.play(simulation.crash_engine())
