"""The engine's own reactions, by the SDK's EventControl."""

from collections.abc import Callable, Sequence

from ..errors import CommandRefused, ErrorCode
from ..reactions import PositionOutput, StopInput, TouchProbe
from ..values import EngineState
from .position_outputs import PositionOutputs
from .session import Session
from .stop_inputs import set_stop_inputs
from .touch_probes import TouchProbes


class WmxReactions:
    """Carries out `reactions.Reactions` on the device that `session` returns."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session
        self._touch_probes: tuple[Session, TouchProbes] | None = None
        self._position_outputs: tuple[Session, PositionOutputs] | None = None

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        set_stop_inputs(self._communicating(), inputs)

    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        self._probes_of(self._communicating()).set(axes, probes)

    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]:
        probes = self._probes_of(self._communicating())
        return tuple(probes.latched(axis) for axis in axes)

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        self._outputs_of(self._communicating()).set(axes, outputs)

    def _probes_of(self, session: Session) -> TouchProbes:
        if self._touch_probes is None or self._touch_probes[0] is not session:
            self._touch_probes = session, TouchProbes(session)
        return self._touch_probes[1]

    def _outputs_of(self, session: Session) -> PositionOutputs:
        if self._position_outputs is None or self._position_outputs[0] is not session:
            self._position_outputs = session, PositionOutputs(session)
        return self._position_outputs[1]

    def _communicating(self) -> Session:
        """The session; events need the cycles of an engine that communicates."""
        session = self._session()
        if session.state() is not EngineState.COMMUNICATING:
            raise CommandRefused(ErrorCode.CommNotStarted)
        return session
