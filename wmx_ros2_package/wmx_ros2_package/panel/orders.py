"""What pages ask of the machine: carried out for the holder of control only, and each logged."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from enum import Enum
from time import monotonic, time
from typing import Any

from ..client import Machine, MachineError, Motion, NotAnswered
from .advice import advice, words
from .jogs import Jogs
from .machine_link import MachineLink
from .motion_ends import END_UNKNOWN, MotionEnds
from .order import Order
from .safety.emergency_stop import StoppedSince
from .safety.heartbeat import ORDER_VALIDITY, UNKNOWN, Click, Heartbeat
from .safety.held_buttons import Hold
from .safety.page_control import Control, ControlRefused, PageSession
from .safety.pause import ResumeRefused
from .tool_jog import ToolJog

MOST_KEPT, MOST_NAME = 500, 40
"""Orders, and letters of a name."""
TOO_LATE = (
    "it came too late, for the connection, the browser or the panel was slow. Nothing was done: "
    "look at the machine, then click again"
)
GONE = "what it has begun ends: its page was closed or loaded again, or its connection is lost"
OTHER_MACHINE = (
    "the page shows the machine as it was before: another system, or other names and units. "
    "Nothing was done: it is loaded again"
)
STOPPED_SINCE = "a stop came after it. Nothing was done"
STOPPED_AS_IT_BEGAN = "a stop came before it had begun, so what has begun is stopped"
MAY_GO_ON = "a stop came before it had begun, and what has begun may go on"
NOT_ENDED = "it was to end, and may go on"
_log = logging.getLogger("wmx_panel")


class Lane(Enum):
    """Which threads carry an order out: what waits in one keeps nothing of another."""

    ORDER = "order", 8
    """It needs control, and comes in time; the others are stops, carried out whenever they come."""
    STOP = "stop", 16
    EMERGENCY = "emergency", 8
    PAUSE = "pause", 8
    """It waits until axes rest."""


class StaleOrder(Exception):
    """An order came too late; the text has the reason."""


class Orders:
    """Carries out what pages ask for. It belongs to the thread of the network.

    What takes a while is done in other threads, see `Lane`. The motions that a holder of control
    began end with that control, and as soon as no browser shows its page any more.
    """

    def __init__(self, link: MachineLink) -> None:
        self.control = Control()
        self.heartbeat = Heartbeat()
        self.kept: deque[Order] = deque(maxlen=MOST_KEPT)
        self.tool = ToolJog(link)
        """Any thread may use it."""
        self._link = link
        self._threads = {
            lane: ThreadPoolExecutor(lane.value[1], f"panel-{lane.value[0]}") for lane in Lane
        }
        self._motions: list[Motion] = []
        self._moved: Machine | None = None
        """The machine in which they were begun."""
        self._not_ended: deque[tuple[PageSession, str, MachineError]] = deque()
        """What was to end with its page or its control, and why that is not known to have come."""
        self._stops_given = 0
        """Counts the stops that pages have asked for."""
        self._ends = MotionEnds(link, self._keep)
        self._jogs = Jogs(link, self.tool, lambda: self._stops_given, self._keep)
        self._tasks: set[asyncio.Task[None]] = set()

    async def carry_out(
        self,
        session: PageSession,
        what: str,
        work: Callable[[], Any],
        click: Click = UNKNOWN,
        lane: Lane = Lane.ORDER,
    ) -> Order:
        """Do `work` in a thread of its lane; what it raises is the answer of the order.

        In the lane of orders it needs control, and a `click` of now. A `Motion` that `work` returns
        ends with the control of `session`, and at once where a stop came while it began.
        """
        self.control.see(session, monotonic())
        needs_control = lane is Lane.ORDER
        if not needs_control:
            self._stops_given += 1
        stops = self._stops_given

        def require() -> None:
            if needs_control:
                self.control.require(session)
                self._require_fresh(click)
                self._require_shown(session)
                if stops != self._stops_given:
                    raise StaleOrder(STOPPED_SINCE)

        def do() -> Any:
            require()  # again, for it may have waited for a thread
            return work()

        loop = asyncio.get_running_loop()
        try:
            require()
            result = await loop.run_in_executor(self._threads[lane], do)
        except (ControlRefused, ResumeRefused, StaleOrder, StoppedSince) as error:
            return self._keep(session, what, str(error))
        except (MachineError, ValueError, OSError) as error:
            # Without an answer, also of several systems, it may have been carried out.
            silent = isinstance(error, NotAnswered) or isinstance(error.__cause__, NotAnswered)
            end = END_UNKNOWN if silent else ""
            return self._keep(session, what, words(error), advice(error), end=end)
        except Exception as error:  # which nobody has foreseen: some of it may have been done
            _log.exception(what)
            return self._keep(session, what, repr(error), end=END_UNKNOWN)
        moves = isinstance(result, Motion)
        if moves:
            self.adopt(session, result)
            if stops != self._stops_given:  # `work` has read something first, or waited
                failure = await loop.run_in_executor(self._threads[Lane.STOP], self._cancel, result)
                if failure is None:
                    return self._keep(session, what, STOPPED_AS_IT_BEGAN)
                self._ends.report(result, session, what, loop)
                text = f"{MAY_GO_ON}: {words(failure)}"
                return self._keep(session, what, text, advice(failure), end=END_UNKNOWN)
        self._link.poll_soon()
        order = self._keep(session, what, begun=moves)
        if moves:
            self._ends.report(result, session, what, loop)
        return order

    def hold(self, session: PageSession, held: Any) -> None:
        """Begin, renew or end what the holder of control holds, by what its browser sends.

        ValueError, KeyError or TypeError for what no browser sends.
        """
        if self.control.holder is not session:
            return
        releases = bool(held) and "release" in held
        self._hold_release(session, str(held["id"]) if releases else "")
        shown = session.generation == self._link.generation
        hold = Hold.read(held) if held and shown and not releases else None
        if held:
            self.control.see(session, monotonic())
        self._jogs.hold(session, hold)

    @property
    def jogged_axis(self) -> int | None:
        """The axis that moves because a button of a page is held."""
        return self._jogs.axis

    def jog_error(self, session: PageSession) -> str:
        """Why the button that is held does nothing, or the one that was held last did."""
        holds = self.control.holder is session
        return (holds and self._link.emergency_stop.complaint) or self._jogs.error(session)

    def give_back(self, session: PageSession, lost: str = "") -> None:
        """End the control of `session`, and the motions that it began.

        Given back, and not `lost` for some reason, it goes to the page that has asked for it.
        """
        asker = self.control.asker
        if not self.control.give_back(session):
            return
        self._release(session, lost)
        if asker is not None and not lost:
            asker.show(self._take(asker, f"control is handed over by {session}"))

    def keep_control(self, session: PageSession) -> None:
        """Let `session` keep control, which another page has asked for."""
        if (asker := self.control.keep(session)) is not None:
            self.control.see(session, monotonic())
            asker.show(self._keep(asker, "take control", f"{session} keeps it"))

    def words(self, session: PageSession) -> str:
        """What a page should know of who asks for control."""
        return self.control.words(session, monotonic())

    def expire(self, now: float) -> None:
        """End what a page has begun that nobody sees any more, and the control of a lost one.

        Control is lost by a browser that does not answer, and by one who took it after a page of
        another panel had.
        """
        self._jogs.report()
        self._ends.report_lost()
        while self._not_ended:
            session, what, error = self._not_ended.popleft()
            text = f"{NOT_ENDED}: {words(error)}"
            session.show(self._keep(session, what, text, advice(error), end=END_UNKNOWN))
        holder = self.control.holder
        if holder is not None and holder.gone and self._cancel_motions(holder):
            self._keep(holder, GONE)
        if holder is not None and (self._jogs.going_on or self._open_motions()):
            self.control.see(holder, now)
        holder = self.control.expired(now)
        if holder is not None:
            self._release(holder, "its browser does not answer")
        elif self.control.holder is not None and self._link.panels.outranked:
            other = self._link.panels.holder
            self.give_back(self.control.holder, f"{other} has it, at another panel")

    def take(self, session: PageSession, name: str) -> Order:
        """Let `session` have control under the name of its user."""
        before, session.name = session.name, _plain(name) or "operator"
        order = self._take(session, "take control")
        if not order.done and self.control.asker is not session:
            session.name = before
        return order

    def _take(self, session: PageSession, what: str) -> Order:
        other, gone = self._link.panels.holder, self.control.holder
        try:
            if other:
                raise ControlRefused(f"{other} has control, at another panel")
            self.control.take(session)
        except ControlRefused as error:
            return self._keep(session, what, str(error))
        if gone is not None and gone is not session:
            self._release(gone, f"{session} has asked for it in vain")
        self._link.panels.claim(str(session))
        return self._keep(session, what)

    def _require_fresh(self, click: Click) -> None:
        age = click.age(self.heartbeat, monotonic())
        if not age <= ORDER_VALIDITY:  # nor if it is no number
            raise StaleOrder(TOO_LATE)

    def _require_shown(self, session: PageSession) -> None:
        if session.generation != self._link.generation:
            raise StaleOrder(OTHER_MACHINE)
        if lost := self._link.lost:  # what answers under its names now may be another machine
            raise StaleOrder(f"{lost}. Nothing was done")

    def _open_motions(self) -> list[Motion]:
        """What the holder has begun in the machine of now, and what is open still."""
        if self._moved is not self._link.machine:  # it is lost, and ends of it do not come
            self._moved, self._motions = self._link.machine, []
        return [motion for motion in self._motions if not motion.done]

    def adopt(self, session: PageSession, motion: Motion) -> None:
        if self.control.holder is session:
            self._motions = [*self._open_motions(), motion]
        else:  # control was lost while it began
            self._threads[Lane.STOP].submit(self._end, session, motion)

    def _hold_release(self, session: PageSession, press: str) -> None:
        """Release the emergency stop once its button has been held long enough."""
        record = self._link.emergency_stop
        stops = record.stops
        if not record.hold(press):
            return

        def release() -> None:
            self._link.connected.release(before=lambda: record.require_unchanged(stops))

        async def carry_out() -> None:
            click = Click(self.heartbeat.number, 0.0)
            what = "release the emergency stop"
            session.show(await self.carry_out(session, what, release, click))

        task = asyncio.get_running_loop().create_task(carry_out())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _release(self, session: PageSession, lost: str) -> None:
        """End what `session` has begun with its control, and tell it where that is `lost`."""
        self._link.panels.claim("")
        self._jogs.end()
        self._cancel_motions(session)
        if lost:
            session.show(self._keep(session, "control", lost, end="lost"))
        else:
            self._keep(session, "gives control back")

    def _cancel_motions(self, session: PageSession) -> bool:
        """Bring what the holder `session` has begun to rest; whether that was anything."""
        motions, self._motions = self._open_motions(), []
        for motion in motions:
            self._threads[Lane.STOP].submit(self._end, session, motion)
        return bool(motions)

    def _end(self, session: PageSession, motion: Motion) -> None:
        if (failure := self._cancel(motion)) is not None:
            self._not_ended.append((session, motion.what, failure))

    def _cancel(self, motion: Motion) -> MachineError | None:
        """Bring a motion to rest; why that is not known to have worked.

        Until the motion has ended then, it stands in the line of alarms, which every page shows.
        """
        try:
            motion.cancel()
        except MachineError as error:
            take, text = self._link.alarms.take, f"{NOT_ENDED}: {words(error)}"
            take([motion.what], NOT_ENDED, text, time(), active=True)
            motion.when_ended(lambda _: take([motion.what], NOT_ENDED, "", time(), active=False))
            return error
        return None

    def _keep(
        self,
        session: PageSession,
        what: str,
        answer: str = "",
        remedy: str = "",
        *,
        begun: bool = False,
        end: str = "",
    ) -> Order:
        order = Order(
            time=datetime.now(),
            what=what,
            who=str(session),
            done=not answer,
            answer=answer,
            remedy=remedy,
            begun=begun,
            end=end,
        )
        self.kept.append(order)
        level = logging.WARNING if answer else logging.INFO
        _log.log(level, "%s: %s: %s", session, what, order.outcome)
        return order


def _plain(name: str) -> str:
    """A name as it may stand in a line of the log: no line of its own, nothing that turns text."""
    shown = "".join(each if each.isprintable() else " " for each in name)
    return " ".join(shown.split())[:MOST_NAME]
