"""The simulated WMX engine.

Modelled: the life of the engine (devices, communication), axes with trapezoidal moves and a
servo that lags behind its command (`profile`, `servo`, `axis`), the I/O image, the EtherCAT
network (`network`), and what a parameter file changes of these. Time is quantised to the
communication cycle and computed, not waited for: an engine nobody looks at uses no CPU, and the
same calls at the same times of a clock give the same answers.

Not modelled: limit switches and soft limits, homing other than at the current position, torque
commands, interpolation, encoder resolution, wiring of outputs to inputs.
"""

import threading
from typing import Any

from ..errors import CommandRefused, ErrorCode, ParameterFileError
from ..parameters import ParameterSet, read_parameters
from ..values import EngineState
from .axes import Axes
from .axis_feedback import feedback_of
from .clock import Clock, RunningClock, newest_cycle
from .io_image import IoImage
from .machine import Machine
from .network import Network

WITHOUT_COMMUNICATION = frozenset(
    {
        "state",
        "start_communication",
        "stop_communication",
        "status",
        "parameters",
        "apply_parameters",
        "network_state",
        "scan_network",
    }
)
"""What the engine answers while its network does not run; the rest is refused."""


class FakeEngine:
    """A simulated engine with its machine, on `clock`.

    `call` is the door for devices: it may be used from any thread and brings everything up to
    the newest communication cycle first.
    """

    def __init__(self, machine: Machine, clock: Clock | None = None) -> None:
        self.clock = clock or RunningClock()
        self._lock = threading.Lock()
        self._axes = Axes(machine.axes, _initial_parameters(machine))
        self._network = Network(machine.masters, feedback_of(self._axes))
        self.axes = len(machine.axes)
        self.board = self._axes.board
        self._enter(EngineState.RUNNING)
        self._parts = {
            "engine": self,
            "motion": self._axes,
            "io": IoImage(),
            "ecat": self._network,
        }

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of `part`: engine, motion, io or ecat."""
        with self._lock, self.board.writing():
            now = newest_cycle(self.clock)
            self._axes.advance(now)
            self._network.advance(now.cycle)
            if self._state is not EngineState.COMMUNICATING and method not in WITHOUT_COMMUNICATION:
                raise CommandRefused(ErrorCode.CommNotStarted)
            result = getattr(self._parts[part], method)(*args, **kwargs)
            if part == "ecat" and self._state is EngineState.COMMUNICATING:
                self._axes.follow_network(offline=self._network.offline_axes())
            return result

    # What `call` carries out of interface.Engine; devices attach and close in `host`

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

    def state(self) -> EngineState:
        return self._state

    def _enter(self, state: EngineState) -> None:
        self._state = state
        self.board.record["engine_state"] = state


def _initial_parameters(machine: Machine) -> ParameterSet:
    """What the engine reads when it starts: the machine's parameter file, if it names one."""
    if machine.parameters is None:
        return ParameterSet.defaults(len(machine.axes))
    try:
        return read_parameters(machine.parameters)
    except ParameterFileError as error:
        raise ParameterFileError(error.code, f"parameters of the machine: {error.detail}") from None
