"""What the SDK's numbers are called here.

States are matched by name: the numbers of our `values` are those of the wire, and the SDK's are
whatever the installed one says.
"""

from collections.abc import Mapping
from functools import cache
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


@cache
def engine_states(sdk: Sdk) -> Numbers[EngineState]:
    state = sdk.EngineState
    return Numbers(
        {
            EngineState.IDLE: state.Idle,
            EngineState.RUNNING: state.Running,
            EngineState.COMMUNICATING: state.Communicating,
            EngineState.SHUTDOWN: state.Shutdown,
            EngineState.UNKNOWN: state.Unknown,
        }
    )


@cache
def operation_states(sdk: Sdk) -> Numbers[OperationState]:
    state = sdk.OperationState
    return Numbers(
        {
            OperationState.IDLE: state.Idle,
            OperationState.POS: state.Pos,
            OperationState.JOG: state.Jog,
            OperationState.HOME: state.Home,
            OperationState.STOP: state.Stop,
            OperationState.INTPL: state.Intpl,
            OperationState.VELOCITY: state.Velocity,
            OperationState.TRQ: state.Trq,
        }
    )


@cache
def command_modes(sdk: Sdk) -> Numbers[CommandMode]:
    mode = sdk.AxisCommandMode
    return Numbers(
        {
            CommandMode.POSITION: mode.Position,
            CommandMode.VELOCITY: mode.Velocity,
            CommandMode.TORQUE: mode.Torque,
        }
    )


@cache
def emergency_stops(sdk: Sdk) -> Numbers[EmergencyStop]:
    level = sdk.EStopLevel
    return Numbers({EmergencyStop.FINAL: level.Final, EmergencyStop.LEVEL1: level.Level1})


@cache
def ec_states(sdk: Sdk) -> Numbers[EcState]:
    state = sdk.EcStateMachine
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


@cache
def master_modes(sdk: Sdk) -> Numbers[MasterMode]:
    mode = sdk.EcMasterMode
    return Numbers(
        {
            MasterMode.CYCLIC: mode.CyclicMode,
            MasterMode.PP: mode.PPMode,
            MasterMode.MONITOR: mode.MonitorMode,
        }
    )
