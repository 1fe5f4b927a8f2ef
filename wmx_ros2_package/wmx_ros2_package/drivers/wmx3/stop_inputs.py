"""Inputs that stop axes, by the SDK's EventControl.

An event acts in the cycle in which its input comes true, and again when it is enabled (API
reference, SetEvent). StopSingleAxis and ExecQuickStopSingleAxis are Motion.Stop and
ExecQuickStop, for axes in position mode.
"""

from collections.abc import Sequence
from typing import Any

from ..errors import CommandRefused, ErrorCode
from ..reactions import MOST_STOP_INPUTS, StopInput, StopKind, require_stop_inputs
from .numbered_events import put_event, remove_event
from .session import Session

FIRST_EVENT = 256
MOST_AXES = 112
"""The dead men of further axes have the same numbers."""


def set_stop_inputs(session: Session, inputs: Sequence[StopInput]) -> None:
    """See `reactions.Reactions`."""
    require_stop_inputs(inputs, session.axes)
    if session.axes > MOST_AXES:
        if not inputs:
            return  # what has these numbers is dead men
        detail = f"the engine has {session.axes} axes: must be {MOST_AXES} at most for stop inputs"
        raise CommandRefused(ErrorCode.IDOutOfRange, detail)
    made = [(_when(session, each), _then(session, each)) for each in inputs]
    for number, (when, then) in enumerate(made, FIRST_EVENT):
        put_event(session, when, then, number)
    for number in range(FIRST_EVENT + len(made), FIRST_EVENT + MOST_STOP_INPUTS):
        remove_event(session, number)


def _when(session: Session, stop_input: StopInput) -> Any:
    sdk = session.sdk
    when = sdk.IoEventInput()
    if stop_input.value:
        when.type = sdk.IoEventInputType.IOBit
        when.ioBit.byteAddress, when.ioBit.bitAddress = stop_input.address, stop_input.bit
        when.ioBit.ioSourceType = sdk.IOSourceType.Input
    else:
        when.type = sdk.IoEventInputType.NotIOBit
        when.notIOBit.byteAddress, when.notIOBit.bitAddress = stop_input.address, stop_input.bit
        when.notIOBit.ioSourceType = sdk.IOSourceType.Input
    return when


def _then(session: Session, stop_input: StopInput) -> Any:
    sdk = session.sdk
    then = sdk.CoreMotionEventOutput()
    if stop_input.kind is StopKind.EMERGENCY_STOP:
        then.type = sdk.CoreMotionEventOutputType.ExecEStop
        then.execEStop.eStopLevel = sdk.EStopLevel.Level1
    elif stop_input.kind is StopKind.QUICK_STOP:
        then.type = sdk.CoreMotionEventOutputType.ExecQuickStopSingleAxis
        then.execQuickStopSingleAxis.axis = stop_input.axis
    else:
        then.type = sdk.CoreMotionEventOutputType.StopSingleAxis
        then.stopSingleAxis.axis = stop_input.axis
    return then
