"""What the engine does by itself when an input changes or an axis passes a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmx_ros2_message.srv import (
    GetStopInputs,
    GetTouchProbes,
    SetPositionOutputs,
    SetStopInputs,
    SetTouchProbes,
)

from ..drivers.reactions import StopKind

if TYPE_CHECKING:
    from .session import Session


class StopInputStatus(NamedTuple):
    """The input that stops an axis."""

    byte: int
    bit: int
    value: bool
    """The level that stops."""
    kind: StopKind
    on: bool
    """Whether it has this level now: motion of the axis is refused."""


class Reactions:
    """The reactions of the axes `numbers`; raises Refused when a node refuses."""

    _session: Session
    numbers: tuple[int, ...]

    def stop_on_input(
        self, byte: int, bit: int, value: bool = False, *, kind: StopKind | str = StopKind.STOP
    ) -> None:
        """Have the engine stop the axes when an input becomes `value`, in place of other inputs.

        `kind` is "stop", "quick_stop" or "emergency_stop", which is of all axes and stays until its
        release. While the input has that value, motion is refused.
        """
        kind = StopKind[kind.upper()] if isinstance(kind, str) else kind
        self._react(
            SetStopInputs,
            "wmx/engine/set_stop_inputs",
            byte=byte,
            bit=bit,
            value=int(value),
            data=int(kind),
        )

    def stop_on_no_input(self) -> None:
        """Have no input stop the axes any more."""
        self._react(SetStopInputs, "wmx/engine/set_stop_inputs")

    def stop_inputs(self) -> dict[int, StopInputStatus]:
        """The inputs that stop these axes, by the numbers of the axes that have one."""
        answer = self._session.link.call(GetStopInputs, "wmx/engine/get_stop_inputs")
        rows = zip(
            answer.index,
            answer.byte,
            answer.bit,
            map(bool, answer.value),
            map(StopKind, answer.data),
            answer.on,
            strict=True,
        )
        return {axis: StopInputStatus(*row) for axis, *row in rows if axis in self.numbers}

    def arm_touch_probe(self, byte: int, bit: int, value: bool = True) -> None:
        """Have the engine latch where the axes are when an input changes to `value`, once."""
        self._react(
            SetTouchProbes, "wmx/axis/set_touch_probes", byte=byte, bit=bit, value=int(value)
        )

    def disarm_touch_probe(self) -> None:
        """Have no touch probe any more."""
        self._react(SetTouchProbes, "wmx/axis/set_touch_probes")

    def touched(self) -> list[float | None]:
        """Where each axis was when its touch probe latched, u; None until then.

        Refused where one has no touch probe.
        """
        answer = self._session.link.call(
            GetTouchProbes, "wmx/axis/get_touch_probes", index=list(self.numbers)
        )
        rows = zip(answer.touched, answer.position, strict=True)
        return [position if is_touched else None for is_touched, position in rows]

    def switch_output(self, byte: int, bit: int, beyond: float, value: bool = True) -> None:
        """Have the engine set an output to `value` while the axis is commanded beyond, u, else not.

        For one axis; it replaces another output that the axis switches.
        """
        place = {"byte": byte, "bit": bit, "value": int(value)}
        self._react(
            SetPositionOutputs, "wmx/axis/set_position_outputs", **place, position=float(beyond)
        )

    def switch_no_output(self) -> None:
        """Have the axes switch no output any more; it stays as it is."""
        self._react(SetPositionOutputs, "wmx/axis/set_position_outputs")

    def _react(self, kind: Any, service: str, **each: float) -> None:
        """Ask for the same of every axis, once: a touch probe may have latched by a second time."""
        fields: dict[str, Any] = {name: [value] * len(self.numbers) for name, value in each.items()}
        self._session.link.call_once(kind, service, index=list(self.numbers), **fields)
