"""Inputs that latch where axes are, by the software touch probes of the SDK's EventControl.

A channel latches the "encoder data" of its axis; reading them lets it latch again (API reference,
SetSoftwareTouchProbe). So a channel is switched off when it has latched, and what it has latched is
kept here. Channel and axis have the same number; there are 64 channels.
"""

from collections.abc import Sequence

from ..errors import CommandRefused, ErrorCode
from ..reactions import TouchProbe, no_touch_probe, require_touch_probes
from .session import Session

CHANNELS = 64


class TouchProbes:
    """The touch probes of one device."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._latched: dict[int, float | None] = {}
        """What each axis with a touch probe has latched, u."""

    def set(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        """See `reactions.Reactions`."""
        require_touch_probes(axes, probes, self._session.axes)
        for axis in (*axes, *(probe.axis for probe in probes)):
            if axis >= CHANNELS:
                detail = f"axis {axis}: must be 0 to {CHANNELS - 1} for a touch probe"
                raise CommandRefused(ErrorCode.IDOutOfRange, detail)
        for axis in axes:
            if self._latched.pop(axis, 0.0) is None:
                self._session.events.EnableSoftwareTouchProbe(axis, 0)
        modes = self._session.sdk.EventControl_TouchProbeMode
        for probe in probes:
            place = probe.address, probe.bit, int(probe.value)
            self._session.events.SetSoftwareTouchProbe(
                probe.axis, 1, probe.axis, *place, modes.LatchFirst
            )
            self._latched[probe.axis] = None

    def latched(self, axis: int) -> float | None:
        """See `reactions.Reactions.touched`."""
        if axis not in self._latched:
            raise no_touch_probe(axis)
        if self._latched[axis] is None:
            is_latched, value = self._session.events.GetSoftwareTouchProbeCounterValue(axis)
            if is_latched:
                self._latched[axis] = float(value)
                self._session.events.EnableSoftwareTouchProbe(axis, 0)
        return self._latched[axis]
