"""What is held on pages: one press of a button at a time moves something, and each is logged."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from ..client import Motion
from .advice import advice, words
from .machine_link import MachineLink
from .motion_ends import END_UNKNOWN
from .order import Order
from .safety.held_buttons import Hold, Jog
from .safety.page_control import PageSession
from .tool_jog import ToolJog

SHOWN = 8.0
"""For so long after a press has come to its end it is shown why it did nothing, s."""
NOT_BEGUN = "the button was released before anything moved"
ENDED = "ended"


class Jogs:
    """The newest press, and what came of it. It belongs to the thread of the network."""

    def __init__(
        self,
        link: MachineLink,
        tool: ToolJog,
        stops_given: Callable[[], int],
        keep: Callable[..., Order],
    ) -> None:
        """`stops_given` counts stops, which end a press; `keep` logs what came of one."""
        self._link = link
        self._tool = tool
        self._stops_given = stops_given
        self._keep = keep
        self._jog: Jog | None = None
        self._by: PageSession | None = None
        self._unlogged: list[tuple[PageSession, Jog]] = []
        """What is not over, or not logged yet."""
        self._begun: set[Jog] = set()
        """Of these, those whose begin was logged."""
        self._over_at: float | None = None
        """When the newest press was seen to be over, by the steady clock, s."""

    @property
    def axis(self) -> int | None:
        """The axis that moves because a button of a page is held."""
        return self._jog.hold.axis if self.going_on and self._jog is not None else None

    @property
    def going_on(self) -> bool:
        """Whether something moves, or is about to, because a button is held."""
        return self._jog is not None and not self._jog.over

    def hold(self, session: PageSession, hold: Hold | None) -> None:
        """Begin, renew or end a press; a press that has ended does not begin again."""
        jog = self._jog
        if jog is not None and hold is not None and hold.id == jog.hold.id:
            jog.renew()  # one that has ended does not begin again
        else:
            self.end()
            if hold is not None:
                self._jog, self._by, self._over_at = self._press(hold), session, None
                self._unlogged.append((session, self._jog))
        self.report()

    def end(self) -> None:
        """Release what is held."""
        if self._jog is not None:
            self._jog.release()

    def error(self, session: PageSession) -> str:
        """Why the newest press of a page does nothing, while it is held and for SHOWN after."""
        jog = self._jog
        if jog is None or jog.error is None or self._by is not session:
            return ""
        if jog.over and self._over_at is None:
            self._over_at = monotonic()
        if self._over_at is not None and monotonic() - self._over_at > SHOWN:
            return ""
        return f"{words(jog.error)}\n{advice(jog.error)}".strip()

    def report(self) -> None:
        """Log what has come of each press since the last call."""
        for session, jog in [*self._unlogged]:
            ended = jog.ended  # before what is read of it
            if jog.begun and jog not in self._begun:
                self._begun.add(jog)
                self._keep(session, str(jog.hold), begun=True)
            if not ended:
                continue
            self._unlogged.remove((session, jog))
            if jog.error is not None:
                end = END_UNKNOWN if jog.end_unknown else ENDED if jog.begun else ""
                self._keep(session, str(jog.hold), words(jog.error), advice(jog.error), end=end)
            elif jog.begun:
                self._keep(session, f"release: {jog.hold}")
            else:
                self._keep(session, str(jog.hold), NOT_BEGUN)
            self._begun.discard(jog)

    def _press(self, hold: Hold) -> Jog:
        stops = self._stops_given()

        def stopped() -> bool:
            return self._stops_given() != stops

        if hold.tool is not None:
            return self._tool.press(hold, stopped)
        actuators = self._link.actuators
        known = hold.axis is not None and hold.axis < len(actuators)
        highest = actuators[hold.axis].velocity if known else inf  # type: ignore[index]

        def begin(before: Callable[[], None]) -> Motion:
            return hold.begin(self._link.connected, highest, before=before)

        return Jog(hold, begin, stopped=stopped)
