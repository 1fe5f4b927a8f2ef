"""What the SDK's numbers are called here.

States are matched by name: the numbers of our `values` are those of the wire, and the SDK's are
whatever the installed one has.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Generic, TypeVar

from ..values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MasterMode,
    OperationState,
)
from .sdk import Sdk

T = TypeVar("T")


class Numbers(Generic[T]):
    """One enum, both ways: `theirs` by ours, `ours` by theirs."""

    def __init__(self, theirs: Mapping[T, int]) -> None:
        self.theirs = theirs
        self.ours = {number: value for value, number in theirs.items()}


class Enums:
    """The numbers of one installed SDK."""

    def __init__(self, sdk: Sdk) -> None:
        self._sdk = sdk

    @cached_property
    def engine_states(self) -> Numbers[EngineState]:
        state = self._sdk.EngineState
        return Numbers(
            {
                EngineState.IDLE: state.Idle,
                EngineState.RUNNING: state.Running,
                EngineState.COMMUNICATING: state.Communicating,
                EngineState.SHUTDOWN: state.Shutdown,
                EngineState.UNKNOWN: state.Unknown,
            }
        )

    @cached_property
    def operation_states(self) -> Numbers[OperationState]:
        state = self._sdk.OperationState
        return Numbers(
            {
                OperationState.IDLE: state.Idle,
                OperationState.POS: state.Pos,
                OperationState.JOG: state.Jog,
                OperationState.HOME: state.Home,
                OperationState.SYNC: state.Sync,
                OperationState.STOP: state.Stop,
                OperationState.INTPL: state.Intpl,
                OperationState.VELOCITY: state.Velocity,
                OperationState.TRQ: state.Trq,
            }
        )

    @cached_property
    def command_modes(self) -> Numbers[CommandMode]:
        mode = self._sdk.AxisCommandMode
        return Numbers(
            {
                CommandMode.POSITION: mode.Position,
                CommandMode.VELOCITY: mode.Velocity,
                CommandMode.TORQUE: mode.Torque,
            }
        )

    @cached_property
    def emergency_stops(self) -> Numbers[EmergencyStop]:
        level = self._sdk.EStopLevel
        return Numbers({EmergencyStop.FINAL: level.Final, EmergencyStop.LEVEL1: level.Level1})

    @cached_property
    def ec_states(self) -> Numbers[EcState]:
        state = self._sdk.EcStateMachine
        return Numbers(
            {
                EcState.NONE: state.PyNone,
                EcState.INIT: state.Init,
                EcState.PREOP: state.Preop,
                EcState.BOOT: state.Boot,
                EcState.SAFEOP: state.Safeop,
                EcState.OP: state.Op,
            }
        )

    @cached_property
    def master_modes(self) -> Numbers[MasterMode]:
        mode = self._sdk.EcMasterMode
        return Numbers(
            {
                MasterMode.CYCLIC: mode.CyclicMode,
                MasterMode.PP: mode.PPMode,
                MasterMode.MONITOR: mode.MonitorMode,
            }
        )
