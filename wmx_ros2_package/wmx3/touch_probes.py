"""Inputs that latch where axes are, by the software touch probes of the SDK's EventControl.

A channel latches the "encoder data" of its axis; reading them lets it latch again (API reference,
SetSoftwareTouchProbe). So a channel is switched off when it has latched, and what it has latched is
kept here. Channel and axis have the same number; there are 64 channels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.reactions import TouchProbe, no_touch_probe, require_touch_probes

from .partial_refusals import replace_or_put_back
from .session import SdkSession

CHANNELS = 64


@dataclass
class _Armed:
    probe: TouchProbe
    position: float | None = None
    """What it has latched, u; it is switched off then."""


class TouchProbes:
    """The touch probes of one device."""

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._probes: dict[int, _Armed] = {}

    def set(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        """See `reactions.Reactions`."""
        require_touch_probes(axes, probes, self._session.axes)
        for axis in (*axes, *(probe.axis for probe in probes)):
            if axis >= CHANNELS:
                detail = f"axis {axis}: must be 0 to {CHANNELS - 1} for a touch probe"
                raise CommandRefused(ErrorCode.IDOutOfRange, detail)
        wanted: dict[int, _Armed | None] = dict.fromkeys(axes)
        wanted |= {probe.axis: _Armed(probe) for probe in probes}
        for axis in wanted:
            if axis in self._probes:
                self.latched(axis)  # so that what it has latched can be put back, too
        before = {axis: self._probes[axis] for axis in wanted if axis in self._probes}
        replace_or_put_back(self._put, before, wanted)

    def _put(self, axis: int, armed: _Armed | None) -> None:
        """Have a touch probe of an axis that has none, or none."""
        if armed is None:
            if axis in self._probes and self._probes[axis].position is None:
                self._session.events.EnableSoftwareTouchProbe(axis, 0)
            self._probes.pop(axis, None)
            return
        self._probes[axis] = armed  # one that is refused may have been set, too
        if armed.position is None:
            probe = armed.probe
            modes = self._session.sdk.EventControl_TouchProbeMode
            place = probe.address, probe.bit, int(probe.value)
            self._session.events.SetSoftwareTouchProbe(axis, 1, axis, *place, modes.LatchFirst)

    def latched(self, axis: int) -> float | None:
        """See `reactions.Reactions.touched`."""
        if axis not in self._probes:
            raise no_touch_probe(axis)
        armed = self._probes[axis]
        if armed.position is None:
            is_latched, value = self._session.events.GetSoftwareTouchProbeCounterValue(axis)
            if is_latched:
                armed.position = float(value)
                self._session.events.EnableSoftwareTouchProbe(axis, 0)
        return armed.position
