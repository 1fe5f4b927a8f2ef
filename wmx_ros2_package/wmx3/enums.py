"""What the SDK's numbers are called here.

They are matched by name: the numbers of our `values` are those of the wire, and the SDK's are
whatever the installed one has.
"""

from enum import IntEnum
from functools import cached_property
from typing import Any, Generic, TypeVar

from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MasterMode,
    OperationState,
)

from .sdk import Sdk

E = TypeVar("E", bound=IntEnum)


def number(theirs: Any, ours: IntEnum, **others: str) -> int:
    """The number of one of ours in an enum of the SDK.

    Its JerkRatio is our JERK_RATIO; `others` has what it calls otherwise.
    """
    name = others.get(ours.name) or "".join(word.title() for word in ours.name.split("_"))
    found: int = getattr(theirs, name)
    return found


class Numbers(Generic[E]):
    """One enum, both ways: `theirs` by ours, `ours` by theirs."""

    def __init__(self, ours: type[E], theirs: Any, **others: str) -> None:
        self.theirs = {each: number(theirs, each, **others) for each in ours}
        self.ours = {theirs: each for each, theirs in self.theirs.items()}


class Enums:
    """The numbers of one installed SDK."""

    def __init__(self, sdk: Sdk) -> None:
        self._sdk = sdk

    @cached_property
    def engine_states(self) -> Numbers[EngineState]:
        return Numbers(EngineState, self._sdk.EngineState)

    @cached_property
    def operation_states(self) -> Numbers[OperationState]:
        return Numbers(OperationState, self._sdk.OperationState)

    @cached_property
    def command_modes(self) -> Numbers[CommandMode]:
        return Numbers(CommandMode, self._sdk.AxisCommandMode)

    @cached_property
    def emergency_stops(self) -> Numbers[EmergencyStop]:
        return Numbers(EmergencyStop, self._sdk.EStopLevel)

    @cached_property
    def ec_states(self) -> Numbers[EcState]:
        return Numbers(EcState, self._sdk.EcStateMachine, NONE="PyNone")

    @cached_property
    def master_modes(self) -> Numbers[MasterMode]:
        modes = self._sdk.EcMasterMode
        return Numbers(MasterMode, modes, CYCLIC="CyclicMode", PP="PPMode", MONITOR="MonitorMode")
