"""The stops that pages ask for, and pauses, which are towards rest as well.

They need no control, and wait for no page and no other order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .machine_link import MachineLink
from .orders import Orders
from .page_control import PageSession

EMERGENCY_STOP = "EMERGENCY STOP"
ALL_AXES = "all"
PAUSE = "pause"


class PageStops:
    """Carries out what `/stop` and `/estop` receive. It belongs to the thread of the network."""

    def __init__(
        self, link: MachineLink, orders: Orders, find: Callable[[str], PageSession | None]
    ) -> None:
        """`find` returns the page of an id."""
        self._link = link
        self._orders = orders
        self._find = find

    async def stop(self, client: str, address: str, what: Any) -> dict[str, Any]:
        """Stop `what`: ALL_AXES, or an axis by its number; the emergency stop for all but a PAUSE.

        A stop of a page that is not known any more is carried out as well.
        """
        session = self._find(client) or PageSession(id="", address=address)
        words, work = self._work(what)
        if words == EMERGENCY_STOP:
            self._link.emergency_stop.press(str(session))
        elif words == PAUSE:
            self._link.pause.press()
        order = await self._orders.carry_out(
            session, words, work, needs_control=False, waits=words == PAUSE
        )
        if words != EMERGENCY_STOP:  # which every page shows
            session.show(order)
        return {"done": order.done, "what": words, "answer": order.answer}

    def _work(self, what: Any) -> tuple[str, Callable[[], object]]:
        machine = self._link
        if what == ALL_AXES:
            return "stop all axes", lambda: machine.connected.stop()
        if what == PAUSE:
            return PAUSE, lambda: machine.connected.pause()
        if isinstance(what, int) and not isinstance(what, bool) and what >= 0:
            return f"stop axis {what}", lambda: machine.connected.axes[what].stop()
        return EMERGENCY_STOP, lambda: machine.connected.estop()
