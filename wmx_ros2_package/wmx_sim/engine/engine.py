"""The simulated engine: each call advances it to now; a status is of its cache, else of `axes`.

Modelled: the life of the engine (devices, communication); axes that follow moves of every
profile, torques, lines and splines with a servo that lags behind its command (`motion`), with
limits, homing, gears, stops and emergency stops; the I/O image and the wires from outputs to inputs
(`io_image`), what the engine does by itself (`reactions`), the EtherCAT network (`network`), what a
parameter file changes of these, and faults at given times (`faults`).

Time is quantised to the communication cycle and computed, not waited for: an idle engine uses no
CPU, and the same calls at the same times of a clock give the same answers, however often the state
is read. What came due is carried out before the next call, in order of time and as if at its own
cycle: at one cycle first what the axes do themselves, then what is in the event queue.

Not modelled: changing a running move other than by a new one or its velocity by an override,
gears that are engaged while axes move, circular interpolation, external limit switches, touch
probes of drives and the home types that `homing` does not list, encoder resolution.
`docs/simulation.md` at the repository's top has all of it, with the default values.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from math import inf
from typing import Any

from wmx_core.errors import (
    CommandRefused,
    EngineLost,
    ErrorCode,
    ParameterFileError,
)
from wmx_core.options import require_dead_man
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import EngineState, MotionStatus

from .calls import Declared
from .clock import (
    CYCLES_PER_SECOND,
    ROUNDING,
    Clock,
    Instant,
    RunningClock,
    cycle_at,
    newest_cycle,
)
from .dead_man import DeadMan
from .event_queue import EventQueue
from .faults.call_delay import ANY, CallDelay
from .faults.fault_script import FaultPlayer, read_script
from .io_image import IoImage
from .machine.description import Machine
from .motion.axes import Axes
from .network.cia402 import AxisFeedback, axis_feedback
from .network.network import Network
from .proxies import METHODS, declared
from .reactions.reactions import Reactions
from .status_cache import StatusCache


class SimulatedEngine:
    """A simulated engine with its machine, on `clock`, or else on the machine's own.

    Devices reach it through `call`: from any thread it carries out what `proxies` declares, after
    it has brought everything up to the newest communication cycle.
    """

    def __init__(
        self, machine: Machine, clock: Clock | None = None, *, vendor_rules: bool = False
    ) -> None:
        """With `vendor_rules` it does what the vendor's engine does where the driver differs.

        A stop of a torque makes the torque zero, and the motor coasts in torque mode while the axis
        is idle already; an idle axis counts as at rest, however its motor turns; and a position
        loop that is closed around a turning motor holds the place where that is then.
        """
        self.clock = clock or RunningClock(machine.clock_rate)
        self._lock = threading.Lock()
        parameters = initial_parameters(machine)
        self._axes = Axes(
            machine.axes,
            parameters,
            vendor_rules=vendor_rules,
            rate=1.0 / self.clock.rate,
        )
        self._network = Network(machine.masters, self._feedback)
        self.axes = len(machine.axes)
        self.shared_state = self._axes.shared_state
        self._status_cache = StatusCache(self.shared_state)
        self.events = EventQueue(self.shared_state.next_due)
        self._reactions = Reactions(self._axes, self.events, self._set_output)
        self._io = IoImage(machine.wiring, self.events, self._follow_inputs)
        self._dead_man = DeadMan(self.events, self._axes.stop)
        self._delay = CallDelay()
        self._crashed = False
        self._devices: list[str] = []
        self._share_clock()
        self.enter(EngineState.RUNNING)
        self.parts = {
            "engine": self,
            "motion": self._axes,
            "io": self._io,
            "ecat": self._network,
            "reactions": self._reactions,
            "faults": FaultPlayer(machine, self.events, self._carry_out, self.clock),
        }
        self.readers: dict[str, Callable[..., tuple[Any, ...]]] = {
            "load_parameters": self._read_parameters,
            "play": lambda script: ("play_entries", read_script(script)),
        }
        """Reads for the methods that read first, in the thread of the caller and outside the lock:
        answers which method is to be called then, and with what."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of `part`: engine, motion, io, ecat, reactions or faults.

        Raises AttributeError for a method that is not declared, EngineLost after a crash,
        CommandRefused for what is refused.
        """
        about, late = declared(part, method), 0.0
        if about.reading:
            return self.call(part, *self.readers[method](*args, **kwargs))
        try:
            with self._lock:
                now = newest_cycle(self.clock)
                changing = not about.reads or self.shared_state.first_due() <= now.time + ROUNDING
                with self.shared_state.writing() if changing else nullcontext():
                    self._advance(now)
                    self._require(about)
                    late = self._delay.take(method)
                    result = self._carry_out(part, method, *args, **kwargs)
                    if not about.reads:
                        self._reactions.look()
                        self._axes.note()
                    return result
        finally:
            if late:
                self.clock.sleep(late)

    def try_read(self) -> MotionStatus | None:
        """Return the status of the axes, or None where an event is due: `call` it then."""
        with self._lock:
            return self._status_cache.take(newest_cycle(self.clock))

    # Devices

    def attach(self, name: str) -> None:
        """Add a device."""
        self._devices.append(name)

    def detach(self, name: str) -> None:
        """Remove a device."""
        self._devices.remove(name)

    def devices(self) -> tuple[str, ...]:
        """Return the names of the attached devices, in the order in which they attached."""
        return tuple(self._devices)

    # What `call` carries out of interface.Engine

    def start_communication(self) -> None:
        if self._state is not EngineState.COMMUNICATING:
            self.enter(EngineState.COMMUNICATING)
            self._network.start_communication()
            self._axes.follow_network(offline=self._network.offline_axes())

    def stop_communication(self) -> None:
        if self._state is EngineState.COMMUNICATING:
            self.enter(EngineState.RUNNING)
            self._network.stop_communication()
            self._axes.stop_communication()
            self._reactions.stop_communication()
            self._io.stop_communication()

    def feed_dead_man(self, axes: Sequence[int], timeout: float) -> None:
        require_dead_man(timeout)
        if wrong := [axis for axis in axes if not 0 <= axis < self.axes]:
            raise CommandRefused(ErrorCode.AxisOutOfRange, f"axes {wrong}")
        self._dead_man.feed(axes, timeout / self._axes.rate)  # who feeds it lives in steady time

    def state(self) -> EngineState:
        return self._state

    # Faults

    def slow_calls(self, seconds: float, count: int = 1, method: str = ANY) -> None:
        """Answer the next `count` calls of `method`, or of any, `seconds` late."""
        self._delay.delay(seconds, count, method)

    def hold_time(self) -> None:
        """Stand still at this cycle, until `run_time`."""
        self.clock.hold(self.events.cycle / CYCLES_PER_SECOND)
        self._share_clock()

    def run_time(self) -> None:
        """Let time go on, if it is held."""
        self.clock.run()
        self._share_clock()

    def crash(self) -> None:
        """End as after a crash: every later call raises EngineLost."""
        self._crashed = True
        self.events.clear()
        self.shared_state.next_due[...] = -inf  # so that readers call, and find out

    def _read_parameters(self, path: str) -> tuple[Any, ...]:
        given, base = read_parameters(path), self.call("motion", "parameters")
        parameters = given.over(base)
        typed = [parameters.axis(axis) for axis in range(self.axes)]
        return "apply_parameters", parameters, typed, base

    def _advance(self, now: Instant) -> None:
        """Carry out what came due by `now`, each thing at its cycle."""
        while self.events.next_cycle <= now.cycle:
            self._go_to(cycle_at(self.clock, int(self.events.next_cycle)))
            self.events.carry_out()
            self._reactions.look()
            self._axes.note()
            now = newest_cycle(self.clock)  # it may be held since
        self._go_to(now)

    def _share_clock(self) -> None:
        """Write the clock to where other processes read the status."""
        if isinstance(self.clock, RunningClock):
            self.shared_state.start_ns[...] = self.clock.start_ns
            self.shared_state.held_at[...] = self.clock.held_at

    def _go_to(self, now: Instant) -> None:
        self.events.cycle = now.cycle
        self._axes.advance(now)
        self._network.advance(now.cycle)

    def _feedback(self, axis: int) -> AxisFeedback:
        """Return what the drive of `axis` knows now."""
        axes = self._axes
        return axis_feedback(axis, axes.status(), axes.parameters().axis(axis), axes.origin(axis))

    def _set_output(self, address: int, bit: int, value: bool) -> None:
        self._io.set_output_bit(address, bit, value=value)

    def _follow_inputs(self, inputs: bytes) -> None:
        self._axes.follow_inputs(inputs)
        self._reactions.follow_inputs(inputs)

    def _require(self, about: Declared) -> None:
        """Refuse a call that the engine does not answer as it is."""
        if self._crashed:
            raise EngineLost(ErrorCode.IMLibIsNotRunning, "the simulated engine has crashed")
        if self._state is not EngineState.COMMUNICATING and not about.offline:
            raise CommandRefused(ErrorCode.CommNotStarted)

    def _carry_out(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self.parts[part], method)(*args, **kwargs)
        network_may_differ = part == "ecat" and not METHODS[part, method].reads
        if network_may_differ and self._state is EngineState.COMMUNICATING:
            self._axes.follow_network(offline=self._network.offline_axes())
        return result

    def enter(self, state: EngineState) -> None:
        self._state = state
        self.shared_state.record["engine_state"] = state


def initial_parameters(machine: Machine) -> ParameterSet:
    """Return the parameters at the start: the machine's parameter file, if it names one."""
    if machine.parameters is None:
        return ParameterSet.defaults(len(machine.axes))
    try:
        return read_parameters(machine.parameters)
    except ParameterFileError as error:
        raise ParameterFileError(error.code, f"parameters of the machine: {error.detail}") from None
