"""The engine's own reactions, by the SDK's EventControl."""

from collections.abc import Callable, Sequence

from wmx_core.reactions import PositionOutput, StopInput, TouchProbe

from .events import StopInputs
from .position_outputs import PositionOutputs
from .session import SdkSession
from .touch_probes import TouchProbes


class WmxReactions:
    """Carries out `reactions.Reactions` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession]) -> None:
        self._session = session

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        self._communicating().own(StopInputs).set(inputs)

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
