"""The ways to open an engine, one class each."""

import os
import signal
import time
from collections.abc import Mapping
from math import inf
from pathlib import Path

import moves
import pytest
import simulation
from backends import Backend
from other_processes import engine_processes, kill, suspend
from waits import WAIT_TIMEOUT

from wmx3.driver import driver_on
from wmx_core.interface import Driver, Faults
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import DEFAULT_DEVICE_PATH, EngineState, MotionStatus
from wmx_sim.engine.clock import Clock, HeldClock, newest_cycle
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import Machine, load_machine
from wmx_sim.engine.proxies import FaultsProxy
from wmx_sim.sdk.module import build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.runtime import Runtime
from wmx_sim.server import engine_client, starting


class Held(Backend):
    """The simulated engine in the test's process, on a clock that the test holds."""

    exact = True

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        super().__init__(folder, axis_model)
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr(starting, "SimulatedEngine", self._held_engine)

    def open(self) -> Driver:
        self._opened.append(open_driver("fake", DriverOptions(hosts_engine=True)))
        return self._opened[-1]

    def close(self) -> None:
        super().close()
        self._patch.undo()

    def wait_for_cycle(self, cycle: int) -> MotionStatus:
        wait = cycle - newest_cycle(self._clock).cycle
        self._clock.advance(max(0, wait) * self.cycle_time)
        return self.motion.status()

    def _held_engine(self, machine: Machine, _clock: Clock) -> SimulatedEngine:
        self._clock = HeldClock()
        return SimulatedEngine(machine, self._clock)


class Running(Backend):
    """An engine whose clock runs by itself."""

    def wait_for_cycle(self, cycle: int) -> MotionStatus:
        status = self.motion.status()
        reached, progress = status.cycle, time.monotonic()
        while status.cycle < cycle:
            time.sleep(0.0005)
            status = self.motion.status()
            if status.cycle > reached:
                reached, progress = status.cycle, time.monotonic()
            assert time.monotonic() - progress < WAIT_TIMEOUT, f"it stays in cycle {reached}"
        return status


class Process(Running):
    """The simulated engine in its own process."""

    clock_rate = 5.0  # most of a test is waiting for axes that move

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        super().__init__(folder, axis_model)
        self._runtime = Path(os.environ["XDG_RUNTIME_DIR"])
        self._patch = pytest.MonkeyPatch()
        self._killed = False
        self._frozen = 0

    def open(self) -> Driver:
        self._opened.append(open_driver("fake"))
        return self._opened[-1]

    def freeze_engine(self) -> None:
        (self._frozen,) = engine_processes(self._runtime)
        suspend(self._frozen)
        self._patch.setattr(engine_client, "REPLY_TIMEOUT", 0.5)  # what it ends with is the same

    def close(self) -> None:
        if self._frozen:
            os.kill(self._frozen, signal.SIGCONT)
        self._patch.undo()
        super().close()
        if self._killed:  # what the next engine here would do
            for socket in self._runtime.glob("*/*.sock"):
                socket.unlink()

    def kill_engine(self) -> None:
        (engine,) = engine_processes(self._runtime)
        kill(engine)
        self._killed = True


class SimulatedSdk(Held):
    """`wmx3` over the simulated SDK; its engine keeps the vendor's rules."""

    vendor_rules = True
    may_lack = True
    restarts = False

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        super().__init__(folder, axis_model)
        self._clock = HeldClock()
        machine = load_machine(self.machine)
        self._engine = SimulatedEngine(machine, self._clock, vendor_rules=True)
        self._runtime = Runtime(engine=self._engine, newer=True)
        self._module = build(self._runtime, NotSimulated(pytest.fail))

    def open(self) -> Driver:
        self._opened.append(driver_on(self._module, DriverOptions(), self._clock))
        return self._opened[-1]

    @property
    def path(self) -> str:
        return DEFAULT_DEVICE_PATH

    @property
    def faults(self) -> Faults:
        return FaultsProxy(self._engine.call)

    def freeze_engine(self) -> None:
        """The memory that its status is read from stays as it is."""
        count = self._runtime.count_cycles()
        self.motion.status()
        self._runtime.count_cycles = lambda: count  # type: ignore[method-assign]
        self._clock.advance(2.0)

    def wait_for_cycle(self, cycle: int) -> MotionStatus:
        """This engine counts its cycles from where communication began."""
        self._runtime.step()
        wait = max(0, cycle - self._runtime.count_cycles())
        if not self._runtime.watchers:
            self._clock.advance(wait * self.cycle_time)
            return self.motion.status()
        for _ in range(wait):
            self._clock.advance(self.cycle_time)
            self._runtime.look()
        return self.motion.status()


class RealSdk(Running):
    """The vendor's SDK and real hardware, see README.md.

    A test begins with its axes homed where they stand, and leaves them there.
    """

    simulated = False
    vendor_rules = True
    may_lack = True
    restarts = False
    tolerance = 0.02
    standstill = inf  # one count to and fro is a high velocity
    start_delay = 5

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        super().__init__(folder, axis_model)
        if axis_model:
            pytest.skip("needs a machine whose switches and ends are known")
        self.axes = tuple(int(axis) for axis in os.environ["WMX3_SDK_AXES"].split(","))
        self._elements = {
            **simulation.PARAMETERS,
            simulation.NUMERATOR: float(os.environ["WMX3_SDK_COUNTS"]),
        }
        output = os.environ.get("WMX3_SDK_OUTPUT_BYTE")
        self.outputs = range(int(output), int(output) + 1) if output else None
        self._found: Path | None = None

    @staticmethod
    def missing() -> str:
        """What has to be said before anything may move, and is not."""
        needed = ("WMX3_SDK_AXES", "WMX3_SDK_COUNTS")
        return ", ".join(name for name in needed if not os.environ.get(name))

    def open(self) -> Driver:
        self._opened.append(open_driver("wmx3"))
        return self._opened[-1]

    @property
    def path(self) -> str:
        return os.environ.get("WMX3_SDK_PATH", DEFAULT_DEVICE_PATH)

    def communicate(self) -> None:
        super().communicate()
        if self._found is None:
            self._found = self.folder / "found.xml"
            self._found.write_text(self.motion.parameters().to_xml())
        self._ready()
        for axis in self.axes:
            self.motion.home(axis)
        self.until(lambda status: status.home_done[list(self.axes)].all())
        self._servos_off()

    def close(self) -> None:
        if self._found is not None and self.engine.state() is not EngineState.IDLE:
            self.engine.start_communication()
            self._ready()
            self.motion.move_absolute([moves.to(axis, 0.0) for axis in self.axes])
            self.at_rest()
            self._servos_off()
            self.motion.load_parameters(str(self._found))
        super().close()

    def _ready(self) -> None:
        """Whatever the axes did has ended; they have the contract's parameters, and servos on."""
        self.motion.release_emergency_stop()
        self.motion.stop(self.axes)
        self.at_rest()
        for axis in self.axes:
            self.motion.clear_alarm(axis)
        parameters = self.folder / "contract.xml"
        parameters.write_text(
            simulation.changed(self.motion.parameters(), self.axes, self._elements)
        )
        self.motion.load_parameters(str(parameters))
        self.servo_on()

    def _servos_off(self) -> None:
        for axis in self.axes:
            self.motion.set_servo(axis, on=False)
        self.until(lambda status: not status.servo_on[list(self.axes)].any())
        self.at_rest()


BACKENDS: dict[str, type[Backend]] = {
    "held": Held,
    "process": Process,
    "wmx3": SimulatedSdk,
    "sdk": RealSdk,
}
