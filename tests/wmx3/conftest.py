"""What most tests of the wmx3 backend begin with."""

import time
from collections.abc import Iterator

import pytest
from checked_sdk import CheckedSdk
from recorder import Recorder

from wmx_core.clock import SteadyClock
from wmx_core.interface import Driver
from wmx_sim.engine.clock import Clock, HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import Machine
from wmx_sim.server import starting

READ_TIME = 50e-6
"""How much time passes with each read of the clock, s, so that loops without sleep end."""


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def vendor(recorder: Recorder) -> CheckedSdk:
    return CheckedSdk(recorder)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()


@pytest.fixture
def held_clock() -> Iterator[HeldClock]:
    """The clock of this process and of the simulated engines in it: it runs where something sleeps.

    So what waits for an engine takes no longer than its computation.
    """
    clock = HeldClock()

    def monotonic() -> float:
        clock.advance(READ_TIME)
        return clock.now()

    def engine(machine: Machine, _clock: Clock | None = None) -> SimulatedEngine:
        return SimulatedEngine(machine, clock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", monotonic)
        patch.setattr(time, "sleep", clock.sleep)
        patch.setattr(SteadyClock, "now", staticmethod(monotonic))
        patch.setattr(SteadyClock, "sleep", clock.sleep)
        patch.setattr(starting, "SimulatedEngine", engine)
        yield clock
