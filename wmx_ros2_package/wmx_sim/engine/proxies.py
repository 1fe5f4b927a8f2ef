"""All that the simulated engine can be called for: the driver interface, and more.

Each method declares what the engine needs of it, see `calls`. A new method of the driver
interface is one more method here.
"""

# The bodies are made by `query` and `command`.
# mypy: disable-error-code="empty-body"

from collections.abc import Collection, Sequence
from typing import Any

from wmx_ros2_package.drivers.parameters.axis_parameters import AxisParameters
from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet
from wmx_ros2_package.drivers.reactions import PositionOutput, StopInput, TouchProbe
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    Gearing,
    LinearMove,
    MotionStatus,
    NetworkState,
    OperationState,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

from .calls import Declared, Proxy, command, declarations, query
from .fault_proxies import AxisFaults, EngineFaults, InputFaults, LocalFaults, NetworkFaults
from .motion.history import Newest
from .motion.profile import Profile

Copied = tuple[Any, ...]
"""A `motion.copying.Copied`, which comes from another process as a tuple."""


class EngineProxy(Proxy):
    """What the engine itself carries out of `interface.Engine`."""

    part = "engine"

    @command(offline=True)
    def start_communication(self) -> None: ...

    @command(offline=True)
    def stop_communication(self) -> None: ...

    @command(offline=True)
    def feed_dead_man(self, axes: Sequence[int], timeout: float) -> None: ...

    @query(offline=True)
    def state(self) -> EngineState: ...

    @query(offline=True)
    def devices(self) -> tuple[str, ...]: ...


class MotionProxy(Proxy):
    """Carries out `interface.Motion`."""

    part = "motion"

    @query(offline=True)
    def status(self) -> MotionStatus: ...

    @command()
    def set_servo(self, axis: int, *, on: bool) -> None: ...

    @command()
    def clear_alarm(self, axis: int) -> None: ...

    @command()
    def set_command_mode(self, axis: int, mode: CommandMode) -> None: ...

    @command()
    def set_polarity(self, axis: int, polarity: int) -> None: ...

    @command()
    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None: ...

    @command()
    def set_position(self, axis: int, position: float) -> None: ...

    @command()
    def move_absolute(self, moves: Sequence[PositionMove]) -> None: ...

    @command()
    def move_relative(self, moves: Sequence[PositionMove]) -> None: ...

    @command()
    def jog(self, moves: Sequence[VelocityMove]) -> None: ...

    @command()
    def move_velocity(self, moves: Sequence[VelocityMove]) -> None: ...

    @command()
    def move_torque(self, moves: Sequence[TorqueMove]) -> None: ...

    @command()
    def set_override(self, axis: int, percent: float) -> None: ...

    @command()
    def move_linear(self, move: LinearMove) -> None: ...

    @command()
    def move_spline(self, move: SplineMove) -> None: ...

    @command()
    def start_gearing(self, gearings: Sequence[Gearing]) -> None: ...

    @command()
    def stop(self, axes: Sequence[int]) -> None: ...

    @command()
    def quick_stop(self, axes: Sequence[int]) -> None: ...

    @command(offline=True)
    def emergency_stop(self, level: EmergencyStop) -> None: ...

    @command(offline=True)
    def release_emergency_stop(self) -> None: ...

    @command()
    def home(self, axis: int) -> None: ...

    @command(offline=True, reading=True)
    def load_parameters(self, path: str) -> None: ...

    @query(offline=True)
    def parameters(self) -> ParameterSet: ...


class IoProxy(Proxy):
    """Carries out `interface.Io`."""

    part = "io"

    @query()
    def input_bytes(self, address: int, length: int) -> bytes: ...

    @query()
    def output_bytes(self, address: int, length: int) -> bytes: ...

    @command()
    def set_output_bytes(self, address: int, data: bytes) -> None: ...

    @query()
    def input_bit(self, address: int, bit: int) -> bool: ...

    @query()
    def output_bit(self, address: int, bit: int) -> bool: ...

    @command()
    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None: ...

    @query()
    def input_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]: ...

    @command()
    def set_output_bits(self, bits: Sequence[tuple[int, int, bool]]) -> None: ...


class EcatProxy(Proxy):
    """Carries out `interface.Ecat`."""

    part = "ecat"

    @query(offline=True)
    def network_state(self, master_id: int) -> NetworkState: ...

    @query()
    def read_register(self, master_id: int, slave_id: int, address: int, length: int) -> bytes: ...

    @command()
    def reset_statistics(self, master_id: int) -> None: ...

    @command()
    def set_slave_state(self, master_id: int, slave_id: int, state: EcState) -> None: ...

    @query()
    def read_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, size: int
    ) -> bytes: ...

    @command()
    def write_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, data: bytes
    ) -> None: ...

    @command()
    def start_hotconnect(self, master_id: int) -> None: ...

    @command(offline=True)
    def scan_network(self, master_id: int) -> None: ...


class ReactionsProxy(Proxy):
    """Carries out `reactions.Reactions`."""

    part = "reactions"

    @command()
    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None: ...

    @command()
    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None: ...

    @query()
    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]: ...

    @command()
    def set_position_outputs(
        self, axes: Sequence[int], outputs: Sequence[PositionOutput]
    ) -> None: ...


class FaultsProxy(Proxy):
    """Carries out `interface.Faults`."""

    part = "faults"

    @command(offline=True, reading=True)
    def play(self, script: str) -> None: ...

    @query(offline=True)
    def time(self) -> tuple[float, bool]: ...


class StatesProxy(Proxy):
    """What the axes did at every cycle (`motion.history`), and copies of them (`engine_copy`)."""

    part = "motion"

    @query(offline=True)
    def history(self, number: int) -> Newest: ...

    @query(offline=True)
    def copy(self, indexes: Sequence[int]) -> Copied: ...


class LocalMotion(Proxy):
    """What only the process of the engine may ask of the axes."""

    part = "motion"

    @command(local=True)
    def follow(
        self, axes: Sequence[int], profiles: Sequence[Profile], state: OperationState
    ) -> None: ...

    @query(local=True)
    def course(self, axis: int) -> tuple[float, Profile]: ...

    @command(local=True)
    def switch_on(self, axes: Sequence[int]) -> None: ...

    @command(offline=True, local=True)
    def follow_network(self, *, offline: Collection[int]) -> None: ...

    @command(offline=True, local=True)
    def stand_as(self, status: MotionStatus) -> None: ...

    @command(offline=True, local=True)
    def apply_parameters(
        self, parameters: ParameterSet, typed: Sequence[AxisParameters]
    ) -> None: ...


INTERFACE = declarations(EngineProxy, MotionProxy, IoProxy, EcatProxy, ReactionsProxy)
"""The methods of the driver interface, by part and name."""
METHODS = INTERFACE | declarations(
    FaultsProxy,
    StatesProxy,
    LocalMotion,
    LocalFaults,
    EngineFaults,
    AxisFaults,
    InputFaults,
    NetworkFaults,
)
"""All that can be called, by part and name."""


def declared(part: str, method: str) -> Declared:
    """Return what is declared of a method; a call of anything else is a mistake in the program."""
    try:
        return METHODS[part, method]
    except KeyError:
        raise AttributeError(f"the simulated engine has no {part}.{method}") from None
