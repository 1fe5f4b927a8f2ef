"""Outputs that axes switch by where they are, by the position synchronous outputs of the SDK.

A channel (PSO) sets its output to 1 while the command of its axis is more than a data point, and to
0 else, or the other way round where it is inverted (user manual, Position Synchronous Output).
Channel and axis have the same number; there are 64 channels.
"""

from collections.abc import Sequence

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.reactions import PositionOutput, require_position_outputs

from .partial_refusals import replace_or_put_back
from .session import SdkSession

CHANNELS = 64
SHORTEST = 0.0
"""ms that an output lasts after its axis has gone back."""


class PositionOutputs:
    """The position outputs that one device has set."""

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._outputs: dict[int, PositionOutput] = {}

    def set(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        """See `reactions.Reactions`."""
        in_force = self._in_force()
        require_position_outputs(axes, outputs, self._session.axes, in_force.values())
        for axis in (*axes, *(each.axis for each in outputs)):
            if axis >= CHANNELS:
                detail = f"axis {axis}: must be 0 to {CHANNELS - 1} for a position output"
                raise CommandRefused(ErrorCode.IDOutOfRange, detail)
        wanted: dict[int, PositionOutput | None] = dict.fromkeys(axes)
        wanted |= {each.axis: each for each in outputs}
        before = {axis: each for axis, each in in_force.items() if axis in wanted}
        replace_or_put_back(self._put, before, wanted)

    def _in_force(self) -> dict[int, PositionOutput]:
        """Return those of them that the engine has not ended since."""
        return {axis: each for axis, each in self._outputs.items() if self._is_started(axis)}

    def _put(self, axis: int, position_output: PositionOutput | None) -> None:
        """Have an output of an axis that has none, or none."""
        if position_output is not None:
            self._outputs[axis] = position_output  # one that is refused may have been started, too
            _start(self._session, position_output)
            return
        try:
            self._session.events.StopPSO(axis)
        except CommandRefused:  # as one that was not started is
            if self._is_started(axis):
                raise
        self._outputs.pop(axis, None)

    def _is_started(self, axis: int) -> bool:
        try:
            return bool(self._session.events.GetPSOStatus(axis).enabled)
        except CommandRefused:
            return axis in self._outputs


def _start(session: SdkSession, position_output: PositionOutput) -> None:
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
