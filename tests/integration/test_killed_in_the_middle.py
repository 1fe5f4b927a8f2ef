"""What dies or hangs in the middle of something: all is usable again, and nothing is left moving.

One system of separate processes; after each fault what is gone is started again, as a supervisor
would, and an axis has to be switched on and moved within seconds, without a call by hand. Only an
axis that was homed waits for a client where its engine died.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
import system as systems
from fault_injection import ENGINE, KILL, LONG_SUSPENSION, STOP, FaultInjection
from ros import Client
from system import CONFIG, NODES, SERVICES_OF, System, pause
from waits import at_best, eventually

USABLE_WITHIN = 5.0
"""As promised, s; what starts Python and finds the others may take as long again here."""
BUSY, WITNESS = 0, 3
"""The axis that something is done to, and the one that shows that the system is usable."""
MOTION = "wmx_core_motion_node"


class Cell:
    """The system, and the faults that it gets."""

    def __init__(self, system: System, settings: Sequence[str]) -> None:
        self.system = system
        self.inject = FaultInjection(system, settings).inject
        self.homed = False
        """Whether BUSY may have a reference that an engine can lose."""

    @property
    def client(self) -> Client:
        return self.system.client

    def begin(self, doing: str) -> None:
        """Start something that takes a while; nobody waits for its answer."""
        client = self.client
        if doing == "a move":
            client.move("wmx/axis/position", [BUSY], [1e5], [2.0], [20.0], [20.0])
            client.states.next(lambda s: s.velocity_cmd[BUSY] > 1.9)
        elif doing == "homing":
            self.homed = True
            client.ask("wmx/axis/homing", index=[BUSY])
            client.states.next(lambda s: s.home_switch is not None and not s.home_done[BUSY])
        elif doing == "set_on":
            client.ask("wmx/axis/set_on", index=[1, 2], data=[1, 1])
            pause(0.1)
        else:
            for _ in range(3):
                file = str(CONFIG / "wmx_parameters_6_axes.xml")
                client.ask("wmx/params/load", file_path=file)

    def usable(self) -> float:
        """An axis is switched on and moved; how long that took to be possible, s."""
        start = time.monotonic()
        on = {"index": [WITNESS], "data": [1]}
        eventually(lambda: self._succeeds("wmx/axis/set_on", **on), "a servo can be switched on")
        eventually(lambda: self._succeeds("wmx/axis/set_mode", index=[WITNESS], data=[0]), "mode")
        taken = time.monotonic() - start
        target = 0.2 if self.client.state().actual_pos[WITNESS] < 0.1 else 0.0
        eventually(lambda: self._goes_to(target), f"the axis arrives at {target}")
        return taken

    def _goes_to(self, target: float) -> bool:
        """Whether it arrives: what is sent while only a dead node is known to listen is lost."""
        self.client.move("wmx/axis/position", [WITNESS], [target], [3.0], [30.0], [30.0])
        with suppress(AssertionError):
            self.client.at_rest(WITNESS, target, timeout=2.0)
            return True
        return False

    def everything_rests(self) -> None:
        """What outlived its node is stopped by whoever stops; nothing hinders that."""
        axes = list(range(6))
        self.client.meet(SERVICES_OF[MOTION])
        self.client.must("wmx/axis/stop")
        self.client.states.next(lambda s: not any(s.velocity_cmd))
        self.client.must("wmx/axis/set_on", index=axes, data=[0] * 6)
        self.decide()
        self.client.must("wmx/axis/set_on", index=[BUSY], data=[1])

    def decide(self) -> None:
        """Take BUSY as it is, where its reference was lost; nothing else is, and of no other axis.

        It is blocked until a client decides, as docs/safety.md says of what outlives the engine.
        """
        busy, *others = self.client.must("wmx/axis/explain", index=list(range(6))).explanations
        assert not any("lost" in text for text in others), others
        if "its reference was lost" in busy:
            assert self.homed, busy
            self.client.must("wmx/axis/confirm", index=[BUSY])
            self.homed = False
            (busy,) = self.client.must("wmx/axis/explain", index=[BUSY]).explanations
        assert "lost" not in busy

    def _succeeds(self, service: str, **fields: object) -> bool:
        try:
            return bool(self.client.call(service, 1.0, **fields).success)
        except TimeoutError:
            return False


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with systems.place() as place:
        machine = str(place.machine(home_time=2.0, servo_on_time=0.3))
        settings = f"device_path:={machine}", "retry_delay:=0.1", "servo_timeout:=10.0"
        with systems.system(place, *settings, executables=NODES) as system:
            system.ready()
            system.client.must("wmx/axis/set_on", index=[BUSY], data=[1])
            yield Cell(system, settings)


DOINGS = "a move", "homing", "set_on", "loading parameters"
FAULTS = {
    "engine killed": (ENGINE, KILL),
    "engine stopped": (ENGINE, STOP),
    "node killed": (MOTION, KILL),
    "node stopped": (MOTION, STOP),
    "engine node killed": ("wmx_engine_node", KILL),
}


QUICK = {
    *(("engine killed", doing) for doing in ("homing", "loading parameters")),
    *(("node killed", doing) for doing in ("a move", "set_on")),
    *(("engine stopped", "a move"), ("node stopped", "a move"), ("engine node killed", "homing")),
}
"""Those that every run injects: each fault, and each thing that is done."""


def cases() -> Iterator[object]:
    for fault, doing in product(FAULTS, DOINGS):
        yield pytest.param(fault, doing, marks=() if (fault, doing) in QUICK else pytest.mark.slow)


@pytest.mark.parametrize(("fault", "doing"), cases())
def test_all_is_usable_again(cell: Cell, doing: str, fault: str) -> None:
    injected_while(cell, doing, *FAULTS[fault])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("doing", DOINGS)
@pytest.mark.parametrize("victim", [ENGINE, *NODES])
def test_all_is_usable_again_after_half_a_minute(cell: Cell, victim: str, doing: str) -> None:
    injected_while(cell, doing, victim, STOP, LONG_SUSPENSION)


def injected_while(cell: Cell, doing: str, *fault: Any) -> None:
    def attempt() -> float:
        cell.begin(doing)
        cell.inject(*fault)
        taken = cell.usable()
        cell.everything_rests()
        assert len(cell.system.place.engine_pids()) == 1
        assert len(cell.system.place.sockets()) == 1
        return taken

    at_best(attempt, 2.0 * USABLE_WITHIN, attempts=3)
