"""What the steps work with: the installed SDK, a device on it, and the axes that may move."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wmx3.driver import open_wmx3
from wmx3.engine import WmxEngine
from wmx3.session import SdkSession
from wmx_core.clock import STEADY, Clock
from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.interface import Driver, Motion
from wmx_core.options import DriverOptions
from wmx_core.values import (
    CommandMode,
    EngineState,
    MotionStatus,
    OperationState,
    PositionMove,
    VelocityMove,
)

from ...control.disarming import REST_TIMEOUT, stop_and_switch_off
from ...control.ownership import Ownership
from ...control.stopping import stop_and_wait
from ...control.stops import Stops
from ...control.tracker import MotionTracker
from .call_log import CallLog
from .other_process import OtherProcess
from .surroundings import NAME, is_simulation, other_devices

CALLS = "sdk_calls.log"
"""The file of the report that has every call of the SDK."""
STEP_TIMEOUT = 10.0
"""How long anything may take that should be over soon, s."""
JOG_TIME = 2.0
"""How long an axis moves at most that is to be stopped, s: its jog has that as its run time."""

SAFE = "the axes that were moved rest with their servos off, the device is closed"
NONE_MOVED = "no axis was moved, the device is closed"
NOTHING_OPENED = "no axis was moved, no device was opened"

Facts = dict[str, Any]
"""What a step finds, by name; filled as it goes, so that it holds what a step found that fails."""


class Unable(Exception):
    """A step cannot be carried out here, for the reason given."""


class Occupied(Exception):
    """Others use the engine: nothing may be done to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user allowed."""

    device_path: str
    axes: tuple[int, ...]
    distance: float
    """How far an axis may go from where it stands, u."""
    velocity: float
    """u/s."""
    rounds: int
    """How often a stop and a move meet."""
    torque: float
    """By which an axis may be turned, percent of rated torque; at 0 none is."""
    engine_process: str
    """What the command line of the engine's process contains, or nothing."""
    folder: Path
    virtual: bool = False
    """The files of the SDK say that no drive can move: nobody is asked."""
    virtual_slaves: int | None = None
    """How many they say that the network has; None for the simulated platform."""


@dataclass(slots=True)
class Probe:
    """The SDK and one device on it, which a step opens when it needs it."""

    settings: Settings
    clock: Clock = STEADY
    _driver: Driver | None = None
    _attached: bool = False
    """Whether there is a device; the engine may be idle with one, too."""
    _may_end_communication: bool = False
    """Whether the network did not communicate when the device was attached."""
    homes: dict[int, float] = field(default_factory=dict)
    """Where each axis stood when its servo came on."""
    armed: set[int] = field(default_factory=set)
    """The axes whose servos were commanded on."""
    _others: list[OtherProcess] = field(default_factory=list)

    @property
    def driver(self) -> Driver:
        if self._driver is None:
            options = DriverOptions(device_path=self.settings.device_path)
            self._driver = open_wmx3(options, CallLog(self.settings.folder / CALLS))
        return self._driver

    @property
    def motion(self) -> Motion:
        return self.driver.motion

    @property
    def session(self) -> SdkSession:
        engine = self.driver.engine
        assert isinstance(engine, WmxEngine)
        return engine.session()

    @property
    def acceleration(self) -> float:
        """Full speed within a tenth of a second, u/s^2."""
        return 10.0 * self.settings.velocity

    @property
    def longest_move(self) -> float:
        """How long a move within the distance allowed may take at a quarter of the velocity, s."""
        return STEP_TIMEOUT + 4.0 * self.settings.distance / self.settings.velocity

    def attach(self) -> None:
        """Attach, unless that is done."""
        if not self._attached:
            self.driver.engine.create_device(self.settings.device_path, NAME)
            self._attached = True
            self.require_to_be_alone()
            communicating = self.driver.engine.state() is EngineState.COMMUNICATING
            self._may_end_communication = not communicating

    def require_to_be_alone(self) -> None:
        """Close the device, and Occupied, where another has one, or may have."""
        try:
            others = other_devices(self.session)
        except WmxError as error:
            self.close()
            raise Occupied(f"whether others use the engine is not known: {error}") from error
        if others:
            self.close()
            raise Occupied(f"other programs use the engine: {', '.join(others)}")

    def require_own_communication(self) -> None:
        """Unable where the network communicated before: a step must neither end nor kill that."""
        self.attach()
        if not self._may_end_communication:
            raise Unable("the network communicated before this run, and another may need it")

    def stop_communication(self) -> None:
        """End communication, unless something moves; Unable where it was there before."""
        self.require_own_communication()
        status = self.motion.status()
        if status.busy.size:
            raise Unable(f"axes {status.busy.tolist()} move: communication stays on")
        self.driver.engine.stop_communication()

    @property
    def simulates(self) -> bool:
        """Whether the engine reports that it runs in its simulation mode, with no drive on it."""
        self.attach()
        return is_simulation(self.session)

    def require_virtual(self) -> None:
        """Occupied unless the engine is the one that the files of a virtual run describe."""
        self.attach()
        if not self._may_end_communication:
            raise Occupied("the engine communicated before this run: it may have other files")
        self.communicate()
        expected = self.settings.virtual_slaves
        if expected is None:
            agrees, found = self.simulates, "other platforms"
        else:
            slaves = len(self.driver.ecat.network_state(0).slaves)
            agrees, found = slaves == expected, f"{slaves} slaves for {expected}"
        if not agrees:
            raise Occupied(f"the engine is not the one of its files: it has {found}")

    def close(self) -> None:
        """Close the device, whatever the engine reports."""
        self._attached = self._may_end_communication = False
        self.driver.engine.close_device()

    def communicate(self) -> None:
        """Attach, and start communication, unless that is done."""
        self.attach()
        self.driver.engine.start_communication()

    def ready(self, *axes: int) -> None:
        """Bring `axes` to where they may move from: no alarm, position mode, servo on, at rest."""
        self.communicate()
        for axis in axes:
            self.motion.clear_alarm(axis)
            self.choose_mode(axis, CommandMode.POSITION)
            self.armed.add(axis)
            self.motion.set_servo(axis, on=True)
        on = self.wait(lambda status: status.servo_on[list(axes)].all())
        for axis in axes:
            self.homes.setdefault(axis, float(on.pos_cmd[axis]))
            self.go(axis, 0.0)

    def choose_mode(self, axis: int, mode: CommandMode) -> None:
        """Choose the command mode of an axis, once its motor rests."""
        deadline = self.clock.now() + STEP_TIMEOUT
        while True:
            try:
                return self.motion.set_command_mode(axis, mode)
            except CommandRefused as refused:
                if refused.code != ErrorCode.NotIdleState or self.clock.now() > deadline:
                    raise
            self.clock.sleep(0.005)

    def move(self, axis: int, way: float) -> PositionMove:
        """To `way` (u, within the distance allowed) from where the axis stood at first."""
        s = self.settings
        way = max(-s.distance, min(s.distance, way))
        target, acc = self.homes[axis] + way, self.acceleration
        return PositionMove(axis=axis, target=target, velocity=s.velocity, acc=acc, dec=acc)

    def slow_jog(self, axis: int, longest: float = JOG_TIME) -> VelocityMove:
        """For so long at most (s), so slow that it goes no further than half the distance."""
        velocity = min(self.settings.velocity, self.settings.distance / (2.0 * longest))
        acc = self.acceleration
        return VelocityMove(axis=axis, velocity=velocity, acc=acc, dec=acc, run_time=longest)

    def go(self, axis: int, way: float) -> MotionStatus:
        """Go there and wait."""
        self.motion.move_absolute([self.move(axis, way)])
        return self.rest(axis)

    def rest(self, *axes: int) -> MotionStatus:
        """Wait until `axes` do nothing."""
        self.clock.sleep(0.005)  # for a command that only starts
        idle = OperationState.IDLE
        return self.wait(
            lambda status: (status.op_state[list(axes)] == idle).all(), self.longest_move
        )

    def wait(
        self, condition: Callable[[MotionStatus], np.bool_ | bool], longest: float = STEP_TIMEOUT
    ) -> MotionStatus:
        """The first status that fulfils `condition`."""
        deadline = self.clock.now() + longest
        while not condition(status := self.motion.status()):
            if self.clock.now() > deadline:
                raise Unable(f"it did not happen within {longest:.0f} s; last seen: {status}")
            self.clock.sleep(0.001)
        return status

    def other_process(self) -> OtherProcess:
        """A second process with a device of its own; without `end_others` it ends with the probe.

        Nothing waits for it before the axes are safe.
        """
        self._others.append(OtherProcess(self.settings.device_path))
        return self._others[-1]

    def end_others(self) -> None:
        """Let the second processes close their devices and end."""
        while self._others:
            self._others.pop().end()

    def make_safe(self) -> str:
        """Stop the axes that were made ready, and take their servos off: what went wrong."""
        if not self.armed:
            return ""
        motion, latency = self.motion, self.driver.status_latency
        # No node takes part.
        ownership = Ownership("wmx3", motion.status, latency, clock=self.clock)
        tracker = MotionTracker("wmx_first_contact", latency, self.clock.now)
        stops = Stops(motion, ownership, tracker)
        return "; ".join(stop_and_switch_off(stops, self.armed, sorted(self.armed), latency))

    def leave(self) -> str:
        """Make the axes safe, and where they rest end communication and close the device.

        Communication that was there before stays on. What ends while an axis moves leaves it to its
        drive: communication stays on then, and the device open. Answers what went wrong.
        """
        if self._driver is None:
            return ""
        wrong = [self.make_safe()]
        self.end_others()
        if moving := self._moving():
            wrong.append(f"{moving}: communication was left on and the device open")
            return "; ".join(filter(None, wrong))
        ends = [self._driver.engine.stop_communication] if self._may_end_communication else []
        for act in (*ends, self.close):
            try:
                act()
            except Exception as error:
                wrong.append(str(error))
        return "; ".join(filter(None, wrong))

    @property
    def ended(self) -> str:
        """How a run has ended with which nothing went wrong, in words."""
        if self._driver is None:
            return NOTHING_OPENED
        return SAFE if self.armed else NONE_MOVED

    def _moving(self) -> str:
        """Which of the axes that were made ready do not rest, in words; empty where all do."""
        if not self.armed:
            return ""
        try:
            # An axis whose servo has just gone off is not idle for a few cycles.
            left = stop_and_wait(
                self.motion.status,
                lambda _: None,
                self.armed,
                self.driver.status_latency,
                REST_TIMEOUT,
                self.clock,
            )
        except Exception as error:
            return f"whether axes move is not known ({error})"
        return f"MOVING still: axes {', '.join(map(str, left.busy))}" if left else ""
