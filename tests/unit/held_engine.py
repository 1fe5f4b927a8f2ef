"""A simulated engine whose clock the test holds in its hand."""

from math import ceil
from typing import Any

import numpy as np

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import CommandMode, MotionStatus, PositionMove, VelocityMove
from wmx_sim.engine.clock import HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.fault_proxies import AxisFaults
from wmx_sim.engine.machine.description import (
    AxisModel,
    Machine,
    MasterDescription,
    SlaveDescription,
)
from wmx_sim.engine.machine.wires import Wire
from wmx_sim.engine.proxies import (
    EcatProxy,
    EngineProxy,
    FaultsProxy,
    IoProxy,
    LocalMotion,
    MotionProxy,
    ReactionsProxy,
)

COUNTS = 1000.0
"""Encoder counts per user unit of the test machine."""
MODEL = AxisModel(
    servo_on_time=0.05,
    position_gain=40.0,
    rated_acceleration=100.0 * COUNTS,  # 100 u/s^2
    coulomb_friction=3.0,
    viscous_friction=5.0,
    counts_per_revolution=1000,  # rated speed 50 u/s
)
PARAMETERS: dict[str, float] = {
    "gear_ratio_numerator": COUNTS,
    "in_pos_width": 0.001,
    "quick_stop_dec": 20.0,
}


class Motion(MotionProxy):
    """Looks at the status as a device does, and calls where the engine has something to do."""

    def __init__(self, fake: SimulatedEngine) -> None:
        super().__init__(fake.call)
        self._fake = fake

    def status(self) -> MotionStatus:
        seen = self._fake.try_read()
        return super().status() if seen is None else seen


class HeldEngine:
    """An engine of `axes` axes that communicates, with `parameters` other than PARAMETERS.

    Or one that plays `machine` with its own parameters.
    """

    def __init__(
        self,
        axes: int = 2,
        *,
        model: AxisModel = MODEL,
        wiring: tuple[Wire, ...] = (),
        start: bool = True,
        vendor_rules: bool = False,
        clock_rate: float = 1.0,
        machine: Machine | None = None,
        **parameters: float,
    ) -> None:
        drive = SlaveDescription(name="drive", axes=1)
        described = machine or Machine(
            masters=(MasterDescription(slaves=(drive,) * axes),),
            axes=(model,) * axes,
            parameters=None,
            wiring=wiring,
        )
        self.clock = HeldClock(clock_rate)
        self.fake = SimulatedEngine(described, self.clock, vendor_rules=vendor_rules)
        self.engine = EngineProxy(self.fake.call)
        self.motion = Motion(self.fake)
        self.io = IoProxy(self.fake.call)
        self.ecat = EcatProxy(self.fake.call)
        self.reactions = ReactionsProxy(self.fake.call)
        if machine is None:
            self.apply(**{**PARAMETERS, **parameters})
        if start:
            self.engine.start_communication()

    def apply(self, **parameters: float) -> None:
        """Put `parameters` in force for every axis."""
        changed = self.motion.parameters()
        for axis in range(self.status().axes):
            changed = changed.with_axis(axis, **parameters)
        self.apply_set(changed)

    def apply_set(self, parameters: ParameterSet) -> None:
        typed = [parameters.axis(axis) for axis in range(self.status().axes)]
        LocalMotion(self.fake.call).apply_parameters(parameters, typed)

    def raise_alarm(self, axis: int, code: int = 0x42) -> None:
        AxisFaults(self.fake.call).raise_alarm(axis, code)

    def play(self, script: str) -> None:
        """Play a script of faults, see `fake.fault_script`."""
        FaultsProxy(self.fake.call).play(script)

    def status(self) -> MotionStatus:
        return self.motion.status()

    def after(self, seconds: float) -> MotionStatus:
        """Let `seconds` of the engine pass."""
        self.clock.advance(seconds)
        return self.status()

    def now(self) -> float:
        """The steady clock, s."""
        return self.clock.steady(self.clock.now())

    def sleep(self, seconds: float) -> None:
        """Let `seconds` of the steady clock pass."""
        self.clock.advance(seconds * self.clock.rate)

    def servo_on(self, *axes: int, mode: CommandMode = CommandMode.POSITION) -> "HeldEngine":
        """Switch the servos of `axes` on, or of all, in `mode`, and wait until they are on."""
        for axis in axes or range(self.status().axes):
            self.motion.set_command_mode(axis, mode)
            self.motion.set_servo(axis, on=True)
        self.after(MODEL.servo_on_time)
        return self


def position_move(axis: int = 0, target: float = 1.0, **limits: float) -> PositionMove:
    """A move of `axis`, unless said otherwise at 2 u/s, 10 u/s^2 up and 5 u/s^2 down."""
    return PositionMove(axis=axis, target=target, **{**LIMITS, **limits})


def velocity_move(axis: int = 0, velocity: float = 2.0, **limits: float) -> VelocityMove:
    return VelocityMove(axis=axis, **{**LIMITS, "velocity": velocity, **limits})


LIMITS = {"velocity": 2.0, "acc": 10.0, "dec": 5.0}


def rate(change: float, asked: float) -> float:
    """The rate at which a velocity changes by `change` where `asked` is: in whole cycles."""
    return change / (ceil(change / asked * 1000 - 1e-9) / 1000)


def same(one: MotionStatus, other: MotionStatus) -> bool:
    """Whether two states are equal to the last bit, whenever they were read; NaN is NaN."""

    def equal(a: Any, b: Any) -> bool:
        floats = isinstance(a, np.ndarray) and a.dtype.kind == "f"
        return np.array_equal(a, b, equal_nan=floats)

    return all(
        equal(getattr(one, name), getattr(other, name))
        for name in MotionStatus.__slots__
        if name not in ("time", "cycle")
    )
