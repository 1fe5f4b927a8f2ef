"""What can be asked of one axis as of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmx_ros2_message.srv import SetAxis

from ..drivers.values import CommandMode
from .explanation import Explanation
from .motion import Motion
from .reactions import Reactions

if TYPE_CHECKING:
    from .session import Session


class AxisGroup(Reactions):
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
        value = CommandMode[mode.upper()] if isinstance(mode, str) else mode
        self._set("set_mode", int(value))

    def home(self) -> Motion:
        """Home the axes by their parameters; the handle ends when all are homed."""
        return self._session.home(self.numbers)

    def stop(self, *, quick: bool = False) -> None:
        """Slow the axes down to rest with the deceleration of their motions, those of any client.

        `quick` takes the quick stop deceleration. It does not wait until they rest.
        """
        self._set("stop", int(quick), to_all=True)

    def hold(self) -> None:
        """Bring the axes to rest from any mode, and have them hold where they are."""
        self._session.hold(self.numbers)

    def explain(self) -> list[Explanation]:
        """What blocks motion now, for each axis, and which commands clear that."""
        return self._session.explain(self.numbers)

    def _set(self, verb: str, value: int | None, *, to_all: bool = False) -> None:
        data = [] if value is None else [value] * len(self.numbers)
        self._call(SetAxis, verb, data=data, to_all=to_all)

    def _call(self, kind: Any, verb: str, **fields: Any) -> None:
        self._session.request(
            kind, f"wmx/axis/{verb}", self.numbers, index=list(self.numbers), **fields
        )
