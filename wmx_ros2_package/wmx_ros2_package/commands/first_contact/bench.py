"""What the steps work with: the installed SDK, a device on it, and the axes that may move."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...drivers.errors import WmxError
from ...drivers.interface import Driver, Motion
from ...drivers.options import DriverOptions
from ...drivers.values import CommandMode, EngineState, MotionStatus, OperationState, PositionMove
from ...drivers.wmx3.device import WmxEngine, open_wmx3
from ...drivers.wmx3.session import Session

PATIENCE = 10.0
"""How long anything may take that should be over soon, s."""


class Unable(Exception):
    """A step cannot be carried out here, for the reason given."""


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
    engine_process: str
    """What the command line of the engine's process contains, or nothing."""
    folder: Path


@dataclass(slots=True)
class Bench:
    """The SDK and one device on it, which a step opens when it needs it."""

    settings: Settings
    _driver: Driver | None = None
    homes: dict[int, float] = field(default_factory=dict)
    """Where each axis stood when its servo came on."""

    @property
    def driver(self) -> Driver:
        if self._driver is None:
            self._driver = open_wmx3(DriverOptions(device_path=self.settings.device_path))
        return self._driver

    @property
    def motion(self) -> Motion:
        return self.driver.motion

    @property
    def session(self) -> Session:
        engine = self.driver.engine
        assert isinstance(engine, WmxEngine)
        return engine.session()

    @property
    def acceleration(self) -> float:
        """Full speed within a tenth of a second, u/s^2."""
        return 10.0 * self.settings.velocity

    def attach(self) -> None:
        """Attach, unless that is done."""
        if self.driver.engine.state() is EngineState.IDLE:
            self.driver.engine.create_device(self.settings.device_path, "wmx_first_contact")

    def communicate(self) -> None:
        """Attach, and start communication, unless that is done."""
        self.attach()
        self.driver.engine.start_communication()

    def ready(self, *axes: int) -> None:
        """Bring `axes` to where they may move from: position mode, servo on, at rest."""
        if not axes:
            raise Unable("no axis was named: --axes")
        self.communicate()
        for axis in axes:
            self.motion.clear_alarm(axis)
            self.motion.set_command_mode(axis, CommandMode.POSITION)
            self.motion.set_servo(axis, on=True)
        on = self.wait(lambda status: status.servo_on[list(axes)].all())
        for axis in axes:
            self.homes.setdefault(axis, float(on.pos_cmd[axis]))
            self.go(axis, 0.0)

    def move(self, axis: int, way: float) -> PositionMove:
        """To `way` (u, within the distance allowed) from where the axis stood at first."""
        s = self.settings
        way = max(-s.distance, min(s.distance, way))
        target, acc = self.homes[axis] + way, self.acceleration
        return PositionMove(axis=axis, target=target, velocity=s.velocity, acc=acc, dec=acc)

    def go(self, axis: int, way: float) -> MotionStatus:
        """Go there and wait."""
        self.motion.move_absolute([self.move(axis, way)])
        return self.rest(axis)

    def rest(self, *axes: int) -> MotionStatus:
        """Wait until `axes` do nothing."""
        time.sleep(0.005)  # for a command that only starts
        idle = OperationState.IDLE
        s = self.settings
        longest = PATIENCE + 4.0 * s.distance / s.velocity
        return self.wait(lambda status: (status.op_state[list(axes)] == idle).all(), longest)

    def wait(
        self, condition: Callable[[MotionStatus], np.bool_ | bool], longest: float = PATIENCE
    ) -> MotionStatus:
        """The first status that fulfils `condition`."""
        deadline = time.monotonic() + longest
        while not condition(status := self.motion.status()):
            if time.monotonic() > deadline:
                raise Unable(f"it did not happen within {longest:.0f} s; last seen: {status}")
            time.sleep(0.001)
        return status

    def make_safe(self) -> str:
        """Stop the axes, take their servos off; answers what went wrong."""
        wrong = []
        axes = [*self.homes]
        acts: list[Callable[[], None]] = [lambda: self.motion.stop(axes)] if axes else []
        acts += [lambda axis=axis: self.motion.set_servo(axis, on=False) for axis in axes]  # type: ignore[misc]
        for act in acts:
            try:
                act()
            except WmxError as error:
                wrong.append(str(error))
        return "; ".join(wrong)

    def leave(self) -> str:
        """Stop, end communication and close the device; answers what went wrong."""
        if self._driver is None:
            return ""
        wrong = [self.make_safe()]
        for act in (self._driver.engine.stop_communication, self._driver.engine.close_device):
            try:
                act()
            except WmxError as error:
                wrong.append(str(error))
        return "; ".join(filter(None, wrong))
