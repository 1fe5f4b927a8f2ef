"""The engine's own reactions, by the SDK's EventControl."""

from collections.abc import Callable, Sequence

from ..errors import CommandRefused, ErrorCode
from ..reactions import PositionOutput, StopInput, TouchProbe
from ..values import EngineState
from .position_outputs import PositionOutputs
from .session import SdkSession
from .stop_inputs import StopInputs
from .touch_probes import TouchProbes


class _OfDevice:
    """The reactions that one device has set."""

    def __init__(self, session: SdkSession) -> None:
        self.session = session
        self.stop_inputs = StopInputs(session)
        self.touch_probes = TouchProbes(session)
        self.position_outputs = PositionOutputs(session)


class WmxReactions:
    """Carries out `reactions.Reactions` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession]) -> None:
        self._session = session
        self._newest: _OfDevice | None = None

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        self._of_device().stop_inputs.set(inputs)

    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        self._of_device().touch_probes.set(axes, probes)

    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]:
        probes = self._of_device().touch_probes
        return tuple(probes.latched(axis) for axis in axes)

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        self._of_device().position_outputs.set(axes, outputs)

    def _of_device(self) -> _OfDevice:
        """Return what the device has; events need the cycles of an engine that communicates."""
        session = self._session()
        if session.state() is not EngineState.COMMUNICATING:
            raise CommandRefused(ErrorCode.CommNotStarted)
        if self._newest is None or self._newest.session is not session:
            self._newest = _OfDevice(session)
        return self._newest
