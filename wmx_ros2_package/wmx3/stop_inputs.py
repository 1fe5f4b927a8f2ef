"""Inputs that stop axes, by the SDK's EventControl.

An event acts in the cycle in which its input comes true, and again when it is enabled (API
reference, SetEvent). StopSingleAxis and ExecQuickStopSingleAxis are Motion.Stop and
ExecQuickStop, for axes in position mode.
"""

from collections.abc import Sequence
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.reactions import MOST_STOP_INPUTS, StopInput, StopKind, require_stop_inputs

from .numbered_events import put_event, remove_event
from .session import SdkSession

FIRST_EVENT = 256
MOST_AXES = 112
"""The dead men of further axes have the same numbers."""


class StopInputs:
    """The stop inputs of an engine, as one device sets them."""

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._in_force: Sequence[StopInput] | None = None
        """What this device has set last; None while it has set none."""

    def set(self, inputs: Sequence[StopInput]) -> None:
        """See `reactions.Reactions`.

        Where one is refused, those are put back that this device had set. What another device had
        set is not known here: the text of the refusal is that it may have changed.
        """
        session = self._session
        require_stop_inputs(inputs, session.axes)
        if session.axes > MOST_AXES:
            if not inputs:
                return  # the events of these numbers are dead men
            detail = f"the engine has {session.axes} axes: must be {MOST_AXES} for stop inputs"
            raise CommandRefused(ErrorCode.IDOutOfRange, detail)
        before, self._in_force = self._in_force, None
        try:
            _put(session, inputs)
            self._in_force = inputs
        except CommandRefused as refused:
            detail = "stop inputs that were in force may have changed"
            if before is not None:
                try:
                    _put(session, before)
                except CommandRefused as left:
                    detail = f"{detail}, and were not put back: {left}"
                else:
                    self._in_force, detail = before, ""
            raise refused.more(detail) from None


def _put(session: SdkSession, inputs: Sequence[StopInput]) -> None:
    made = [(_when(session, each), _then(session, each)) for each in inputs]
    for number, (when, then) in enumerate(made, FIRST_EVENT):
        put_event(session, when, then, number)
    for number in range(FIRST_EVENT + len(made), FIRST_EVENT + MOST_STOP_INPUTS):
        remove_event(session, number)


def _when(session: SdkSession, stop_input: StopInput) -> Any:
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


def _then(session: SdkSession, stop_input: StopInput) -> Any:
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
