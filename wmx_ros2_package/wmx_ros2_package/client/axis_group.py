"""What can be asked of one axis as of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wmx_ros2_message.srv import (
    GetStopInputs,
    GetTouchProbes,
    SetAxis,
    SetPositionOutputs,
    SetStopInputs,
    SetTouchProbes,
)

from wmx_core.reactions import StopKind
from wmx_core.values import CommandMode

from .checked import real
from .commands import trajectory_commands, word
from .explanation import Explanation
from .io import level
from .link import nothing
from .motion import Motion
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


class AxisGroup:
    """What can be asked of one axis or of several; each request waits until it is answered.

    Raises Refused when a node refuses, NotReady when no engine communicates, and NotAnswered
    when no answer comes within the time-out of the machine.
    """

    def __init__(self, session: Session, numbers: Sequence[int]) -> None:
        self._session = session
        self.numbers = tuple(numbers)
        """The engine's numbers of the axes."""

    def on(self) -> None:
        """Switch the servos on, and wait until they are."""
        # A second request could switch on what another client has switched off since.
        self._session.link.meet(SetAxis, "wmx/axis/set_on")
        self._set("set_on", 1)

    def off(self) -> None:
        """Switch the servos off, and wait until they are; an axis that moves is braked."""
        self._set("set_on", 0, to_all=True)

    def clear(self) -> None:
        """Clear the alarms of the drives."""
        self._set("clear_alarm", None)

    def set_mode(self, mode: CommandMode | str) -> None:
        """Command the axes, which must rest, by "position", "velocity" or "torque"."""
        self._set("set_mode", int(word(CommandMode, mode, "mode")))

    def confirm(self) -> None:
        """Let the axes be as they are: what was lost of them with an engine blocks no motion then.

        Look at their units, directions, limits and positions before.
        """
        self._set("confirm", None)

    def home(self) -> Motion:
        """Home the axes by their parameters; the handle ends when all are homed.

        Where some of them are refused it ends as REFUSED once the others have ended.
        """
        return self._session.home(self.numbers)

    def stop(self, *, quick: bool = False) -> None:
        """Slow the axes down to rest with the deceleration of their motions, those of any client.

        `quick` takes the quick stop deceleration. It does not wait until they rest.
        """
        self._set("stop", int(bool(quick)), to_all=True)

    def hold(self) -> None:
        """Bring the axes to rest from any mode, and have them hold where they are."""
        self._session.hold(self.numbers)

    def follow(
        self,
        times: Sequence[float],
        positions: Sequence[Sequence[float]],
        *,
        velocities: Sequence[Sequence[float]] | None = None,
        repeat: int = 1,
        before: Callable[[], object] = nothing,
    ) -> Motion:
        """Follow one trajectory together, from where the axes rest through points at `times`.

        `times` (s) increase, from 0 on: at 0 the axes have to be at that point already. `positions`
        (u) and `velocities` (u/s) have one row for each time, with one number for each axis.
        Without velocities it is a spline through the positions; it ends at rest. It is followed
        `repeat` times, or with -1 until it is canceled. `before` is called just before it is
        commanded, and again and again until it is known to have begun: what it raises is raised,
        and nothing moves, or the axes slow down.
        Refused with the point and the rule that it breaks.
        """
        commands = trajectory_commands(self.numbers, times, positions, velocities, repeat)
        what = f"trajectory of axes {list(self.numbers)}"
        return self._session.begin(commands, what, before)

    def explain(self) -> list[Explanation]:
        """What blocks motion now, for each axis, and which commands clear that."""
        return self._session.explain(self.numbers)

    # What the engine does by itself

    def stop_on_input(
        self, byte: int, bit: int, value: bool = False, *, kind: StopKind | str = StopKind.STOP
    ) -> None:
        """Have the engine stop the axes when an input becomes `value`, in place of other inputs.

        `kind` is "stop", "quick_stop" or "emergency_stop", which is of all axes and stays until its
        release. While the input has that value, motion is refused.
        """
        kind = word(StopKind, kind, "kind")
        self._react(
            SetStopInputs,
            "wmx/engine/set_stop_inputs",
            byte=byte,
            bit=bit,
            value=int(level(value)),
            data=int(kind),
        )

    def stop_on_no_input(self) -> None:
        """Have no input stop the axes any more."""
        self._react(SetStopInputs, "wmx/engine/set_stop_inputs")

    def stop_inputs(self) -> dict[int, StopInputStatus]:
        """The inputs that stop these axes, by the numbers of the axes that have one."""
        answer = self._session.call(GetStopInputs, "wmx/engine/get_stop_inputs")
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
            SetTouchProbes, "wmx/axis/set_touch_probes", byte=byte, bit=bit, value=int(level(value))
        )

    def disarm_touch_probe(self) -> None:
        """Have no touch probe any more."""
        self._react(SetTouchProbes, "wmx/axis/set_touch_probes")

    def touched(self) -> list[float | None]:
        """Where each axis was when its touch probe latched, u; None until then.

        Refused where one has no touch probe.
        """
        answer = self._session.call(
            GetTouchProbes, "wmx/axis/get_touch_probes", index=list(self.numbers)
        )
        rows = zip(answer.touched, answer.position, strict=True)
        return [position if is_touched else None for is_touched, position in rows]

    def switch_output(self, byte: int, bit: int, beyond: float, value: bool = True) -> None:
        """Have the engine set an output to `value` while the axis is commanded beyond, u, else not.

        For one axis; it replaces another output that the axis switches.
        """
        place = {"byte": byte, "bit": bit, "value": int(level(value))}
        self._react(
            SetPositionOutputs,
            "wmx/axis/set_position_outputs",
            **place,
            position=real(beyond, "beyond"),
        )

    def switch_no_output(self) -> None:
        """Have the axes switch no output any more; it stays as it is."""
        self._react(SetPositionOutputs, "wmx/axis/set_position_outputs")

    def _set(self, verb: str, value: int | None, *, to_all: bool = False) -> None:
        data = [] if value is None else [value] * len(self.numbers)
        self._call(SetAxis, verb, data=data, to_all=to_all)

    def _call(self, kind: Any, verb: str, **fields: Any) -> None:
        self._session.request(
            kind, f"wmx/axis/{verb}", self.numbers, index=list(self.numbers), **fields
        )

    def _react(self, kind: Any, service: str, **each: float) -> None:
        """Ask for the same of every axis, once: a touch probe may have latched by a second time."""
        fields: dict[str, Any] = {name: [value] * len(self.numbers) for name, value in each.items()}
        self._session.call_once(kind, service, index=list(self.numbers), **fields)
