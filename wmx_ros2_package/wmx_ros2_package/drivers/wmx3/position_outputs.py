"""Outputs that axes switch by where they are, by the position synchronous outputs of the SDK.

A channel (PSO) sets its output to 1 while the command of its axis is more than a data point, and to
0 else, or the other way round where it is inverted (user manual, Position Synchronous Output).
Channel and axis have the same number; there are 64 channels.
"""

from collections.abc import Sequence
from contextlib import suppress

from ..errors import CommandRefused, ErrorCode
from ..reactions import PositionOutput, require_position_outputs
from .session import Session

CHANNELS = 64
SHORTEST = 0.0
"""ms that an output lasts after its axis has gone back."""


def set_position_outputs(
    session: Session, axes: Sequence[int], outputs: Sequence[PositionOutput]
) -> None:
    """See `reactions.Reactions`."""
    require_position_outputs(axes, outputs, session.axes)
    for axis in (*axes, *(each.axis for each in outputs)):
        if axis >= CHANNELS:
            detail = f"axis {axis}: must be 0 to {CHANNELS - 1} for a position output"
            raise CommandRefused(ErrorCode.IDOutOfRange, detail)
    for axis in axes:
        with suppress(CommandRefused):  # one that was not started
            session.events.StopPSO(axis)
    for each in outputs:
        _start(session, each)


def _start(session: Session, position_output: PositionOutput) -> None:
    sdk, axis = session.sdk, position_output.axis
    source = sdk.EventControl_ComparatorSource()
    source.sourceType = sdk.EventControl_ComparatorSourceType.PosCommand
    source.axis = axis
    output = sdk.EventControl_PSOOutput()
    output.outputType = sdk.EventControl_PSOOutputType.IOOutput
    output.byteAddress, output.bitAddress = position_output.address, position_output.bit
    output.invert = int(not position_output.value)
    kind = sdk.EventControl_ComparisonType.MoreThan
    session.events.SetPSOConfig(axis, kind, source, output, SHORTEST)
    session.events.SetPSOSingleData(axis, float(position_output.position))
    session.events.StartPSO(axis)
