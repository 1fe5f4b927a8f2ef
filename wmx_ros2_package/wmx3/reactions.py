"""The engine's own reactions, by the SDK's EventControl.

Inputs that stop axes are events, see `events`. Inputs that latch where axes are, and outputs that
axes switch by where they are, have 64 channels each; channel and axis have the same number.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.reactions import (
    PositionOutput,
    StopInput,
    TouchProbe,
    no_touch_probe,
    require_position_outputs,
    require_touch_probes,
)

from .events import set_stop_inputs
from .sdk import TIMED_OUT, reasons
from .session import SdkSession

T = TypeVar("T")
CHANNELS = 64
SHORTEST = 0.0
"""ms that an output lasts after its axis has gone back."""


class WmxReactions:
    """Carries out `reactions.Reactions` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession]) -> None:
        self._session = session

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        set_stop_inputs(self._communicating(), inputs)

    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        self._communicating().own(TouchProbes).set(axes, probes)

    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]:
        probes = self._communicating().own(TouchProbes)
        return tuple(probes.latched(axis) for axis in axes)

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        self._communicating().own(PositionOutputs).set(axes, outputs)

    def _communicating(self) -> SdkSession:
        """Return the device; events need the cycles of an engine that communicates."""
        session = self._session()
        session.require_communication()
        return session


@dataclass
class _Armed:
    probe: TouchProbe
    position: float | None = None
    """What it has latched, u; it is switched off then."""


class TouchProbes:
    """The touch probes of one device, by the software touch probes of the SDK.

    A channel latches the "encoder data" of its axis; reading them lets it latch again (API
    reference, SetSoftwareTouchProbe). So a channel is switched off when it has latched, and what it
    has latched is kept here.
    """

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._probes: dict[int, _Armed] = {}

    def set(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        """See `reactions.Reactions`."""
        require_touch_probes(axes, probes, self._session.axes)
        wanted: dict[int, _Armed | None] = dict.fromkeys(axes)
        wanted |= {probe.axis: _Armed(probe) for probe in probes}
        _require_channels(wanted, "a touch probe")
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


class PositionOutputs:
    """The position outputs that one device has set, by the SDK's position synchronous outputs.

    A channel (PSO) sets its output to 1 while the command of its axis is more than a data point,
    and to 0 else, or the other way round where it is inverted (user manual, Position Synchronous
    Output).
    """

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._outputs: dict[int, PositionOutput] = {}

    def set(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        """See `reactions.Reactions`."""
        in_force = self._in_force()
        require_position_outputs(axes, outputs, self._session.axes, in_force.values())
        wanted: dict[int, PositionOutput | None] = dict.fromkeys(axes)
        wanted |= {each.axis: each for each in outputs}
        _require_channels(wanted, "a position output")
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


def replace_or_put_back(
    put: Callable[[int, T | None], None], before: Mapping[int, T], wanted: Mapping[int, T | None]
) -> None:
    """Give each axis its `wanted` value or, where that is refused, what it had `before`.

    `put` gives an axis one, or None; all have none before one has another. The refusal names the
    axes that could not be given back what they had.
    """
    changed: list[int] = []
    try:
        for axis in wanted:
            put(axis, None)
            changed.append(axis)
        for axis, each in wanted.items():
            if each is not None:
                put(axis, each)
    except CommandRefused as refused:
        if refused.name in TIMED_OUT:
            changed = [*wanted]
        left = _put_back(put, {axis: before.get(axis) for axis in changed})
        if not left:
            raise
        rest = f"axes {[*left]} were changed, and not put back: {reasons(left)}"
        raise refused.more(rest) from None


def _require_channels(axes: Iterable[int], kind: str) -> None:
    """Refuse an axis whose number no channel has."""
    for axis in axes:
        if axis >= CHANNELS:
            detail = f"axis {axis}: must be 0 to {CHANNELS - 1} for {kind}"
            raise CommandRefused(ErrorCode.IDOutOfRange, detail)


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


def _put_back(
    put: Callable[[int, T | None], None], before: Mapping[int, T | None]
) -> dict[int, CommandRefused]:
    """Give each axis what it had; return the refusals by axis."""
    refused: dict[int, CommandRefused] = {}
    none = [(axis, None) for axis in before]
    had = [(axis, each) for axis, each in before.items() if each is not None]
    for axis, each in [*none, *had]:
        if axis not in refused:
            try:
                put(axis, each)
            except CommandRefused as error:
                refused[axis] = error
    return refused
