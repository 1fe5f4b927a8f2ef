"""`wmx3` over `wmx3_sim`: the SDK as programs of one process have it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from backends import Backend

from wmx3_sim.module import build
from wmx3_sim.parts import NotSimulated
from wmx3_sim.runtime import Runtime
from wmx_ros2_package.drivers.fake.machine.description import load_machine
from wmx_ros2_package.drivers.fake.proxies import FaultsProxy
from wmx_ros2_package.drivers.interface import Driver, Faults
from wmx_ros2_package.drivers.options import DriverOptions
from wmx_ros2_package.drivers.values import MotionStatus
from wmx_ros2_package.drivers.wmx3.device import driver_on


class Sim(Backend):
    """`wmx3` over `wmx3_sim`, whose time the test holds.

    It plays the SDK for programs of one process, without its EtherCAT functions; the tests that it
    is not for are listed in `sim_cases`.
    """

    exact = True
    may_lack = True
    restarts = False

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        super().__init__(folder, axis_model)
        self.runtime = Runtime(machine=load_machine(self.machine), held=True)
        self._module = build(self.runtime, NotSimulated(self._lacks))

    def open(self) -> Driver:
        self._opened.append(driver_on(self._module, DriverOptions(), SimTime(self.runtime)))
        return self._opened[-1]

    def communicate(self) -> None:
        self.engine.start_communication()

    @property
    def faults(self) -> Faults:
        return FaultsProxy(self.runtime.engine.call)

    def wait_for_cycle(self, cycle: int) -> MotionStatus:
        self.runtime.advance(max(0, cycle - self.motion.status().cycle))
        return self.motion.status()

    def kill_engine(self) -> None:
        pytest.skip("this engine ends only together with the program")

    def _lacks(self, line: str) -> None:
        assert line.split()[1] == "Ecat", line  # which every device asks for its axes


class SimTime:
    """The time of an engine of `wmx3_sim`, which goes on while somebody sleeps."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def now(self) -> float:
        return self._runtime.time

    def sleep(self, seconds: float) -> None:
        self._runtime.advance(round(seconds * 1000.0))
