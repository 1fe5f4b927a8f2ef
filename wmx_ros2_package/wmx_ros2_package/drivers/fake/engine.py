"""The simulated WMX engine.

Modelled: the life of the engine (devices, communication); axes that follow trapezoidal moves,
torques, lines and splines with a servo that lags behind its command (`profile`, `line`, `spline`,
`servo`, `drive`, `axis`), with limits (`limits`), homing (`homing`), stops and emergency stops; the
I/O image (`io_image`) and the wires from outputs to inputs (`wiring`), the EtherCAT network
(`network`), what a parameter file changes of these, and faults at given times (`faults`).

Time is quantised to the communication cycle and computed, not waited for: an engine nobody looks
at uses no CPU, and the same calls at the same times of a clock give the same answers, whoever
looks on. What came due is carried out before the next call, in order of time and as if at its own
cycle: at one cycle first what the axes do themselves, then what is on the `agenda`.

Not modelled: profiles with limited jerk, changing a running move other than by a new one,
synchronous axes, circular interpolation, external limit switches, touch probes and the home types
that `homing` does not list, encoder resolution. `docs/simulation.md` at the repository's top tells
it all, with the default values.
"""

import threading
from contextlib import nullcontext
from math import inf
from typing import Any

from ..errors import CommandRefused, EngineLost, ErrorCode, ParameterFileError
from ..parameters.parameter_set import ParameterSet, read_parameters
from ..values import EngineState, MotionStatus
from .agenda import Agenda
from .clock import ROUNDING, Clock, Instant, RunningClock, cycle_at, newest_cycle
from .faults.fault_script import FaultPlayer
from .faults.slowness import ANY, Slowness
from .io.image import IoImage
from .machine.description import Machine
from .motion.axes import Axes
from .network.axis_feedback import feedback_of
from .network.network import Network
from .status_cache import StatusCache

ANSWERED_WITHOUT_COMMUNICATION = {
    "state",
    "devices",
    "start_communication",
    "stop_communication",
    "status",
    "parameters",
    "apply_parameters",
    "emergency_stop",
    "release_emergency_stop",
    "network_state",
    "scan_network",
}
FAULTS = {
    "play",
    "raise_alarm",
    "stick_switch",
    "freeze_encoder",
    "drop_slave",
    "return_slave",
    "cut_cable",
    "mend_cable",
    "disturb",
    "force_input_bit",
    "force_input_bytes",
    "release_input_bit",
    "release_input_bytes",
    "slow_calls",
    "crash",
}
WITHOUT_COMMUNICATION = frozenset(ANSWERED_WITHOUT_COMMUNICATION | FAULTS)
"""What can be called while the network does not run; the rest is refused."""
READING = frozenset(
    {
        "state",
        "devices",
        "status",
        "parameters",
        "network_state",
        "read_register",
        "read_sdo",
        "input_bit",
        "input_bytes",
        "output_bit",
        "output_bytes",
    }
)
"""What changes nothing: samples that were taken before are true afterwards, too."""


class FakeEngine:
    """A simulated engine with its machine, on `clock`, or else on the machine's own.

    `call` is the door for devices: it may be used from any thread and brings everything up to
    the newest communication cycle first.
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
        self._enter(EngineState.RUNNING)
        self._parts = {
            "engine": self,
            "motion": self._axes,
            "io": self._io,
            "ecat": self._network,
            "faults": FaultPlayer(machine, self._agenda, self._carry_out),
        }

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of `part`: engine, motion, io, ecat or faults."""
        late = 0.0
        try:
            with self._lock:
                now = newest_cycle(self.clock)
                changing = (
                    method not in READING or self.shared_state.first_due() <= now.time + ROUNDING
                )
                with self.shared_state.writing() if changing else nullcontext():
                    self._advance(now)
                    self._require(method)
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

    def _require(self, method: str) -> None:
        """Refuse a call that the engine does not answer as it is."""
        if self._crashed:
            raise EngineLost(ErrorCode.IMLibIsNotRunning, "the simulated engine has crashed")
        if self._state is not EngineState.COMMUNICATING and method not in WITHOUT_COMMUNICATION:
            raise CommandRefused(ErrorCode.CommNotStarted)

    def _carry_out(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self._parts[part], method)(*args, **kwargs)
        network_may_differ = part == "ecat" and method not in READING
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
