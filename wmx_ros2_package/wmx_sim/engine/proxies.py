"""The parts of the driver `fake`: their methods are calls of the engine; for status see `driver`.

It is declared of each method what the engine needs of it, see `calls`. A new method of the driver
interface is a command that needs communication, unless it is named here.
"""

# The bodies are made by `query` and `command`, and a protocol's by `carries_out`.
# mypy: disable-error-code="empty-body, type-abstract"

from collections.abc import Collection, Sequence
from typing import Any

from wmx_core.interface import Ecat, Faults, Io, Motion
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.reactions import Reactions
from wmx_core.values import EngineState, MotionStatus, OperationState

from .calls import Declared, Proxy, carries_out, command, declarations, query
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


MotionProxy = carries_out(
    Motion,
    "motion",
    queries={"status", "parameters"},
    offline={
        *("status", "parameters", "load_parameters"),
        *("emergency_stop", "release_emergency_stop"),
    },
    reading={"load_parameters"},
)
IoProxy = carries_out(
    Io,
    "io",
    queries={"input_bytes", "output_bytes", "input_bit", "output_bit", "input_bits"},
)
EcatProxy = carries_out(
    Ecat,
    "ecat",
    queries={"network_state", "read_register", "read_sdo"},
    offline={"network_state", "scan_network"},
)
ReactionsProxy = carries_out(Reactions, "reactions", queries={"touched"})
FaultsProxy = carries_out(
    Faults, "faults", queries={"time"}, offline={"play", "time"}, reading={"play"}
)


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

    @command(local=True)
    def stop_with(self, axes: Sequence[int], dec: float) -> None: ...

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
        self,
        parameters: ParameterSet,
        typed: Sequence[AxisParameters],
        base: ParameterSet | None = None,
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
