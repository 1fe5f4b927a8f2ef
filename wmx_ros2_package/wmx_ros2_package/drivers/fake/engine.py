"""The simulated WMX engine.

Modelled: the life of the engine (devices, communication); axes that follow moves of every profile,
torques, lines and splines with a servo that lags behind its command (`profile`, `line`, `spline`,
`servo`, `drive`, `axis`), with limits (`limits`), homing (`homing`), stops and emergency stops; the
I/O image (`io_image`) and the wires from outputs to inputs (`wiring`), the EtherCAT network
(`network`), what a parameter file changes of these, and faults at given times (`faults`).

Time is quantised to the communication cycle and computed, not waited for: an engine nobody looks
at uses no CPU, and the same calls at the same times of a clock give the same answers, whoever
looks on. What came due is carried out before the next call, in order of time and as if at its own
cycle: at one cycle first what the axes do themselves, then what is on the `agenda`.

Not modelled: changing a running move other than by a new one or its velocity by an override,
synchronous axes, circular interpolation, external limit switches, touch probes and the home types
that `homing` does not list, encoder resolution. `docs/simulation.md` at the repository's top tells
it all, with the default values.
"""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from math import inf
from typing import Any

from ..errors import CommandRefused, EngineLost, ErrorCode, ParameterFileError
from ..parameters.parameter_set import ParameterSet, read_parameters
from ..values import EngineState, MotionStatus
from .agenda import Agenda
from .calls import Declared
from .clock import ROUNDING, Clock, Instant, RunningClock, cycle_at, newest_cycle
from .faults.fault_script import FaultPlayer, read_script
from .faults.slowness import ANY, Slowness
from .io.image import IoImage
from .machine.description import Machine
from .motion.axes import Axes
from .network.axis_feedback import feedback_of
from .network.network import Network
from .proxies import METHODS, declared
from .status_cache import StatusCache


class FakeEngine:
    """A simulated engine with its machine, on `clock`, or else on the machine's own.

    `call` is the door for devices: it may be used from any thread, carries out what `calls` has
    declared, and brings everything up to the newest communication cycle first.
    """

    def __init__(self, machine: Machine, clock: Clock | None = None) -> None:
        self.clock = clock or RunningClock(machine.clock_rate)
        self._lock = threading.Lock()
        self._axes = Axes(machine.axes, _initial_parameters(machine))
        self._network = Network(machine.masters, feedback_of(self._axes))
        self.axes = len(machine.axes)
        self.shared_state = self._axes.shared_state
        self._status_cache = StatusCache(self.shared_state)
        self._agenda = Agenda(self.shared_state.next_due)
        self._io = IoImage(machine.wiring, self._agenda, self._axes.follow_inputs)
        self._slowness = Slowness()
        self._crashed = False
        self._devices: list[str] = []
        with self.shared_state.writing():
            self._enter(EngineState.RUNNING)
        self._parts = {
            "engine": self,
            "motion": self._axes,
            "io": self._io,
            "ecat": self._network,
            "faults": FaultPlayer(machine, self._agenda, self._carry_out),
        }
        self._read_first: dict[str, Callable[..., tuple[Any, ...]]] = {
            "load_parameters": self._read_parameters,
            "play": lambda script: ("play_entries", read_script(script)),
        }
        """What takes a while to read is read by whoever asks, before everybody else has to wait:
        by method, and returns which one then is called with what."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of `part`: engine, motion, io, ecat or faults."""
        about, late = declared(part, method), 0.0
        if read := self._read_first.get(method):
            return self.call(part, *read(*args, **kwargs))
        try:
            with self._lock:
                now = newest_cycle(self.clock)
                changing = not about.reads or self.shared_state.first_due() <= now.time + ROUNDING
                with self.shared_state.writing() if changing else nullcontext():
                    self._advance(now)
                    self._require(about)
                    late = self._slowness.take(method)
                    return self._carry_out(part, method, *args, **kwargs)
        finally:
            if late:
                self.clock.sleep(late)

    def try_read(self) -> MotionStatus | None:
        """What the status of motion is, or None where it has to be called for."""
        with self._lock:
            return self._status_cache.take(newest_cycle(self.clock))

    # Devices, which come and go in `host`

    def attach(self, name: str) -> None:
        """One device more."""
        self._devices.append(name)

    def detach(self, name: str) -> None:
        """One device fewer."""
        self._devices.remove(name)

    def devices(self) -> tuple[str, ...]:
        """The names of the attached devices, in the order in which they came."""
        return tuple(self._devices)

    # What `call` carries out of interface.Engine

    def start_communication(self) -> None:
        if self._state is not EngineState.COMMUNICATING:
            self._enter(EngineState.COMMUNICATING)
            self._network.start_communication()
            self._axes.follow_network(offline=self._network.offline_axes())

    def stop_communication(self) -> None:
        if self._state is EngineState.COMMUNICATING:
            self._enter(EngineState.RUNNING)
            self._network.stop_communication()
            self._axes.stop_communication()
            self._io.stop_communication()

    def state(self) -> EngineState:
        return self._state

    # Faults

    def slow_calls(self, seconds: float, count: int = 1, method: str = ANY) -> None:
        """Answer the next `count` calls of `method`, or of any, `seconds` late."""
        self._slowness.slow_down(seconds, count, method)

    def crash(self) -> None:
        """The engine dies: every later call finds that it is lost."""
        self._crashed = True
        self._agenda.clear()
        self.shared_state.next_due[...] = -inf  # readers have to ask, and learn it

    def _read_parameters(self, path: str) -> tuple[Any, ...]:
        parameters = read_parameters(path)
        typed = [parameters.axis(axis) for axis in range(self.axes)]
        return "apply_parameters", parameters, typed

    def _advance(self, now: Instant) -> None:
        """Carry out what came due by `now`, each thing at its cycle."""
        while self._agenda.next_cycle <= now.cycle:
            self._go_to(cycle_at(self.clock, int(self._agenda.next_cycle)))
            self._agenda.carry_out()
        self._go_to(now)

    def _go_to(self, now: Instant) -> None:
        self._agenda.cycle = now.cycle
        self._axes.advance(now)
        self._network.advance(now.cycle)

    def _require(self, about: Declared) -> None:
        """Refuse a call that the engine does not answer as it is."""
        if self._crashed:
            raise EngineLost(ErrorCode.IMLibIsNotRunning, "the simulated engine has crashed")
        if self._state is not EngineState.COMMUNICATING and not about.offline:
            raise CommandRefused(ErrorCode.CommNotStarted)

    def _carry_out(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self._parts[part], method)(*args, **kwargs)
        network_may_differ = part == "ecat" and not METHODS[part, method].reads
        if network_may_differ and self._state is EngineState.COMMUNICATING:
            self._axes.follow_network(offline=self._network.offline_axes())
        return result

    def _enter(self, state: EngineState) -> None:
        self._state = state
        self.shared_state.record["engine_state"] = state


def _initial_parameters(machine: Machine) -> ParameterSet:
    """What the engine reads when it starts: the machine's parameter file, if it names one."""
    if machine.parameters is None:
        return ParameterSet.defaults(len(machine.axes))
    try:
        return read_parameters(machine.parameters)
    except ParameterFileError as error:
        raise ParameterFileError(error.code, f"parameters of the machine: {error.detail}") from None
