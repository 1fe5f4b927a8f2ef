"""The stops that pages ask for, and pauses, which are towards rest as well.

They need no control, and wait for no page and no other order. A page sends one press again where
it has no answer soon, and by a second way: that is the same stop, unless the first one has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from ..client import Machine, MachineError, NotAnswered, NotConnected
from .machine_link import MachineLink
from .order import Order
from .orders import Lane, Orders
from .safety.page_control import PageSession

EMERGENCY_STOP = "EMERGENCY STOP"
AXES_INSTEAD = "stop all axes, where the emergency stop is not in force"
STOPPED_INSTEAD = (
    "All axes were stopped quickly instead, but nothing keeps programs from moving them again"
)
NOT_STOPPED_EITHER = "Nor is it known that all axes were stopped quickly instead"
ENGINE_TIMEOUT = 1.0
"""An emergency stop that is not in force after this time, s, has all axes stopped beside it: it is
the engine node that answers it, and other nodes that move and stop axes."""
ALL_AXES = "all"
PAUSE = "pause"
STOP_TIMEOUT = 5.0
"""How long a system that a stop is for is looked for, s, while the panel is connected to none."""
MOST_ID = 64
"""Letters of what names a page, or a press."""
MOST_PRESSES = 256
"""So many of the newest presses are known again when they are sent again."""
PRESS_TIME = 15.0
"""A press is known for so long, s: a page sends it again for 10 s. What comes later is carried out
anew, for the machine may have been released since."""


class PageStops:
    """Carries out what `/stop` and `/estop` receive. It belongs to the thread of the network."""

    def __init__(
        self, link: MachineLink, orders: Orders, find: Callable[[str], PageSession | None]
    ) -> None:
        """`find` returns the page of an id."""
        self._link = link
        self._orders = orders
        self._find = find
        self._instead: set[asyncio.Task[str]] = set()
        """Stops of the axes beside an emergency stop: of a task nobody else keeps one."""
        self._presses: dict[tuple[str, str, str], tuple[float, asyncio.Task[dict[str, Any]]]] = {}
        """When each press came, and what comes of it; by its page, its number there, and what it is
        to stop."""

    async def stop(
        self, client: str, address: str, what: Any, press: object = None
    ) -> dict[str, Any]:
        """Stop `what`: ALL_AXES, or an axis by its number; the emergency stop for all but a PAUSE.

        A stop of a page that is not known any more is carried out as well, as is one without
        `press`, the number of the press on its page.
        """
        if not client or press is None:
            return await self._stop(client, address, what)
        key = client[:MOST_ID], str(press)[:MOST_ID], _what(what)[0]
        now = monotonic()
        came, task = self._presses.get(key, (now, None))
        late = now > came + PRESS_TIME
        if task is None or late or (task.done() and not _has_stopped(task)):
            task = asyncio.create_task(self._stop(client, address, what))
            self._presses[key] = now, task
            if len(self._presses) > MOST_PRESSES:
                del self._presses[next(iter(self._presses))]
        return await asyncio.shield(task)  # whoever asked may leave: what was pressed is stopped

    async def _stop(self, client: str, address: str, what: Any) -> dict[str, Any]:
        session = self._find(client) or PageSession(id="", address=address)
        words, act = _what(what)
        if words == EMERGENCY_STOP:
            self._link.emergency_stop.press(str(session))
        elif words == PAUSE:
            self._link.pause.press()
        lane = {EMERGENCY_STOP: Lane.EMERGENCY, PAUSE: Lane.PAUSE}.get(words, Lane.STOP)
        asked = asyncio.create_task(self._reach_all(session, words, act, lane))
        if words != EMERGENCY_STOP:  # which every page shows
            order = await asked
            session.show(order)
            return {"done": order.done, "what": words, "answer": order.answer}
        instead = asyncio.create_task(self._stop_axes_without(session, asked))
        self._instead.add(instead)
        instead.add_done_callback(self._instead.discard)
        order = await asked
        answer = order.answer if order.done else f"{order.answer}. {await instead}"
        return {"done": order.done, "what": words, "answer": answer}

    async def _stop_axes_without(self, session: PageSession, asked: asyncio.Task[Order]) -> str:
        """Stop all axes where the emergency stop that was `asked` for is not in force in time.

        What came of that, in words; empty where it was not needed.
        """
        await asyncio.wait({asked}, timeout=ENGINE_TIMEOUT)
        if asked.done() and asked.exception() is None and asked.result().done:
            return ""
        stop = await self._reach_all(
            session, AXES_INSTEAD, lambda machine: machine.stop(quick=True), Lane.STOP
        )
        session.show(stop)
        return STOPPED_INSTEAD if stop.done else f"{NOT_STOPPED_EITHER}: {stop.answer}"

    async def _reach_all(
        self, session: PageSession, words: str, act: Callable[[Machine], object], lane: Lane
    ) -> Order:
        work = partial(reach_all, self._link, act)
        return await self._orders.carry_out(session, words, work, lane=lane)


def _has_stopped(task: asyncio.Task[dict[str, Any]]) -> bool:
    """Whether what was pressed was stopped."""
    return not task.cancelled() and task.exception() is None and bool(task.result()["done"])


def reach_all(link: MachineLink, act: Callable[[Machine], object]) -> None:
    """Carry a stop out in each system that there is; MachineError unless all have answered.

    The machine that the panel is connected to is asked at once. Where there is none, another
    system beside it, or no answer, all are reached by a client of this stop alone, which asks
    nothing before.
    """
    machine, silence = link.machine, None
    if machine is not None:
        try:
            act(machine)
            if machine.systems <= 1:
                return
        except NotConnected:  # it has ended, or has been closed for another one
            pass
        except NotAnswered as error:  # the client of the panel may hang
            silence = error
    try:
        with Machine(link.namespace, timeout=STOP_TIMEOUT).open(to_stop=True) as each:
            act(each)
    except MachineError as error:
        if silence is not None:  # so it may have been carried out
            raise error from silence
        raise


def _what(what: Any) -> tuple[str, Callable[[Machine], object]]:
    """The words for a stop, and what carries it out."""
    if what == ALL_AXES:
        return "stop all axes", lambda machine: machine.stop()
    if what == PAUSE:
        return PAUSE, lambda machine: machine.pause()
    if isinstance(what, int) and not isinstance(what, bool) and what >= 0:
        return f"stop axis {what}", lambda machine: machine.stop([what])
    return EMERGENCY_STOP, lambda machine: machine.estop()
