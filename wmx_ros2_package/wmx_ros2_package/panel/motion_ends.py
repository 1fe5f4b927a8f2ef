"""How the motions end that pages have begun: logged, and shown on the page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ..client import Machine, Motion, Result
from .machine_link import MachineLink
from .order import Order
from .safety.page_control import PageSession

END_UNKNOWN = "how it ended is not known"
SYSTEM_LOST = "its system was lost before. Look at the machine"


class MotionEnds:
    """The ends that are waited for. It belongs to the thread of the network."""

    def __init__(self, link: MachineLink, keep: Callable[..., Order]) -> None:
        """`keep` logs what came of an order."""
        self._link = link
        self._keep = keep
        self._awaited: dict[Motion, tuple[PageSession, str, Machine | None]] = {}
        """To whom each is reported, as what, and of which machine it is."""

    def report(
        self, motion: Motion, session: PageSession, what: str, loop: asyncio.AbstractEventLoop
    ) -> None:
        """Log and show how a motion ends that an order of `session` began."""
        self._awaited[motion] = session, what, self._link.machine

        def report(result: Result) -> None:
            self._awaited.pop(motion, None)
            reason = result.reason.name.lower().replace("_", " ")
            answer = "" if result.arrived else result.message or "it did not arrive"
            session.show(self._keep(session, what, answer, end=reason))

        def ended(result: Result) -> None:
            with suppress(RuntimeError):  # the panel has ended
                loop.call_soon_threadsafe(report, result)

        motion.when_ended(ended)

    def report_lost(self) -> None:
        """Say of each motion whose system is lost that its end is not known.

        It is reported all the same where it comes, as of a system that was suspended.
        """
        gone = bool(self._awaited) and self._link.gone
        for motion, (session, what, machine) in [*self._awaited.items()]:
            if not motion.done and (gone or machine is not self._link.machine):
                del self._awaited[motion]
                session.show(self._keep(session, what, SYSTEM_LOST, end=END_UNKNOWN))
